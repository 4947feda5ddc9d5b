"""Random graphs as the loops take them, and what must be refused of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mercer.items import Graphs

NAMES = ("nodes", "start", "neighbour")


def graphs(seed: int, count: int = 7, directed: bool = False, share: float = 0.4) -> Graphs:
    """Graphs of 0 to 8 nodes, some of them without edges, with labels of nodes and edges."""
    rng, drawn = np.random.default_rng(seed), []
    for _ in range(count):
        n = int(rng.integers(0, 9))
        edges = [[i, j] for i in range(n) for j in range(n) if (i != j if directed else i > j) and rng.random() < share]
        labels = {"node_labels": rng.integers(0, 3, n).tolist(), "edge_labels": rng.integers(0, 2, len(edges)).tolist()}
        drawn.append({"n": n, "edges": edges, "directed": directed, **labels})
    return Graphs.check(drawn, "test")


def arrays(X: Graphs) -> dict[str, np.ndarray]:
    """The three arrays by name."""
    return {name: getattr(X, name).copy() for name in NAMES}


def refuses_bad_graphs(function: Any, arguments: dict[str, Any], prefix: str = "") -> None:
    """Indices that lead outside of a graph, and offsets out of order."""
    name = function.__name__
    for value in (-1, 99):
        wrong = arguments[f"{prefix}neighbour"].copy()
        wrong[0] = value
        with pytest.raises(ValueError, match=f"^{name}: {prefix}neighbour must be indices from 0 to below"):
            function(**arguments | {f"{prefix}neighbour": wrong})
    for key in ("nodes", "start"):
        for place, value in ((0, 1), (-1, 99), (1, -5), (1, 10**6)):
            wrong = arguments[prefix + key].copy()
            wrong[place] = value
            with pytest.raises(ValueError, match=f"^{name}: {prefix}(nodes|start) must be ascending from 0 to"):
                function(**arguments | {prefix + key: wrong})
