"""Bandwidth rules by their definitions: plain sums over all pairs of plain numbers, without a grid or weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from scipy.optimize import brentq


def leave_one_out(X: Sequence[Sequence[float]], h: float) -> list[float]:
    """log f_-i(x_i) with a Gaussian window, for every row."""
    D, out = len(X[0]), []
    for i, x in enumerate(X):
        total = sum(math.exp(-(math.dist(x, y) ** 2) / (2.0 * h * h)) for j, y in enumerate(X) if j != i)
        out.append(math.log(total / (len(X) - 1)) - D * math.log(h * math.sqrt(2.0 * math.pi)))
    return out


def squared_error(X: Sequence[Sequence[float]], h: float) -> float:
    """The criterion of least-squares cross-validation with a Gaussian window."""
    n, D = len(X), len(X[0])
    squares = left = 0.0
    for i, x in enumerate(X):
        for j, y in enumerate(X):
            s = math.dist(x, y) ** 2 / (h * h)
            squares += math.exp(-s / 4.0) / (n * n)
            left += math.exp(-s / 2.0) / (n * (n - 1)) if i != j else 0.0
    return float((squares * 2.0 ** (-D / 2.0) - 2.0 * left) * (2.0 * math.pi) ** (-D / 2.0) / h**D)


def sheather_jones(x: Sequence[float]) -> float:
    """The plug-in bandwidth that solves its equation."""
    n = len(x)
    s = _scale(x)
    a, b = 1.24 * s * n ** (-1.0 / 7.0), 1.23 * s * n ** (-1.0 / 9.0)
    link = 1.357 * (_second(x, a) / _third(x, b)) ** (1.0 / 7.0)

    def excess(h: float) -> float:
        best = (1.0 / (2.0 * math.sqrt(math.pi) * n * _second(x, link * h ** (5.0 / 7.0)))) ** 0.2
        return float(h - best)

    return float(brentq(excess, 0.1 * s * n**-0.2, 3.0 * s * n**-0.2, xtol=1e-12))


def _scale(x: Sequence[float]) -> float:
    n, mean, ordered = len(x), sum(x) / len(x), sorted(x)
    deviation = math.sqrt(sum((v - mean) ** 2 for v in x) / (n - 1))
    low, high = _quantile(ordered, 0.25), _quantile(ordered, 0.75)
    return min(deviation, (high - low) / 1.3489795003921634)


def _quantile(ordered: Sequence[float], p: float) -> float:
    place = p * (len(ordered) - 1)
    k = min(int(place), len(ordered) - 2)
    return ordered[k] + (place - k) * (ordered[k + 1] - ordered[k])


def _second(x: Sequence[float], a: float) -> float:
    return _sum(x, a, lambda s: s * s - 6.0 * s + 3.0) / a**5


def _third(x: Sequence[float], b: float) -> float:
    return -_sum(x, b, lambda s: s**3 - 15.0 * s * s + 45.0 * s - 15.0) / b**7


def _sum(x: Sequence[float], h: float, polynomial: Callable[[float], float]) -> float:
    total = 0.0
    for u in x:
        for v in x:
            s = ((u - v) / h) ** 2
            total += polynomial(s) * math.exp(-s / 2.0)
    return total / (len(x) * (len(x) - 1) * math.sqrt(2.0 * math.pi))
