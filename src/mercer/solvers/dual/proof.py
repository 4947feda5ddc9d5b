"""The numbers that prove a solution, one row per problem: bounds, optimality conditions, and where the items lie.

    BIAS VIOLATION PRIMAL DUAL                     the solution
    EQUALITY SLACK OUTSIDE COMPLEMENTARITY         how far each optimality condition is from holding
    REGIMES ...                                    the number of items in each of up to five regimes

Native loops write such rows for the problems that they solve (native/loops/dual_types.h has the same order); this is
the general case.  A regime is where an item lies by its margin y f, its residual y - f or its score f, to within the
violation; an item within that distance of an edge counts as on it only if it is a support vector.
"""

from __future__ import annotations

import numpy as np

from mercer.native import dual_proof
from mercer.solvers.dual.certificate import DualSolution
from mercer.solvers.dual.problem import DualProblem
from mercer.typing import Array

BIAS, VIOLATION, PRIMAL, DUAL, EQUALITY, SLACK, OUTSIDE, COMPLEMENTARITY, REGIMES, WIDTH = *range(9), 13

_SHARPEST, _COARSEST = 1e-9, 1e-2  # bounds of the distance at which an item counts as on an edge
_TINY = 1e-300


def proof_row(solution: DualSolution, problem: DualProblem, task: str) -> Array:
    """The row of one solution."""
    row = np.zeros(WIDTH)
    row[:EQUALITY] = solution.bias, solution.violation, solution.primal, solution.dual
    row[EQUALITY:REGIMES] = condition_residuals(solution, problem)
    codes = regime_codes(solution, problem, task)
    row[REGIMES:] = np.bincount(codes, minlength=WIDTH - REGIMES)
    return row


def offsets_of(problem: DualProblem, bias: float, margin: float) -> Array:
    """The offset r_i that every variable is compared with: the bias, and in a nu-problem the margin beside it."""
    if problem.second is None:
        return np.full(len(problem), bias)
    return np.where(problem.second, bias - margin, bias + margin)


def condition_residuals(solution: DualSolution, problem: DualProblem) -> tuple[float, float, float, float]:
    """How far each optimality condition is from holding: (equality, slack, outside of the box, complementarity).

    With a_i the size of a coefficient, C_i its bound and s_i how far the item is on the wrong side of its margin or
    tube: sum b = its prescribed value, s_i <= 0 where no slack is allowed, 0 <= a_i <= C_i, and a_i (-s_i)_+ = 0 with
    (C_i - a_i) (s_i)_+ = 0.  Sums and coefficients are measured by the largest coefficient, slacks by the values of
    z and f that they compare.
    """
    b, Kb = solution.coef, solution.gradient + problem.z - problem.ridge_times(solution.coef)
    size, unit = _largest(b), _largest(problem.z, Kb)
    slack = -solution.gradient - offsets_of(problem, solution.bias, solution.margin)
    residuals = dual_proof.conditions_of(b, slack, problem.lo, problem.hi, problem.epsilon, size, unit)
    return _imbalance(b, problem) / size, *residuals


def _imbalance(b: Array, problem: DualProblem) -> float:
    """The largest difference between the sum of a group and its prescribed value."""
    if not problem.bias:
        return 0.0
    if problem.second is None:
        return abs(float((b - problem.start).sum()))
    groups = problem.second, ~problem.second
    return max(abs(float((b - problem.start)[group].sum())) for group in groups)


def _largest(*arrays: Array) -> float:
    return max(float(np.abs(array).max(initial=0.0)) for array in arrays) or 1.0


def regime_codes(solution: DualSolution, problem: DualProblem, task: str) -> Array:
    """The regime of every item as a number; estimators/svm/certificate.py has their names."""
    b, f = solution.coef, solution.gradient + problem.z - problem.ridge_times(solution.coef) + solution.bias
    tol = float(np.clip(solution.violation, _SHARPEST, _COARSEST))
    if task == "novelty":
        return novelty(f, b, tol)
    if task == "classification":
        y = problem.z if problem.second is None else np.where(problem.second, 1.0, -1.0)
        rho = max(solution.margin, _TINY)
        with np.errstate(over="ignore"):  # if rho is 0, the quotient may be infinite
            return classification(y * f / rho, b, tol if problem.second is None else min(tol / rho, _COARSEST))
    if problem.second is None:
        return regression(problem.z - f, b, problem.epsilon, tol)
    n = len(b) // 2  # nu-SVR lists every item twice
    return regression((problem.z - f)[:n], b[:n] + b[n:], solution.margin, tol)


def classification(margin: Array, coef: Array, tol: float) -> Array:
    """Regimes by the margin y f: beyond 1, on 1, in (0, 1), on 0, below 0."""
    out = np.empty(len(margin), dtype=np.intp)
    dual_proof.classification_regimes(margin, coef, tol, out)
    return out


def regression(residual: Array, coef: Array, epsilon: float, tol: float) -> Array:
    """Regimes by the residual y - f: within epsilon, on +epsilon, on -epsilon, above, below."""
    above, below = residual > epsilon + tol, residual < -epsilon - tol
    upper, lower = (residual >= epsilon - tol) & (coef > 0.0), (residual <= tol - epsilon) & (coef < 0.0)
    return np.select([above, below, upper, lower], [3, 4, 1, 2], 0)


def novelty(score: Array, coef: Array, tol: float) -> Array:
    """Regimes by the score f: positive, on 0, negative."""
    return np.select([score < -tol, (score <= tol) & (coef != 0.0)], [2, 1], 0)
