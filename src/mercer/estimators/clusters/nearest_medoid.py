"""The nearest-medoid classifier: one item, or a few, stand for each class."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer.engine.interrupts import interrupted
from mercer.errors import bad
from mercer.estimators.base import weights
from mercer.estimators.clusters.distances import DistanceEstimator
from mercer.estimators.clusters.settings import check_settings, count, settings_of
from mercer.estimators.labels import Labels
from mercer.solvers.medoids import SwapProof, cluster, prove
from mercer.solvers.medoids.cluster import chosen_method, held
from mercer.solvers.medoids.proof import joined
from mercer.typing import Array


class NearestMedoidClassifier(ClassifierMixin, DistanceEstimator):  # type: ignore[misc]
    """Predict the class of the nearest medoid; each class has `n_medoids` of them, or all its items if it has fewer.

    With the linear kernel and one medoid it is the item nearest to the mean of its class.  All other arguments are
    those of KMedoids, whose search is made within each class; init is a name.

    After fit: classes_, medoid_indices_ with the position of each medoid's class in medoid_classes_, and certificate_,
    whose `parts` are the proofs of the classes.
    """

    def __init__(
        self,
        n_medoids: int = 1,
        *,
        kernel: Any = "linear",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        metric: Any = "euclidean",
        distance: str = "squared",
        method: str = "fasterpam",
        init: str = "random",
        n_init: Any = "auto",
        max_iter: int = 100,
        batch_size: int | None = None,
        random_state: Any = None,
        check_psd: str = "warn",
    ) -> None:
        self.n_medoids = n_medoids
        self.kernel, self.degree, self.gamma, self.coef0 = kernel, degree, gamma, coef0
        self.metric, self.distance = metric, distance
        self.method, self.init, self.n_init, self.max_iter = method, init, n_init, max_iter
        self.batch_size, self.random_state, self.check_psd = batch_size, random_state, check_psd

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the medoids of every class; items of weight 0 are left out."""
        owner = type(self).__name__
        k = count(owner, "n_medoids", self.n_medoids)
        self._check_distance()
        check_settings(self)
        if not isinstance(self.init, str):
            raise bad(owner, "init", "the name of a start", repr(self.init), "Positions are for KMedoids.")
        X, y = self._checked(X, y, reset=True)
        labels = Labels.of(owner, y)
        data = self._data(X)
        weight = weights(owner, sample_weight, len(data))
        used = np.flatnonzero(weight)
        labels.require_all(owner, used)
        D, random = self._distances(data), check_random_state(self.random_state)
        medoids, proofs = [], []
        for code in range(len(labels.classes)):
            own = used[labels.codes[used] == code]
            places, proof = self._medoids(D.part(own, own), weight[own], min(k, len(own)), random)
            medoids.append(own[places])
            proofs.append(proof)
        self.classes_, self.certificate_ = labels.classes, joined(proofs)
        self.medoid_indices_ = np.concatenate(medoids)
        self.medoid_classes_ = np.repeat(np.arange(len(medoids)), [len(some) for some in medoids])
        self.n_iter_ = self.certificate_.n_iter
        self._keep_items(data, self.medoid_indices_)
        return self

    def _medoids(self, D: Any, weight: Array, k: int, random: np.random.RandomState) -> tuple[Array, SwapProof]:
        """The medoids of one class, and their proof; after an interrupt the first start counts."""
        method = chosen_method(self.method, D)
        D = held(D, method)
        found = cluster(D, weight, k, settings_of(self, method), random)
        return found.medoids, prove(D, weight, found, look=False if interrupted() else None)

    def predict(self, X: Any) -> Array:
        """The class of the nearest medoid, the first of those that are equally near."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self.medoid_classes_[self._nearest(self._checked(X, reset=False))]])
