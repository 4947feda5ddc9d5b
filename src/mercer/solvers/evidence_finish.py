"""The evidence climbed to its last digit by SciPy's L-BFGS-B: on few items from the start, on many from near the end.

The steps of solvers/evidence_search.py end where a quadratic model promises no more.  On a long ridge, where a variance
and a lengthscale grow together, the evidence rises on and on at a slope too small for that promise.  L-BFGS-B goes on
until the slope itself is nothing, and from the same start it goes the way that scikit-learn's optimizer goes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mercer.solvers.quasi_newton import minimise
from mercer.typing import Array

ValueAndSlope = Callable[[Array], tuple[float, Array]]

_ROUNDING = 1e7 * float(np.finfo(float).eps)  # of the value: SciPy's own least gain of a step, relative
_FLAT = 1e-5  # SciPy's own largest slope that counts as none
_FAR = 1e25  # stands for an infinite value, with which a line search cannot interpolate


@dataclass(eq=False)
class Finish:
    """The best theta seen with its value and slope; `reason` is "converged", "stalled", "max_iter" or "interrupted"."""

    theta: Array
    start_value: float = -np.inf
    value: float = -np.inf
    slope: Array | None = None
    evaluations: int = 0
    reason: str = "max_iter"


def finish(climb: ValueAndSlope, start: Array, bounds: Array, *, least: float = 0.0, limit: int = 15_000) -> Finish:
    """Climb from `start`; a step that gains less than `least` nats is the last one, and so is evaluation `limit`."""
    found, seen = Finish(start), [-np.inf]

    def descend(theta: Array) -> tuple[float, Array]:
        value, slope = climb(theta)
        found.start_value = found.start_value if found.evaluations else value
        found.evaluations += 1
        if value > found.value:
            found.theta, found.value, found.slope = theta.copy(), value, slope
        return (-value, -slope) if np.isfinite(value) else (_FAR, np.zeros(len(theta)))

    def enough(theta: Array) -> None:
        seen.append(found.value)
        if found.value - seen[-2] < least:
            raise StopIteration

    ended = minimise(descend, start, bounds=bounds, callback=enough, ftol=_ROUNDING, gtol=_FLAT, maxfun=limit)
    if ended.interrupted:  # the last value that was asked for does not count
        slope = -ended.jac if ended.fun < _FAR else None
        return Finish(ended.x, found.start_value, -float(ended.fun), slope, found.evaluations, "interrupted")
    little = len(seen) > 1 and seen[-1] - seen[-2] < least
    found.reason = "converged" if ended.success or little else "max_iter" if ended.status == 1 else "stalled"
    return found
