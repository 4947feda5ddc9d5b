"""The evidence of a generalised linear model with Gaussian weights, by Laplace's approximation.

With w ~ N(0, 1/alpha) and a flat prior on the m intercepts, P of glm.py is -log p(y, w) up to constants, and

    log p(y) ~ -P(W, b) + (K m / 2) log alpha - 1/2 log det H + (m / 2) log 2 pi

at its minimum, where H is the Hessian of P in (W, b).  For Gaussian noise it is exact, and in least_squares.py.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from mercer.engine.interrupts import until_interrupted
from mercer.engine.pool import Stopped, one_blas_thread
from mercer.solvers.glm import GLMProblem, GLMSolution, GLMState, solve_glm
from mercer.solvers.losses import Family
from mercer.typing import Array

_RANGE = (1e-10, 1e4)  # of alpha, in units of the mean of |phi|^2
_ONE_THREAD = 800  # unknowns up to which systems are solved on one thread: waiting for others costs more
_TIGHT = 1e-13  # relative gap of the mode: an error of W changes log det H to first order


@dataclass(frozen=True, eq=False)
class LaplaceEvidence:
    """Laplace's approximation at the mode of one alpha."""

    alpha: float
    mode: GLMSolution
    problem: GLMProblem
    state: GLMState

    @classmethod
    def of(
        cls,
        Phi: Array,
        y: Array,
        family: Family,
        *,
        alpha: float,
        weight: Any = None,
        fit_intercept: bool = True,
        max_iter: int = 100,
        start: GLMSolution | None = None,
    ) -> Self:
        """Find the mode, from the mode `start` if one is given."""
        mode = solve_glm(
            Phi, y, family, alpha=alpha, weight=weight, fit_intercept=fit_intercept, tol=_TIGHT, max_iter=max_iter,
            start=start,
        )  # fmt: skip
        problem = GLMProblem.of(Phi, y, family, alpha, weight, fit_intercept)
        return cls(alpha, mode, problem, problem.at(problem.first(mode)))

    @cached_property
    def _curvature(self) -> Array:
        return np.asarray(self.problem.s[:, None, None] * self.problem.family.curvature(self.state.f))

    @cached_property
    def _factor(self) -> Array:
        """L with H = L L'."""
        return np.asarray(np.linalg.cholesky(self.problem.hessian(self._curvature)))

    @cached_property
    def value(self) -> float:
        """log p(y)."""
        p, m = self.problem, self.problem.family.functions
        K = p.Z.shape[1] - p.fit_intercept
        volume = float(np.log(np.diagonal(self._factor)).sum())
        flat = 0.5 * m * p.fit_intercept * float(np.log(2.0 * np.pi))
        return float(-self.state.primal + 0.5 * m * K * np.log(self.alpha) - volume + flat)

    def slope(self) -> Array:
        """d/dPhi of the value, at this alpha.

        A change dZ of the features changes the losses and H: through Z, through f = Z B, and because the mode moves by
        H dB = -dZ' s u - Z' C dZ B.
        """
        p, B, C = self.problem, self.state.B, self._curvature
        m, q = B.shape[1], len(B)
        S = _inverse(self._factor).reshape(m, q, m, q)
        ZS = np.einsum("nq,aqbr->nabr", p.Z, S, optimize=True)
        r = 0.5 * p.s[:, None] * p.family.skew(self.state.f, np.einsum("nabr,nr->nab", ZS, p.Z, optimize=True))
        M = np.einsum("aqbr,rb->qa", S, p.Z.T @ r, optimize=True)
        su = p.s[:, None] * self.state.u
        bent = np.einsum("nab,nb->na", C, p.Z @ M)
        dZ = su @ (M - B).T + (bent - r) @ B.T - np.einsum("nab,nabr->nr", C, ZS, optimize=True)
        return np.asarray(dZ[:, : q - p.fit_intercept] if p.turn is None else dZ[:, : q - p.fit_intercept] @ p.turn.T)


def _inverse(L: Array) -> Array:
    from scipy.linalg import cho_solve

    return np.asarray(cho_solve((L, True), np.eye(len(L))))


def _stop_if(interrupted: bool) -> None:
    if interrupted:
        raise Stopped


def best_evidence(
    Phi: Array, y: Array, family: Family, *, weight: Any = None, fit_intercept: bool = True, max_iter: int = 100
) -> LaplaceEvidence:
    """The alpha of the largest evidence: on a grid from large to small, then by Brent's method."""
    from scipy.optimize import minimize_scalar

    unit = float((np.asarray(Phi) ** 2).sum(axis=1).mean()) or 1.0
    best: LaplaceEvidence | None = None
    start: GLMSolution | None = None

    def loss(log_alpha: float) -> float:
        nonlocal best, start
        _stop_if(best is not None and work.came())
        here = LaplaceEvidence.of(
            Phi, y, family, alpha=unit * float(np.exp(log_alpha)), weight=weight, fit_intercept=fit_intercept,
            max_iter=max_iter, start=start,
        )  # fmt: skip
        _stop_if(best is not None and work.came())  # the mode may be unfinished
        start = here.mode
        best = here if best is None or here.value > best.value else best
        return -here.value

    grid = np.log(np.geomspace(_RANGE[1], _RANGE[0], 10))
    small = np.shape(Phi)[1] * family.functions <= _ONE_THREAD
    with until_interrupted() as work, one_blas_thread() if small else nullcontext():
        i = int(np.argmin([loss(a) for a in grid]))
        ends = grid[min(i + 1, len(grid) - 1)], grid[max(i - 1, 0)]
        minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-3})
    if best is None:
        raise KeyboardInterrupt("The fit was interrupted before the first value of alpha had been tried.")
    return best
