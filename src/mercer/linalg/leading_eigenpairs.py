"""The largest eigenvalues of a symmetric matrix and their vectors, from products A @ V with blocks of vectors.

Block Krylov: the space spanned by V, A V, A^2 V, ... contains, after few products, vectors that are almost the leading
eigenvectors; the best of it are those of the small matrix T = Q'AQ, Q an orthonormal basis (Rayleigh and Ritz).  When
the space is as large as allowed, it is shrunk to its best vectors and grows again.

A residual |A v - lambda v| proves a pair: an eigenvalue lies within it of lambda.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mercer.engine.interrupts import interrupted, until_interrupted
from mercer.engine.pool import one_blas_thread
from mercer.typing import Array

Product = Callable[[Array], Array]

ROUNDING = 1e-13  # residual that rounding leaves, in units of the largest eigenvalue
PRODUCTS = 400  # products with blocks before what there is is returned
_SPARE = 6  # vectors in a block beyond the pairs that are asked for
_BLOCKS = 12  # blocks in the space before it is shrunk to
_KEPT = 2  # blocks of its best vectors
_DEPENDENT = 1e-13  # part of a vector that lies outside of the space, below which it is rounding


@dataclass(frozen=True, eq=False)
class Eigenpairs:
    """Eigenvalues in descending order, unit vectors (n, count), |A v - lambda v| of each, and products that it took."""

    values: Array
    vectors: Array
    residuals: Array
    products: int
    converged: bool


def leading_eigenpairs(
    times: Product,
    n: int,
    count: int,
    *,
    tol: float = 1e-8,
    rounding: float = ROUNDING,
    start: Array | None = None,
    seed: int = 0,
    most: int = PRODUCTS,
) -> Eigenpairs:
    """The `count` largest eigenvalues of A with their vectors, where times(V) = A @ V.

    Stops when every residual is at most `tol` times its eigenvalue, or `rounding` times the largest; after `most`
    products; or on Ctrl-C, with what has been found by then.  `start` are vectors that are near the wanted ones.
    """
    space = _Space(times, n, min(count, n), min(count + _SPARE, n))
    with one_blas_thread(), until_interrupted():
        space.begin(np.random.default_rng(seed).normal(size=(n, space.block)) if start is None else start)
        while not (space.done(tol, rounding) or interrupted()) and space.products < most and space.grow():
            pass
    return space.answer(space.done(tol, rounding))


def all_eigenpairs(A: Array, count: int) -> Eigenpairs:
    """The `count` largest eigenvalues of the array A by LAPACK, for small matrices or many pairs."""
    from scipy.linalg import eigh

    n, count = len(A), min(count, len(A))
    if not count:
        return Eigenpairs(np.empty(0), np.empty((n, 0)), np.empty(0), 1, True)
    few = {"subset_by_index": (n - count, n - 1)} if 2 * count < n else {"driver": "evd"}
    values, V = eigh(A, check_finite=False, **few)
    values, V = values[::-1][:count], V[:, ::-1][:, :count]
    return Eigenpairs(values, V, _lengths(A @ V - V * values), 1, True)


class _Space:
    """A space by its orthonormal basis Q, with A Q and T = Q'AQ; its best vectors are Q Y."""

    def __init__(self, times: Product, n: int, count: int, block: int) -> None:
        self.times, self.count, self.block = times, count, block
        self.width = min(_BLOCKS * block, n)  # of the largest space
        self.Q, self.AQ = (np.empty((n, self.width), order="F") for _ in range(2))
        self.T = np.empty((self.width, self.width))
        self.size = self.products = 0
        self.latest = slice(0, 0)  # the columns by whose products the space grows next

    def begin(self, V: Array) -> None:
        """The span of V."""
        self._append(_outside(V, self.Q[:, :0]))

    def grow(self) -> bool:
        """Add the products A q of the latest vectors q; False if they lie in the space already."""
        if self.size + self.block > self.width:
            self._shrink()
        fresh = _outside(self.AQ[:, self.latest], self.Q[:, : self.size])[:, : self.width - self.size]
        if fresh.shape[1]:
            self._append(fresh)
        return bool(fresh.shape[1])

    def done(self, tol: float, rounding: float) -> bool:
        """Whether all residuals are small enough."""
        if not self.size:
            return False
        top = self.values[: self.count]
        largest = float(np.abs(self.values).max(initial=0.0))
        return len(top) == self.count and bool((self.residuals <= np.maximum(tol * top, rounding * largest)).all())

    def answer(self, done: bool) -> Eigenpairs:
        """The best vectors, padded with none: a space that is interrupted at its beginning is empty."""
        if not self.size:
            raise KeyboardInterrupt("interrupted before the first product with the matrix")
        V = self.Q[:, : self.size] @ self.Y[:, : self.count]
        return Eigenpairs(self.values[: self.count], V, self.residuals, self.products, done)

    def _append(self, fresh: Array) -> None:
        """Orthonormal vectors to the basis, with their products; and the best vectors of the new space."""
        product = self.times(fresh)
        new = slice(self.size, self.size + fresh.shape[1])
        self.Q[:, new], self.AQ[:, new] = fresh, product
        self.products, self.size, self.latest = self.products + 1, new.stop, new
        corner = self.Q[:, : new.stop].T @ product
        self.T[: new.stop, new] = corner
        self.T[new, : new.stop] = corner.T
        self._solve()

    def _solve(self) -> None:
        """Ritz values in descending order, the coordinates Y of their vectors, and residuals of the wanted ones."""
        T = self.T[: self.size, : self.size]
        values, Y = np.linalg.eigh(0.5 * (T + T.T))
        self.values, self.Y = values[::-1], Y[:, ::-1]
        self.residuals = self._residuals(self.count)

    def _residuals(self, count: int) -> Array:
        Y = self.Y[:, :count]
        left = self.AQ[:, : self.size] @ Y - self.Q[:, : self.size] @ (Y * self.values[:count])
        return _lengths(left)

    def _shrink(self) -> None:
        """Keep the best vectors only, the least accurate of them last: by their products the space grows again."""
        kept = min(_KEPT * self.block, self.size)
        Y = self.Y[:, np.argsort(self._residuals(kept), kind="stable")]
        Q, AQ = self.Q[:, : self.size] @ Y, self.AQ[:, : self.size] @ Y
        self.Q[:, :kept], self.AQ[:, :kept] = Q, AQ
        self.T[:kept, :kept] = Q.T @ AQ
        self.size, self.latest = kept, slice(kept - self.block, kept)
        self._solve()


def _outside(W: Array, Q: Array) -> Array:
    """An orthonormal basis of what W has outside of the span of Q, without directions that are rounding alone."""
    least = _DEPENDENT * float(_lengths(W).max(initial=0.0))
    for _ in range(2):  # twice is enough: orthogonal to rounding
        W = W - Q @ (Q.T @ W)
        W, R = np.linalg.qr(W)
        W, least = W[:, np.abs(np.diagonal(R)) > least], _DEPENDENT
    return np.asarray(W)


def _lengths(W: Array) -> Array:
    """Norms of columns, without overflow in their squares."""
    unit = float(np.abs(W).max(initial=0.0)) or 1.0
    return np.asarray(unit * np.linalg.norm(W / unit, axis=0))
