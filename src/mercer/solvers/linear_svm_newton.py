"""The Newton step of a linear machine: one system with a low-rank matrix, solved the cheapest way.

    [ I + Z'Z     Z's      ] [dw]       [gw]
    [ s'Z      s's + delta ] [dr]  =  - [gr]

Z (m, d) holds the rows with curvature, dense or CSR; s (m,) is the column of the intercept.  With few rows the system
is solved in m unknowns, with few columns in d, with many of both by conjugate gradients.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.linalg.conjugate_gradients import conjugate_gradients
from mercer.linalg.damped_cholesky import DampedCholesky
from mercer.typing import Array

_FACTORED = 1500  # systems up to this size are factorised
_CHEAP_COLUMNS = 64  # up to so many, solve by columns: cheap, and accurate even if columns differ much in scale


def newton_step(Z: Any, s: Array, delta: float, gw: Array, gr: float) -> tuple[Array, float, int]:
    """dw, dr, and how many times each row of Z was used (a measure of the work)."""
    m, d = Z.shape
    if min(m, d) > _FACTORED:
        return by_products(Z, s, delta, gw, gr)
    if m >= d or d <= _CHEAP_COLUMNS:
        return (*by_columns(Z, s, delta, gw, gr), d)
    return (*by_rows(Z, s, delta, gw, gr), m)


def by_rows(Z: Any, s: Array, delta: float, gw: Array, gr: float) -> tuple[Array, float]:
    """In m unknowns: p = Z dw + s dr has (I + ZZ') p = s dr - Z gw and s'p + delta dr = -gr."""
    p = _solved(Z @ Z.T, np.column_stack([-(Z @ gw), s]))
    dr = float((-gr - s @ p[:, 0]) / (s @ p[:, 1] + delta))
    return -gw - Z.T @ (p[:, 0] + dr * p[:, 1]), dr


def by_columns(Z: Any, s: Array, delta: float, gw: Array, gr: float) -> tuple[Array, float]:
    """In d unknowns, dr eliminated."""
    return from_sums(Z.T @ Z, Z.T @ s, float(s @ s), delta, gw, gr)


def from_sums(A: Any, h: Array, ss: float, delta: float, gw: Array, gr: float) -> tuple[Array, float]:
    """The same, given A = Z'Z, h = Z's and s's: all that is needed of rows on other machines."""
    x = _solved(A, np.column_stack([gw, h]))
    dr = float(h @ x[:, 0] - gr) / max(ss + delta - float(h @ x[:, 1]), delta)
    return -x[:, 0] - dr * x[:, 1], dr


def _solved(A: Any, B: Array) -> Array:
    """(I + A)^-1 B for A positive semi-definite."""
    return DampedCholesky(A.toarray() if hasattr(A, "tocsr") else A, shift=1.0).solve(B)


def by_products(Z: Any, s: Array, delta: float, gw: Array, gr: float) -> tuple[Array, float, int]:
    """By conjugate gradients to a twentieth of the gradient, enough for a Newton step, without Z'Z or ZZ'."""
    squares = Z.power(2) if hasattr(Z, "tocsr") else Z * Z
    scale = np.append(1.0 + np.asarray(squares.sum(axis=0)).ravel(), s @ s + delta)
    ridge = np.append(np.ones(len(gw)), delta)

    def times(x: Array) -> Array:
        p = Z @ x[:-1] + s * x[-1]
        return np.asarray(np.append(Z.T @ p, s @ p) + ridge * x)

    x, products = conjugate_gradients(times, -np.append(gw, gr), solve=lambda r: r / scale, tol=0.05, most=200)
    return x[:-1], float(x[-1]), 2 * products
