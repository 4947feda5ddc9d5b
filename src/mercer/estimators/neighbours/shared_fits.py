"""Nearest neighbours of one kernel, for all numbers of neighbours in one call: the first few of many.

The neighbours of the scored items are sorted once for each fold, as many as the largest machine asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.estimators.neighbours.classifier import KernelKNeighborsClassifier, shares
from mercer.estimators.neighbours.regressor import KernelKNeighborsRegressor, means
from mercer.estimators.shared_fits import Fit, Fits, Fold, GivenPredictions, SharedFits, are_numbers, passes
from mercer.gram.smallest_entries import smallest_entries
from mercer.typing import Array


class GivenNeighbours(KernelKNeighborsClassifier):
    """A fitted classifier that is shown the classes of the neighbours in place of items."""

    def predict_proba(self, X: Any) -> Array:
        return shares(X, None, len(self.classes_))

    def __sklearn_is_fitted__(self) -> bool:
        return True


def offer_of_classifier(machine: Any, y: Array, psd: bool | None) -> SharedFits | None:
    """All machines with equal votes, fold by fold."""
    labels = y.ndim == 1 and y.dtype.kind in "biufUS" and len(np.unique(y)) > 1
    return SharedFits(_classifiers, by_fold=True) if labels and _is_shared(machine, y, psd) else None


def offer_of_regressor(machine: Any, y: Array, psd: bool | None) -> SharedFits | None:
    """All machines with equal weights, fold by fold."""
    return SharedFits(_regressors, by_fold=True) if are_numbers(y, most=2) and _is_shared(machine, y, psd) else None


def _is_shared(machine: Any, y: Array, psd: bool | None) -> bool:
    """Whether `fit` takes the machine: its neighbours are there, and it has equal weights."""
    k, uniform = machine.n_neighbors, isinstance(machine.weights, str) and machine.weights == "uniform"
    counted = isinstance(k, (int, np.integer)) and not isinstance(k, bool) and bool(1 <= k <= len(y))
    return uniform and counted and passes(psd, machine.check_psd)


def _sorted(fold: Fold, machines: Sequence[Any]) -> Array:
    """The training items nearest to every scored item, as positions in fold.train."""
    if fold.weight is not None:
        raise bad(type(machines[0]).__name__, "sample_weight", "None", "weights", "Neighbours have no weights in fit.")
    diag = np.diagonal(fold.K)[fold.train]

    def block(r: slice, c: slice) -> Array:
        return np.asarray(diag[c] - 2.0 * fold.part(fold.scored[r], fold.train[c]))

    shape = (len(fold.scored), len(fold.train))
    return smallest_entries(block, shape, max(machine.n_neighbors for machine in machines))[0]


def _classifiers(machines: Sequence[KernelKNeighborsClassifier], folds: Sequence[Fold]) -> Fits:
    return [_classified(machines, fold) for fold in folds]


def _classified(machines: Sequence[KernelKNeighborsClassifier], fold: Fold) -> list[Fit | None]:
    classes, codes = np.unique(fold.y[fold.train], return_inverse=True)
    near = codes[_sorted(fold, machines)]
    out: list[Fit | None] = []
    for machine in machines:
        shown = GivenNeighbours(**machine.get_params(deep=False))
        shown.classes_ = classes
        out.append(fold.fit(shown, near[:, : machine.n_neighbors], 0.0))
    return out


def _regressors(machines: Sequence[KernelKNeighborsRegressor], folds: Sequence[Fold]) -> Fits:
    return [_regressed(machines, fold) for fold in folds]


def _regressed(machines: Sequence[KernelKNeighborsRegressor], fold: Fold) -> list[Fit | None]:
    y, index = fold.y[fold.train].astype(np.float64), _sorted(fold, machines)
    return [fold.fit(GivenPredictions(), means(y, index[:, : m.n_neighbors], None), 0.0) for m in machines]
