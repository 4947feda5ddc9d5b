"""SciPy's L-BFGS-B; Ctrl-C ends it with the best point so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.engine.interrupts import until_interrupted
from mercer.engine.pool import Stopped
from mercer.typing import Array

Loss = Callable[[Array], tuple[float, Array]]


def minimise(loss: Loss, start: Array, *, bounds: Array | None = None, least: float = 0.0, **options: Any) -> Any:
    """SciPy's result for a loss that returns value and slope, with some fields of ours.

    best           x, fun and jac of the lowest loss seen, which need not be that of the last step
    first          the loss at the start
    interrupted    whether Ctrl-C ended it: x, fun and jac are then those of `best`; before the first value the start,
                   with an infinite loss

    A step that lowers the loss by less than `least` is the last one, and the result a success.
    """
    from scipy.optimize import OptimizeResult, minimize

    best = OptimizeResult(x=np.array(start), fun=np.inf, jac=np.full(len(start), np.nan), nit=0)
    first = np.inf
    steps = [np.inf]  # the lowest loss after every step

    def watched(x: Array) -> tuple[float, Array]:
        nonlocal first
        value, slope = loss(x)
        if work.came():  # if it came inside the loss, the value is not complete
            raise Stopped
        first = value if first == np.inf else first
        if value < best.fun:
            best.update(x=x.copy(), fun=value, jac=slope, nit=best.nit + 1)
        return value, slope

    def stop_if_little(_: Array) -> None:
        steps.append(best.fun)
        if steps[-2] - steps[-1] < least:
            raise StopIteration

    with until_interrupted() as work:
        found = minimize(watched, start, jac=True, method="L-BFGS-B", bounds=bounds,
                         callback=stop_if_little if least > 0.0 else None, options=options)  # fmt: skip
        little = len(steps) > 1 and steps[-2] - steps[-1] < least
        return OptimizeResult(found, best=best, first=first, interrupted=False, success=found.success or little)
    return OptimizeResult(best, best=best, first=first, interrupted=True, success=False)
