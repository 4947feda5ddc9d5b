"""The linear system of a Newton step in the representer form, solved by preconditioned conjugate gradients.

With slopes G and curvature W = SS' of the loss at the scores f = KB + r, the next coefficients are B+ = -G + Su where

    (I + S'KS) u = S' (K (B + G) - shift),        the columns of Su sum to zero

and `shift` is the step of the offsets r, the multiplier of those sums; without offsets it is 0.  Only products with K
are used.  The preconditioner is the factorised matrix itself when it is small, else the matrix with LL' in the place
of K, which removes as many eigenvalues of K as L has columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.engine.pool import run
from mercer.engine.tiles import cuts
from mercer.gram.row_squares import is_elsewhere
from mercer.linalg.cholesky import factorise
from mercer.linalg.conjugate_gradients import Iteration
from mercer.solvers.risk.curvature import Curvature
from mercer.typing import Array, Gram

Inverse = Callable[[Array], Array]

_WIDTH = 128  # columns of one task
_LADDER = (0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-4, 1.0)  # jitters: small ones for rounding, large for indefinite kernels


def direct(K: Array, W: Curvature) -> Inverse:
    """(I + S K S)^-1 for one output; K is overwritten."""
    s = np.sqrt(W.size())
    K *= s[:, None]
    K *= s
    K.flat[:: len(K) + 1] += 1.0
    return factorise(K, ladder=_LADDER).solve


def low_rank(L: Any, W: Curvature, outputs: int) -> Inverse:
    """(I + S'LL'S)^-1 = I - S'L (I + L'WL)^-1 L'S, with blocks L' diag(W_ab) L."""
    rank = L.shape[1]
    M = _squares(L, W, outputs)
    M = M.reshape(outputs * rank, outputs * rank)
    M.flat[:: len(M) + 1] += 1.0
    small = factorise(M, ladder=_LADDER)

    def solve(V: Array) -> Array:
        inner = small.solve((L.T @ W.root(V)).T.ravel()).reshape(outputs, rank).T
        return np.asarray(V - W.root_transposed(L @ inner))

    return solve


def _squares(L: Any, W: Curvature, outputs: int) -> Array:
    """L' diag(W_ab) L for all a and b, as (outputs, rank, outputs, rank)."""
    rank = L.shape[1]
    pairs = [(a, b) for a in range(outputs) for b in range(a + 1)]
    M: Array = np.empty((outputs, rank, outputs, rank))
    if is_elsewhere(L):
        squares, _ = L.squares(*(W.entry(a, b) for a, b in pairs))
        for (a, b), square in zip(pairs, squares, strict=True):
            M[a, :, b], M[b, :, a] = square, square
        return M

    def block(job: tuple[int, int, slice]) -> None:
        a, b, some = job
        M[a, :, b, some] = L.T @ (W.entry(a, b)[:, None] * L[:, some])
        M[b, :, a, some] = M[a, :, b, some]

    run(block, [(a, b, some) for a, b in pairs for some in cuts(rank, _WIDTH)])
    return M


class Sums:
    """The projection that keeps the columns of Su summing to zero, in the metric of the preconditioner."""

    def __init__(self, W: Curvature, inverse: Inverse, shape: tuple[int, int]) -> None:
        self.W, (m, k) = W, shape
        ones = [np.tile(np.eye(k)[a], (m, 1)) for a in range(k)]
        self.normals = np.stack([inverse(W.root_transposed(one)) for one in ones])
        of_normals = np.array([W.root(normal).sum(axis=0) for normal in self.normals])
        self.solve = np.linalg.pinv(of_normals.T, rcond=1e-12, hermitian=True)

    def remove(self, Z: Array) -> tuple[Array, Array]:
        """Z without its part along the normals, and the coefficients of that part."""
        much = self.solve @ self.W.root(Z).sum(axis=0)
        return Z - np.tensordot(much, self.normals, 1), much


class Free:
    """No constraint on the sums: nothing to remove."""

    def __init__(self, outputs: int) -> None:
        self.none = np.zeros(outputs)

    def remove(self, Z: Array) -> tuple[Array, Array]:
        """Z as it is."""
        return Z, self.none


@dataclass(frozen=True, eq=False)
class Step:
    """Su, K Su, the step of the offsets, how many products with K it took, and whether they were enough."""

    SU: Array
    KSU: Array
    shift: Array
    products: int
    solved: bool


def solve(gram: Gram, W: Curvature, inverse: Inverse, E: Array, *, bias: bool, goal: Callable[[float], float],
          most: int, late: Callable[[], bool]) -> Step:  # fmt: skip
    """The step for E = K (B + G), as near to Newton's as makes the gap of its model at most goal(<Su, E>).

    That gap is 1/2 |S residual|^2 in the norm of K.  It costs a product, so it is computed only when the residual is
    small.  The iterate after `most` products, or when `late()` says so, is also a descent step, only a shorter one.
    """
    sums = Sums(W, inverse, E.shape) if bias else Free(E.shape[1])
    state = Iteration(W.root_transposed(E), np.zeros_like(E), np.zeros_like(E))
    SU, KSU = state.sums
    shift, promise = np.zeros(E.shape[1]), 1.0
    for products in range(most + 1):
        Z, much = sums.remove(inverse(state.R))
        state.R -= W.root_transposed(np.broadcast_to(much, E.shape))
        shift += much
        state.aim(Z)
        least, rest = goal(float(np.vdot(SU, E))), 0.5 * float(np.vdot(state.R, state.R))
        if solved := rest <= promise * least:
            SR = W.root(state.R)
            gap = 0.5 * float(np.vdot(SR, gram @ SR))
            solved, promise = gap <= least, 0.5 * rest / max(gap, 1e-300)
        if solved or products == most or late():
            break
        SP = W.root(state.P)
        KSP = gram @ SP
        if not state.step(state.P + W.root_transposed(KSP), SP, KSP):  # the kernel is not positive, or rounding says so
            break
    return Step(SU, KSU, shift, products, solved)
