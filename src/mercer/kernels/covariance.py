"""Kernels given by a matrix: the Gaussian with a full covariance, and the bilinear form.

Both are a plain kernel of linearly transformed vectors; the matrix is factored once and never inverted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Self

import numpy as np

from mercer.errors import NotPositiveDefinite, bad
from mercer.items import Vectors
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.definite import check_hermitian, cholesky, psd_root
from mercer.kernels.dot import Dot
from mercer.kernels.frozen import Frozen, as_frozen
from mercer.kernels.rows import ORIGIN, Rows, centre, centred, own, real, rows, sqdist
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
        self.whiten  # noqa: B018  (factor now, so that a bad matrix is refused here)

    @property
    def psd(self) -> bool | None:
        return True

    @cached_property
    def whiten(self) -> Whitening:
        """How rows x become rows L^-1 x."""
        if self.cholesky is not None:
            return Whitening(lower_triangle("Mahalanobis", self.cholesky), solves=True)
        if self.precision is not None:
            check_hermitian("Mahalanobis", "precision", self.precision)
            return Whitening(cholesky("Mahalanobis", "precision", self.precision), solves=False)
        assert self.covariance is not None
        check_hermitian("Mahalanobis", "covariance", self.covariance)
        return Whitening(cholesky("Mahalanobis", "covariance", self.covariance), solves=True)

    def prepare_in(self, X: Any, frame: Any, pool: Pool) -> Rows:
        check_columns("Mahalanobis", "the matrix", len(self.whiten.factor), X)
        X = real(X, pool)
        frame = frame or centre(X, pool)
        return rows(self.whiten(centred(X, frame, None)).astype(X.dtype), frame)

    def block(self, A: Rows, B: Rows) -> Array:
        from mercer.compiled import radial

        S = own(sqdist(A, B))
        radial.exponential(S, 0.5)
        return S

    def diag(self, A: Rows) -> Array:
        return np.ones(len(A), dtype=A.dtype)


