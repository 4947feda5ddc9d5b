"""Smoothers as plain loops, straight from their definitions."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.typing import Array


def tricube(u: Array) -> Array:
    """(1 - |u|^3)^3 within |u| <= 1."""
    return np.asarray(np.maximum(1.0 - np.abs(u) ** 3, 0.0) ** 3)


def lowess(y: Any, x: Any, frac: float, it: int) -> Array:
    """Local lines through the share `frac` of nearest points, in it + 1 passes; for distinct x."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    n, count, v = len(x), max(2, int(frac * len(x) + 1e-10)), np.ones(len(x))
    fitted = np.zeros(n)
    for _ in range(it + 1):
        for i in range(n):
            distance = np.abs(x - x[i])
            weight = v * tricube(distance / np.sort(distance)[count - 1])
            fitted[i] = y[i] if (weight > 1e-12).sum() < 2 else local_polynomial(x[:, None] - x[i], y, weight, 1)
        size = np.abs(y - fitted)
        middle = np.median(size)
        v = (1.0 - np.minimum(size / (6.0 * middle), 1.0) ** 2) ** 2 if middle > 0.0 else (size == 0.0).astype(float)
    return fitted


def local_polynomial(U: Array, y: Array, weight: Array, degree: int) -> float:
    """The value at 0 of the polynomial in the columns of U with the least weighted squares."""
    columns = [np.ones(len(y))]
    if degree >= 1:
        columns += list(U.T)
    if degree == 2:
        columns += [U[:, a] * U[:, b] for a in range(U.shape[1]) for b in range(a, U.shape[1])]
    root = np.sqrt(weight)
    return float(np.linalg.lstsq(np.column_stack(columns) * root[:, None], y * root, rcond=None)[0][0])


def loess_direct(X: Array, y: Array, Z: Array, span: float, degree: int) -> Array:
    """The local polynomial of the nearest rows at every row of Z."""
    count = min(len(y), int(len(y) * span + 1e-5))
    out = np.zeros(len(Z))
    for i, z in enumerate(Z):
        distance = np.sqrt(((X - z) ** 2).sum(axis=1))
        radius = np.sort(distance)[count - 1] * np.sqrt(max(1.0, span))
        out[i] = local_polynomial(X - z, y, tricube(distance / radius), degree)
    return out
