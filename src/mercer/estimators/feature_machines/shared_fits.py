"""Least squares on the columns of a Gram where every fold leaves out one item: L2VM and RBF networks.

All alphas of a kernel share one singular value decomposition.  Leaving out an item also removes its column.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, Protocol

import numpy as np

from mercer.estimators.shared_fits import Fits, Fold, GivenPredictions, SharedFits, are_numbers
from mercer.solvers.least_squares import Centred, Spectral
from mercer.typing import Array


class LeastSquaresMachine(Protocol):
    """A machine that minimises |y - K w - b|^2 + alpha |w|^2."""

    alpha: Any
    fit_intercept: bool


def offer_of_least_squares(machine: LeastSquaresMachine, y: Array, leave_one_out: bool) -> SharedFits | None:
    """Offers machines with a positive number as alpha, for leave-one-out folds only."""
    positive = isinstance(machine.alpha, Real) and 0.0 < float(machine.alpha) < np.inf
    if not leave_one_out or not positive or not are_numbers(y, most=1):
        return None
    return SharedFits(fit_left_out, bool(machine.fit_intercept))


def fit_left_out(machines: Sequence[LeastSquaresMachine], folds: Sequence[Fold]) -> Fits:
    """All machines on all folds, from the singular values of the whole Gram."""
    K, y = folds[0].K, folds[0].y.astype(float)
    spectral = Spectral.of(Centred.of(K, y, fit_intercept=bool(machines[0].fit_intercept)))
    left = [y - left_out_residuals(spectral, float(machine.alpha)) for machine in machines]
    return [[fold.fit(GivenPredictions(), values[fold.scored], 0.0) for values in left] for fold in folds]


def left_out_residuals(spectral: Spectral, alpha: float) -> Array:
    """y_i - f_-i(x_i), where f_-i is fitted without item i and without the column of the design matrix that is its own.

    With B = (A'A + alpha I)^-1, H = A B A' and w = B A'z of all items, taking away column i makes the hat matrix
    H - g g' / B_ii with g = A B e_i, and taking away row i then divides the residual by one minus its diagonal entry:

        (y_i - f(x_i) + g_i w_i / B_ii) / (1 - H_ii + g_i^2 / B_ii)
    """
    p, U, V = spectral.problem, spectral.U, spectral.V
    scale = 1.0 / (spectral.d**2 + alpha)
    w = spectral.weights(alpha)
    B = np.einsum("ji,ji,j->i", V, V, scale)
    g = np.einsum("ij,ji,j->i", U, V, spectral.d * scale)
    left = np.einsum("ij,ij,j->i", U, U, alpha * scale) - (1.0 / len(p.z) if p.fit_intercept else 0.0)  # 1 - H_ii
    return np.asarray((p.z - p.A @ w + g * w / B) / (left + g * g / B))
