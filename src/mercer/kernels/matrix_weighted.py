"""Kernels given by a matrix: the Gaussian with a full covariance, and the bilinear form.

Both are a plain kernel of linearly transformed vectors; the matrix is factored once and never inverted.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.items.vectors import Vectors, is_sparse
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.dot import Dot
from mercer.kernels.frozen_matrix import Frozen, as_frozen
from mercer.kernels.positive_matrix import definite_root, lower_triangle, psd_root
from mercer.kernels.prepared_rows import ORIGIN, Rows, centre, centred, own, real, rows, sqdist
from mercer.native import radial
from mercer.typing import Array


def check_columns(owner: str, name: str, size: int, X: Vectors) -> None:
    """Refuse vectors that do not fit a matrix over their coordinates."""
    if size != X.width:
        raise bad(owner, name, f"{X.width} x {X.width}, as X has {X.width} columns", f"{size} x {size}",
                  "Give one row and one column per column of X.")  # fmt: skip


@kernel
class Mahalanobis(Kernel):
    """k(x, y) = exp(-(x - y)^T S^-1 (x - y) / 2), S symmetric positive definite.

    S is given by itself, by its inverse (`precision`) or by its lower Cholesky factor; with S = L L^T this is the
    Gaussian kernel of L^-1 x.
    """

    covariance: Frozen | None = None
    precision: Frozen | None = None
    cholesky: Frozen | None = None

    psd = True
    psd_reason = "the Fourier transform of a positive measure (Bochner), a Gaussian"
    bound = 1.0
    stationary = True

    @classmethod
    def from_precision(cls, precision: Any) -> Self:
        """The kernel whose S^-1 is given."""
        return cls(precision=precision)

    @classmethod
    def from_cholesky(cls, cholesky: Any) -> Self:
        """The kernel whose S = L L^T is given by L, lower triangular."""
        return cls(cholesky=cholesky)

    def __post_init__(self) -> None:
        given = {name: M for name, M in self.get_params().items() if M is not None}
        if len(given) != 1:
            raise bad("Mahalanobis", "the metric", "given by one of covariance, precision, cholesky",
                      f"{len(given)} of them", "Pass one matrix.")  # fmt: skip
        ((name, M),) = given.items()
        M = as_frozen("Mahalanobis", name, M)
        if np.iscomplexobj(M.values):
            raise bad("Mahalanobis", name, "real", "complex numbers", "Complex data need no complex metric.")
        object.__setattr__(self, name, M)
        _ = self.factor  # a bad matrix is refused here, not at the first use

    @cached_property
    def factor(self) -> Array:
        """L with S = L L^T, or R with S^-1 = R R^T when the precision is given."""
        if self.cholesky is not None:
            return lower_triangle("Mahalanobis", "cholesky", self.cholesky)
        if self.precision is not None:
            return definite_root("Mahalanobis", "precision", self.precision)
        assert self.covariance is not None
        return definite_root("Mahalanobis", "covariance", self.covariance)

    def prepare_in(self, X: Any, frame: Any, pool: Pool) -> Rows:
        check_columns("Mahalanobis", "the matrix", len(self.factor), X)
        X = real(X, pool)
        frame = frame or centre(X, pool)
        return rows(self.whitened(centred(X, frame, None)).astype(X.dtype), frame)

    def whitened(self, V: Any) -> Array:
        """Rows v as L^-1 v (or R^T v, the same up to a rotation); the halves of complex rows each by themselves."""
        from scipy.linalg import solve_triangular

        V = V.toarray() if is_sparse(V) else V
        parts = V.reshape(-1, len(self.factor)).astype(np.float64, copy=False)
        if self.precision is not None:
            out = parts @ self.factor
        else:
            out = solve_triangular(self.factor, parts.T, lower=True).T
        return np.ascontiguousarray(out).reshape(V.shape)

    def block(self, A: Rows, B: Rows) -> Array:
        S = own(sqdist(A, B))
        radial.exponential(S, 0.5)
        return S

    def diag(self, A: Rows) -> Array:
        return np.ones(len(A), dtype=A.dtype)


@kernel
class Bilinear(Dot):
    """k(x, y) = x^T B y*, B symmetric (Hermitian) positive semi-definite: <R^T x, R^T y> with B = R R^T."""

    B: Frozen

    psd_reason = "the inner product of R^T x, where B = R R^T"

    def __post_init__(self) -> None:
        object.__setattr__(self, "B", as_frozen("Bilinear", "B", self.B))
        _ = self.root  # an indefinite matrix is refused here, not at the first use

    @cached_property
    def root(self) -> Array:
        """R, one column per non-zero eigenvalue, with B = R R^T."""
        return psd_root("Bilinear", "B", self.B)

    def prepare_in(self, X: Any, frame: Any, pool: Pool) -> Rows:
        check_columns("Bilinear", "B", len(self.root), X)
        single = np.complex64 if np.iscomplexobj(self.root) else np.float32
        return rows((X.values @ self.root).astype(np.result_type(X.dtype, single)), ORIGIN)

    def shape(self, G: Array) -> bool:
        return True

    def input_vjp(self, A: Rows, B: Rows, W: Array, X: Array) -> Array:
        """d<R^T x, R^T y>/dx = R (R^T y)."""
        return np.asarray(W @ B.values @ self.root.T)

    def feature_map(self, X: Any) -> Any:
        return self.prepare(X).values

    def dimension(self, D: int) -> int | None:
        return int(self.root.shape[1])
