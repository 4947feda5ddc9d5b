"""Classical multidimensional scaling, with scikit-learn's arguments: points whose distances are those given."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from mercer.config import config
from mercer.errors import bad, warn
from mercer.estimators.base import KernelEstimator
from mercer.estimators.embedding.axes import NYSTROEM, SOLVERS, Effort, Placed, not_negative, place, seed_of, whole
from mercer.estimators.embedding.dissimilarities import (
    DistanceSource,
    GivenDistances,
    KernelDistances,
    MetricDistances,
    far_apart,
)
from mercer.estimators.positivity import require_positive
from mercer.estimators.training_data import KernelItems
from mercer.gram import kernel_distances
from mercer.items import Items, Vectors
from mercer.kernels import Linear
from mercer.solvers.principal_axes import negative_eigenvalues, streams_fast
from mercer.typing import Array

_NOTABLE = 1e-3  # share of the spectrum in negative eigenvalues that is told
_LANDMARKS = 1000  # where the distances of all pairs do not fit the memory


class NotEuclidean(UserWarning):
    """Dissimilarities are not distances of any points: some eigenvalues are negative, and are dropped."""


class ClassicalMDS(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):  # type: ignore[misc]
    """Points in few coordinates whose distances are those of the items: B = -1/2 H D^2 H = V L V', points V sqrt(L).

    n_components, metric and metric_params are scikit-learn's: a metric by name, a function of two items of any kind, or
    "precomputed".  Beyond that

    kernel          the distances of a kernel in place of a metric, d^2 = k(x, x) + k(y, y) - 2 k(x, y), on any kind of
                    item; the points are then the scores of KernelPCA.  "precomputed": X are kernel values
    gamma, degree, coef0, kernel_params    of a kernel that is given by name
    n_landmarks     so many items, far from each other, are scaled, and all are placed by their distances to these;
                    None: all items, or 1000 of them where the distances of all pairs do not fit the memory
    eigen_solver, tol, random_state, check_psd    as in KernelPCA

    After fit: embedding_, eigenvalues_, dissimilarity_matrix_ as in scikit-learn; landmarks_ (None: all items);
    negative_eigenvalues_ and negative_mass_, the share they have in the sum of sizes of all eigenvalues (among many
    items the five most negative ones, and a lower bound); certificate_.  Components without a positive eigenvalue are
    0.  `transform` places new items by their distances to those of the fit.
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric: Any = "euclidean",
        metric_params: dict[str, Any] | None = None,
        kernel: Any = None,
        gamma: Any = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        n_landmarks: int | None = None,
        eigen_solver: str = "auto",
        tol: float = 0,
        random_state: Any = None,
        check_psd: str = "warn",
    ) -> None:
        self.n_components, self.metric, self.metric_params = n_components, metric, metric_params
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
        self.kernel_params, self.n_landmarks = kernel_params, n_landmarks
        self.eigen_solver, self.tol, self.random_state, self.check_psd = eigen_solver, tol, random_state, check_psd

    @property
    def _precomputed(self) -> bool:
        given = self.metric if self.kernel is None else self.kernel
        return isinstance(given, str) and given == "precomputed"

    @property
    def items_kind(self) -> type[Items] | None:
        """Vectors for a metric by name; None for a function, which may compare anything; else that of the kernel."""
        if self.kernel is None:
            return Vectors if isinstance(self.metric, str) else None
        return super().items_kind

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.kernel is None and self._precomputed
        return tags

    # ---- fitting

    def fit(self, X: Any, y: Any = None) -> Self:
        """Place the items X; y is ignored."""
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """The points of the items X."""
        self._fit(X)
        return self.embedding_

    def _fit(self, X: Any) -> None:
        owner = type(self).__name__
        count = whole(owner, "n_components", self.n_components) or 1
        landmarks = whole(owner, "n_landmarks", self.n_landmarks, optional=True)
        solvers = [name for name in SOLVERS if name != NYSTROEM]
        if not isinstance(self.eigen_solver, str) or self.eigen_solver not in solvers:
            raise bad(owner, "eigen_solver", f"one of {solvers}", repr(self.eigen_solver), "n_landmarks is for more.")
        effort = Effort(self.eigen_solver, not_negative(owner, "tol", self.tol), seed=seed_of(self.random_state))
        X = self._checked(X, reset=True)
        source = self._source(X)
        if landmarks is None and self._too_large(source):
            landmarks = min(_LANDMARKS, int((config().memory / 32) ** 0.5))
        chosen = None if landmarks is None else far_apart(source, landmarks, effort.seed)
        gram = source.gram(chosen)
        found = place(owner, gram, min(count, len(gram)), effort)
        self._keep_axes(source, chosen, found, count)
        self.embedding_ = _wide(found.scores, count) if chosen is None else self._placed(X, source)
        self._judge(source, gram, found)

    def _source(self, X: Any) -> DistanceSource:
        if self.kernel is not None:
            data = self._data(X)
            require_positive(self, data)
            return KernelDistances(data)
        if self._precomputed:
            return GivenDistances.of(X)
        if isinstance(self.metric, str) and self.metric == "euclidean" and not self.metric_params:
            return KernelDistances(KernelItems.of(Linear(), X))
        if not isinstance(self.metric, str) and not callable(self.metric):
            raise bad(type(self).__name__, "metric", "a name, a function of two items or 'precomputed'",
                      repr(self.metric), "'euclidean' is the default.")  # fmt: skip
        return MetricDistances(X if hasattr(X, "shape") else list(X), self.metric, self.metric_params or {})

    @staticmethod
    def _too_large(source: DistanceSource) -> bool:
        """Whether a matrix of all pairs is needed, for the distances do not stream, and does not fit the memory."""
        streams = isinstance(source, KernelDistances) and (source.linear or streams_fast(source.gram()))
        return not streams and 8 * len(source) ** 2 > config().memory

    def _keep_axes(self, source: DistanceSource, chosen: Array | None, found: Placed, count: int) -> None:
        self.landmarks_ = chosen
        self.eigenvalues_ = _wide(np.maximum(found.values, 0.0)[None], count)[0]
        self.certificate_, self.solver_ = found.certificate, found.solver
        self.n_iter_, self.converged_ = found.certificate.n_iter, found.certificate.converged
        index = found.index if chosen is None else chosen[found.index]
        self._kept_distances = source.keep(index)
        self._coef, self._constant = _wide(found.coef, count), _wide(found.constant[None], count)[0]
        self._distances = source if chosen is None else None

    def _placed(self, X: Any, source: DistanceSource) -> Array:
        """All items by their distances to the landmarks."""
        if isinstance(source, GivenDistances):
            X = source.D
        elif isinstance(source, KernelDistances) and self._precomputed:
            X = source.gram().dense()
        return np.asarray(self._kept_distances.evaluate(X, self._coef) + self._constant)

    def _judge(self, source: DistanceSource, gram: Any, found: Placed) -> None:
        """What the negative eigenvalues say about the distances."""
        self.negative_eigenvalues_ = np.empty(0)
        if not source.euclidean:
            self.negative_eigenvalues_ = negative_eigenvalues(gram, found.certificate.total)
        size = float(-self.negative_eigenvalues_.sum())
        self.negative_mass_ = size / (found.certificate.total + 2.0 * size) if size else 0.0
        if self.negative_mass_ > _NOTABLE:
            warn(
                f"ClassicalMDS: the dissimilarities must be distances of points to be kept; got negative eigenvalues "
                f"with {self.negative_mass_:.1%} of the spectrum, the smallest {self.negative_eigenvalues_[0]:.3g} "
                f"where the largest is {np.max(found.values, initial=0.0):.3g}. They are dropped: distances of the "
                "points are too large where they count.",
                NotEuclidean,
            )  # fmt: skip

    # ---- what is known after it

    @property
    def dissimilarity_matrix_(self) -> Array:
        """The distances of all pairs of training items; not there after a fit to landmarks."""
        source = getattr(self, "_distances", None)
        if source is None:
            raise AttributeError("dissimilarity_matrix_ is there after a fit to all items")
        if isinstance(source, GivenDistances):
            return np.asarray(source.D)
        return kernel_distances(source.gram(), squared=False).dense()

    @property
    def _n_features_out(self) -> int:
        """The number of coordinates, for get_feature_names_out."""
        return int(self.embedding_.shape[1])

    def transform(self, X: Any) -> Array:
        """Points of new items, by their distances to those of the fit; X of precomputed distances are (new, items)."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        return np.asarray(self._kept_distances.evaluate(X, self._coef) + self._constant)


def _wide(columns: Array, count: int) -> Array:
    """Columns, and zeros in the place of those that are missing."""
    return np.pad(columns, ((0, 0), (0, count - columns.shape[1])))
