"""Kernel ridge regression with the kernel chosen too, by exact leave-one-out errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import _num_samples, check_consistent_length, check_is_fitted

from mercer.config import config
from mercer.engine.pool import run
from mercer.errors import bad
from mercer.estimators.base import weights
from mercer.estimators.ridge import KernelRidge
from mercer.typing import Array

_SMALLEST = 200  # items: among fewer the order of kernels is chance
_FINALISTS = 2  # kernels that are at least tried on all items
_BYTES = 32  # of a decomposition, per pair of items


class KernelRidgeCV(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """KernelRidge with the kernel and the alpha of least leave-one-out error, among given ones.

    For each kernel the errors of all alphas come from one decomposition.  With `screen`, every kernel is first tried on
    a quarter of the items, the best third of them on half, and the best of these on all: the answer is that of the
    full search unless a kernel is good on all items and poor on many of them, at a fraction of its cost.

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
    ) -> None:
        self.kernels, self.alphas, self.fit_intercept = kernels, alphas, fit_intercept
        self.screen, self.check_psd, self.random_state = screen, check_psd, random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Try the kernels on items X with numbers y, and keep the best."""
        if y is None:
            raise ValueError("KernelRidgeCV requires y to be passed, but the target y is None.")
        check_consistent_length(X, y)
        kernels, n, y = list(self.kernels), _num_samples(X), np.asarray(y)
        if not kernels:
            raise bad("KernelRidgeCV", "kernels", "at least one", "none", "Pass e.g. [RBF(0.5), RBF(1.0), RBF(2.0)].")
        order, weight = check_random_state(self.random_state).permutation(n), weights("fit", sample_weight, n)
        self.loo_error_ = np.full((len(kernels), len(np.atleast_1d(self.alphas))), np.inf)
        self.n_items_ = np.zeros(len(kernels), dtype=int)
        alive = np.arange(len(kernels))
        for size in [*self._sizes(n), n]:
            if size < n and len(alive) <= _FINALISTS:
                continue
            some = np.sort(order[:size])
            part = X if size == n else _safe_indexing(X, some)
            models = self._tried(alive, part, y[some], weight[some])
            alive = alive[np.argsort(self.loo_error_[alive].min(axis=1), kind="stable")]
            last, alive = alive, alive[: max(_FINALISTS, len(alive) // 3)]
        self.best_estimator_ = models[last[0]]
        self.kernel_, self.alpha_ = kernels[last[0]], self.best_estimator_.alpha_
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.best_estimator_, name):
                setattr(self, name, getattr(self.best_estimator_, name))
        return self

    def _sizes(self, n: int) -> list[int]:
        """How many items the kernels are tried on before they are tried on all."""
        return [m for m in (n // 4, n // 2) if m >= _SMALLEST] if self.screen else []

    def _tried(self, alive: Array, X: Any, y: Array, weight: Array) -> dict[int, KernelRidge]:
        """A machine for each of these kernels, and its errors in the table; side by side where memory allows that."""
        models: dict[int, KernelRidge] = {}

        def learn(i: int) -> None:
            model = KernelRidge(self.alphas, kernel=self.kernels[i], fit_intercept=self.fit_intercept,
                                check_psd=self.check_psd)  # fmt: skip
            models[i] = model._fit(X, y, weight, choose=True)
            self.loo_error_[i], self.n_items_[i] = model.loo_error_, len(y)

        if _BYTES * len(y) ** 2 * config().threads <= config().memory:
            run(learn, alive.tolist())
        else:
            for i in alive.tolist():
                learn(i)
        return models

    def predict(self, X: Any) -> Array:
        """f(x) + b of the best machine."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)
