"""Sums over all pairs of queries and points, in logarithms: for every window, form and norm, and as a reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.distance import cdist

from mercer.engine.pool import run
from mercer.typing import Array

if TYPE_CHECKING:
    from mercer.solvers.density.mixture import Mixture

_PAIRS = 2**18  # of one task
_METRICS = {"euclidean": "euclidean", "manhattan": "cityblock", "chebyshev": "chebyshev"}


def exact_log_sums(mixture: Mixture, Q: Array, skip: Array | None = None) -> Array:
    """log sum_i v_i f(|q - x_i| / factor_i) for every row q of scaled queries; point skip_q is left out of the sum."""
    points, logs = mixture.scaled, np.empty(len(Q))
    with np.errstate(divide="ignore"):
        log_mass = np.log(mixture.masses)
    step = max(_PAIRS // max(len(points), 1), 1)

    def some(part: slice) -> None:
        E = log_profiles(mixture, Q[part]) + log_mass
        if skip is not None:
            E[np.arange(len(E)), skip[part]] = -np.inf
        top = E.max(axis=1)
        safe = np.where(np.isfinite(top), top, 0.0)
        with np.errstate(divide="ignore"):
            logs[part] = safe + np.log(np.exp(E - safe[:, None]).sum(axis=1))

    run(some, [slice(i, min(i + step, len(Q))) for i in range(0, len(Q), step)])
    return logs


def log_profiles(mixture: Mixture, Q: Array) -> Array:
    """log f for all pairs of scaled queries and points."""
    points, factor = mixture.scaled, mixture.factor
    if mixture.form == "product":
        total = np.zeros((len(Q), len(points)))
        for j in range(mixture.columns):
            r = np.abs(Q[:, j : j + 1] - points[:, j])
            total += mixture.window.log_profile(r if factor is None else r / factor)
        return total
    r = cdist(Q, points, _METRICS[mixture.norm])
    return mixture.window.log_profile(r if factor is None else r / factor)
