"""Kernel ridge regression with the kernel chosen too, by exact leave-one-out errors."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from mercer.config import config
from mercer.engine.interrupts import until_interrupted
from mercer.engine.pool import run
from mercer.errors import bad
from mercer.estimators.base import interruptible, weights
from mercer.estimators.low_rank import CELLS
from mercer.estimators.ridge.kernel_ridge import KernelRidge
from mercer.estimators.rows_in_files import opened
from mercer.estimators.sklearn_private import num_samples, safe_indexing
from mercer.items.mapped import is_out_of_memory
from mercer.linalg.spectrum import ONE_THREAD_ROWS
from mercer.typing import Array

_SMALLEST = 100  # items; with fewer, the order of kernels is chance
_PARTS = (8, 4, 2)  # the first rounds use one item in so many
_CLOSE = 0.1  # relative distance to the best error within which a kernel stays in the race
_FINALISTS = 2  # kernels that are fitted to all items, at least
_TINY = 1e-300
_BYTES = 32  # of a decomposition, per pair of items


class KernelRidgeCV(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """KernelRidge with the kernel and the alpha of least leave-one-out error, among given ones.

    For each kernel the errors of all alphas come from one decomposition.  With `screen`, every kernel is first fitted
    to an eighth and a quarter of the items; then the contenders to half, and those still in the race to all.  A kernel
    is a contender if its error would come within a tenth of the best one's with twice the items, provided that the
    ratio of the two falls by as much as it did the last time; the two best always are.  The error of the chosen machine
    is exact; that no other kernel is better is not proven.  `screen=False` fits every kernel to all items.

    method, n_landmarks and landmarks are those of KernelRidge; of very many items on landmarks, loo_error_ holds GCV.

    After fit: best_estimator_ (a KernelRidge), kernel_, alpha_; loo_error_, one row per kernel and one column per
    alpha, on n_items_ items (one number per kernel).
    """

    def __init__(
        self,
        kernels: Sequence[Any] = ("linear", "rbf"),
        alphas: Any = (1e-3, 1e-2, 1e-1, 1.0, 10.0),
        *,
        fit_intercept: bool = False,
        screen: bool = True,
        check_psd: str = "warn",
        random_state: Any = 0,
        method: str = "exact",
        n_landmarks: int | None = None,
        landmarks: Any = "rpcholesky",
    ) -> None:
        self.kernels, self.alphas, self.fit_intercept = kernels, alphas, fit_intercept
        self.screen, self.check_psd, self.random_state = screen, check_psd, random_state
        self.method, self.n_landmarks, self.landmarks = method, n_landmarks, landmarks

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.target_tags.multi_output = True
        return tags

    @interruptible
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Try the kernels on items X with numbers y, and keep the best."""
        if isinstance(self.method, str) and self.method == CELLS:
            raise bad("KernelRidgeCV", "method", "'exact', 'nystrom' or 'auto'", "'cells'",
                      "KernelRidge(alpha=[...], method='cells') chooses alpha in each cell.")  # fmt: skip
        if is_out_of_memory(X):
            X, y = opened(self, X, y)
        if y is None:
            raise ValueError("KernelRidgeCV requires y to be passed, but the target y is None.")
        check_consistent_length(X, y)
        kernels, n, y = list(self.kernels), num_samples(X), np.asarray(y)
        if not kernels:
            raise bad("KernelRidgeCV", "kernels", "at least one", "none", "Pass e.g. [RBF(0.5), RBF(1.0), RBF(2.0)].")
        order, weight = check_random_state(self.random_state).permutation(n), weights("fit", sample_weight, n)
        self.loo_error_ = np.full((len(kernels), len(np.atleast_1d(self.alphas))), np.inf)
        self.n_items_ = np.zeros(len(kernels), dtype=int)
        alive, before, self._n = np.arange(len(kernels)), None, n
        models: dict[int, KernelRidge] = {}
        with until_interrupted():
            for size in [*self._sizes(n), n]:
                some = np.sort(order[:size])
                part = X if size == n else safe_indexing(X, some)
                self._try(models, alive, part, y[some], weight[some])
                now = self.loo_error_.min(axis=1)
                ranked = alive[np.argsort(now[alive], kind="stable")]
                alive, before = _contenders(ranked, before, now), now
        best = self._leader()
        if self.n_items_[best] < n:  # the choice was interrupted before the last round
            self._try(models, np.array([best]), X, y, weight)
        self.best_estimator_ = models[best]
        self.kernel_, self.alpha_ = kernels[best], self.best_estimator_.alpha_
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.best_estimator_, name):
                setattr(self, name, getattr(self.best_estimator_, name))
        return self

    def reads_blocks(self, n: int) -> bool:
        """Rows in a file stay there: the machine of each kernel decides for itself."""
        return True

    def _sizes(self, n: int) -> list[int]:
        """How many items the kernels are tried on before they are tried on all."""
        few = len(self.kernels) <= _FINALISTS or n // _PARTS[0] < _SMALLEST
        return [n // part for part in _PARTS] if self.screen and not few else []

    def _leader(self) -> int:
        """The kernel of least error among those that were tried on the most items."""
        most = int(self.n_items_.max())
        if not most:
            raise KeyboardInterrupt("KernelRidgeCV was interrupted before the first kernel had been tried.")
        return int(np.argmin(np.where(self.n_items_ == most, self.loo_error_.min(axis=1), np.inf)))

    def _try(self, models: dict[int, KernelRidge], alive: Array, X: Any, y: Array, weight: Array) -> None:
        """Put a machine for each of these kernels into `models`, and its errors into the table; small ones together.

        On a part of the items there are no more landmarks than items.
        """
        most = len(y) if len(y) < self._n else sys.maxsize

        def learn(i: int) -> None:
            few = None if self.n_landmarks is None else min(self.n_landmarks, most)
            model = KernelRidge(self.alphas, kernel=self.kernels[i], fit_intercept=self.fit_intercept,
                                check_psd=self.check_psd, method=self.method, n_landmarks=few,
                                landmarks=self.landmarks)  # fmt: skip
            models[i] = model._fit(X, y, weight, choose=True)
            self.loo_error_[i], self.n_items_[i] = getattr(model, "loo_error_", model.gcv_), len(y)

        if len(y) <= ONE_THREAD_ROWS and _BYTES * len(y) ** 2 * config().threads <= config().memory:
            run(learn, alive.tolist())
        else:
            for i in alive.tolist():
                learn(i)

    @property
    def method_(self) -> str:
        """The method of the best machine: "exact" or "nystrom"."""
        return str(self.best_estimator_.method_)

    @property
    def approximation_(self) -> Any:
        """Rank and trace error of its landmarks; None for an exact fit."""
        return self.best_estimator_.approximation_

    def predict(self, X: Any) -> Array:
        """f(x) + b of the best machine."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)


def _contenders(ranked: Array, before: Array | None, now: Array) -> Array:
    """Those of the kernels, best first, that may be the best on more items, by their errors on half as many and now.

    Errors count in units of the best one's: what the items have in common, noise above all, moves them alike.
    """
    if before is None:  # one look tells nothing of what more items bring
        return ranked
    first, second = (error[ranked] / max(error[ranked[0]], _TINY) for error in (before, now))
    promise = second * np.minimum(second / np.maximum(first, _TINY), 1.0)
    return np.asarray(ranked[(promise <= 1.0 + _CLOSE) | (np.arange(len(ranked)) < _FINALISTS)])
