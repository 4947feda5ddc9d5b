"""The Newton step of a linear machine: one system with a low-rank matrix, solved the cheapest way.

    [ I + Z'Z     Z's      ] [dw]       [gw]
    [ s'Z      s's + delta ] [dr]  =  - [gr]

Z (m, d) holds the rows that matter now, dense or CSR, s (m,) belongs to the intercept.  With few rows the system is
solved in m unknowns, with few columns in d, with many of both by conjugate gradients.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.typing import Array

_FACTORED = 1500  # systems up to this size are factorised
_FEW = 64  # columns: so many cost nothing, and by columns the step does not suffer from their being of unlike size


def newton_step(Z: Any, s: Array, delta: float, gw: Array, gr: float) -> tuple[Array, float, int]:
    """(dw, dr), and how many times every row of Z was used for it."""
    m, d = Z.shape
    if min(m, d) > _FACTORED:
        return conjugate_gradients(Z, s, delta, gw, gr)
    if m >= d or d <= _FEW:
        return (*by_columns(Z, s, delta, gw, gr), d)
    return (*by_rows(Z, s, delta, gw, gr), m)


def by_rows(Z: Any, s: Array, delta: float, gw: Array, gr: float) -> tuple[Array, float]:
    """In m unknowns: p = Z dw + s dr has (I + ZZ') p = s dr - Z gw and s'p + delta dr = -gr."""
    p = _solved(Z @ Z.T, np.column_stack([-(Z @ gw), s]))
    dr = float((-gr - s @ p[:, 0]) / (s @ p[:, 1] + delta))
    return -gw - Z.T @ (p[:, 0] + dr * p[:, 1]), dr


def by_columns(Z: Any, s: Array, delta: float, gw: Array, gr: float) -> tuple[Array, float]:
    """In d unknowns, dr eliminated."""
    h = Z.T @ s
    x = _solved(Z.T @ Z, np.column_stack([gw, h]))
    dr = float((h @ x[:, 0] - gr) / max(s @ s + delta - h @ x[:, 1], delta))
    return -x[:, 0] - dr * x[:, 1], dr


def _solved(A: Any, B: Array) -> Array:
    """(I + A)^-1 B for A positive semi-definite, damped by as much as rounding asks for."""
    from scipy.linalg import cho_factor, cho_solve

    A = A.toarray() if hasattr(A, "tocsr") else A
    diagonal, damping = np.diagonal(A).copy(), 8.0 * len(A) * np.finfo(float).eps
    while len(A):
        np.fill_diagonal(A, diagonal * (1.0 + damping) + 1.0)
        try:
            return np.asarray(cho_solve(cho_factor(A, check_finite=False), B, check_finite=False))
        except np.linalg.LinAlgError:
            damping *= 100.0
    return B


def conjugate_gradients(Z: Any, s: Array, delta: float, gw: Array, gr: float) -> tuple[Array, float, int]:
    """To a twentieth of the gradient, which is enough for a Newton step, without any product of Z with itself."""
    squares = Z.power(2) if hasattr(Z, "tocsr") else Z * Z
    scale = np.append(1.0 + np.asarray(squares.sum(axis=0)).ravel(), s @ s + delta)
    ridge = np.append(np.ones(len(gw)), delta)
    x, residual = np.zeros(len(scale)), -np.append(gw, gr)
    step = residual / scale
    size = first = float(residual @ step)
    products = 0
    while size > 0.05**2 * first and products < 400:
        p = Z @ step[:-1] + s * step[-1]
        image = np.append(Z.T @ p, s @ p) + ridge * step
        length = size / float(step @ image)
        x, residual = x + length * step, residual - length * image
        size, before = float(residual @ (residual / scale)), size
        step = residual / scale + size / before * step
        products += 2
    return x[:-1], float(x[-1]), products
