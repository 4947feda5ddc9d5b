"""Kernels on sets: the measure of what two sets share, and the number of subsets they share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import chain, combinations
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.items import Intervals, Sets
from mercer.items.symbols import in_order
from mercer.kernels import maps
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.prepared_rows import ORIGIN, rows
from mercer.kernels.word_counts import Counting, Counts, counts, inner
from mercer.typing import Array

_LARGEST = 1023  # 2^1024 is not a float64


@kernel
class Intersection(Counting):
    """k(A, B) = mu(A ∩ B) for a measure mu: the number of common elements, or the sum of their weights.

    `weights` maps every element that occurs to a number >= 0; it is kept as a tuple of pairs, in order.
    """

    weights: Any = None

    items = Sets
    psd_reason = "an inner product of features: the indicators of elements, by their weights"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights is not None and self.weights != (pairs := _pairs(self.weights)):
            object.__setattr__(self, "weights", pairs)

    def prepare_in(self, X: Sets, frame: Any, pool: Pool) -> Counts:
        found = counts(map(in_order, X.members), frame)
        if self.weights is None:
            return found
        V, mu = found.rows.values, dict(self.weights)
        V.data = np.sqrt([_weight(mu, element) for element in found.words])[V.indices]
        return Counts(rows(V, ORIGIN), found.words)


def _pairs(weights: Any) -> tuple[tuple[Any, float], ...]:
    """(element, weight) in order of the elements, weights finite and >= 0."""
    try:
        mu = {element: float(weight) for element, weight in dict(weights).items()}
    except (TypeError, ValueError):
        raise bad("Intersection", "weights", "a mapping from elements to numbers", repr(weights),
                  "Write e.g. {'a': 1.0, 'b': 0.5}.") from None  # fmt: skip
    for element, weight in mu.items():
        if not (math.isfinite(weight) and weight >= 0.0):
            raise bad("Intersection", "weights", "finite numbers >= 0", f"{weight} for {element!r}",
                      "A measure is never negative and here never infinite.")  # fmt: skip
    return tuple((element, mu[element]) for element in in_order(mu))


def _weight(mu: Mapping[Any, float], element: Any) -> float:
    if element not in mu:
        raise bad("Intersection", "weights", "given for every element", f"none for {element!r}",
                  "Add it, with weight 0 if it does not count.")  # fmt: skip
    return mu[element]


@kernel
class SubsetCount(Kernel):
    """k(A, B) = 2^|A ∩ B|, the number of subsets that A and B have in common, the empty set among them."""

    items = Sets
    psd = True
    psd_reason = "an inner product of features: the indicators of subsets"

    def prepare_in(self, X: Sets, frame: Any, pool: Pool) -> Counts:
        return counts(X.members, frame)

    def block(self, A: Counts, B: Counts) -> Array:
        return _two_to(inner(A, B))

    def diag(self, A: Counts) -> Array:
        return _two_to(A.rows.sqnorm.copy())

    def log2(self, X: Any, Y: Any = None) -> Array:
        """log2 k(X, Y) = |A ∩ B|, which never overflows."""
        return Intersection()(X, Y)

    def feature_map(self, X: Any) -> Array:
        """phi_U(A) = 1 if U is a subset of A, for all subsets U of the union, by size and then in order."""
        sets = self.check(X).members  # type: ignore[attr-defined]
        union = in_order(frozenset().union(*sets))
        maps.guard("SubsetCount", len(sets), 2 ** len(union))
        subsets = chain.from_iterable(combinations(union, size) for size in range(len(union) + 1))
        columns = [[A.issuperset(U) for A in sets] for U in subsets]
        return np.array(columns, dtype=float).reshape(-1, len(sets)).T


def _two_to(exponents: Array) -> Array:
    if exponents.max(initial=0.0) > _LARGEST:
        raise bad("SubsetCount", "k(A, B)", "a finite number", f"2^{exponents.max():.0f}",
                  "Use log2(X, Y), the sizes of the intersections, or the kernel Intersection().")  # fmt: skip
    return np.exp2(exponents, out=exponents)


@kernel
class IntervalOverlap(Kernel):
    """k(A, B) = length of A ∩ B, for unions of intervals of the real line: the integral of 1_A 1_B."""

    items = Intervals
    psd = True
    psd_reason = "the inner product of indicator functions, an integral"

    def block(self, A: Intervals, B: Intervals) -> Array:
        """The end points cut the line into cells, on which every indicator is constant."""
        edges = np.unique(np.concatenate([*A.values, *B.values, np.zeros((1, 2))]))
        cells = np.diff(edges)
        return np.asarray((_indicators(A, edges) * cells) @ _indicators(B, edges).T)

    def diag(self, A: Intervals) -> Array:
        return np.array([(pairs[:, 1] - pairs[:, 0]).sum() for pairs in A.values], dtype=float)


def _indicators(A: Intervals, edges: Array) -> Array:
    """(len(A), cells): 1 where the cell lies in the union; +1 at every low, -1 at every high, summed from the left."""
    steps = np.zeros((len(A), len(edges)))
    for row, pairs in zip(steps, A.values, strict=True):
        row[np.searchsorted(edges, pairs[:, 0])] += 1.0
        row[np.searchsorted(edges, pairs[:, 1])] -= 1.0
    return np.asarray(np.cumsum(steps, axis=1)[:, :-1])
