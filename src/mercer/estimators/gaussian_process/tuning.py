"""The hyper-parameters of largest evidence, for both machines: by our search, or by a function of the user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.estimators.gaussian_process.model import ProcessModel
from mercer.solvers.evidence_climb import Evidence, EvidenceClimb, Prior
from mercer.solvers.evidence_search import TOL, search
from mercer.typing import Array


def best_model(
    gp: Any,
    model: ProcessModel,
    evidences: Sequence[Evidence],
    random: Any,
    *,
    prior: Prior | None = None,
    tol: float = TOL,
    hints: Sequence[Array] = (),
    draws: int = 1,
) -> tuple[ProcessModel, tuple[EvidenceClimb, ...]]:
    """The model at its optimum, and the climbs of the search, the best one last; none for a function of the user.

    `evidences` are on ever more items, the last on all.  Every restart begins at the best of `draws` random thetas.
    """
    covariance = model.covariance
    climbs: tuple[EvidenceClimb, ...] = ()
    if callable(gp.optimizer):
        theta = _by_function(gp, model, evidences[-1], random)
    else:
        starts = [covariance.theta, *_random_starts(gp, model, evidences[0], random, draws)]
        found = search(evidences, starts, model.bounds, prior=prior, tol=tol, hints=hints)
        theta, climbs = found.best.theta, found.climbs
    return replace(model, covariance=covariance.at(theta)), climbs


def _random_starts(gp: Any, model: ProcessModel, evidence: Evidence, random: Any, draws: int) -> list[Array]:
    """One start per restart, uniform between the bounds of the user's theta."""
    if not gp.n_restarts_optimizer:
        return []
    bounds = model.user_bounds
    if not np.isfinite(bounds).all():
        raise bad(type(gp).__name__, "the bounds of the kernel", f"finite for {gp.n_restarts_optimizer} restarts",
                  "an infinite one", "Use Bounded(...), or n_restarts_optimizer=0.")  # fmt: skip

    def value(theta: Array) -> float:
        return evidence.value_and_slope(theta, at_least=np.inf)[0]

    starts = []
    for _ in range(gp.n_restarts_optimizer):
        drawn = [model.from_user(random.uniform(*bounds.T)) for _ in range(draws)]
        starts.append(max(drawn, key=value) if draws > 1 else drawn[0])
    return starts


def _by_function(gp: Any, model: ProcessModel, evidence: Evidence, random: Any) -> Array:
    """An optimizer as in scikit-learn: function(objective, start, bounds) -> (theta, value), on all items."""

    def objective(theta: Array, eval_gradient: bool = True) -> Any:
        """-log p(y | theta) in the user's theta, and its slope."""
        value, slope = user_value_and_slope(model, evidence, theta, eval_gradient)
        return (-value, -slope) if eval_gradient else -value

    starts = [model.covariance.theta, *_random_starts(gp, model, evidence, random, 1)]
    ends = [gp.optimizer(objective, model.to_user(start), bounds=model.user_bounds) for start in starts]
    return model.from_user(min(ends, key=lambda end: float(end[1]))[0])


def user_value_and_slope(model: ProcessModel, evidence: Evidence, theta: Any, gradient: bool) -> tuple[float, Array]:
    """The evidence at the user's theta; its slope, or zeros if `gradient` is False or the value is not finite."""
    value, slope = evidence.value_and_slope(model.from_user(theta), at_least=-np.inf if gradient else np.inf)
    return value, np.zeros(np.size(theta)) if slope is None else model.user_slope(slope)
