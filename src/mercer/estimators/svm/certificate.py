"""Certificates: what a fitted support vector machine proves about itself.

    primal, dual     the best possible objective lies between them; their difference is the gap
    kkt              the largest violation of the optimality conditions, the number that `tol` bounds
    residuals        the four conditions one by one, each in units of the numbers it compares
    counts           how many samples lie in each regime: outside the margin, on it, ...

A regime is where a sample lies: its margin y f, its residual y - f or its score f says so to within the violation, and
where it touches an edge the coefficient decides, for only a support vector is held there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from mercer.solvers.dual import DualSolution, Problem
from mercer.solvers.qp import KKT
from mercer.solvers.solution import Solution
from mercer.typing import Array

REGIMES: dict[str, tuple[str, ...]] = {
    "classification": (
        "outside the margin", "on the margin", "inside but correct", "on the hyperplane", "on the wrong side",
    ),
    "regression": (
        "inside the tube", "on its upper edge", "on its lower edge", "above the tube", "below the tube",
    ),
    "novelty": ("inside", "on the boundary", "outside"),
}  # fmt: skip

_SHARPEST, _COARSEST = 1e-9, 1e-2  # how near an edge counts as on it, however well or badly the problem is solved
_ROUNDING = 1e-10  # a smaller projection is not worth a sentence
_TINY = 1e-300


@dataclass(frozen=True, kw_only=True)
class Certificate(Solution):
    """The proof of one machine; of several in one (pairs of classes), the proof of the worst with all in `parts`.

    `gradient_error` is how far single-precision kernel values may have moved f.  `projection` is the share by which
    coefficients had to be moved to satisfy their constraints exactly.  `psd` says whether the kernel is known to be
    positive semi-definite, without which the dual is no bound.
    """

    kkt: float
    residuals: KKT
    counts: dict[str, int]
    gradient_error: float = 0.0
    projection: float = 0.0
    psd: bool | None = None
    name: str = ""
    parts: tuple[Certificate, ...] = ()
    regimes: Array | None = field(default=None, repr=False, compare=False)  # the label of every sample

    def __str__(self) -> str:
        return "\n".join(_sentences(self))


def certificate_of(
    solution: DualSolution,
    problem: Problem,
    task: str,
    *,
    name: str = "",
    psd: bool | None = None,
    projection: float = 0.0,
    labels: bool = False,
) -> Certificate:
    """The certificate of a solution; `task` is a key of REGIMES, and `labels` keeps the regime of every sample."""
    codes = regime_codes(solution, problem, task)
    names = REGIMES[task]
    return Certificate(
        primal=solution.primal, dual=solution.dual, n_iter=solution.n_iter, converged=solution.converged,
        reason=solution.reason, kkt=solution.violation, residuals=kkt_residuals(solution, problem),
        counts=dict(zip(names, np.bincount(codes, minlength=len(names)).tolist(), strict=True)),
        gradient_error=solution.gradient_error, projection=projection, psd=psd, name=name,
        regimes=np.array(names)[codes] if labels else None,
    )  # fmt: skip


def worst_of(parts: Iterable[Certificate]) -> Certificate:
    """The certificate of a machine made of several: that of its worst part, with all of them in `parts`."""
    parts = tuple(parts)
    worst = max(parts, key=lambda part: (not part.converged, not np.isfinite(part.gap), part.relative_gap))
    return worst if len(parts) == 1 else replace(worst, parts=parts)


def offsets_of(problem: Problem, bias: float, margin: float) -> Array:
    """The offset r_i that every variable is compared with: the bias, and in a nu-problem the margin beside it."""
    if problem.second is None:
        return np.full(len(problem), bias)
    return np.where(problem.second, bias - margin, bias + margin)


def kkt_residuals(solution: DualSolution, problem: Problem) -> KKT:
    """How far each optimality condition of the machine is from holding.

    With a_i the size of a coefficient, C_i its bound and s_i how far the sample is on the wrong side of its margin or
    tube: sum b = its prescribed value, s_i <= 0 where no slack is allowed, 0 <= a_i <= C_i, and a_i (-s_i)_+ = 0 with
    (C_i - a_i) (s_i)_+ = 0.  Sums and coefficients are measured by the largest coefficient, slacks by the values of
    z and f that they compare.
    """
    from mercer.compiled.residuals import residuals

    b, Kb = solution.coef, solution.gradient + problem.z - problem.ridge_times(solution.coef)
    size, unit = _largest(b), _largest(problem.z, Kb)
    slack = -solution.gradient - offsets_of(problem, solution.bias, solution.margin)
    primal, outside, complementarity = residuals(b, slack, problem.lo, problem.hi, problem.epsilon, size, unit)
    return KKT(_imbalance(b, problem) / size, primal, outside, complementarity)


def _imbalance(b: Array, problem: Problem) -> float:
    """The largest difference between the sum of a group and its prescribed value."""
    if not problem.bias:
        return 0.0
    if problem.second is None:
        return abs(float((b - problem.start).sum()))
    groups = problem.second, ~problem.second
    return max(abs(float((b - problem.start)[group].sum())) for group in groups)


def _largest(*arrays: Array) -> float:
    return max(float(np.abs(array).max(initial=0.0)) for array in arrays) or 1.0


def regime_codes(solution: DualSolution, problem: Problem, task: str) -> Array:
    """The regime of every sample as a position in REGIMES[task]."""
    b, f = solution.coef, solution.gradient + problem.z - problem.ridge_times(solution.coef) + solution.bias
    tol = float(np.clip(solution.violation, _SHARPEST, _COARSEST))
    if task == "novelty":
        return novelty(f, b, tol)
    if task == "classification":
        y = problem.z if problem.second is None else np.where(problem.second, 1.0, -1.0)
        rho = max(solution.margin, _TINY)
        return classification(y * f / rho, b, tol if problem.second is None else min(tol / rho, _COARSEST))
    if problem.second is None:
        return regression(problem.z - f, b, problem.epsilon, tol)
    n = len(b) // 2  # nu-SVR lists every sample twice
    return regression((problem.z - f)[:n], b[:n] + b[n:], solution.margin, tol)


def classification(margin: Array, coef: Array, tol: float) -> Array:
    """Regimes by the margin y f: beyond 1, on 1, in (0, 1), on 0, below 0."""
    from mercer.compiled.proof import classification_regimes

    return np.asarray(classification_regimes(margin, coef, tol))


def regression(residual: Array, coef: Array, epsilon: float, tol: float) -> Array:
    """Regimes by the residual y - f: within epsilon, on +epsilon, on -epsilon, above, below."""
    above, below = residual > epsilon + tol, residual < -epsilon - tol
    upper, lower = (residual >= epsilon - tol) & (coef > 0.0), (residual <= tol - epsilon) & (coef < 0.0)
    return np.select([above, below, upper, lower], [3, 4, 1, 2], 0)


def novelty(score: Array, coef: Array, tol: float) -> Array:
    """Regimes by the score f: positive, on 0, negative."""
    return np.select([score < -tol, (score <= tol) & (coef != 0.0)], [2, 1], 0)


def _sentences(c: Certificate) -> Iterable[str]:
    if c.name:
        yield f"The worst of {len(c.parts)} problems is {c.name}:" if c.parts else f"{c.name}:"
    yield _bound(c)
    yield f"The optimality conditions hold to {c.kkt:.1e}; the worst scaled residual is {c.residuals.worst:.1e}."
    if c.projection > _ROUNDING:
        yield f"Coefficients were moved by {c.projection:.1e} of the largest to satisfy their constraints exactly."
    if c.gradient_error:
        yield f"Kernel values in single precision may have moved f by {c.gradient_error:.1e}."
    places = ", ".join(f"{count} {regime}" for regime, count in c.counts.items() if count)
    yield f"Of {sum(c.counts.values())} samples, {places}."
    yield f"It stopped after {c.n_iter} steps: {c.reason}."


def _bound(c: Certificate) -> str:
    """What primal and dual say about the objective, and on what condition."""
    values = f"primal {c.primal:.8g}, dual {c.dual:.8g}, gap {c.gap:.1e}."
    if c.psd is False:
        return f"The kernel is not positive semi-definite, so a stationary point is all there is: {values}"
    if not np.isfinite(c.gap):
        return f"Nothing bounds the objective from both sides: {values}"
    condition = "" if c.psd else " if the kernel is positive semi-definite on these items, which mercer.certify tells"
    return (
        f"The objective is within {max(c.relative_gap, 0.0):.1e} (relative) of the best possible{condition}: {values}"
    )
