"""Losses made of straight lines: their dual is the box-constrained problem of support vector machines.

    hinge               C-SVC, boxes [0, c] and [-c, 0]
    epsilon-insensitive epsilon-SVR, boxes [-c, c]
    pinball             boxes [c (tau - 1), c tau] and no tube: a coefficient is c times a slope of the loss

The solver of that problem stops by the violation of the optimality conditions; here it goes on until the relative
duality gap is what was asked for, with the intercept that is best for the coefficients.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mercer.gram import FeatureGram
from mercer.solvers.dual import DualProblem, DualSolution
from mercer.solvers.dual.decomposition import decompose
from mercer.solvers.limits import Limits
from mercer.solvers.linear_svm import best_bias, solve_on_features
from mercer.solvers.losses import StraightLoss
from mercer.solvers.risk.solution import RiskSolution
from mercer.typing import Array

_FIRST, _LAST = 1e-3, 1e-9  # first and smallest violation asked for, in units of the margin or of the targets' spread
_EXACT = 1e-9  # share of the targets by which scores may be wrong


def problem_of(loss: StraightLoss, y: Array, c: Array, *, bias: bool) -> DualProblem:
    """The dual problem of sum_i c_i loss_i."""
    return DualProblem(y, *loss.dual_box(y, c), np.zeros(len(y)), loss.tube, bias=bias)


def by_boxes(gram: Any, loss: StraightLoss, y: Array, c: Array, *, bias: bool, limits: Limits) -> RiskSolution:
    """The minimum for a loss made of straight lines."""
    problem, unit = problem_of(loss, y, c, bias=bias), 1.0 if loss.margin else float(np.std(y)) or 1.0
    violation, steps, start = _FIRST, 0, None
    while True:
        found = _solved(gram, problem, unit * violation, steps, start, limits)
        steps, start, violation = steps + found.n_iter, found.coef, 0.1 * violation
        answer = _answer(gram, problem, loss, c, found, steps)
        if found.converged and answer.relative_gap > limits.tol and violation >= _LAST:
            continue
        done = answer.relative_gap <= limits.tol
        reason = "converged" if done else "stalled" if found.converged else found.reason
        return replace(answer, converged=done, reason=reason)


def _solved(
    gram: Any, problem: DualProblem, tol: float, steps: int, start: Array | None, limits: Limits
) -> DualSolution:
    """The problem solved to a violation of the optimality conditions, with the steps and the time that are left."""
    room = None if limits.max_iter is None else max(limits.max_iter - steps, 0)
    own = replace(limits, tol=tol, max_iter=room)
    if isinstance(gram, FeatureGram):
        return solve_on_features(gram.Z, problem, own, start)
    return decompose(gram, problem, own, start)


def _answer(
    gram: Any, problem: DualProblem, loss: StraightLoss, c: Array, found: DualSolution, steps: int
) -> RiskSolution:
    """The coefficients with their best intercept, and both values of exactly these."""
    b, r, primal, dual = found.coef, found.bias, found.primal, found.dual
    if np.isfinite(primal):  # else the scores are not known on all items
        h = _scores(gram, problem, found)
        r = best_bias(h, problem) if problem.bias else 0.0
        z = problem.z * (h + r) if loss.margin else problem.z - h - r
        primal = 0.5 * float(b @ h) + float(c @ loss.value(z))
        dual = float(problem.z @ b) - problem.epsilon * float(np.abs(b).sum()) - 0.5 * float(b @ h)
    return RiskSolution(
        coef=b[:, None], bias=np.array([r]), feasible=b[:, None], primal=primal, dual=dual, n_iter=steps,
        converged=False, reason=found.reason,
    )  # fmt: skip


def _scores(gram: Any, problem: DualProblem, found: DualSolution) -> Array:
    """Kb in double precision: as the solver left it, unless some of it was found in single precision."""
    if isinstance(gram, FeatureGram):
        return np.asarray(gram @ found.coef)
    if found.gradient_error <= _EXACT * float(np.abs(problem.z).max(initial=0.0)):
        return found.gradient + problem.z
    J = np.flatnonzero(found.coef)
    return np.asarray(gram.part(None, J) @ found.coef[J])
