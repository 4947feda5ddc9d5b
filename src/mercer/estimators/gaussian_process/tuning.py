"""Finding the hyper-parameters of a regressor: by the search on subsets, or by a user's own optimizer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.estimators.gaussian_process.covariance import Covariance
from mercer.estimators.gaussian_process.model import ProcessModel
from mercer.estimators.gaussian_process.regression_evidence import levels
from mercer.solvers.evidence_search import TOL, Climb, Level, Prior, search
from mercer.typing import Array

_SMALL_TOL = 1e-5  # nats still to be had where evaluations cost next to nothing
_SHORTER, _QUIETER = 1.5, 2.0  # logarithms: 4.5 times shorter, and 7 times less noise
_DRAWS = 8  # random thetas for every restart on many items, of which the best on the smallest subset is the start


def tuned(gp: Any, model: ProcessModel, Y: Array, H: Array, random: Any) -> tuple[Array, tuple[Climb, ...], Array]:
    """Our theta at the optimum, the climbs there, and the n x n buffer that was used."""
    ladder = levels(model.covariance, Y, H)
    start, full = model.covariance.theta, ladder[-1]
    if callable(gp.optimizer):
        return by_function(gp, model, full, random), (), full.buffer()
    prior = None if gp.prior is None else Prior(start, float(gp.prior))
    others = random_starts(gp, model, ladder[0], random, _DRAWS if len(ladder) > 1 else 1)
    tol = TOL if len(ladder) > 1 else _SMALL_TOL
    hints = _rougher(model.covariance) if len(ladder) > 1 else []
    found = search(ladder, [start, *others], model.bounds, prior=prior, tol=tol, hints=hints)
    return found.best.theta, found.climbs, full.buffer()


def _rougher(covariance: Covariance) -> list[Array]:
    """The start with shorter lengthscales and less noise: the other explanation that data often allow.

    A function that varies slowly under much noise, and one that varies fast under little, are two maxima of the
    evidence; which of them a climb finds depends on its start.
    """
    theta, names = covariance.theta, covariance.names
    lengths, noise = (np.array([key in name for name in names], dtype=bool) for key in ("lengthscale", "noise"))
    return [theta - _SHORTER * lengths - _QUIETER * noise] if lengths.any() else []


def random_starts(gp: Any, model: ProcessModel, level: Level, random: Any, draws: int = 1) -> list[Array]:
    """As many starts as restarts are asked for, uniform between the user's bounds; each the best of `draws`."""
    bounds = model.outer_bounds
    if gp.n_restarts_optimizer and not np.isfinite(bounds).all():
        raise bad(type(gp).__name__, "the bounds of the kernel", f"finite for {gp.n_restarts_optimizer} restarts",
                  "an infinite one", "Use Bounded(...), or n_restarts_optimizer=0.")  # fmt: skip

    def start() -> Array:
        found = [model.inner(random.uniform(*bounds.T)) for _ in range(draws)]
        return max(found, key=level.value) if draws > 1 else found[0]

    return [start() for _ in range(gp.n_restarts_optimizer)]


def by_function(gp: Any, model: ProcessModel, level: Level, random: Any) -> Array:
    """An optimizer as in scikit-learn: function(objective, start, bounds) -> (theta, value), on all items."""
    objective = negative(model, level)
    bounds = model.outer_bounds
    thetas = [model.theta, *(model.outer(theta) for theta in random_starts(gp, model, level, random))]
    ends = [gp.optimizer(objective, theta, bounds=bounds) for theta in thetas]
    return model.inner(min(ends, key=lambda end: float(end[1]))[0])


def negative(model: ProcessModel, level: Level) -> Callable[..., Any]:
    """What an optimizer minimises: -log p(y | theta) in the user's theta, and its slope."""

    def objective(theta: Array, eval_gradient: bool = True) -> Any:
        value = -level.value(model.inner(theta))
        if not eval_gradient:
            return value
        return value, -model.slope(level.slope()) if np.isfinite(value) else np.zeros(len(theta))

    return objective
