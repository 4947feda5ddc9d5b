"""Kernels made of another kernel and its diagonal: cosine normalisation and the Gaussian of a kernel.

With d_i = k(x_i, x_i), both are functions of k(x_i, y_j), d_i and d_j; the diagonals are computed once, when the
data are prepared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.kernels.base import Pool, kernel
from mercer.kernels.checked_values import diagonal
from mercer.kernels.composite import Unary, dense_map
from mercer.parameters import Parameter, hyper, value
from mercer.typing import Array, Index


@dataclass(eq=False)
class WithDiagonal:
    """Prepared data and the kernel's diagonal on them."""

    inner: Any
    diagonal: Array

    def __len__(self) -> int:
        return len(self.diagonal)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(self.inner[index], self.diagonal[index])

    @property
    def frame(self) -> Any:
        return self.inner.frame


class OfDiagonal(Unary):
    """A kernel that needs the diagonal of another one."""

    def prepare_in(self, X: Any, frame: Any, pool: Pool) -> WithDiagonal:
        inner = super().prepare_in(X, frame, pool)
        return WithDiagonal(inner, diagonal(self.kernel, inner).real)

    def pulled(self, A: WithDiagonal, B: WithDiagonal, WK: Array, wa: Array, wb: Array) -> Array:
        """The inner derivative of sum WK * k(a, b) + sum wa * k(a, a) + sum wb * k(b, b)."""
        k = self.kernel
        diagonals = k.vjp(A.inner, A.inner, np.diag(wa)) + k.vjp(B.inner, B.inner, np.diag(wb))
        return np.asarray(k.vjp(A.inner, B.inner, WK) + diagonals)


@kernel
class Normalised(OfDiagonal):
    """k(x, y) / sqrt(k(x, x) k(y, y)): the cosine of the angle between phi(x) and phi(y); 0 where k(x, x) = 0."""

    psd_reason = "f(x) k(x, y) f(y) with f(x) = k(x, x)^(-1/2): features scaled to length 1"

    def block(self, A: WithDiagonal, B: WithDiagonal) -> Array:
        K = self.kernel.block(A.inner, B.inner)
        K *= _inverse_root(A)[:, None]
        K *= _inverse_root(B)
        return K

    def diag(self, A: WithDiagonal) -> Array:
        return (A.diagonal > 0.0).astype(A.diagonal.dtype)

    def vjp(self, A: WithDiagonal, B: WithDiagonal, W: Array) -> Array:
        """d kn = dk / sqrt(da db) - kn (d da / da + d db / db) / 2."""
        a, b = _inverse_root(A), _inverse_root(B)
        M = W * self.block(A, B)
        return self.pulled(A, B, W * a[:, None] * b, -0.5 * M.sum(axis=1) * a * a, -0.5 * M.sum(axis=0) * b * b)

    def feature_map(self, X: Any) -> Array:
        return dense_map(self.kernel, X) * _inverse_root(self.prepare(X))[:, None]

    def dimension(self, D: int) -> int | None:
        return self.kernel.dimension(D)


def _inverse_root(A: WithDiagonal) -> Array:
    d = A.diagonal
    return np.divide(1.0, np.sqrt(d, where=d > 0.0, out=np.ones_like(d)), where=d > 0.0, out=np.zeros_like(d))


@kernel
class GaussianOf(OfDiagonal):
    """exp(-(k(x,x) + k(y,y) - 2 Re k(x,y)) / (2 l^2)): the Gaussian kernel of the distance that k defines."""

    lengthscale: Parameter = hyper(1.0)

    psd_reason = "the Gaussian kernel of the distance between features (Schoenberg)"

    def block(self, A: WithDiagonal, B: WithDiagonal) -> Array:
        D = self._distances(A, B)
        D *= -0.5 / value(self.lengthscale) ** 2
        return np.exp(D, out=D)

    def diag(self, A: WithDiagonal) -> Array:
        return np.ones_like(A.diagonal)

    def vjp(self, A: WithDiagonal, B: WithDiagonal, W: Array) -> Array:
        """d g = g (dk - (d da + d db) / 2) / l^2, and dg/dl = g D / l^3."""
        own = self.own_vjp(A, B, W)
        M = W * self.block(A, B) / value(self.lengthscale) ** 2
        return np.concatenate([own, self.pulled(A, B, M, -0.5 * M.sum(axis=1), -0.5 * M.sum(axis=0))])

    def parameter_gradients(self, A: WithDiagonal, B: WithDiagonal, W: Array) -> dict[str, Any]:
        D = self._distances(A, B)
        scale = value(self.lengthscale)
        return {"lengthscale": float(np.sum(W * np.exp(-0.5 * D / scale**2) * D)) / scale**3}

    def _distances(self, A: WithDiagonal, B: WithDiagonal) -> Array:
        """k(x,x) + k(y,y) - 2 Re k(x,y), not below 0."""
        D = self.kernel.block(A.inner, B.inner).real.copy()
        D *= -2.0
        D += A.diagonal[:, None]
        D += B.diagonal
        return np.asarray(np.maximum(D, 0.0, out=D))
