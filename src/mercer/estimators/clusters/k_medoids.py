"""k-medoids: clusters around items, from the distances of any kernel or from dissimilarities."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer.config import config
from mercer.engine.interrupts import interrupted
from mercer.errors import bad
from mercer.estimators.base import warn_open, weights
from mercer.estimators.clusters.distances import DistanceEstimator
from mercer.estimators.clusters.settings import check_settings, count, places_of, settings_of
from mercer.estimators.training_data import Data
from mercer.gram import Distances
from mercer.solvers.medoids import KChoice, choose_k, cluster, prove
from mercer.solvers.medoids.cluster import chosen_method, held
from mercer.solvers.medoids.starts import started
from mercer.typing import Array

_JUDGES = 10_000  # items that decide on k where the distances of all do not fit the memory


class KMedoids(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, DistanceEstimator):  # type: ignore[misc]
    """Minimise sum_i w_i min_j d(x_i, m_j) over k of the items, the medoids m_j.

    n_clusters       k
    kernel           distances are those of its features, d^2 = k(x, x) + k(y, y) - 2 k(x, y); None takes `metric`
    metric           with kernel=None: a name such as "euclidean" or "manhattan", a function of two items, or
                     "precomputed" for a matrix of dissimilarities
    distance         "squared": the loss has d^2 of the kernel; "plain": d.  A metric counts as it is
    method           "fasterpam": swaps as soon as they lower the loss; "pam": the best swap each time; "alternate":
                     nearest medoid and best item of each cluster by turns; "clara": FasterPAM on samples; "sampled":
                     FasterPAM with the loss measured on one batch, without an n x n matrix; "auto": "fasterpam" where
                     all distances fit the memory budget, else "sampled"
    init             "random", "k-medoids++", "lab", "build", or positions of k items
    n_init           starts, of which the best counts; "auto" is 10 for "alternate" and "clara", else 1
    max_iter         passes over the items
    batch_size       items of a batch or sample; None is 100 log(k n) for "sampled", 80 + 4 k for "clara"
    random_state     of all that is drawn

    degree, gamma, coef0 and check_psd as in SVR.  Items of weight 0 are left out, and are given the nearest medoid.

    After fit: medoid_indices_ (ascending), cluster_centers_ (the medoids as they were passed), labels_, inertia_ (the
    loss), n_iter_, method_, and certificate_: whether any single swap of a medoid lowers the loss.  A medoid belongs to
    its own cluster, so that none is empty, also where items are equal.
    """

    takes_spread = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: Any = "linear",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        metric: Any = "euclidean",
        distance: str = "squared",
        method: str = "fasterpam",
        init: Any = "random",
        n_init: Any = "auto",
        max_iter: int = 100,
        batch_size: int | None = None,
        random_state: Any = None,
        check_psd: str = "warn",
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel, self.degree, self.gamma, self.coef0 = kernel, degree, gamma, coef0
        self.metric, self.distance = metric, distance
        self.method, self.init, self.n_init, self.max_iter = method, init, n_init, max_iter
        self.batch_size, self.random_state, self.check_psd = batch_size, random_state, check_psd

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the medoids of the items X; y is ignored."""
        k = count(type(self).__name__, "n_clusters", self.n_clusters)
        data, D, weight, used = self._measured(X, k, sample_weight)
        few, w = D if len(used) == len(D) else D.part(used, used), weight[used]
        method = chosen_method(self.method, few)
        few = held(few, method)
        init = None if isinstance(self.init, str) else places_of(type(self).__name__, self.init, k, used)
        found = cluster(few, w, k, settings_of(self, method, init), check_random_state(self.random_state))
        proof = prove(few, w, found, look=False if interrupted() else None)
        self.medoid_indices_, self.labels_ = used[found.medoids], found.labels
        if few.shape != D.shape:
            self.labels_ = D.nearest(self.medoid_indices_)[0]
            self.labels_[self.medoid_indices_] = np.arange(k)
        self.inertia_, self.n_iter_, self.method_, self.certificate_ = found.loss, found.n_iter, method, proof
        self._keep_items(data, self.medoid_indices_)
        if found.reason == "max_iter":
            warn_open(f"{type(self).__name__} ended after max_iter = {self.max_iter} rounds: swaps may lower its loss.")
        return self

    def _measured(self, X: Any, k: int, sample_weight: Any) -> tuple[Data, Distances, Array, Array]:
        """The data, their distances, weights, and the positions of the items of positive weight, k or more."""
        self._check_distance()
        check_settings(self)
        X = self._checked(X, reset=True)
        data = self._data(X)
        weight = weights(type(self).__name__, sample_weight, len(data))
        used = np.flatnonzero(weight)
        if k > len(used):
            raise bad(type(self).__name__, "n_clusters", f"at most the number of items ({len(used)})", k,
                      "A medoid is one of them.")  # fmt: skip
        return data, self._distances(data), weight, used

    def distances(self, X: Any) -> Distances:
        """The distances of the items X among each other, as this machine would measure them; made when asked for."""
        self._check_distance()
        machine: KMedoids = clone(self)
        return machine._distances(machine._data(machine._checked(X, reset=True)))

    @property
    def cluster_centers_(self) -> Any:
        """The medoids as they were passed; for a precomputed matrix none."""
        if not hasattr(self, "_kept"):
            raise AttributeError(f"{type(self).__name__} has cluster_centers_ after fit")
        return self._kept.as_passed() if self._kept.recomputable else None

    @property
    def _n_features_out(self) -> int:
        """The number of clusters, for get_feature_names_out."""
        return len(self.medoid_indices_)

    def predict(self, X: Any) -> Array:
        """The cluster of the nearest medoid, the first of those that are equally near."""
        check_is_fitted(self)
        return self._nearest(self._checked(X, reset=False))

    def transform(self, X: Any, diagonal: Any = None) -> Array:
        """Distances to all medoids, as `distance` or `metric` say, one column for each.

        For kernel="precomputed" they need k(x, x) of the new items: pass it as `diagonal`, unless it is the same for
        all training items.
        """
        check_is_fitted(self)
        return self._to_kept(self._checked(X, reset=False), diagonal).dense()

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """The distances of the items X to the medoids that are found for them."""
        self.fit(X, sample_weight=sample_weight)
        return self.transform(X, np.diagonal(X) if self._kept_diagonal is not None else None)

    def choose_k(self, X: Any, ks: Iterable[int] = range(2, 11), sample_weight: Any = None) -> KChoice:
        """Which number of clusters suits the items X, by the mean medoid silhouette; this machine stays as it is.

        From the largest k down, the medoid that costs least goes and swaps repair the others.  The result has `k`, and
        the silhouettes, losses and medoids of all that were tried.  Where distances of all items do not fit the memory,
        as many as do decide, drawn at random, 10 000 at most.
        """
        owner = f"{type(self).__name__}.choose_k"
        wanted = sorted({count(owner, "k", k) for k in ks})
        if not wanted or wanted[0] < 2:
            raise bad(owner, "ks", "numbers of clusters, each 2 or more", repr(ks), "One cluster has no silhouette.")
        _, D, weight, used = clone(self)._measured(X, wanted[-1], sample_weight)
        random = check_random_state(self.random_state)
        if D.size > config().memory:
            most = min(_JUDGES, int(np.sqrt(config().memory / D.dtype.itemsize)))
            used = np.sort(random.permutation(used)[:most])
        few = held(D if len(used) == len(D) else D.part(used, used), "fasterpam")
        how = self.init if isinstance(self.init, str) else "random"
        found = choose_k(few, weight[used], wanted, started(few, weight[used], wanted[-1], how, random), self.max_iter)
        return KChoice(found.k, found.ks, found.silhouettes, found.losses, tuple(used[m] for m in found.medoids))
