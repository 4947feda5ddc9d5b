"""L-BFGS-B as SciPy has it, ended by Ctrl-C at the best point so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.engine.interrupts import until_interrupted
from mercer.engine.pool import Stopped
from mercer.typing import Array

Loss = Callable[[Array], tuple[float, Array]]


def minimise(
    loss: Loss,
    start: Array,
    *,
    bounds: Array | None = None,
    callback: Callable[[Array], None] | None = None,
    **options: Any,
) -> Any:
    """SciPy's result for a loss that returns its value and slope; `interrupted` says whether Ctrl-C ended the search.

    Interrupted before the first value, it is the start with an infinite loss.
    """
    from scipy.optimize import OptimizeResult, minimize

    best = OptimizeResult(x=np.array(start), fun=np.inf, jac=np.full(len(start), np.nan), nit=0, interrupted=True)

    def watched(x: Array) -> tuple[float, Array]:
        value, slope = loss(x)
        if work.came():  # also within the loss, whose value then is not to be trusted
            raise Stopped
        if value < best.fun:
            best.update(x=x.copy(), fun=value, jac=slope, nit=best.nit + 1)
        return value, slope

    with until_interrupted() as work:
        found = minimize(watched, start, jac=True, method="L-BFGS-B", bounds=bounds, callback=callback,
                         options=options)  # fmt: skip
        found.interrupted = False
        return found
    return best
