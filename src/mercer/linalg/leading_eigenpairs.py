"""The largest eigenvalues of a symmetric matrix and their vectors, from products A @ V with blocks of vectors.

Block Krylov: the space spanned by V, A V, A^2 V, ... contains, after few products, vectors that are almost the leading
eigenvectors; the best of it are those of the small matrix Q'AQ (Rayleigh and Ritz).  When the space is as large as
allowed, it is shrunk to its best vectors and grows again.  A residual |A v - lambda v| proves a pair: an eigenvalue lies
within it of lambda.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mercer.typing import Array

SMALL = 400  # rows up to which all eigenpairs are computed at once
SPARE = 6  # vectors in a block beyond the pairs that are asked for
WIDEST = 12  # blocks in the space before it is shrunk
ROUNDS = 40  # shrinkings before what there is is returned


@dataclass(frozen=True, eq=False)
class Eigenpairs:
    """Eigenvalues in descending order, unit vectors (n, count), and |A v - lambda v| of each."""

    values: Array
    vectors: Array
    residuals: Array


def leading_eigenpairs(
    times: Callable[[Array], Array], n: int, count: int, *, tol: float = 1e-10, seed: int = 0
) -> Eigenpairs:
    """The `count` largest eigenvalues; residuals are at most `tol` times the largest, or as small as rounding allows."""
    count = min(count, n)
    if n <= SMALL or 4 * (count + SPARE) >= n:
        return _all_of(times(np.eye(n)), count)
    Q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(n, count + SPARE)))
    AQ = times(Q)
    block = Q.shape[1]
    for _ in range(ROUNDS):
        while True:
            ritz, Y = _rayleigh_ritz(Q, AQ)
            V, AV = Q @ Y[:, :count], AQ @ Y[:, :count]
            residuals = np.linalg.norm(AV - V * ritz[:count], axis=0)
            if (residuals <= tol * max(abs(ritz[0]), 1e-300)).all():
                return Eigenpairs(ritz[:count], V, residuals)
            if Q.shape[1] + block > WIDEST * block:
                break
            new = _orthogonal(AQ[:, -block:], Q)
            if not new.shape[1]:  # the space is invariant: nothing is left to be found
                return Eigenpairs(ritz[:count], V, residuals)
            Q, AQ = np.hstack([Q, new]), np.hstack([AQ, times(new)])
        kept = Y[:, : min(2 * block, Y.shape[1])]
        order = np.argsort(-np.linalg.norm(AQ @ kept - (Q @ kept) * ritz[: kept.shape[1]], axis=0), kind="stable")
        Q, AQ = Q @ kept[:, order[::-1]], AQ @ kept[:, order[::-1]]  # the least converged last: they grow the space
    return Eigenpairs(ritz[:count], V, residuals)


def _all_of(A: Array, count: int) -> Eigenpairs:
    from scipy.linalg import eigh

    n = len(A)
    A = 0.5 * (A + A.T)
    values, V = eigh(A, subset_by_index=(n - count, n - 1)) if count else (np.empty(0), np.empty((n, 0)))
    values, V = values[::-1], V[:, ::-1]
    return Eigenpairs(values, V, np.linalg.norm(A @ V - V * values, axis=0))


def _rayleigh_ritz(Q: Array, AQ: Array) -> tuple[Array, Array]:
    """Eigenvalues of Q'AQ in descending order, and its eigenvectors."""
    T = Q.T @ AQ
    values, Y = np.linalg.eigh(0.5 * (T + T.T))
    return values[::-1], Y[:, ::-1]


def _orthogonal(W: Array, Q: Array) -> Array:
    """An orthonormal basis of what W has beyond the span of Q; directions that are rounding alone are left out."""
    size = np.linalg.norm(W, axis=0).max(initial=0.0)
    for _ in range(2):  # twice is enough: orthogonal to rounding
        W = W - Q @ (Q.T @ W)
    new, R = np.linalg.qr(W)
    kept = np.abs(np.diagonal(R)) > 1e-13 * max(size, 1e-300)
    new = new[:, kept]
    new = new - Q @ (Q.T @ new)
    return np.asarray(np.linalg.qr(new)[0] if new.shape[1] else new)
