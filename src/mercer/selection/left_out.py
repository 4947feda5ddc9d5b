"""Machines of which every fold leaves out one item, in closed form: from one factorisation of the whole Gram.

Gaussian processes    y_i given the others at fixed hyper-parameters (solvers/gaussian_process.py)
L2VM, RBF networks    least squares on the columns of the Gram; who is left out takes his column along
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone

from mercer.estimators.feature_machines.l2vm import L2VMRegressor
from mercer.estimators.feature_machines.rbf_network import RBFNetworkRegressor
from mercer.estimators.gaussian_process.regressor import GaussianProcessRegressor
from mercer.selection.folds import Fold
from mercer.selection.judging import OWN, Fit
from mercer.solvers.least_squares import Centred, Spectral
from mercer.typing import Array

LeastSquaresMachine = L2VMRegressor | RBFNetworkRegressor


class Foretold(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A machine that is given its values instead of items."""

    def predict(self, X: Any) -> Array:
        """The values that were given."""
        return np.asarray(X)


def settled_process(machine: GaussianProcessRegressor, psd: bool | None, y: Array) -> bool:
    """Whether nothing of a process depends on the items that it is fitted to, but what it predicts."""
    given = isinstance(machine.noise, str) and machine.noise != "auto"
    fixed = machine.optimizer is None and not machine.normalize_y and not given
    positive = psd or (psd is None and machine.check_psd != "raise")
    return bool(fixed and positive and isinstance(machine.alpha, Real) and _numbers(y, 2))


def settled_least_squares(machine: LeastSquaresMachine, y: Array) -> bool:
    """The same for least squares on the columns of the Gram."""
    return isinstance(machine.alpha, Real) and 0.0 < float(machine.alpha) < np.inf and _numbers(y, 1)


def _numbers(y: Array, most: int) -> bool:
    return 1 <= y.ndim <= most and y.dtype.kind in "fiu" and bool(np.isfinite(y).all())


def leave_out_of_processes(
    machines: Sequence[GaussianProcessRegressor], folds: Sequence[Fold]
) -> list[list[Fit | None]]:
    """All processes of one kernel: a list for every fold.  One that needs jitter is refitted for each."""
    K, y = folds[0].K, folds[0].y
    by_machine: list[list[Fit | None]] = []
    for machine in machines:
        if not folds[0].go_on():
            by_machine.append([None] * len(folds))
            continue
        whole = clone(machine).set_params(kernel="precomputed").fit(K, y)
        if whole.jitter_ or whole.rank_ < len(K):  # which is a matter of the items that it is fitted to
            by_machine.append([_refitted(whole, fold) if fold.go_on() else None for fold in folds])
        else:
            by_machine.append(_foretold(whole.leave_one_out().mean, folds, np.nan))
    return _by_fold(by_machine)


def _refitted(machine: GaussianProcessRegressor, fold: Fold) -> Fit:
    own, held = (fold.K[np.ix_(rows, fold.train)] for rows in (fold.train, fold.scored))
    fitted = clone(machine).fit(own, fold.y[fold.train])
    return Fit(fitted, np.nan, lambda which: own if which == OWN else held)


def leave_out_of_least_squares(
    machines: Sequence[LeastSquaresMachine], folds: Sequence[Fold]
) -> list[list[Fit | None]]:
    """All machines of one kernel, from the singular values of its Gram."""
    K, y = folds[0].K, folds[0].y.astype(float)
    spectral = Spectral.of(Centred.of(K, y, fit_intercept=bool(machines[0].fit_intercept)))
    alphas = [float(machine.alpha) for machine in machines]
    return _by_fold([_foretold(y - left_out_residuals(spectral, alpha), folds, 0.0) for alpha in alphas])


def left_out_residuals(spectral: Spectral, alpha: float) -> Array:
    """y_i - f_-i(x_i), where f_-i knows neither item i nor the column of the design matrix that is its own.

    With B = (A'A + alpha I)^-1, H = A B A' and w = B A'z of all items, taking away column i makes the hat matrix
    H - g g' / B_ii with g = A B e_i, and taking away row i then divides the residual by one less the diagonal of it:

        (y_i - f(x_i) + g_i w_i / B_ii) / (1 - H_ii + g_i^2 / B_ii)
    """
    p, U, V = spectral.problem, spectral.U, spectral.V
    scale = 1.0 / (spectral.d**2 + alpha)
    w = spectral.weights(alpha)
    B = np.einsum("ji,ji,j->i", V, V, scale)
    g = np.einsum("ij,ji,j->i", U, V, spectral.d * scale)
    left = np.einsum("ij,ij,j->i", U, U, alpha * scale) - (1.0 / len(p.z) if p.fit_intercept else 0.0)  # 1 - H_ii
    return np.asarray((p.z - p.A @ w + g * w / B) / (left + g * g / B))


def _foretold(values: Array, folds: Sequence[Fold], gap: float) -> list[Fit | None]:
    return [fold.fit(Foretold(), values[fold.scored], gap) for fold in folds]


def _by_fold(by_machine: list[list[Fit | None]]) -> list[list[Fit | None]]:
    return [list(fits) for fits in zip(*by_machine, strict=True)]
