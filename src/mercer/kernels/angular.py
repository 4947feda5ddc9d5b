"""Kernels of the angle between vectors: the cosine, and the arcsine kernel of an infinite neural network."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

import numpy as np

from mercer.errors import bad
from mercer.items.vectors import Vectors, is_sparse
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.dot import Dot
from mercer.kernels.frozen_matrix import Frozen, as_frozen
from mercer.kernels.positive_matrix import psd_root
from mercer.kernels.prepared_rows import (
    ORIGIN,
    Rows,
    dot,
    own,
    product_moments,
    real_only,
    rows,
    side_by_side,
    weighted_squares,
)
from mercer.parameters import LogOrZero, Parameter, hyper, value
from mercer.typing import Array


@kernel
class Cosine(Dot):
    """k(x, y) = <x, y> / (|x| |y|), and 0 where x or y is the zero vector (or, with zero="raise", an error)."""

    zero: Literal["allow", "raise"] = "allow"

    psd_reason = "the inner product of x / |x|"

    def __post_init__(self) -> None:
        if self.zero not in ("allow", "raise"):
            raise bad("Cosine", "zero", '"allow" or "raise"', repr(self.zero), 'With "allow", k(0, y) = 0.')

    def prepare_in(self, X: Vectors, frame: Any, pool: Pool) -> Rows:
        directions, nonzero = _directions(X)
        if self.zero == "raise" and not nonzero.all():
            raise bad("Cosine", "X", "without zero vectors", f"one in row {int(np.argmin(nonzero))}",
                      'Drop such rows, or use Cosine() to have k(0, y) = 0.')  # fmt: skip
        return Rows(directions, nonzero.astype(directions.real.dtype), ORIGIN)

    def shape(self, G: Array) -> bool:
        if not np.iscomplexobj(G):
            np.clip(G, -1.0, 1.0, out=G)
        return True

    def feature_map(self, X: Any) -> Any:
        return self.prepare(X).values

    def dimension(self, D: int) -> int | None:
        return D


def _directions(X: Vectors) -> tuple[Any, Array]:
    """x / |x| for every row, zero rows as they are, and which rows are not zero."""
    V, sizes = X.values, abs(X.values)
    largest = np.asarray(sizes.max(axis=1).toarray() if X.sparse else sizes.max(axis=1)).ravel().astype(np.float64)
    nonzero = largest > 0.0
    scale = 1.0 / np.where(nonzero, largest, 1.0)  # first by the largest entry, so that no square under- or overflows
    V = _scaled(V, scale)
    norm = np.sqrt(rows(V, ORIGIN).sqnorm.astype(np.float64))
    return _scaled(V, 1.0 / np.where(nonzero, norm, 1.0)).astype(X.dtype, copy=False), nonzero


def _scaled(V: Any, scale: Array) -> Any:
    return V.multiply(scale[:, None]).tocsr() if is_sparse(V) else V * scale[:, None]


@kernel
class ArcSine(Kernel):
    """k(x, y) = (2/pi) arcsin(2 u^T S v / sqrt((1 + 2 u^T S u) (1 + 2 v^T S v))), with u = (1, x) and v = (1, y).

    It is E[erf(w^T u) erf(w^T v)] over weights w ~ N(0, S): a network of infinitely many erf units.  S is
    `variance` times the identity, or diag(variance) over (1, x) when there is one per entry, or `variance` times
    the matrix `covariance`.
    """

    variance: Parameter = hyper(1.0, LogOrZero, vector=True)
    covariance: Frozen | None = None

    psd = True
    psd_reason = "the covariance of a neural network of one layer with random weights"
    bound = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.covariance is None:
            return
        object.__setattr__(self, "covariance", as_frozen("ArcSine", "covariance", self.covariance))
        if isinstance(value(self.variance), np.ndarray):
            raise bad("ArcSine", "variance", "one number beside a covariance matrix", f"{len(value(self.variance))}",
                      "Put the variances into the matrix.")  # fmt: skip
        _ = self.root  # an indefinite matrix is refused here, not at the first use

    @cached_property
    def root(self) -> Array | None:
        """R with covariance = R R^T, if there is one."""
        return None if self.covariance is None else psd_root("ArcSine", "covariance", self.covariance)

    def prepare_in(self, X: Vectors, frame: Any, pool: Pool) -> Rows:
        real_only("ArcSine", X)
        scale = np.sqrt(np.atleast_1d(value(self.variance)))
        size = X.width + 1 if self.covariance is None else len(self.covariance.values)
        if size != X.width + 1 or len(scale) not in (1, size):
            raise bad("ArcSine", "the covariance", f"over (1, x), that is of size {X.width + 1}",
                      f"{size if len(scale) == 1 else len(scale)}", "Its first entry is the bias.")  # fmt: skip
        U = side_by_side(np.ones((len(X), 1), dtype=X.dtype), X.values)
        Z = U.multiply(scale).tocsr() if is_sparse(U) else U * scale
        return rows((Z if self.root is None else Z @ self.root).astype(X.dtype, copy=False), ORIGIN)

    def block(self, A: Rows, B: Rows) -> Array:
        G = own(dot(A, B))
        G *= 2.0
        G /= np.sqrt(1.0 + 2.0 * A.sqnorm)[:, None]
        G /= np.sqrt(1.0 + 2.0 * B.sqnorm)
        return _arcsine(G)

    def diag(self, A: Rows) -> Array:
        return _arcsine(2.0 * A.sqnorm / (1.0 + 2.0 * A.sqnorm))

    def parameter_gradients(self, A: Rows, B: Rows, W: Array) -> dict[str, Any]:
        """dk = (2/pi) (dg - g (da/a + db/b) / 2) / sqrt(ab - g^2), g = 2 u^T S v, a = 1 + 2 u^T S u, b likewise."""
        g = 2.0 * dot(A, B)[0].astype(np.float64)
        a, b = 1.0 + 2.0 * A.sqnorm[:, None].astype(np.float64), 1.0 + 2.0 * B.sqnorm.astype(np.float64)
        M = 2.0 / np.pi * W / np.sqrt(np.maximum(a * b - g * g, a + b - 1.0))  # ab - g^2 >= a + b - 1 but for rounding
        Mg = M * g
        moments = 2.0 * product_moments(A, B, M)
        moments -= weighted_squares(A, (Mg / a).sum(axis=1)) + weighted_squares(B, (Mg / b).sum(axis=0))
        variance = value(self.variance)
        total = moments if isinstance(variance, np.ndarray) else moments.sum()
        return {"variance": np.divide(total, variance, where=variance != 0.0, out=np.zeros_like(total))}


def _arcsine(G: Array) -> Array:
    """(2/pi) arcsin(G), in place; G may exceed 1 by rounding."""
    np.clip(G, -1.0, 1.0, out=G)
    np.arcsin(G, out=G)
    G *= 2.0 / np.pi
    return G
