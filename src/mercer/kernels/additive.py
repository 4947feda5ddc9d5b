"""Kernels of a distance that is a sum over columns: the Laplacian, and the chi-squared kernels of histograms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.items.vectors import Vectors, is_sparse
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.prepared_rows import Rows, as_csr, compressed, real_only, same_width, typed
from mercer.kernels.stationary import Stationary
from mercer.native import distance, radial, sparse_pairs
from mercer.parameters import Parameter, hyper, value
from mercer.typing import Array


@kernel
class Laplacian(Stationary):
    """k(x, y) = exp(-sum_k |x_k - y_k| / l_k), with one lengthscale or one per column."""

    psd_reason = "a product over columns of kernels on one column (Schur)"
    bound = 1.0

    def prepare_in(self, X: Vectors, frame: Any, pool: Pool) -> Rows:
        real_only("Laplacian", X)
        return super().prepare_in(X, frame, pool)

    @property
    def scale(self) -> float:
        """What a tile of absolute distances is multiplied by: 1 / l, or 1 when the columns are scaled."""
        return 1.0 if self.scales_columns else 1.0 / value(self.lengthscale)

    def block(self, A: Rows, B: Rows) -> Array:
        S = absolute_distances(A, B)
        radial.exponential(S, self.scale)
        return S

    def parameter_gradients(self, A: Rows, B: Rows, W: Array) -> dict[str, Any]:
        """dk/dl_k = k |x_k - y_k| / l_k^2."""
        M = W * self.block(A, B)
        if self.ard:
            moments = _absolute_moments(A, B, M)
        else:
            moments = np.asarray(self.scale * np.vdot(M, absolute_distances(A, B)))
        return {"lengthscale": self.per_lengthscale(moments)}

    def input_vjp(self, A: Rows, B: Rows, W: Array, X: Array) -> Array:
        """d|a - b|/da = sign(a - b)."""
        M = -self.scale * W * self.block(A, B)
        signs = [np.sign(a[:, None] - b) for a, b in zip(A.values.T, B.values.T, strict=True)]
        return self.unscaled(np.column_stack([np.einsum("ij,ij->i", M, S) for S in signs]))


@kernel
class ChiSquared(Kernel):
    """k(x, y) = exp(-gamma sum_k (x_k - y_k)^2 / (x_k + y_k)) on entries >= 0, with 0/0 = 0."""

    gamma: Parameter = hyper(1.0)

    psd = True
    psd_reason = "exp(-gamma d) of a conditionally negative d (Schoenberg)"
    bound = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if np.isinf(value(self.gamma)):
            raise bad("ChiSquared", "gamma", "finite", value(self.gamma), "The limit gamma = inf is White.")

    def prepare_in(self, X: Vectors, frame: Any, pool: Pool) -> Vectors:
        return non_negative("ChiSquared", X)

    def block(self, A: Vectors, B: Vectors) -> Array:
        S = chi_squared_distances(A, B)
        radial.exponential(S, value(self.gamma))
        return S

    def diag(self, A: Vectors) -> Array:
        return np.ones(len(A), dtype=A.dtype)

    def parameter_gradients(self, A: Vectors, B: Vectors, W: Array) -> dict[str, Any]:
        return {"gamma": -float(np.vdot(W * self.block(A, B), chi_squared_distances(A, B)))}


@kernel
class AdditiveChiSquared(Kernel):
    """k(x, y) = -sum_k (x_k - y_k)^2 / (x_k + y_k) on entries >= 0, with 0/0 = 0.

    A similarity, not a Mercer kernel: its diagonal is zero.  Its exponential is ChiSquared.
    """

    psd = False

    def prepare_in(self, X: Vectors, frame: Any, pool: Pool) -> Vectors:
        return non_negative("AdditiveChiSquared", X)

    def block(self, A: Vectors, B: Vectors) -> Array:
        S = chi_squared_distances(A, B)
        return np.negative(S, out=S)

    def diag(self, A: Vectors) -> Array:
        return np.zeros(len(A), dtype=A.dtype)


def non_negative(owner: str, X: Vectors) -> Vectors:
    """X itself; refuses negative entries."""
    real_only(owner, X)
    entries = X.values.data if X.sparse else X.values
    if entries.size and entries.min() < 0.0:
        raise bad(owner, "X", "non-negative (histograms or counts)", f"an entry {entries.min()}",
                  "Shift or clip the data, or use Laplacian.")  # fmt: skip
    return X


def absolute_distances(A: Rows, B: Rows) -> Array:
    """sum_k |a_ik - b_jk| for all pairs."""
    if (tile := A.known("absolute", B)) is not None:
        return tile.copy()
    return absolute_sums(A, B)


def absolute_sums(A: Any, B: Any) -> Array:
    """The same of any prepared rows, as a new tile."""
    return _distances(A, B, distance.absolute, sparse_pairs.absolute)


def chi_squared_distances(A: Vectors, B: Vectors) -> Array:
    """sum_k (a_ik - b_jk)^2 / (a_ik + b_jk) for all pairs."""
    return _distances(A, B, distance.chi_squared, sparse_pairs.chi_squared)


def _distances(A: Any, B: Any, dense: Callable[..., None], sparse: Callable[..., None]) -> Array:
    """A tile, by the loop for the form of the rows."""
    same_width(A.values.shape[1], B.values.shape[1])
    out = np.empty((len(A), len(B)), dtype=np.result_type(A.dtype, B.dtype))
    if is_sparse(A.values) or is_sparse(B.values):
        a, b = as_csr(A.values), as_csr(B.values)
        sparse(*compressed(out.dtype, a, b, b.tocsc()), out)
    else:
        dense(typed(A.values, out.dtype), typed(B.values.T, out.dtype), out)
    return out


def _absolute_moments(A: Rows, B: Rows, M: Array) -> Array:
    """sum_ij M_ij |a_ik - b_jk| for every column k."""
    a, b = (V.toarray() if is_sparse(V) else V for V in (A.values, B.values))
    out = np.zeros(a.shape[1])
    distance.absolute_moments(typed(M, float), typed(a, float), typed(b.T, float), out)
    return out
