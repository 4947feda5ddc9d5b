"""All functions at once, and fixed points for their precisions: slower than the greedy ascent, to compare with.

    EM        alpha_i = 1 / (m_i^2 + Sigma_ii)              the evidence never falls, but pruning is slow
    MacKay    alpha_i = gamma_i / m_i^2,  gamma_i = 1 - alpha_i Sigma_ii      faster, and prunes

A precision beyond LARGEST times the precision that the data give its weight counts as infinite: the function is pruned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.engine.fill import require_memory
from mercer.engine.interrupts import until_interrupted
from mercer.engine.pool import one_blas_thread
from mercer.solvers.rvm.evidence import LARGEST, Relevance
from mercer.solvers.rvm.greedy import GreedyClimb
from mercer.typing import Array

Rule = Callable[[Array, Array, Array], Array]

RULES: dict[str, Rule] = {  # (tau, m, diagonal of Sigma) -> new tau
    "em": lambda tau, m, variance: m**2 + variance,
    "mackay": lambda tau, m, variance: m**2 / np.maximum(1.0 - variance / tau, 1.0 / LARGEST),
}


def fixed_point(model: Any, rule: str, *, tol: float = 1e-3, max_iter: int = 1000) -> Relevance:
    """Repeat the rule from broad priors until an iteration changes the log evidence by at most tol / 10."""
    n = len(model)
    require_memory(f"RVM by {rule!r} of {n} functions", 24 * n * n, "Use method='greedy', which looks at a few.")
    with one_blas_thread():
        return _fixed_point(model, RULES[rule], tol, max_iter)


def _fixed_point(model: Any, rule: Rule, tol: float, max_iter: int) -> Relevance:
    index = np.flatnonzero(model.size > 0.0)
    fit = model.at(index, model.scale / model.size[index], model.start())
    trace, reason = [fit.evidence], "max_iter"
    with until_interrupted() as work:
        while reason == "max_iter" and len(trace) <= max_iter:
            new = _step(model, fit, rule)
            if not np.isfinite(new.evidence):
                reason = "stalled"
                break
            if abs(new.evidence - fit.evidence) <= 0.1 * tol:
                reason = "converged"
            fit = new
            trace.append(fit.evidence)
    reason = "interrupted" if work.came() else reason
    return GreedyClimb(model, fit, trace).report(reason)


def _step(model: Any, fit: Any, rule: Rule) -> Any:
    tau = rule(fit.tau, fit.mean, np.diagonal(fit.factor.covariance()))
    unit = model.scale / model.size[fit.index]
    kept = tau * LARGEST > unit
    return model.at(fit.index[kept], np.minimum(tau, LARGEST * unit)[kept], fit)


def once_more(model: Any, fit: Any, rule: str) -> Any:
    """The fit after the rule of this name has changed all variances once."""
    return _step(model, fit, RULES[rule])
