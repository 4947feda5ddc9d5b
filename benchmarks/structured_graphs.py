"""Grams of graph kernels.  Rival: GraKeL, whose Gram must be the same.

Both begin with graphs as plain Python values and end with the Gram.  Data are the benchmark sets of TU Dortmund in the
directory of --data (graph_NAME.json.gz), or random molecules of about their size.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.harness import Agreement, Case, Rival, close
from mercer.typing import Array

Graph = dict[str, Any]
DECAY = 0.1


@dataclass(frozen=True)
class Problem:
    """The same graphs as each side reads them."""

    ours: list[Graph]
    theirs: list[Any]


def graphs(name: str, n: int) -> tuple[list[Graph], Array | None]:
    """n graphs of a set in a seeded random order, for files are sorted by class, and their classes; or molecules."""
    path = Path(os.environ.get(data.VARIABLE, "")) / f"graph_{name}.json.gz"
    rng = np.random.default_rng(0)
    if not path.is_file():
        return [molecule(rng) for _ in range(n)], None
    with gzip.open(path) as file:
        found = json.load(file)
    chosen = rng.permutation(len(found["graphs"]))[:n]
    some = [{key: found["graphs"][i][key] for key in ("n", "edges", "node_labels")} for i in chosen]
    return some, np.array(found["labels"])[chosen]


def molecule(rng: np.random.Generator) -> Graph:
    """A random tree of few branches, closed to a ring here and there."""
    n = int(rng.integers(8, 30))
    edges = {(int(max(i - 1 - rng.geometric(0.7) + 1, 0)), i) for i in range(1, n)}
    edges |= {(i, i + 5) for i in range(n - 5) if rng.random() < 0.1}
    labels = rng.choice(5, size=n, p=[0.7, 0.1, 0.1, 0.05, 0.05]).tolist()
    return {"n": n, "edges": sorted(list(edge) for edge in edges), "node_labels": labels}


def _problem(name: str, n: int) -> Problem:
    ours, _ = graphs(name, n)
    return Problem(ours, [_for_grakel(graph) for graph in ours])


def _for_grakel(graph: Graph) -> list[Any]:
    edges: dict[int, dict[int, float]] = {u: {} for u in range(graph["n"])}
    for u, v in graph["edges"]:
        edges[u][v] = edges[v][u] = 1.0
    return [edges, dict(enumerate(graph["node_labels"])), {}]


def _gram(text: str) -> Callable[[Problem], Array]:
    def ours(problem: Problem) -> Array:
        from mercer.kernels import parse

        return parse(text)(problem.ours)

    return ours


def _grakel(name: str, **options: Any) -> Rival:
    def theirs(problem: Problem) -> Any:
        import grakel

        made = {key: getattr(grakel, value) if key == "base_graph_kernel" else value for key, value in options.items()}
        return getattr(grakel, name)(**made).fit_transform(problem.theirs)

    return Rival(theirs, "grakel")


def _equal(problem: Problem, ours: Array, theirs: Array) -> Agreement:
    return close(ours, theirs, 1e-12)


def _near(problem: Problem, ours: Array, theirs: Array) -> Agreement:
    """GraKeL stops its linear solver at 1e-6."""
    return close(ours, theirs, 1e-6)


def _case(name: str, table: str, size: int, text: str, rival: Rival, check: Any = _equal, memory: bool = False) -> Case:
    return Case(
        suite="structured",
        name=name,
        size=size,
        small=12,
        data=partial(_problem, table),
        ours=_gram(text),
        rivals={"GraKeL": rival},
        check=check,
        memory=memory,
    )


def cases() -> list[Case]:
    """Labels of neighbourhoods, pairs of nodes, best assignments, walks."""
    subtree = _grakel("WeisfeilerLehman", n_iter=5, base_graph_kernel="VertexHistogram")
    paths, walks = _grakel("ShortestPath"), _grakel("RandomWalk", lamda=DECAY)
    assignment = _grakel("WeisfeilerLehmanOptimalAssignment", n_iter=5)
    return [
        _case("WL subtree, NCI1", "nci1", 4110, "WeisfeilerLehman(5)", subtree, memory=True),
        _case("WL subtree, PROTEINS", "proteins", 1113, "WeisfeilerLehman(5)", subtree),
        _case("WL assignment, NCI1", "nci1", 1000, "WeisfeilerLehman(5, base='assignment')", assignment),
        _case("shortest path, NCI1", "nci1", 4110, "ShortestPath(ordered=True)", paths),
        _case("shortest path, PROTEINS", "proteins", 1113, "ShortestPath(ordered=True)", paths),
        _case("random walk, MUTAG", "mutag", 188, f"RandomWalk({DECAY}, labelled=False)", walks, check=_near),
    ]
