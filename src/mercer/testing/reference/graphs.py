"""Kernels of graphs.

A graph is a dict with n, edges, and perhaps node_labels, edge_labels, node_attributes and directed.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from itertools import combinations, permutations
from typing import Any

from mercer.items.symbols import symbol_bytes
from mercer.testing.reference.registry import Function, formula

MASK = 2**64 - 1


def arcs(x: Any) -> dict[tuple[int, int], Any]:
    """(u, v): the label of the arc from u to v."""
    labels = x.get("edge_labels") or [None] * len(x["edges"])
    found = {(u, v): label for (u, v), label in zip(x["edges"], labels, strict=True)}
    return found if x.get("directed") else found | {(v, u): label for (u, v), label in found.items()}


def node_labels(x: Any, labelled: bool = True) -> list[Any]:
    """The label of every node; the same for all without labels."""
    return list(x["node_labels"]) if labelled and x.get("node_labels") is not None else [0] * x["n"]


def products(a: Counter[Any], b: Counter[Any]) -> float:
    """sum_f a_f b_f."""
    return sum(count * b[feature] for feature, count in a.items())


@formula("WeisfeilerLehman")
def weisfeiler_lehman(rounds: int, base: str) -> Function:
    """Labels of nodes as nested tuples of all that is around them."""

    def features(x: Any) -> Counter[Any]:
        label, edges, found = node_labels(x), arcs(x), Counter[Any]()
        for r in range(rounds + 1):
            if base == "edge":
                for (u, v), own in edges.items():
                    if x.get("directed"):
                        found[r, label[u], own, label[v]] += 1
                    elif u <= v:
                        found[r, frozenset([label[u], label[v]]), own] += 1
            else:
                found.update((r, one) for one in label)
            around = [sorted(repr((own, label[v])) for (s, v), own in edges.items() if s == u) for u in range(x["n"])]
            label = [(one, tuple(others)) for one, others in zip(label, around, strict=True)]
        return found

    if base == "assignment":
        return lambda x, y: sum((features(x) & features(y)).values())
    return lambda x, y: products(features(x), features(y))


def distances(x: Any) -> dict[tuple[int, int], int]:
    """(u, v): their distance, for pairs with a path (Floyd and Warshall)."""
    n = x["n"]
    d = [[0 if u == v else 1 if (u, v) in arcs(x) else math.inf for v in range(n)] for u in range(n)]
    for w in range(n):
        for u in range(n):
            for v in range(n):
                d[u][v] = min(d[u][v], d[u][w] + d[w][v])
    return {(u, v): int(d[u][v]) for u in range(n) for v in range(n) if u != v and d[u][v] < math.inf}


@formula("ShortestPath")
def shortest_path(labelled: bool, ordered: bool) -> Function:
    """Pairs of nodes by labels and distance."""

    def features(x: Any) -> Counter[Any]:
        label = node_labels(x, labelled)
        if ordered or x.get("directed"):
            return Counter((label[u], label[v], d) for (u, v), d in distances(x).items())
        return Counter((frozenset([label[u], label[v]]), d) for (u, v), d in distances(x).items() if u < v)

    return lambda x, y: products(features(x), features(y))


@formula("RandomWalk")
def random_walk(decay: float, labelled: bool) -> Function:
    """The series over walks in the product of the graphs, until its terms are too small to be seen."""

    def k(x: Any, y: Any) -> float:
        a, b, left, right = node_labels(x, labelled), node_labels(y, labelled), arcs(x), arcs(y)
        walks = {(u, v): 1.0 for u in range(x["n"]) for v in range(y["n"]) if a[u] == b[v]}
        steps = [((u, p), (v, q)) for (u, v), e in left.items() for (p, q), f in right.items()
                 if (not labelled or e == f) and (u, p) in walks and (v, q) in walks]  # fmt: skip
        total, term = 0.0, walks
        while sum(term.values()) > 1e-17 * total:
            total += sum(term.values())
            following = dict.fromkeys(walks, 0.0)
            for start, end in steps:
                following[start] += decay * term[end]
            term = following
        return total

    return k


@formula("Graphlet")
def graphlet(size: int) -> Function:
    """All sets of nodes, one by one, by the least way to write the edges between them."""

    def features(x: Any) -> Counter[Any]:
        edges, found = arcs(x), Counter[Any]()
        for chosen in combinations(range(x["n"]), size):
            if _connected(chosen, edges):
                found[min(tuple((u, v) in edges for u, v in combinations(p, 2)) for p in permutations(chosen))] += 1
        return found

    return lambda x, y: products(features(x), features(y))


def _connected(chosen: Any, edges: Any) -> bool:
    reached = {chosen[0]}
    for _ in chosen:
        reached |= {v for v in chosen for u in reached if (u, v) in edges}
    return len(reached) == len(chosen)


@formula("Propagation")
def propagation(steps: int, width: float, attributes: bool, seed: int) -> Function:
    """Projections of labels or attributes, averaged over neighbours and cut into bins."""

    def projected(x: Any, t: int) -> list[int]:
        salt = paired(paired(seed, t), 2)
        if attributes:
            rows = x["node_attributes"]
            numbers = [sum(a * normal(paired(salt, c)) for c, a in enumerate(row)) for row in rows]
        else:
            labels = node_labels(x)
            has = x.get("node_labels") is not None
            numbers = [normal(paired(salt, label_hash(label) if has else 0)) for label in labels]
        shift = paired(paired(seed, t), 3) % 2**24
        return [round(number / width * 2**24) + shift for number in numbers]

    def features(x: Any) -> Counter[Any]:
        edges, found = arcs(x), Counter[Any]()
        for t in range(steps + 1):
            value = projected(x, t)
            for _ in range(t):
                around = [[value[v] for (s, v) in edges if s == u] for u in range(x["n"])]
                value = [sum(a) // len(a) if a else own for a, own in zip(around, value, strict=True)]
            found.update((t, one // 2**24) for one in value)
        return found

    return lambda x, y: products(features(x), features(y))


def mixed(x: int) -> int:
    """The finaliser of SplitMix64."""
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def paired(a: int, b: int) -> int:
    """The hash of an ordered pair."""
    return mixed((mixed(a) + mixed(b ^ 0xD1B54A32D192ED03)) & MASK)


def label_hash(label: Any) -> int:
    """Eight bytes of BLAKE2."""
    return int.from_bytes(hashlib.blake2b(symbol_bytes(label), digest_size=8).digest(), "little")


def normal(h: int) -> float:
    """A standard normal number."""
    u, v = (float(mixed((h + i) & MASK) >> 11) / 2.0**53 for i in (1, 2))
    return math.sqrt(-2.0 * math.log1p(-u)) * math.cos(2.0 * math.pi * v)
