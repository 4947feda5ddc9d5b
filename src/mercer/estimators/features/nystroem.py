"""Nystroem: the features of a kernel on landmarks, with scikit-learn's arguments and attributes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state

from mercer.errors import bad, warn
from mercer.estimators.base import KernelEstimator
from mercer.estimators.embedding.axes import whole
from mercer.estimators.training_data import Approximation, Data
from mercer.solvers.landmarks import RULES, chosen
from mercer.typing import Array

AUTO = "auto"
_SMALLEST = 1e-12  # singular values of K_mm count as at least this, as in scikit-learn
_TRIED = 2000  # items on which the trace error is measured
_OPTIONS = {"degree": 3, "coef0": 1}  # of named kernels, where None is given


class FewItems(UserWarning):
    """There are fewer items than components."""


class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):  # type: ignore[misc]
    """phi(x) = K_mm^(-1/2) k(landmarks, x), so that <phi(x), phi(y)> = k(x, Z) K_mm^-1 k(Z, y), which is about k(x, y).

    kernel, gamma, coef0, degree, kernel_params, n_components, random_state and n_jobs (no effect) are scikit-learn's;
    kernel may be any kernel on any kind of item, too.  Beyond that

    landmarks    "rpcholesky", "uniform", "kmeans++", "leverage", or "auto": rpcholesky, which needs fewer components
                 for the same error, if the kernel is known to be positive semi-definite; else uniform, as in
                 scikit-learn

    After fit: components_ (the landmarks), component_indices_ and normalization_ as in scikit-learn; approximation_
    (rank and trace error, measured on at most 2000 of the items).
    """

    takes_spread = True

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = None,
        coef0: float | None = None,
        degree: float | None = None,
        kernel_params: dict[str, Any] | None = None,
        n_components: int = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        landmarks: str = AUTO,
    ) -> None:
        self.kernel, self.gamma, self.coef0, self.degree = kernel, gamma, coef0, degree
        self.kernel_params, self.n_components = kernel_params, n_components
        self.random_state, self.n_jobs, self.landmarks = random_state, n_jobs, landmarks

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the landmarks among the items X; y is ignored."""
        self._require_no_options()
        count = whole("Nystroem", "n_components", self.n_components) or 1
        X = self._checked(X, reset=True)
        data = self._data(X)
        rule = self._rule(data)
        if count > len(data):
            warn(f"Nystroem: n_components must be at most n_samples = {len(data)}; got {count}. n_components was set "
                 "to n_samples, which makes the features exact and as many as the items.", FewItems)  # fmt: skip
        index = _filled(data, min(count, len(data)), rule, check_random_state(self.random_state).randint(2**31 - 1))
        exact = data.double()
        self.normalization_ = _inverse_root(np.asarray(exact.gram().values(index, index), dtype=float))
        self.component_indices_, self._kept = index, data.keep(index)
        self.approximation_ = self._measured(exact, index, rule)
        self._n_features_out = len(index)
        return self

    def reads_blocks(self, n: int) -> bool:
        """Always: only the landmarks and a sample are compared."""
        return True

    def _option(self, name: str) -> Any:
        given = super()._option(name)
        return _OPTIONS.get(name) if given is None else given

    def _require_no_options(self) -> None:
        named = isinstance(self.kernel, str) and not self._precomputed
        if not named and any(option is not None for option in (self.gamma, self.coef0, self.degree)):
            raise ValueError("Don't pass gamma, coef0 or degree to Nystroem if using a callable or precomputed kernel: "
                             "they belong to kernels that are given by name. Leave them out.")  # fmt: skip

    def _rule(self, data: Data) -> str:
        if not isinstance(self.landmarks, str) or self.landmarks not in (AUTO, *RULES):
            raise bad("Nystroem", "landmarks", f"one of {(AUTO, *RULES)}", repr(self.landmarks), "Try 'auto'.")
        return ("rpcholesky" if data.psd else "uniform") if self.landmarks == AUTO else self.landmarks

    def _measured(self, data: Data, index: Array, rule: str) -> Approximation:
        """The share of the trace that features miss, on evenly spread items."""
        n = len(data)
        some = np.arange(n) if n <= _TRIED else np.linspace(0, n - 1, _TRIED).astype(np.intp)
        gram = data.gram()
        F = np.asarray(gram.values(some, index), dtype=float) @ self.normalization_.T
        trace = float(np.sum(np.asarray(gram.diag(), dtype=float)[some]))
        missed = max(trace - float(np.einsum("ij,ij->", F, F)), 0.0)
        return Approximation("nystrom", len(index), rule, missed * n / len(some), missed / max(trace, 1e-300),
                             sampled=len(some) < n)  # fmt: skip

    @property
    def components_(self) -> Any:
        """The landmarks as they were passed."""
        if not hasattr(self, "_kept"):
            raise AttributeError("Nystroem has components_ after fit")
        return self._kept.as_passed()

    def transform(self, X: Any) -> Array:
        """The features of items, one column per landmark."""
        X = self._items(X)
        F = self._kept.cross(X) @ self.normalization_.T
        return F.astype(np.float32) if getattr(X, "dtype", None) == np.float32 else F


def _filled(data: Data, count: int, rule: str, seed: int) -> Array:
    """Exactly so many positions: where fewer landmarks explain all there is, others are added."""
    index = chosen(data.double().gram(), count, rule, seed)
    if len(index) < count:
        rest = np.setdiff1d(np.arange(len(data)), index)
        index = np.append(index, np.random.default_rng(seed).permutation(rest)[: count - len(index)])
    return np.asarray(index, dtype=np.intp)


def _inverse_root(K: Array) -> Array:
    """K^(-1/2) by singular values, of which none counts as less than rounding."""
    U, s, V = np.linalg.svd(0.5 * (K + K.T))
    return np.asarray(U / np.sqrt(np.maximum(s, _SMALLEST)) @ V)
