"""Kernels of time series, sets of points, subsets, rankings and group elements."""

from __future__ import annotations

import cmath
import math
from itertools import combinations, pairwise, product
from typing import Any

from mercer.testing.reference.registry import Function, formula


def _point(x: Any) -> list[float]:
    """A point as a list of numbers; a number is one of width 1."""
    return [float(v) for v in x] if hasattr(x, "__len__") else [float(x)]


def _square(x: Any, y: Any) -> float:
    return sum((a - b) ** 2 for a, b in zip(_point(x), _point(y), strict=True))


@formula("GlobalAlignment")
def global_alignment(lengthscale: float, band: float | None) -> Function:
    """The sum over all alignments, written out as a recursion, over the root of both with themselves."""

    def local(x: Any, y: Any, i: int, j: int) -> float:
        e = math.exp(-_square(x[i], y[j]) / (2.0 * lengthscale**2))
        e *= 1.0 if band is None else max(0.0, 1.0 - abs(i - j) / band)
        return e / (2.0 - e)

    def total(x: Any, y: Any) -> float:
        M = [[0.0] * (len(y) + 1) for _ in range(len(x) + 1)]
        M[0][0] = 1.0
        for i, j in product(range(len(x)), range(len(y))):
            M[i + 1][j + 1] = local(x, y, i, j) * (M[i][j + 1] + M[i + 1][j] + M[i][j])
        return M[-1][-1]

    return lambda x, y: total(x, y) / math.sqrt(total(x, x) * total(y, y))


@formula("SignaturePDE")
def signature_pde(lengthscale: float, refinement: int) -> Function:
    """The grid of the differential equation, with every increment cut into equal steps."""

    def steps(x: Any) -> list[list[float]]:
        parts = 2**refinement
        moves = [[(b - a) / parts for a, b in zip(_point(p), _point(q), strict=True)] for p, q in pairwise(x)]
        return [move for move in moves for _ in range(parts)]

    def solve(x: Any, y: Any) -> float:
        dx, dy = steps(x), steps(y)
        k = [[1.0] * (len(dy) + 1) for _ in range(len(dx) + 1)]
        for i, j in product(range(len(dx)), range(len(dy))):
            D = sum(a * b for a, b in zip(dx[i], dy[j], strict=True)) / lengthscale**2
            k[i + 1][j + 1] = (k[i + 1][j] + k[i][j + 1]) * (1 + D / 2 + D * D / 12) - k[i][j] * (1 - D * D / 12)
        return k[-1][-1]

    return solve


@formula("MeanEmbedding")
def mean_embedding(kernel: Function) -> Function:
    """The mean over all pairs of points."""
    return lambda x, y: sum(kernel(_point(a), _point(b)) for a in x for b in y) / (len(x) * len(y))


@formula("PyramidMatch")
def pyramid_match(levels: int, side: float, offset: float) -> Function:
    """sum_l 2^-l (I_l - I_(l-1)), with cells counted one by one."""

    def cells(x: Any, level: int) -> list[tuple[float, ...]]:
        return [tuple(math.floor((v - offset) / (side * 2**level)) for v in _point(point)) for point in x]

    def matched(x: Any, y: Any, level: int) -> int:
        a, b = cells(x, level), cells(y, level)
        return sum(min(a.count(cell), b.count(cell)) for cell in set(a))

    def value(x: Any, y: Any) -> float:
        counts = [0, *(matched(x, y, level) for level in range(levels + 1))]
        return math.fsum((new - old) / 2**level for level, (old, new) in enumerate(pairwise(counts)))

    return value


@formula("UnionComplement")
def union_complement(domain: Any, weights: Any, normalise: bool) -> Function:
    """The measure of the elements that are in neither set."""
    return lambda x, y: sum(w for e, w in _measure(domain, weights) if e not in x and e not in y)


@formula("Agreement")
def agreement(domain: Any, weights: Any, normalise: bool) -> Function:
    """The measure of the elements that are in both sets or in neither."""
    return lambda x, y: sum(w for e, w in _measure(domain, weights) if (e in x) == (e in y))


def _measure(domain: Any, weights: Any) -> list[tuple[Any, float]]:
    return list(zip(domain, weights or [1.0 / len(domain)] * len(domain), strict=True))


@formula("Tanimoto")
def tanimoto() -> Function:
    """Common elements over all elements; 1 for two empty sets."""
    return lambda x, y: len(set(x) & set(y)) / len(set(x) | set(y)) if set(x) | set(y) else 1.0


@formula("MinMax")
def min_max() -> Function:
    """The sum of the smaller entries over that of the larger ones."""

    def value(x: Any, y: Any) -> float:
        larger = sum(map(max, zip(x, y, strict=True)))
        return sum(map(min, zip(x, y, strict=True))) / larger if larger else 1.0

    return value


def _discordant(x: Any, y: Any) -> int:
    return sum((x.index(a) < x.index(b)) != (y.index(a) < y.index(b)) for a, b in combinations(x, 2))


@formula("Kendall")
def kendall() -> Function:
    """Pairs in the same order minus the others, over all pairs."""
    return lambda x, y: 1.0 - 2.0 * _discordant(x, y) / math.comb(len(x), 2)


@formula("Mallows")
def mallows(decay: float) -> Function:
    """exp(-decay d) of the number of pairs in different order."""
    return lambda x, y: math.exp(-decay * _discordant(x, y))


@formula("PositiveType")
def positive_type(group: str, p: Any, characters: Any) -> Function:
    """p(t^-1 s) on the integers modulo n; a sum of characters on the line."""
    if characters is None:
        return lambda s, t: p[(s - t) % int(group[1:])]
    return lambda s, t: sum(w * cmath.exp(1j * f * (s - t)) for f, w in characters).real


@formula("SlicedWasserstein")
def sliced_wasserstein(lengthscale: float, projections: int, quantiles: int, seed: int) -> Function:
    """On numbers, the only ones with a single direction: squared differences of quantiles, averaged over levels."""

    def quantile(x: Any, level: float) -> float:
        return sorted(_point(v)[0] for v in x)[int(level * len(x))]

    def square(x: Any, y: Any) -> float:
        levels = [(q + 0.5) / quantiles for q in range(quantiles)]
        return sum((quantile(x, t) - quantile(y, t)) ** 2 for t in levels) / quantiles

    return lambda x, y: math.exp(-square(x, y) / (2.0 * lengthscale**2))
