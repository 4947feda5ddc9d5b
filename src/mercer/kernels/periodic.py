"""The periodic kernel: a Gaussian kernel on circles.

A column x with period p is mapped to the circle (cos t, sin t), t = 2 pi x / p.  The squared distance of two
points of it is 4 sin^2(pi (x - y) / p), so the Gaussian kernel of these points is

    k(x, y) = exp(-2 sum_k sin^2(pi (x_k - y_k) / p) / l^2),

positive semi-definite in any number of columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.items.vectors import Vectors, is_sparse
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.prepared_rows import (
    ORIGIN,
    Centre,
    Rows,
    centre,
    centred,
    own,
    real_only,
    rows,
    side_by_side,
    sqdist,
)
from mercer.native import radial
from mercer.parameters import Parameter, hyper, value
from mercer.typing import Array, Index


@dataclass(eq=False)
class Waves:
    """Points on circles, and the data they come from, measured from a centre (for the slope in the period)."""

    circles: Rows
    data: Any
    frame: Centre

    def __len__(self) -> int:
        return len(self.circles)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(self.circles[index], self.data[index], self.frame)


@kernel
class Periodic(Kernel):
    """k(x, y) = exp(-2 sum_k sin^2(pi (x_k - y_k) / period) / lengthscale^2)."""

    lengthscale: Parameter = hyper(1.0)
    period: Parameter = hyper(1.0)

    psd = True
    psd_reason = "a product over columns of kernels on one column (Schur): Gaussian kernels of points on a circle"
    bound = 1.0
    stationary = True

    def prepare_in(self, X: Vectors, frame: Any, pool: Pool) -> Waves:
        real_only("Periodic", X)
        frame = frame or centre(X, pool)
        return Waves(rows(circles(X.values, value(self.period)), ORIGIN), centred(X, frame, None), frame)

    @property
    def scale(self) -> float:
        """1 / l^2, with l at least 1e-18: its square would underflow, and different points have k = 0 anyway."""
        return float((1.0 / max(value(self.lengthscale), 1e-18)) ** 2)

    def block(self, A: Waves, B: Waves) -> Array:
        S = own(sqdist(A.circles, B.circles))
        radial.exponential(S, 0.5 * self.scale)
        return S

    def diag(self, A: Waves) -> Array:
        return np.ones(len(A), dtype=A.circles.dtype)

    def parameter_gradients(self, A: Waves, B: Waves, W: Array) -> dict[str, Any]:
        """dk = -k (ds / 2 - s dl / l) / l^2 with s the squared distance on the circles."""
        M = self.scale * W * self.block(A, B)
        S, _ = sqdist(A.circles, B.circles)
        dlengthscale = float(np.vdot(M, S)) / value(self.lengthscale)
        return {"lengthscale": dlengthscale, "period": -0.5 * _period_slope(A, B, M, value(self.period))}

    def input_vjp(self, A: Waves, B: Waves, W: Array, X: Array) -> Array:
        """s = sum_k 2 - 2 cos(t_k - t'_k) with t = 2 pi x / period, so ds/dx = (4 pi / period) sin(t - t')."""
        M = -0.5 * self.scale * W * self.block(A, B)
        (_, cosine, sine), (_, cosine_y, sine_y) = _columns(A), _columns(B)
        turned = sine * (M @ cosine_y) - cosine * (M @ sine_y)
        return np.asarray(4.0 * np.pi / value(self.period) * turned)


def circles(V: Any, period: float) -> Any:
    """(cos t - 1, sin t), t = 2 pi x / period, per column; a zero gives zeros, so that sparse rows stay sparse."""
    entries = V.data if is_sparse(V) else V
    t = 2.0 * np.pi / period * np.fmod(entries, period, dtype=np.float64)  # the remainder is exact
    parts = (-2.0 * np.sin(t / 2.0) ** 2, np.sin(t))
    return side_by_side(*(_with_entries(V, part.astype(V.dtype)) for part in parts))


def _with_entries(V: Any, entries: Array) -> Any:
    """A matrix of the form of V, sparse or dense, with other entries."""
    return type(V)((entries, V.indices, V.indptr), shape=V.shape) if is_sparse(V) else entries


def _period_slope(A: Waves, B: Waves, M: Array, period: float) -> float:
    """sum_ij M_ij ds_ij/dp, where ds/dp = -(4 pi / p^2) sum_k (x_k - y_k) sin(t_k - t'_k), by matrix products."""
    (x, cosine, sine), (y, cosine_y, sine_y) = _columns(A), _columns(B)
    turned = np.einsum("ik,ik->", x * sine, M @ cosine_y) - np.einsum("ik,ik->", x * cosine, M @ sine_y)
    turned += np.einsum("ik,ik->", cosine, M @ (y * sine_y)) - np.einsum("ik,ik->", sine, M @ (y * cosine_y))
    return float(-4.0 * np.pi / period**2 * turned)


def _columns(A: Waves) -> tuple[Array, Array, Array]:
    """x, cos t and sin t as dense columns."""
    x, w = (V.toarray() if is_sparse(V) else V for V in (A.data, A.circles.values))
    half = x.shape[1]
    return x.astype(np.float64), w[:, :half] + 1.0, w[:, half:]
