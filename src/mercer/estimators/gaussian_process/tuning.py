"""Finding the hyper-parameters of a regressor: by the search on subsets, or by a user's own optimizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.estimators.gaussian_process.levels import EvidenceOn, levels
from mercer.estimators.gaussian_process.setup import Setup
from mercer.solvers.evidence_search import TOL, Climb, Level, Prior, search
from mercer.typing import Array

_SMALL_TOL = 1e-5  # nats still to be had where evaluations cost next to nothing
_DRAWS = 8  # random thetas for every restart, of which the best on the smallest subset is the start


def tuned(gp: Any, model: Setup, Y: Array, H: Array, random: Any) -> tuple[Array, tuple[Climb, ...], Array]:
    """Our theta at the optimum, the climbs there, and the n x n buffer that was used."""
    ladder = levels(model.covariance, Y, H)
    start, full = model.covariance.theta, ladder[-1]
    if callable(gp.optimizer):
        return by_function(gp, model, full, random), (), full.buffer()
    prior = None if gp.prior is None else Prior(start, float(gp.prior))
    others = [_draw(ladder[0], model.bounds, random) for _ in range(gp.n_restarts_optimizer)]
    tol = TOL if len(ladder) > 1 else _SMALL_TOL
    found = search(ladder, [start, *others], model.bounds, prior=prior, tol=tol)
    return found.best.theta, found.climbs, full.buffer()


def _draw(level: EvidenceOn, bounds: Array, random: Any) -> Array:
    """The best of a few thetas drawn uniformly between the bounds."""
    if not np.isfinite(bounds).all():
        raise bad("GaussianProcessRegressor", "the bounds", "finite for restarts", "an infinite one",
                  "Use Bounded(...), or n_restarts_optimizer=0.")  # fmt: skip
    draws = [np.asarray(random.uniform(*bounds.T)) for _ in range(_DRAWS)]
    return max(draws, key=level.value)


def by_function(gp: Any, model: Setup, level: Level, random: Any) -> Array:
    """An optimizer as in scikit-learn: function(objective, start, bounds) -> (theta, value), on all items."""
    objective = negative(model, level)
    bounds = model.outer_bounds
    thetas = [model.theta, *(random.uniform(*bounds.T) for _ in range(gp.n_restarts_optimizer))]
    ends = [gp.optimizer(objective, theta, bounds=bounds) for theta in thetas]
    return model.inner(min(ends, key=lambda end: float(end[1]))[0])


def negative(model: Setup, level: Level) -> Callable[..., Any]:
    """What an optimizer minimises: -log p(y | theta) in the user's theta, and its slope."""

    def objective(theta: Array, eval_gradient: bool = True) -> Any:
        value = -level.value(model.inner(theta))
        if not eval_gradient:
            return value
        return value, -model.slope(level.slope()) if np.isfinite(value) else np.zeros(len(theta))

    return objective
