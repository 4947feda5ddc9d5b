"""Kernel k-means as an estimator; the steps are in solvers/kernel_k_means.py."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer.config import config
from mercer.engine.interrupts import interrupted
from mercer.errors import bad
from mercer.estimators.base import KernelEstimator, warn_open, weights
from mercer.estimators.clusters.settings import count
from mercer.estimators.given_diagonal import common_diagonal, row_diagonal
from mercer.estimators.low_rank import Work, landmarks_of, takes_landmarks
from mercer.estimators.positivity import require_positive
from mercer.estimators.training_data import Data, LowRankItems
from mercer.gram import StoredGram
from mercer.gram.tall import square_distances
from mercer.solvers.kernel_k_means import Means, MeansProof, lloyd, prove_means
from mercer.solvers.medoids.starts import plus_plus
from mercer.typing import Array

METHODS = ("auto", "exact", "nystrom")
_LANDMARKS = 300


def _exact(n: int) -> Work:
    """The Gram, and products with it."""
    return Work(1000.0 * float(n) ** 2, 0.5 * float(n) ** 2, 8.0 * float(n) ** 2)


@takes_landmarks(_exact, products=1000.0, data=False)
class KernelKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, KernelEstimator):  # type: ignore[misc]
    """Minimise sum_i w_i |phi(x_i) - mu_c(i)|^2 over clusters c(i), mu_c the mean of the features of cluster c.

    n_clusters       k
    n_init           starts by k-means++ in feature space, of which the best counts
    max_iter         steps of each
    method           "exact": products with the whole Gram; "nystrom": k-means of features from landmarks; "auto":
                     "exact" where the Gram fits the memory budget
    n_landmarks      items from which the features of "nystrom" are made; None: 300, or all
    landmarks        "rpcholesky", "uniform", "kmeans++", "leverage", or items
    random_state     of the starts and of the landmarks

    kernel, gamma, degree, coef0 and check_psd as in SVR.  Items of weight 0 are left out, and are given the nearest
    mean.

    After fit: labels_, inertia_ (the loss; with "nystrom" that of the features), n_iter_, method_, approximation_
    (rank and trace error of the landmarks), and certificate_: the losses of all steps, which never rise, and whether
    every item is at its nearest mean.
    """

    takes_spread = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        n_init: int = 3,
        max_iter: int = 300,
        method: str = "auto",
        n_landmarks: int | None = None,
        random_state: Any = None,
        check_psd: str = "warn",
        landmarks: Any = "rpcholesky",
    ) -> None:
        self.n_clusters = n_clusters
        self.kernel, self.degree, self.gamma, self.coef0 = kernel, degree, gamma, coef0
        self.n_init, self.max_iter, self.method, self.n_landmarks = n_init, max_iter, method, n_landmarks
        self.random_state, self.check_psd, self.landmarks = random_state, check_psd, landmarks

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the clusters of the items X; y is ignored."""
        k = self._checked_options()
        X = self._checked(X, reset=True)
        data = self._data(X)
        require_positive(self, data)
        weight = weights(type(self).__name__, sample_weight, len(data))
        used = np.flatnonzero(weight)
        if k > len(used):
            raise bad(type(self).__name__, "n_clusters", f"at most the number of items ({len(used)})", k,
                      "A cluster has one or more.")  # fmt: skip
        gram, low = self._gram(data, used)
        found = self._best(gram, weight[used], k)
        self._keep_means(data, used, found, low)
        self.labels_ = found.labels
        if len(used) < len(data):
            self.labels_ = np.empty(len(data), dtype=np.intp)
            self.labels_[used] = found.labels
            rest = np.setdiff1d(np.arange(len(data)), used)
            between = data.gram().part(rest, used) if low is None else data.between(rest, *_centres(data, used, low))
            self.labels_[rest] = self._order(between @ self._coef)
        self.certificate_ = found.proof
        self.inertia_, self.n_iter_ = found.proof.loss, found.proof.n_iter
        if found.proof.reason == "max_iter":
            warn_open(f"{type(self).__name__} ended after max_iter = {self.max_iter} steps: its loss still falls.")
        return self

    def reads_blocks(self, n: int) -> bool:
        """On landmarks, if these are asked for."""
        return isinstance(self.method, str) and self.method == "nystrom"

    def _checked_options(self) -> int:
        owner = type(self).__name__
        if not isinstance(self.method, str) or self.method not in METHODS:
            raise bad(owner, "method", f"one of {METHODS}", repr(self.method), "'auto' is the default.")
        for name in ("n_init", "max_iter", "n_landmarks"):
            if name != "n_landmarks" or self.n_landmarks is not None:
                count(owner, name, getattr(self, name))
        return count(owner, "n_clusters", self.n_clusters)

    def _gram(self, data: Data, used: Array) -> tuple[Any, LowRankItems | None]:
        """The Gram of the items of positive weight, stored or of features, and the landmarks these come from."""
        few = len(used) < len(data)
        gram = data.take(used).gram() if few and data.spread else data.gram().sub(used) if few else data.gram()
        size = len(used) ** 2 * np.dtype(gram.diag().dtype).itemsize
        fits = isinstance(gram, StoredGram) or size <= config().memory
        self.method_ = ("exact" if fits else "nystrom") if self.method == "auto" else self.method
        if self.method_ == "exact":
            return gram if isinstance(gram, StoredGram) else StoredGram.of(gram.dense()), None
        low = _on_landmarks(self, data, used)
        return low.gram(), low

    def _best(self, gram: Any, weight: Array, k: int) -> Means:
        """The best of the starts."""
        random, diagonal = check_random_state(self.random_state), np.asarray(gram.diag(), dtype=float)
        D = square_distances(gram, diagonal)
        best: Means | None = None
        for _ in range(int(self.n_init)):
            start = D.nearest(plus_plus(D, weight, k, random))[0]
            found = lloyd(gram, diagonal, weight, start, k, int(self.max_iter))
            if best is None or found.proof.loss < best.proof.loss:
                best = found
            if interrupted():
                break
        assert best is not None
        return best

    def _keep_means(self, data: Data, used: Array, found: Means, low: LowRankItems | None) -> None:
        """What prediction needs: <phi(x), mu_c> = sum_j k(x, x_j) C_jc over the items, or over the landmarks."""
        if low is None:
            self._kept, self._coef = data.keep(used), found.V
        else:
            self._kept, self._coef = low.marks, low.factor.back(low.features().T @ found.V)
        self.approximation_ = None if low is None else low.approximation
        self._norms = found.norms
        self._common_diagonal = common_diagonal(data)

    @property
    def _n_features_out(self) -> int:
        """The number of clusters, for get_feature_names_out."""
        return len(self._norms)

    def _order(self, products: Array) -> Array:
        """The nearest mean from <phi(x), mu_c>, for |phi(x)|^2 is the same for all means."""
        return np.asarray((0.5 * self._norms - products).argmin(axis=1))

    def predict(self, X: Any) -> Array:
        """The cluster of the nearest mean."""
        check_is_fitted(self)
        return self._order(self._kept.evaluate(self._checked(X, reset=False), self._coef))

    def transform(self, X: Any, diagonal: Any = None) -> Array:
        """|phi(x) - mu_c| for all means, one column for each.

        For kernel="precomputed" it needs k(x, x) of the new items: pass it as `diagonal`, unless it is the same for all
        training items.
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        products = self._kept.evaluate(X, self._coef)
        own = self._row_diagonal(X, len(products), diagonal)
        return np.sqrt(np.maximum(own[:, None] - 2.0 * products + self._norms, 0.0))

    def _row_diagonal(self, X: Any, m: int, given: Any) -> Array:
        """k(x, x) of checked items."""
        known = self._kept.cross(X).row_diag()
        if known is not None:
            return np.asarray(known, dtype=float)
        return row_diagonal(type(self).__name__, m, given, self._common_diagonal)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """The distances of the items X to the means that are found for them."""
        self.fit(X, sample_weight=sample_weight)
        return self.transform(X, None if self._kept.recomputable else np.diagonal(X))


def _on_landmarks(machine: Any, data: Data, used: Array) -> LowRankItems:
    """The items `used` behind landmarks."""
    return landmarks_of(machine, data if len(used) == len(data) else data.take(used), count=_LANDMARKS)


def _centres(data: Data, used: Array, low: LowRankItems) -> tuple[Data, Array]:
    """The landmarks as items that these data can be compared with."""
    if low.inner.recomputable:
        return low.marks, np.arange(low.rank)
    return data, used[low.positions]


def verify(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> MeansProof:
    """The proof of a fitted KernelKMeans made again: the loss of its clusters, and whether every item is at its mean.

    With method "nystrom" that of its features, which are made again too.
    """
    check_is_fitted(model)
    data = model._data(model._checked(X, reset=False)).double()
    weight = weights("verify", sample_weight, len(data))
    used = np.flatnonzero(weight)
    if len(model.labels_) != len(data):
        raise bad("verify", "X", f"the {len(model.labels_)} items of the fit", f"{len(data)} items", "Pass them.")
    gram = data.gram() if len(used) == len(data) else data.gram().sub(used)
    if model.method_ == "nystrom":
        gram = _on_landmarks(model, data, used).gram()
    labels = model.labels_[used]
    return prove_means(gram, np.asarray(gram.diag(), dtype=float), weight[used], labels, len(model._norms))
