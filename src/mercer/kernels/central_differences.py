"""Central differences: derivatives of a tile for kernels that give none of their own.

Both differentiate sum_ij W_ij k(a_i, b_j), from two more tiles for every number that is moved.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer import parameters
from mercer.typing import Array

if TYPE_CHECKING:
    from mercer.kernels.base import Kernel

_STEP = float(np.finfo(float).eps) ** (1 / 3)  # relative; balances the error of the formula, h^2, and rounding, eps / h


def in_parameters(kernel: Kernel, A: Any, B: Any, W: Array) -> dict[str, Array]:
    """{hyper-parameter of this kernel, not of its children: the derivative in it}."""
    return {name: _in_parameter(kernel, name, A, B, W) for name, _ in parameters.hypers(kernel)}


def _in_parameter(kernel: Kernel, name: str, A: Any, B: Any, W: Array) -> Array:
    given = getattr(kernel, name)
    p = np.atleast_1d(np.asarray(parameters.value(given), dtype=float))
    is_vector = isinstance(parameters.value(given), np.ndarray)

    def total(q: Array) -> float:
        value = parameters.with_value(given, q if is_vector else q[0])
        moved: Kernel = dataclasses.replace(kernel, **{name: value})  # type: ignore[type-var]
        return float(np.sum(W * moved.block(A, B)))

    gradient = np.zeros(p.size)
    for j in np.flatnonzero(np.isfinite(p)):
        h = np.zeros(p.size)
        h[j] = _STEP * max(abs(p[j]), 1e-3)
        gradient[j] = (total(p + h) - total(p - h)) / (2.0 * h[j])
    return gradient


def in_items(kernel: Kernel, A: Any, B: Any, W: Array, X: Array) -> Array:
    """(len(A), D): the derivative in every entry of X, the rows from which A was prepared."""

    def sums(moved: Array) -> Array:
        return np.asarray(np.einsum("ij,ij->i", W, kernel.block(kernel.prepare(moved, A.frame), B)))

    out = np.zeros_like(X)
    for k in range(X.shape[1]):
        h = np.zeros_like(X)
        h[:, k] = _STEP * np.maximum(abs(X[:, k]), 1.0)
        out[:, k] = (sums(X + h) - sums(X - h)) / (2.0 * h[:, k])
    return out
