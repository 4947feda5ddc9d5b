"""Cross-validation that leaves out one item, for Gaussian processes that are not tuned: one factorisation each.

The prediction of y_i given all others has a closed form (solvers/gaussian_process.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

import numpy as np
from sklearn.base import clone

from mercer.estimators.gaussian_process.regressor import GaussianProcessRegressor
from mercer.estimators.shared_fits import Fit, Fits, Fold, GivenPredictions, SharedFits, are_numbers, passes
from mercer.typing import Array


def offer_of_process(
    machine: GaussianProcessRegressor, y: Array, psd: bool | None, leave_one_out: bool
) -> SharedFits | None:
    """An offer where every fold leaves out one item and no setting of the process depends on the training items."""
    from_data = isinstance(machine.noise, str) and machine.noise != "auto"
    fixed = machine.optimizer is None and not machine.normalize_y and not from_data and isinstance(machine.alpha, Real)
    good = leave_one_out and fixed and passes(psd, machine.check_psd) and are_numbers(y, most=2)
    return SharedFits(fit_left_out) if good else None


def fit_left_out(machines: Sequence[GaussianProcessRegressor], folds: Sequence[Fold]) -> Fits:
    """All processes on all folds.  A process that needs jitter is refitted: jitter depends on the training items."""
    by_machine: list[list[Fit | None]] = []
    for machine in machines:
        if not folds[0].go_on():
            by_machine.append([None] * len(folds))
            continue
        whole = clone(machine).set_params(kernel="precomputed").fit(folds[0].K, folds[0].y)
        if whole.jitter_ or whole.rank_ < len(folds[0].K):
            by_machine.append([_refitted(whole, fold) if fold.go_on() else None for fold in folds])
        else:
            values = whole.leave_one_out().mean
            by_machine.append([fold.fit(GivenPredictions(), values[fold.scored], np.nan) for fold in folds])
    return [list(fits) for fits in zip(*by_machine, strict=True)]


def _refitted(machine: GaussianProcessRegressor, fold: Fold) -> Fit:
    own, held = (fold.K[np.ix_(rows, fold.train)] for rows in (fold.train, fold.scored))
    return Fit(clone(machine).fit(own, fold.y[fold.train]), np.nan, held, own)
