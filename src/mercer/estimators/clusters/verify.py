"""Verify fitted medoids: their loss and the best single swap, from the data and the positions of the medoids alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.errors import bad
from mercer.estimators.base import weights
from mercer.gram import Distances
from mercer.solvers.medoids import SwapProof, prove
from mercer.solvers.medoids.proof import TOLERANCE, joined
from mercer.solvers.medoids.solution import Search, assigned
from mercer.typing import Array

_SINGLE = 1e-6  # share of the loss by which distances in single precision may mislead a search


def verify(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> SwapProof:
    """The proof of KMedoids, in double precision and from a streamed pass over all distances, whatever its method."""
    D, weight, tolerance = _again(model, X, sample_weight)
    return _proved(D, weight, model.medoid_indices_, model.method_, model.n_iter_, tolerance)


def verify_classes(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> SwapProof:
    """The same of NearestMedoidClassifier, class by class."""
    if y is None:
        raise bad("verify", "y", "the labels of the fit", "None", "Pass them.")
    D, weight, tolerance = _again(model, X, sample_weight)
    proofs = []
    for code, one in enumerate(model.classes_):
        own = np.flatnonzero((np.asarray(y) == one) & (weight > 0.0))
        places = np.searchsorted(own, model.medoid_indices_[model.medoid_classes_ == code])
        proofs.append(_proved(D.part(own, own), weight[own], places, model.method, model.n_iter_, tolerance))
    return joined(proofs)


def _again(model: Any, X: Any, sample_weight: Any) -> tuple[Distances, Array, float]:
    check_is_fitted(model)
    X = model._checked(X, reset=False)
    data = model._data(X)
    single = data.gram().diag().dtype == np.float32
    return (
        model._distances(data.double()),
        weights("verify", sample_weight, len(data)),
        _SINGLE if single else TOLERANCE,
    )


def _proved(D: Distances, weight: Array, medoids: Array, method: str, n_iter: int, tolerance: float) -> SwapProof:
    """The proof on the items of positive weight."""
    used = np.flatnonzero(weight)
    if not np.isin(medoids, used).all():
        raise bad("verify", "X", "the items of the fit, with their weights", "others", "Pass them in their order.")
    few = D if len(used) == len(D) else D.part(used, used)
    claim = Search(medoids=np.searchsorted(used, medoids), n_iter=int(n_iter), swaps=0, reason="verified")
    return prove(few, weight[used], assigned(few, weight[used], claim, method), look=True, tolerance=tolerance)
