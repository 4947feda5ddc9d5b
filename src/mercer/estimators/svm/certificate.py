"""Certificates: what a fitted support vector machine proves about itself.

primal, dual     the best possible objective lies between them; their difference is the gap
kkt              the largest violation of the optimality conditions, the number that `tol` bounds
residuals        the four conditions one by one, each in units of the numbers it compares
counts           how many samples lie in each regime: outside the margin, on it, ...
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from mercer.solvers.dual import DualProblem, DualSolution, proof
from mercer.solvers.kkt import KKT
from mercer.solvers.solution import Solution, exact_sentence
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

_ROUNDING = 1e-10  # a smaller projection is rounding and is not reported


@dataclass(frozen=True, kw_only=True)
class Certificate(Solution):
    """The proof of one problem; for pairs of classes that of the worst pair, with all of them in `parts`.

    `gradient_error` is the error that single-precision kernel values may have caused in f.  `projection` is the largest
    change of a coefficient that was needed to satisfy the constraints exactly, as a share of the largest coefficient.
    `psd` says whether the kernel is known to be positive semi-definite; if it is not, the dual is not a bound.
    `exact` is for a machine on landmarks: the optimum for the kernel itself lies between these numbers.
    """

    kkt: float
    residuals: KKT
    counts: dict[str, int]
    gradient_error: float = 0.0
    projection: float = 0.0
    psd: bool | None = None
    name: str = ""
    parts: tuple[Certificate, ...] = ()
    exact: tuple[float, float] | None = None
    regimes: Array | None = field(default=None, repr=False, compare=False)  # the label of every sample

    def __str__(self) -> str:
        return "\n".join(_sentences(self))


def certificate_from(
    row: Array,
    task: str,
    *,
    n_iter: int,
    reason: str,
    name: str = "",
    psd: bool | None = None,
    gradient_error: float = 0.0,
    projection: float = 0.0,
    regimes: Array | None = None,
    missed: float | None = None,
) -> Certificate:
    """The certificate in a row of solvers/dual/proof.py; `task` is a key of REGIMES.

    `missed` is b'(K - K~) b of a solution b on landmarks.
    """
    numbers, names = row.tolist(), REGIMES[task]
    counts = map(int, numbers[proof.REGIMES : proof.REGIMES + len(names)])
    found = Certificate(
        primal=numbers[proof.PRIMAL], dual=numbers[proof.DUAL], n_iter=n_iter, converged=reason == "converged",
        reason=reason, kkt=numbers[proof.VIOLATION], residuals=KKT(*numbers[proof.EQUALITY : proof.REGIMES]),
        counts=dict(zip(names, counts, strict=True)), gradient_error=gradient_error, projection=projection, psd=psd,
        name=name, regimes=regimes,
    )  # fmt: skip
    return replace(found, exact=found.exact_interval(missed))


def certificate_of(
    solution: DualSolution,
    problem: DualProblem,
    task: str,
    *,
    name: str = "",
    psd: bool | None = None,
    projection: float = 0.0,
    labels: bool = False,
    missed: float | None = None,
) -> Certificate:
    """The certificate of a solution; `labels` keeps the regime of every sample."""
    row = proof.proof_row(solution, problem, task)
    regimes = np.array(REGIMES[task])[proof.regime_codes(solution, problem, task)] if labels else None
    return certificate_from(
        row, task, n_iter=solution.n_iter, reason=solution.reason, name=name, psd=psd,
        gradient_error=solution.gradient_error, projection=projection, regimes=regimes, missed=missed,
    )  # fmt: skip


def worst_of(parts: Iterable[Certificate]) -> Certificate:
    """The certificate of a machine made of several: that of its worst part, with all of them in `parts`."""
    parts = tuple(parts)
    worst = max(parts, key=lambda part: (not part.converged, not np.isfinite(part.gap), part.relative_gap))
    return worst if len(parts) == 1 else replace(worst, parts=parts)


def _sentences(c: Certificate) -> Iterable[str]:
    if c.name:
        yield f"The worst of {len(c.parts)} problems is {c.name}:" if c.parts else f"{c.name}:"
    yield _bound(c)
    if c.exact is not None:
        yield exact_sentence(c.exact)
    yield f"The optimality conditions hold to {c.kkt:.1e}; the worst scaled residual is {c.residuals.worst:.1e}."
    if c.projection > _ROUNDING:
        yield f"Coefficients were moved by {c.projection:.1e} of the largest to satisfy their constraints exactly."
    if c.gradient_error:
        yield f"Kernel values in single precision may have changed f by {c.gradient_error:.1e}."
    places = ", ".join(f"{count} {regime}" for regime, count in c.counts.items() if count)
    yield f"Of {sum(c.counts.values())} samples, {places}."
    yield f"It stopped after {c.n_iter} steps: {c.reason}."


def _bound(c: Certificate) -> str:
    """How near the best possible objective is, and on what condition."""
    values = f"primal {c.primal:.8g}, dual {c.dual:.8g}, gap {c.gap:.1e}."
    if c.psd is False:
        return f"The kernel is not positive semi-definite, so this is a stationary point only: {values}"
    if not np.isfinite(c.gap):
        return f"The objective is not bounded from both sides: {values}"
    condition = "" if c.psd else " if the kernel is positive semi-definite on these items (mercer.certify checks it)"
    return f"The objective is within {c.relative_gap:.1e} (relative) of the best possible{condition}: {values}"
