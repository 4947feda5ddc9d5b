"""Graphs: nodes and edges, directed or not, with labels and with attributes that are vectors of numbers.

A dataset holds the adjacency lists of all its graphs one after another:

    graph g    has the nodes nodes[g] <= u < nodes[g + 1]
    node u     has the arcs start[u] <= e < start[u + 1], to the nodes nodes[g] + neighbour[e] in ascending order

An undirected edge is an arc in both directions; a loop is one arc.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from mercer.errors import bad, wrong_kind
from mercer.items.graph_forms import Drawn, Names, read
from mercer.items.items import Items
from mercer.items.labels import Labels
from mercer.items.symbols import listed
from mercer.typing import Array, Index

T = TypeVar("T", bound="Graphs")
_CURE = "Pass a list of graphs of networkx or igraph, of adjacency matrices, edge lists or dicts."


@dataclass(frozen=True, eq=False)
class Graphs(Items):
    """n graphs; labels and attributes are None where the graphs have none."""

    nodes: Array
    start: Array
    neighbour: Array
    directed: bool = False
    node_labels: Labels | None = None
    edge_labels: Labels | None = None
    node_attributes: Array | None = None
    edge_attributes: Array | None = None
    kind: ClassVar[str] = "graphs"

    @classmethod
    def check(cls, X: Any, owner: str) -> Self:
        return cls.of(X, owner=owner)

    @classmethod
    def of(
        cls,
        X: Any,
        *,
        node_label: str | None = "label",
        edge_label: str | None = "label",
        node_attributes: str | None = None,
        edge_attributes: str | None = None,
        directed: bool | None = None,
        symmetrise: bool = False,
        owner: str = "Graphs",
    ) -> Self:
        """Graphs from a list of graphs in any of the forms of items/graph_forms.py.

        node_label, ...    the names under which networkx and igraph hold labels and attributes; None leaves them out
        directed           whether edges have a direction; None: what graphs of networkx, igraph or a dict say of
                           themselves, False for forms that do not tell
        symmetrise         make directed graphs undirected: an arc in either direction becomes an edge
        """
        if isinstance(X, cls):
            return X
        if hasattr(X, "adj") or hasattr(X, "get_edgelist"):
            raise wrong_kind(owner, "a list of graphs", "one graph", "Put it in a list, even for one item: [graph].")
        names = Names(node_label, edge_label, node_attributes, edge_attributes)
        values = listed(X, owner, "a list of graphs", _CURE)
        drawn = [read(value, names, owner, row) for row, value in enumerate(values)]
        return _assembled(cls, drawn, directed, symmetrise, owner)

    @property
    def values(self) -> list[dict[str, Any]]:
        """One dict per graph, as `of` reads them."""
        return [_description(self[np.array([i])]) for i in range(len(self))]

    @property
    def orders(self) -> Array:
        """How many nodes each graph has."""
        return np.diff(self.nodes)

    @property
    def sizes(self) -> Array:
        """How many edges each graph has."""
        arcs = np.diff(self.start[self.nodes])
        if self.directed:
            return arcs
        loops = self.graph_of_node[self.source[self.source == self.target]]
        return np.asarray((arcs + np.bincount(loops, minlength=len(self))) // 2)

    @property
    def graph_of_node(self) -> Array:
        """The graph of every node."""
        return np.repeat(np.arange(len(self)), self.orders)

    @property
    def source(self) -> Array:
        """The node at which every arc begins, counted over all graphs."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    @property
    def target(self) -> Array:
        """The node at which every arc ends, counted over all graphs."""
        return self.nodes[self.graph_of_node[self.source]] + self.neighbour

    def __len__(self) -> int:
        return len(self.nodes) - 1

    def __getitem__(self, index: Index) -> Self:
        chosen = np.arange(len(self))[index]
        nodes = _ranges(self.nodes[chosen], self.nodes[chosen + 1])
        arcs = _ranges(self.start[self.nodes[chosen]], self.start[self.nodes[chosen + 1]])
        return type(self)(
            _offsets(self.orders[chosen]),
            _offsets(np.diff(self.start)[nodes]),
            self.neighbour[arcs],
            self.directed,
            None if self.node_labels is None else self.node_labels[nodes],
            None if self.edge_labels is None else self.edge_labels[arcs],
            None if self.node_attributes is None else self.node_attributes[nodes],
            None if self.edge_attributes is None else self.edge_attributes[arcs],
        )

    def pieces(self) -> Iterable[bytes]:
        yield f"{len(self)} graphs, directed {self.directed}".encode()
        yield from (part.astype("<i8").tobytes() for part in (self.nodes, self.start, self.neighbour))
        for labels in (self.node_labels, self.edge_labels):
            yield b"" if labels is None else labels.hashes.astype("<i8").tobytes()
        for attributes in (self.node_attributes, self.edge_attributes):
            yield b"" if attributes is None else (attributes + 0.0).astype("<f8").tobytes()

    def followed_by(self, other: Graphs) -> Self:
        """These graphs and then those of `other`, which must be of the same form."""
        return _joined(self, other)


def _offsets(counts: Array) -> Array:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)])


def _ranges(begin: Array, end: Array) -> Array:
    """All positions of several ranges, one range after another."""
    lengths = end - begin
    return np.repeat(begin - _offsets(lengths)[:-1], lengths) + np.arange(lengths.sum())


# ---- from one graph after another to the arrays of all


def _assembled(cls: type[T], drawn: Sequence[Drawn], directed: bool | None, symmetrise: bool, owner: str) -> T:
    is_directed = _direction(drawn, directed, symmetrise, owner)
    nodes = _offsets(np.array([graph.n for graph in drawn], dtype=np.int64))
    ends = _offsets(np.array([len(graph.edges) for graph in drawn], dtype=np.int64))
    u, v = _ends(drawn, owner)
    graph = np.repeat(np.arange(len(drawn)), np.diff(ends))
    _require_inside(u, v, graph, np.diff(nodes), ends, owner)
    u, v = u + nodes[graph], v + nodes[graph]
    edge = np.arange(len(u))  # the edge that an arc comes from, for its label
    if not is_directed:
        if not symmetrise:
            _require_symmetric(drawn, u, v, graph, nodes, owner)
        across = u != v
        u, v, edge = (np.concatenate(pair) for pair in ((u, v[across]), (v, u[across]), (edge, edge[across])))
    order = np.lexsort((edge, v, u))
    u, v, edge = u[order], v[order], edge[order]
    first = np.append(True, (np.diff(u) != 0) | (np.diff(v) != 0))[: len(u)]
    edge_labels = _labels(drawn, "edge_labels", np.diff(ends), "edges", owner)
    edge_attributes = _attributes(drawn, "edge_attributes", np.diff(ends), "edges", owner)
    _require_agreement(edge, first, edge_labels, edge_attributes, owner)
    kept = edge[first]
    starts = _offsets(np.bincount(u[first], minlength=nodes[-1]))
    return cls(
        nodes,
        starts,
        v[first] - np.repeat(nodes[:-1], np.diff(starts[nodes])),
        is_directed,
        _labels(drawn, "node_labels", np.diff(nodes), "nodes", owner),
        None if edge_labels is None else edge_labels[kept],
        _attributes(drawn, "node_attributes", np.diff(nodes), "nodes", owner),
        None if edge_attributes is None else edge_attributes[kept],
    )


def _direction(drawn: Sequence[Drawn], directed: bool | None, symmetrise: bool, owner: str) -> bool:
    """Whether the graphs are directed: as they say, or else as the caller does."""
    if symmetrise:
        return False
    said = [bool(directed) if graph.directed is None else bool(graph.directed) for graph in drawn]
    if directed is False and any(said):
        raise bad(owner, f"graph {said.index(True)}", "undirected, as directed=False says", "a directed graph",
                  "Pass symmetrise=True to forget directions.")  # fmt: skip
    if directed is None and len(set(said)) > 1:
        raise bad(owner, "X", "graphs that are all directed or all undirected",
                  f"graph {said.index(True)} directed and graph {said.index(False)} not",
                  "Use Graphs.of(X, directed=True), or symmetrise=True.")  # fmt: skip
    return bool(directed) or any(said)


def _ends(drawn: Sequence[Drawn], owner: str) -> tuple[Array, Array]:
    """The two ends of every edge, as positions in its graph."""
    try:
        pairs = np.array(list(chain.from_iterable(chain.from_iterable(graph.edges for graph in drawn))))
        numbers = pairs.dtype.kind in "iuf" and pairs.ndim == 1
        whole = not pairs.size or (numbers and bool(pairs.dtype.kind != "f" or (pairs == np.round(pairs)).all()))
    except (TypeError, ValueError):
        whole = False
    if not whole or len(pairs) != 2 * sum(len(graph.edges) for graph in drawn):
        raise wrong_kind(owner, "graphs whose edges are pairs of node numbers", _odd_edge(drawn),
                         "Write [i, j] with nodes counted from 0.")  # fmt: skip
    ends = pairs.astype(np.int64).reshape(-1, 2)
    return ends[:, 0], ends[:, 1]


def _odd_edge(drawn: Sequence[Drawn]) -> str:
    for row, graph in enumerate(drawn):
        for edge in graph.edges:
            if not (isinstance(edge, (list, tuple)) and len(edge) == 2 and all(isinstance(e, int) for e in edge)):
                return f"{edge!r} in graph {row}"
    return "others"


def _require_inside(u: Array, v: Array, graph: Array, orders: Array, ends: Array, owner: str) -> None:
    outside = (np.minimum(u, v) < 0) | (np.maximum(u, v) >= orders[graph])
    if outside.any():
        at = int(np.argmax(outside))
        raise bad(owner, f"an edge of graph {graph[at]}", f"between nodes 0 to {orders[graph[at]] - 1}",
                  f"[{u[at]}, {v[at]}]", "Count nodes from 0, and raise n if there are more.")  # fmt: skip


def _require_symmetric(drawn: Sequence[Drawn], u: Array, v: Array, graph: Array, nodes: Array, owner: str) -> None:
    """Forms that write an undirected edge in both directions must do so for every edge."""
    asked = np.array([one.both for one in drawn], dtype=bool)[graph]
    if not asked.any():
        return
    u, v, graph = u[asked], v[asked], graph[asked]
    there = np.unique(u * nodes[-1] + v)
    lost = ~np.isin(v * nodes[-1] + u, there)
    if lost.any():
        at = int(np.argmax(lost))
        base = nodes[graph[at]]
        raise bad(owner, f"the adjacency of graph {graph[at]}", "symmetric, as the graphs are undirected",
                  f"an edge from {u[at] - base} to {v[at] - base} and none back",
                  "Use Graphs.of(X, directed=True), or symmetrise=True.")  # fmt: skip


def _labels(drawn: Sequence[Drawn], name: str, counts: Array, what: str, owner: str) -> Labels | None:
    values = _for_all(drawn, name, counts, what, owner)
    return None if values is None else Labels.of(chain.from_iterable(values), owner, what)


def _attributes(drawn: Sequence[Drawn], name: str, counts: Array, what: str, owner: str) -> Array | None:
    """(all nodes or edges, d) finite numbers."""
    values = _for_all(drawn, name, counts, what, owner)
    if values is None:
        return None
    flat = list(chain.from_iterable(values))
    try:
        found = np.array(flat, dtype=np.float64).reshape(len(flat), -1) if flat else np.zeros((0, 1))
    except (TypeError, ValueError):
        raise wrong_kind(owner, f"graphs whose attributes of {what} are vectors of one length", "others",
                         "Write a number or a list of numbers for each; names are labels.") from None  # fmt: skip
    if not np.isfinite(found).all():
        at = int(np.argmin(np.isfinite(found).all(axis=1)))
        row = int(np.searchsorted(_offsets(counts), at, side="right")) - 1
        raise bad(owner, f"attributes of {what}", "finite numbers", f"{found[at]} in graph {row}", "Impute them.")
    return found


def _for_all(drawn: Sequence[Drawn], name: str, counts: Array, what: str, owner: str) -> list[Any] | None:
    """The values of each graph under that name: of all of them, or None if no graph has any."""
    given = [getattr(graph, name) for graph in drawn]
    if all(values is None for values in given):
        return None
    for row, (values, count) in enumerate(zip(given, counts.tolist(), strict=True)):
        if (0 if values is None else len(values)) != count:
            got = "none" if values is None else f"{len(values)} for {count} {what}"
            raise bad(owner, f"{name} of graph {row}", f"given for each of its {what}, as in other graphs", got,
                      "Give one to all, or read graphs without them: Graphs.of(X, node_label=None).")  # fmt: skip
    return [() if values is None else values for values in given]


def _require_agreement(edge: Array, first: Array, labels: Labels | None, attributes: Array | None, owner: str) -> None:
    """An edge that is written twice must have the same label and attributes both times."""
    if first.all():
        return
    again, before = edge[~first], edge[np.maximum.accumulate(np.where(first, np.arange(len(edge)), 0))][~first]
    same = np.ones(len(again), dtype=bool)
    if labels is not None:
        same &= labels.codes[again] == labels.codes[before]
    if attributes is not None:
        same &= (attributes[again] == attributes[before]).all(axis=1)
    if not same.all():
        raise bad(owner, "an edge", "written once, or twice with the same label", "one with two labels or attributes",
                  "Keep one of them; for labels by direction use Graphs.of(X, directed=True).")  # fmt: skip


def _description(one: Graphs) -> dict[str, Any]:
    """A single graph as a dict."""
    u, v = one.source, one.neighbour
    kept = np.flatnonzero(np.ones(len(u), dtype=bool) if one.directed else u <= v)
    found: dict[str, Any] = {"n": len(one.start) - 1, "edges": np.column_stack([u, v])[kept].tolist()}
    if one.node_labels is not None:
        found["node_labels"] = one.node_labels.values
    if one.edge_labels is not None:
        found["edge_labels"] = one.edge_labels[kept].values
    if one.node_attributes is not None:
        found["node_attributes"] = one.node_attributes.tolist()
    if one.edge_attributes is not None:
        found["edge_attributes"] = one.edge_attributes[kept].tolist()
    return found | ({"directed": True} if one.directed else {})


def _joined(A: T, B: Graphs) -> T:
    def both(a: Any, b: Any, what: str) -> Any:
        if (a is None) != (b is None):
            raise wrong_kind("joined", f"graphs with {what} like those before", "others", "Give them to all graphs.")
        if isinstance(a, Labels):
            return a.followed_by(b, "joined", what)
        return None if a is None else np.concatenate([a, b])

    if A.directed != B.directed:
        raise wrong_kind("joined", "graphs directed like those before", "others", "Use Graphs.of(X, directed=...).")
    return type(A)(
        _offsets(np.concatenate([A.orders, B.orders])),
        _offsets(np.concatenate([np.diff(A.start), np.diff(B.start)])),
        np.concatenate([A.neighbour, B.neighbour]),
        A.directed,
        both(A.node_labels, B.node_labels, "labels of nodes"),
        both(A.edge_labels, B.edge_labels, "labels of edges"),
        both(A.node_attributes, B.node_attributes, "attributes of nodes"),
        both(A.edge_attributes, B.edge_attributes, "attributes of edges"),
    )
