"""Graphs in the forms that people have them, read by their methods: no library of graphs is imported.

networkx           an object with `adj`, `nodes` and `edges`; labels and attributes by their names
igraph             an object with `vs`, `es` and `get_edgelist`
adjacency matrix   square, a SciPy sparse matrix or an array; an entry that is not 0 is an edge
dict               {"n": 3, "edges": [[0, 1], [1, 2]], "node_labels": [...], "edge_labels": [...],
                   "node_attributes": [...], "edge_attributes": [...], "directed": false}, of which all but the edges
                   can be left out; also as JSON text
adjacency dict     {node: its neighbours}, by the names of nodes
edge list          [(node, node), ...], by the names of nodes; nodes without an edge cannot be written so

`read` makes any of them one `Drawn`, whose nodes are 0, ..., n - 1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import bad, wrong_kind
from mercer.items.vectors import is_sparse

KEYS = ("n", "edges", "node_labels", "edge_labels", "node_attributes", "edge_attributes", "directed")


@dataclass(frozen=True)
class Names:
    """Under which names networkx and igraph hold labels and attributes; None: they are not read."""

    node_label: str | None = "label"
    edge_label: str | None = "label"
    node_attributes: str | None = None
    edge_attributes: str | None = None


@dataclass(frozen=True, eq=False)
class Drawn:
    """One graph: n nodes, pairs of them, and values for nodes and for these pairs; None where there are none."""

    n: int
    edges: Sequence[Any]
    node_labels: Sequence[Any] | None = None
    edge_labels: Sequence[Any] | None = None
    node_attributes: Any = None
    edge_attributes: Any = None
    directed: bool | None = None  # None: the form does not tell
    both: bool = False  # an undirected edge is written in both directions


def read(value: Any, names: Names, owner: str, row: int) -> Drawn:
    """One graph in any of the forms; `row` is its number, for messages."""
    if isinstance(value, (str, bytes)):
        value = _decoded(value, owner, row)
    if isinstance(value, Mapping):
        return _described(value, owner, row) if "edges" in value else _neighbours(value, owner, row)
    if all(hasattr(value, name) for name in ("adj", "nodes", "edges", "is_directed")):
        return _networkx(value, names, owner, row)
    if all(hasattr(value, name) for name in ("vs", "es", "get_edgelist", "is_directed")):
        return _igraph(value, names)
    if is_sparse(value) or (hasattr(value, "shape") and len(value.shape) == 2 and value.shape[0] == value.shape[1]):
        return _matrix(value, owner, row)
    if isinstance(value, (list, tuple, set, frozenset)) or hasattr(value, "shape"):
        return _edge_list(value, owner, row)
    raise wrong_kind(owner, "graphs", f"{type(value).__name__} in row {row}",
                     "Pass graphs of networkx or igraph, adjacency matrices, edge lists or dicts.")  # fmt: skip


def _decoded(text: str | bytes, owner: str, row: int) -> Any:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise wrong_kind(owner, "graphs", f"text in row {row} that is no JSON object",
                         'Write e.g. {"n": 3, "edges": [[0, 1], [1, 2]]}.')  # fmt: skip
    return found


def _described(value: Mapping[str, Any], owner: str, row: int) -> Drawn:
    unknown = [key for key in value if key not in KEYS]
    if unknown:
        raise bad(owner, f"graph {row}", f"described by {', '.join(KEYS)}", repr(unknown[0]), "Correct the name.")
    edges = _listed(value["edges"])
    labels = _listed(value.get("node_labels"))
    attributes = value.get("node_attributes")
    n = value.get("n")
    if n is None:
        known = labels if labels is not None else attributes
        n = len(known) if known is not None else 1 + max((int(end) for edge in edges for end in edge), default=-1)
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:
        raise bad(owner, f"n of graph {row}", "the number of its nodes", repr(n), "Write an integer >= 0.")
    return Drawn(
        int(n),
        edges,
        labels,
        _listed(value.get("edge_labels")),
        attributes,
        value.get("edge_attributes"),
        value.get("directed"),
    )


def _listed(values: Any) -> Any:
    return values.tolist() if isinstance(values, np.ndarray) else values


def _neighbours(value: Mapping[Any, Any], owner: str, row: int) -> Drawn:
    place = {name: i for i, name in enumerate(value)}
    for name, others in value.items():
        lost = [other for other in others if other not in place]
        if lost:
            raise bad(owner, f"graph {row}", "a dict with every node as a key", f"{lost[0]!r} only as a neighbour of "
                      f"{name!r}", "Add it, with its own neighbours.")  # fmt: skip
    edges = [(place[name], place[other]) for name, others in value.items() for other in others]
    return Drawn(len(place), edges, both=True)


def _edge_list(value: Any, owner: str, row: int) -> Drawn:
    pairs = [tuple(_listed(edge)) if isinstance(edge, (list, tuple, np.ndarray)) else (edge,) for edge in value]
    odd = next((pair for pair in pairs if len(pair) != 2), None)
    if odd is not None:
        raise wrong_kind(owner, "graphs", f"{odd!r} as an edge in row {row}",
                         "Write each graph as a list of (node, node) pairs, or as a dict with labels.")  # fmt: skip
    try:
        place = {name: i for i, name in enumerate(dict.fromkeys(end for pair in pairs for end in pair))}
    except TypeError as error:
        raise wrong_kind(owner, "graphs whose nodes have names", f"{error} in row {row}",
                         "Name nodes by numbers or text.") from None  # fmt: skip
    return Drawn(len(place), [(place[u], place[v]) for u, v in pairs])


def _networkx(graph: Any, names: Names, owner: str, row: int) -> Drawn:
    if graph.is_multigraph():
        raise bad(owner, f"graph {row}", "a graph with at most one edge between two nodes", type(graph).__name__,
                  "Convert it with networkx.Graph(graph) or networkx.DiGraph(graph).")  # fmt: skip
    nodes, edges = list(graph.nodes(data=True)), list(graph.edges(data=True))
    place = {name: i for i, (name, _) in enumerate(nodes)}
    of_nodes, of_edges = [data for _, data in nodes], [data for *_, data in edges]
    return Drawn(
        len(nodes),
        [(place[u], place[v]) for u, v, _ in edges],
        _values(of_nodes, names.node_label),
        _values(of_edges, names.edge_label),
        _values(of_nodes, names.node_attributes),
        _values(of_edges, names.edge_attributes),
        graph.is_directed(),
    )


def _values(data: Sequence[Mapping[str, Any]], name: str | None) -> list[Any] | None:
    """One value each by its name; None if no one has it."""
    if name is None or not any(name in one for one in data):
        return None
    return [one.get(name) for one in data]


def _igraph(graph: Any, names: Names) -> Drawn:
    def values(of: Any, name: str | None) -> Any:
        return list(of[name]) if name is not None and name in of.attributes() else None

    return Drawn(
        graph.vcount(),
        graph.get_edgelist(),
        values(graph.vs, names.node_label),
        values(graph.es, names.edge_label),
        values(graph.vs, names.node_attributes),
        values(graph.es, names.edge_attributes),
        graph.is_directed(),
    )


def _matrix(value: Any, owner: str, row: int) -> Drawn:
    from scipy.sparse import coo_array

    A = coo_array(value)
    if A.shape[0] != A.shape[1]:
        raise bad(owner, f"graph {row}", "a square adjacency matrix", f"shape {A.shape}", "Give a row to every node.")
    kept = np.flatnonzero(A.data)
    return Drawn(A.shape[0], np.column_stack([A.row[kept], A.col[kept]]).tolist(), both=True)
