"""One dataset of every kind beyond vectors, made without any state of the process, for tests and subprocesses."""

from __future__ import annotations

import numpy as np

from mercer.items import (
    Categories,
    Documents,
    Graphs,
    Intervals,
    Items,
    Models,
    PointLists,
    Rankings,
    Sets,
    Strings,
    Table,
)
from mercer.models import Discrete

KINDS: dict[str, tuple[type[Items], object, object]] = {
    "strings": (Strings, ["abc", "", "é\u0000b"], ["abc", "", "é\u0000c"]),
    "bytes": (Strings, [b"abc", b"", b"\xff"], [b"abc", b"", b"\xfe"]),
    "tokens": (Strings, [["a", ("b", 1)], [], [3, 4]], [["a"], [("b", 1)], [3, 4]]),
    "documents": (Documents, ["a b", "", "c"], ["a b", "c", ""]),
    "token lists": (Documents, [["ab", "c"], [], ["d"]], [["a", "bc"], [], ["d"]]),
    "counts": (Documents, np.array([[1, 0], [0, 2], [3, 3]]), np.array([[1, 0], [0, 2], [3, 4]])),
    "sets": (Sets, [{"b", "a", "c"}, set(), {1, (2, "x")}], [{"b", "a"}, {"c"}, {1, (2, "x")}]),
    "packed sets": (Sets, np.array([[3], [0], [129]], dtype=np.uint8), np.array([[3], [0], [128]], dtype=np.uint8)),
    "points": (PointLists, [[[0, 1], [2, 3]], [], [[4, 5]]], [[[0, 1]], [[2, 3]], [[4, 5]]]),
    "series": (PointLists, [[1.0, 2.5], [3], [0, 0, 0]], [[1.0, 2.5], [3], [0, 0]]),
    "rankings": (
        Rankings,
        [["b", "a", "c"], ["a", "b", "c"], ["c", "b", "a"]],
        [["b", "a", "c"], ["a", "b", "c"], ["c", "a", "b"]],
    ),
    "intervals": (Intervals, [[(0, 1), (2, 3)], [], [(1, 4)]], [[(0, 1)], [(2, 3)], [(1, 4)]]),
    "models": (
        Models,
        [Discrete([0.5, 0.5]), Discrete([1.0, 0.0]), Discrete([0.25, 0.75])],
        [Discrete([0.5, 0.5]), Discrete([0.0, 1.0]), Discrete([0.25, 0.75])],
    ),
    "categories": (Categories, [["a", 1], ["b", 2], ["b", 0.5]], [["a", 1], ["b", 2], ["b", 0]]),
    "graphs": (
        Graphs,
        [{"edges": [[0, 1], [1, 2]], "node_labels": "CCO"}, {"n": 0, "edges": []}, {"edges": [], "node_labels": "N"}],
        [{"edges": [[0, 1], [1, 2]], "node_labels": "CCN"}, {"n": 0, "edges": []}, {"edges": [], "node_labels": "N"}],
    ),
    "adjacency matrices": (
        Graphs,
        [np.array([[0, 1], [1, 0]]), np.zeros((0, 0)), np.ones((3, 3))],
        [np.array([[0, 1], [1, 0]]), np.zeros((1, 1)), np.ones((2, 2))],
    ),
    "table": (
        Table,
        {"x": [1.5, 2.0, -0.0], "t": ["a", "b", None], "n": [1, 2, 2**60]},
        {"x": [1.5, 2.0, 0.0], "t": ["a", "b", None], "n": [1, 2, 2**60 + 1]},
    ),
}


def fingerprints() -> dict[str, str]:
    """The fingerprint of every sample."""
    return {name: kind.check(X, "test").fingerprint() for name, (kind, X, _) in KINDS.items()}


if __name__ == "__main__":
    import json

    print(json.dumps(fingerprints()))
