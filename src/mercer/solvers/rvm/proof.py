"""The proof for given precisions and weights, the same that a fit makes for its result.

The evidence is recomputed at these precisions.  The weights must be the posterior mean (or mode), and no change of a
precision and no exchange of two functions may raise the evidence by more than `tol`.  Where the evidence is Laplace's,
the predicted gain of a change can be wrong; so changes are tried, as they are in a fit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mercer.engine.pool import one_blas_thread
from mercer.solvers.rvm.em import RULES, once_more
from mercer.solvers.rvm.evidence import Relevance
from mercer.solvers.rvm.gaussian import Gaussian
from mercer.solvers.rvm.greedy import GreedyClimb
from mercer.solvers.rvm.laplace import Laplace
from mercer.solvers.solution import LENIENCE
from mercer.typing import Array

_SAME = 1e-6  # of the largest weight: by how much a weight may miss its posterior mean


def prove_relevance(
    model: Gaussian | Laplace, index: Array, alpha: Array, weights: Array, beta: float, *, rule: str, tol: float
) -> Relevance:
    """The proof for these functions, precisions, weights and beta; `rule` is "greedy" or a key of RULES."""
    with one_blas_thread():
        fit = model.given(index, 1.0 / alpha, weights, beta)
        witness = GreedyClimb(model, fit, []).report("converged")
        size = max(float(np.abs(fit.mean).max(initial=0.0)), 1e-300)
        if not float(np.abs(fit.mean - weights).max(initial=0.0)) <= _SAME * size:
            return replace(witness, mean=weights, converged=False, reason="the weights are not the posterior mean")
        gained = _gained(model, fit, rule, tol)
    done = gained <= LENIENCE * tol
    return replace(witness, converged=done, reason="converged" if done else f"{gained:.1e} more could be gained")


def _gained(model: Any, fit: Any, rule: str, tol: float) -> float:
    """The evidence that going on from here would add."""
    if rule in RULES:
        return float(abs(once_more(model, fit, rule).evidence - fit.evidence))
    climb = GreedyClimb(model, fit, [])
    climb.run(tol, 10)
    return float(climb.fit.evidence - fit.evidence)
