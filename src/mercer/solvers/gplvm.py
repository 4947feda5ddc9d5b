"""Kernelised probabilistic PCA: latent points Z that explain every column of Y by a Gaussian process (Lawrence, 2005).

    L(Z)  =  sum_d log N(y_d | 0, C),    C = K(Z) + s^2 I
          =  -1/2 tr(C^-1 Y Y') - D/2 log |C| - n D/2 log 2 pi

With the linear kernel this is probabilistic PCA seen from its scores, and the maximum is known (`ppca`); with others it
is a smooth problem with many maxima, maximised from several starts by L-BFGS-B.  A kernel computes the slopes in the
latent points and in its hyper-parameters from one matrix, M = dL/dC.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from mercer.engine.interrupts import interrupted
from mercer.linalg.cholesky import factorise
from mercer.solvers.quasi_newton import minimise
from mercer.typing import Array

Objective = Callable[[Array], tuple[float, Array]]


def condensed(Y: Array) -> Array:
    """At most n columns with the same Y Y'; L depends on Y through Y Y' only."""
    if Y.shape[1] <= len(Y):
        return Y
    _, R = np.linalg.qr(Y.T)
    return np.ascontiguousarray(R.T)


def shared_evidence(C: Array, Y: Array, columns: int) -> tuple[float, Array, Array]:
    """L, M = dL/dC = 1/2 (A A' - D C^-1) and A = C^-1 Y; C is overwritten, and `columns` is D of the data behind Y."""
    n = len(C)
    factor = factorise(C)
    A = factor.solve(Y)
    value = -0.5 * float(np.vdot(A, Y)) - 0.5 * columns * (factor.log_determinant + n * np.log(2.0 * np.pi))
    M = factor.inverse(overwrite=True)
    M *= -columns
    M += A @ A.T
    M *= 0.5
    return value, M, A


def ppca(Y: Array, q: int) -> tuple[Array, float, float]:
    """Scores Z (n, q), noise variance s^2 and L at the maximum for the linear kernel (Tipping & Bishop, 1999).

    With l_i, u_i the eigenpairs of Y Y' / D: Z = U_q (l_q - s^2)^1/2, s^2 the mean of the other n - q eigenvalues.
    """
    n, D = Y.shape
    U, singular, _ = np.linalg.svd(condensed(Y), full_matrices=False)
    values = np.zeros(n)
    values[: len(singular)] = singular**2 / D
    noise = float(values[q:].mean()) if q < n else 0.0
    Z = np.zeros((n, q))
    rank = min(q, len(singular))
    Z[:, :rank] = U[:, :rank] * np.sqrt(np.maximum(values[:rank] - noise, 0.0))
    with np.errstate(divide="ignore"):
        logs = np.log(values[:q]).sum() + (n - q) * np.log(noise) if noise > 0.0 else -np.inf
    return Z, noise, -0.5 * D * float(n * np.log(2.0 * np.pi) + logs + n)


@dataclass(frozen=True, eq=False)
class LatentClimb:
    """The end of one start: the point, its value, the largest slope there, and why it ended."""

    x: Array = field(repr=False)
    value: float
    slope: float
    n_iter: int
    converged: bool
    reason: str


def climb(
    objective: Objective, starts: Sequence[Array], bounds: Array, *, tol: float, max_iter: int
) -> list[LatentClimb]:
    """The objective (value and slope) maximised within bounds from every start; best first.

    Converged means that no entry of the slope exceeds tol, apart from parameters at a bound.
    """

    def descent(x: Array) -> tuple[float, Array]:
        value, slope = objective(x)
        return -value, -slope

    def end(x0: Array) -> LatentClimb:
        done = minimise(descent, np.clip(x0, *bounds.T), bounds=bounds,
                        maxiter=max_iter, maxfun=10 * max_iter, gtol=tol, ftol=0.0, maxcor=20)  # fmt: skip
        left = np.abs(np.clip(done.x - done.jac, *bounds.T) - done.x).max(initial=0.0)
        reason = "converged" if left <= tol else "max_iter" if done.nit >= max_iter else "stalled"
        reason = "interrupted" if done.interrupted else reason
        return LatentClimb(done.x, -float(done.fun), float(left), int(done.nit), bool(left <= tol), reason)

    found: list[LatentClimb] = []
    for start in starts:
        if found and interrupted():
            break
        found.append(end(start))
    return sorted(found, key=lambda one: -one.value)
