"""The derivative of a Gram in the items themselves, for machines that move their points.

    input_gradient(k, X, Y, W)_i  =  d/dx_i sum_j W_ij k(x_i, y_j)

Reverse mode over the expression, as for hyper-parameters: a node hands weights down to its children, a radial or dot
product kernel turns them into matrix products, and tiles are streamed.  Kernels without a rule of their own are
differentiated by central differences, two more tiles per column.  Where k has a kink (Matern 1/2 and the Laplacian at
x = y) the derivative is 0; moving White noise changes nothing.

The sum over k(X, X) moves with both of its arguments, and k is symmetric: its gradient is
input_gradient(k, X, X, W + W.T).
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from mercer.engine import fill
from mercer.errors import bad
from mercer.kernels import maps
from mercer.kernels.additive import Laplacian
from mercer.kernels.algebra import Negated, Product, Scaled, Sum
from mercer.kernels.base import Kernel, prepare_pair
from mercer.kernels.composite import Parts
from mercer.kernels.constant import Constant, White
from mercer.kernels.covariance import Bilinear
from mercer.kernels.dot import Dot, Geometric, Homogeneous, Linear, Polynomial, Sigmoid, affine_power
from mercer.kernels.fitted import Fitted
from mercer.kernels.functions import Function
from mercer.kernels.periodic import Periodic, Waves
from mercer.kernels.radial import Radial
from mercer.kernels.rows import Rows, dot, sqdist
from mercer.kernels.stationary import Stationary
from mercer.parameters import value
from mercer.typing import Array


def input_gradient(kernel: Kernel, X: Any, Y: Any, W: Array) -> Array:
    """(n, d): the derivative of sum_ij W_ij k(x_i, y_j) in every entry of X, with Y held fixed."""
    X, Y = (_doubles(V, kernel) for V in (X, Y))
    W = np.asarray(W, dtype=np.float64)
    if W.shape != (len(X), len(Y)):
        raise bad("input_gradient", "W", f"of shape {(len(X), len(Y))}", W.shape, "Give one weight per pair.")
    A, B = prepare_pair(kernel, X, Y)
    out = np.zeros_like(X)

    def fold(r: slice, c: slice) -> None:
        out[r] += _pull(kernel, A[r], B[c], np.ascontiguousarray(W[r, c]), X[r])

    fill.fold_rows(fold, W.shape)
    return np.asarray(out)


def _doubles(X: Any, kernel: Kernel) -> Array:
    V = maps.dense(X, repr(kernel))
    if V.dtype.kind == "c":
        raise bad("input_gradient", "X", "real", "complex numbers", "Use real and imaginary parts as columns.")
    return V.astype(np.float64, copy=False)


@singledispatch
def _pull(kernel: Kernel, A: Any, B: Any, W: Array, X: Array) -> Array:
    """The gradient of one tile; A and B are what the kernel prepared, X the items that A stands for."""
    out, h = np.zeros_like(X), np.finfo(float).eps ** (1 / 3) * np.maximum(abs(X), 1.0)
    for k in range(X.shape[1]):
        ends = []
        for sign in (1.0, -1.0):
            moved = X.copy()
            moved[:, k] += sign * h[:, k]
            ends.append(np.einsum("ij,ij->i", W, kernel.block(kernel.prepare(moved, A.frame), B)))
        out[:, k] = (ends[0] - ends[1]) / (2.0 * h[:, k])
    return out


# ---- nodes


@_pull.register(Sum)
def _(kernel: Sum, A: Parts, B: Parts, W: Array, X: Array) -> Array:
    return np.asarray(sum(_pull(t, a, b, W, X) for t, a, b in zip(kernel.terms, A.parts, B.parts, strict=True)))


@_pull.register(Product)
def _(kernel: Product, A: Parts, B: Parts, W: Array, X: Array) -> Array:
    """Each factor gets W times the product of all the others."""
    blocks, total = kernel.blocks(A, B), np.zeros_like(X)
    for i, (t, a, b) in enumerate(zip(kernel.terms, A.parts, B.parts, strict=True)):
        others = [block for j, block in enumerate(blocks) if j != i]
        total += _pull(t, a, b, np.prod([W, *others], axis=0), X)
    return total


@_pull.register(Scaled)
def _(kernel: Scaled, A: Any, B: Any, W: Array, X: Array) -> Array:
    return _pull(kernel.kernel, A, B, value(kernel.factor) * W, X)


@_pull.register(Negated)
def _(kernel: Negated, A: Any, B: Any, W: Array, X: Array) -> Array:
    return _pull(kernel.kernel, A, B, -W, X)


@_pull.register(Fitted)
def _(kernel: Fitted, A: Any, B: Any, W: Array, X: Array) -> Array:
    return _pull(kernel.kernel, A, B, W, X)


@_pull.register(Function)
def _(kernel: Function, A: Any, B: Any, W: Array, X: Array) -> Array:
    return _pull(kernel.kernel, A, B, W * kernel.dg(kernel.kernel.block(A, B)), X)


# ---- kernels of differences


@_pull.register(Constant)
@_pull.register(White)
def _(kernel: Kernel, A: Any, B: Any, W: Array, X: Array) -> Array:
    return np.zeros_like(X)


@_pull.register(Radial)
def _(kernel: Radial, A: Rows, B: Rows, W: Array, X: Array) -> Array:
    """ds/da = 2 (a - b), so with M = W f'(s) the rows are 2 (a_i sum_j M_ij - sum_j M_ij b_j)."""
    M = sqdist(A, B)[0].copy()
    kernel.slope(M, kernel.scale)
    M *= W
    return _unscaled(kernel, 2.0 * (M.sum(axis=1)[:, None] * A.values - M @ B.values))


@_pull.register(Laplacian)
def _(kernel: Laplacian, A: Rows, B: Rows, W: Array, X: Array) -> Array:
    """d|a - b|/da = sign(a - b)."""
    M = -kernel.scale * W * kernel.block(A, B)
    signs = [np.sign(a[:, None] - b) for a, b in zip(A.values.T, B.values.T, strict=True)]
    return _unscaled(kernel, np.column_stack([np.einsum("ij,ij->i", M, S) for S in signs]))


def _unscaled(kernel: Stationary, G: Array) -> Array:
    """The derivative in x from that in x / l, where the data were divided by their lengthscales."""
    return np.asarray(G / value(kernel.lengthscale) if kernel.scales_columns else G)


@_pull.register(Periodic)
def _(kernel: Periodic, A: Waves, B: Waves, W: Array, X: Array) -> Array:
    """s = sum_k 2 - 2 cos(t_k - t'_k) with t = 2 pi x / period, so ds/dx = (4 pi / period) sin(t - t')."""
    M = -0.5 * kernel.scale * W * kernel.block(A, B)
    (cosine, sine), (cosine_y, sine_y) = _turns(A), _turns(B)
    turned = sine * (M @ cosine_y) - cosine * (M @ sine_y)
    return np.asarray(4.0 * np.pi / value(kernel.period) * turned)


def _turns(A: Waves) -> tuple[Array, Array]:
    """cos t and sin t; the circles go through the origin, so 1 is added to the first."""
    half = A.data.shape[1]
    return A.circles.values[:, :half] + 1.0, A.circles.values[:, half:]


# ---- kernels of inner products


@_pull.register(Linear)
@_pull.register(Polynomial)
@_pull.register(Homogeneous)
@_pull.register(Geometric)
@_pull.register(Sigmoid)
def _(kernel: Dot, A: Rows, B: Rows, W: Array, X: Array) -> Array:
    """d<a, b>/da = b."""
    return np.asarray((W * _slope(kernel, dot(A, B)[0])) @ B.values)


@_pull.register(Bilinear)
def _(kernel: Bilinear, A: Rows, B: Rows, W: Array, X: Array) -> Array:
    return np.asarray(W @ B.values @ kernel.root.T)


def _slope(kernel: Dot, G: Array) -> Array | float:
    """f' of k = f(<x, y>)."""
    from numpy.polynomial.polynomial import polyder, polyval

    match kernel:
        case Polynomial(degree=degree, gamma=gamma, offset=offset):
            M = G.copy()
            affine_power(M, value(gamma), value(offset), degree - 1)
            return np.asarray(degree * value(gamma) * M)
        case Homogeneous(degree=degree):
            return np.asarray(degree * G ** max(degree - 1, 0))
        case Geometric(degree=degree):
            return np.asarray(polyval(G, polyder(np.ones(degree + 1))))
        case Sigmoid(gamma=gamma, offset=offset):
            T = np.tanh(value(gamma) * G + value(offset))
            return np.asarray(value(gamma) * (1.0 - T * T))
        case _:  # Linear
            return 1.0
