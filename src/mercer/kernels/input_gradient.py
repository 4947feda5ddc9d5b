"""The derivative of a Gram in the items themselves, for machines that optimise the position of points.

    input_gradient(k, X, Y, W)_i     =  d/dx_i sum_j W_ij k(x_i, y_j)
    function_gradient(k, X, Y, c)_i  =  d/dx_i sum_j c_j k(x_i, y_j), the gradient of a machine's function

Tiles are streamed, and every kernel differentiates its own (`Kernel.input_vjp`), in reverse mode as for
hyper-parameters: a sum or product hands weights down to its children, a radial or dot product kernel turns them into
matrix products.  Kernels without a formula use central differences, two more tiles per column.  Where k has a kink
(Matern 1/2 and the Laplacian at x = y) the derivative is 0, and so it is for White noise.

The sum over k(X, X) moves with both of its arguments, and k is symmetric: its gradient is
input_gradient(k, X, X, W + W.T).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.engine import fill
from mercer.errors import bad
from mercer.kernels import maps
from mercer.kernels.base import Kernel, prepare_pair
from mercer.typing import Array


def input_gradient(kernel: Kernel, X: Any, Y: Any, W: Array) -> Array:
    """(n, d): the derivative of sum_ij W_ij k(x_i, y_j) in every entry of X, with Y held fixed."""
    X, Y = (_doubles(V, kernel) for V in (X, Y))
    W = np.asarray(W, dtype=np.float64)
    if W.shape != (len(X), len(Y)):
        raise bad("input_gradient", "W", f"of shape {(len(X), len(Y))}", W.shape, "Give one weight per pair.")
    A, B = prepare_pair(kernel, X, Y)
    out = np.zeros_like(X)

    def add(r: slice, c: slice) -> None:
        out[r] += kernel.input_vjp(A[r], B[c], np.ascontiguousarray(W[r, c]), X[r])

    fill.fold_rows(add, W.shape)
    return np.asarray(out)


def function_gradient(kernel: Kernel, X: Any, Y: Any, coefficients: Array) -> Array:
    """(n, d): the gradient of f(x) = sum_j c_j k(x, y_j) at the rows of X; nothing of size n x m is stored."""
    X, Y = (_doubles(V, kernel) for V in (X, Y))
    c = np.asarray(coefficients, dtype=np.float64)
    A, B = prepare_pair(kernel, X, Y)
    out = np.zeros_like(X)

    def add(r: slice, columns: slice) -> None:
        W = np.broadcast_to(c[columns], (r.stop - r.start, columns.stop - columns.start))
        out[r] += kernel.input_vjp(A[r], B[columns], W, X[r])

    fill.fold_rows(add, (len(X), len(Y)))
    return np.asarray(out)


def _doubles(X: Any, kernel: Kernel) -> Array:
    V = maps.dense(X, repr(kernel))
    if V.dtype.kind == "c":
        raise bad("input_gradient", "X", "real", "complex numbers", "Use real and imaginary parts as columns.")
    return V.astype(np.float64, copy=False)
