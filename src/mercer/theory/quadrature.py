"""Quadrature: nodes and weights that stand for a measure, and the inner product of functions they give.

    <f, g> = integral f conj(g) dmu = lim sum_i f(x_i) conj(g(x_i)) w_i

Every rule returns (nodes, weights), ready for `eigenfunctions(kernel, *midpoint(0, 1, 200))`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mercer.errors import bad
from mercer.typing import Array

Rule = tuple[Array, Array]


def midpoint(a: float, b: float, n: int) -> Rule:
    """n equal cells of [a, b], each represented by its midpoint; the error falls like (b - a)^2 / n^2."""
    _interval("midpoint", a, b)
    dx = (b - a) / n
    return a + dx * (np.arange(n) + 0.5), np.full(n, dx)


def gauss_legendre(a: float, b: float, n: int) -> Rule:
    """The rule on [a, b] that is exact for polynomials of degree 2n - 1."""
    _interval("gauss_legendre", a, b)
    x, w = np.polynomial.legendre.leggauss(n)
    return 0.5 * (a + b) + 0.5 * (b - a) * x, 0.5 * (b - a) * w


def gauss_hermite(n: int, deviation: float = 1.0) -> Rule:
    """The rule for the normal law N(0, deviation^2) that is exact for polynomials of degree 2n - 1."""
    x, w = np.polynomial.hermite_e.hermegauss(n)
    return deviation * x, w / w.sum()


def inner_product(f: Callable[[Array], Array], g: Callable[[Array], Array], nodes: Array, weights: Array) -> complex:
    """<f, g>, linear in f; a float when it is real."""
    total = np.sum(np.asarray(f(nodes)) * np.conj(g(nodes)) * weights)
    if not np.isfinite(total):
        raise bad("inner_product", "f conj(g)", "finite at every node", total, "Move the nodes off its poles.")
    return complex(total) if np.iscomplexobj(total) else float(total)


def _interval(owner: str, a: float, b: float) -> None:
    if not (np.isfinite(a) and np.isfinite(b) and a < b):
        raise bad(owner, "[a, b]", "a finite interval", f"[{a}, {b}]",
                  "On an unbounded domain use a finite measure, e.g. gauss_hermite.")  # fmt: skip
