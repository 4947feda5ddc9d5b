"""Any density on an interval of the real line, given as a function; products of two are integrals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.polynomial.legendre import leggauss

from mercer.errors import bad
from mercer.typing import Array

_SHELLS = 60  # intervals towards an infinite end, each twice as far out as the one before
_NEAR = 36  # intervals towards a finite end, each half as far from it as the one before: rounding limits them
_NODES, _WEIGHTS = leggauss(40)
_SMALL = 1e-10  # share of the sum below which the last shells may be left out
_FALLS = 0.97  # a shell is at most so much of the one before, once the integral converges


@dataclass(frozen=True, eq=False)
class Density:
    """p(x) on (low, high), where `function` takes an array of places; `centre` is a place where p is not small."""

    function: Callable[[Array], Any]
    low: float = -np.inf
    high: float = np.inf
    centre: float | None = None

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise bad("Density", "function", "a function of an array", repr(self.function), "Pass the function itself.")
        if not self.low < self.high:
            raise bad("Density", "low", f"below high = {self.high}", self.low, "Swap them.")
        mass = np.exp(Density.log_products([self], [self], 0.5, None)[0, 0])
        if not abs(mass - 1.0) < 1e-3:
            raise bad("Density", "function", "a density with integral 1", f"{mass:.6g}", "Divide it by its integral.")

    @property
    def width(self) -> int:
        """Always 1: the densities are on the real line."""
        return 1

    @property
    def middle(self) -> float:
        """Where the shells begin."""
        if self.centre is not None:
            return float(self.centre)
        if np.isfinite(self.low):
            return 0.5 * (self.low + self.high) if np.isfinite(self.high) else self.low + 1.0
        return self.high - 1.0 if np.isfinite(self.high) else 0.0

    @staticmethod
    def log_products(A: Sequence[Density], B: Sequence[Density], rho: float, length: int | None) -> Array:
        """log of the integral of p^rho q^rho for all pairs, by quadrature on shells; refused where it diverges."""
        values = [[_integral(p, q, rho) for q in B] for p in A]
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.array(values, dtype=float).reshape(len(A), len(B))))


def _integral(p: Density, q: Density, rho: float) -> float:
    """The integral of (p q)^rho over the interval that both have in common."""
    low, high = max(p.low, q.low), min(p.high, q.high)
    if not low < high:
        return 0.0

    def product(x: Array) -> Array:
        return np.asarray((np.asarray(p.function(x), dtype=float) * np.asarray(q.function(x), dtype=float)) ** rho)

    middles = sorted(np.clip([p.middle, q.middle], _inside(low, 1.0), _inside(high, -1.0)))
    inner = _on(product, middles[0], middles[1]) if middles[0] < middles[1] else 0.0
    ends = ((middles[0], low), (middles[1], high))
    return inner + sum(_towards(product, start, end, rho) for start, end in ends)


def _inside(end: float, step: float) -> float:
    """A place just inside of a finite end."""
    return end + step * 1e-12 * max(abs(end), 1.0) if np.isfinite(end) else end


def _towards(product: Callable[[Array], Array], start: float, end: float, rho: float) -> float:
    """The integral between start and end, which may be infinite, shell by shell."""
    shells = [_on(product, *sorted(pair)) for pair in _shells(start, end)]
    total = float(np.sum(shells))
    ratios = [after / before if before > 0.0 else 0.0 for before, after in pairwise(shells[-6:])]
    small = shells[-1] <= _SMALL * total
    if not np.isfinite(total) or not (small or max(ratios) <= _FALLS):
        raise bad("ProbabilityProduct", "rho", "such that the integral of p^rho q^rho is finite", rho,
                  f"It diverges towards {end:g}: a larger rho tames heavy tails, a smaller one peaks.")  # fmt: skip
    return total if small else total + shells[-1] * ratios[-1] / (1.0 - ratios[-1])  # the rest falls geometrically


def _shells(start: float, end: float) -> Iterator[tuple[float, float]]:
    if np.isinf(end):
        edges = start + np.sign(end) * np.concatenate([[0.0], 2.0 ** np.arange(-4.0, _SHELLS - 5.0)])
    else:
        edges = end + (start - end) * 2.0 ** -np.arange(float(_NEAR))
    return zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)


def _on(product: Callable[[Array], Array], a: float, b: float) -> float:
    """Gauss-Legendre quadrature on [a, b]."""
    with np.errstate(all="ignore"):
        values = product(0.5 * (a + b) + 0.5 * (b - a) * _NODES)
    return float(0.5 * (b - a) * (_WEIGHTS @ values))
