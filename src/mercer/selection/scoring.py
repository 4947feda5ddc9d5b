"""Scores of candidates on folds: scikit-learn's scorers, on machines that were fitted to kernel values."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from mercer.estimators.shared_fits import Fit
from mercer.estimators.sklearn_private import (
    check_method_params,
    metrics_of,
    num_samples,
    reads_predictions_only,
    safe_indexing,
    safe_split,
    score_fitted,
)
from mercer.typing import Array

Split = tuple[Array, Array]
_METHODS = ("predict", "decision_function", "predict_proba", "predict_log_proba", "score")


@dataclass(frozen=True, eq=False)
class Outcome:
    """One candidate on one fold."""

    score: Any
    train_score: Any
    fit_seconds: float
    score_seconds: float
    gap: float
    error: str | None = None

    def as_scikit_learn(self) -> dict[str, Any]:
        """The same under the names that scikit-learn's search classes give it."""
        return {
            "test_scores": self.score, "train_scores": self.train_score, "fit_time": self.fit_seconds,
            "score_time": self.score_seconds, "fit_error": self.error,
        }  # fmt: skip


class OnItems:
    """A machine that was fitted to kernel values, for a user's scorer that shows it the items themselves.

    `held` and `own` are the held-out items and the training items; the machine gets their kernel values instead.
    """

    def __init__(self, fit: Fit, held: Any, own: Any) -> None:
        self._fit, self._held, self._own = fit, held, own

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._fit.machine, name)
        return partial(self._asked, found) if name in _METHODS else found

    def _asked(self, method: Any, X: Any, *more: Any, **options: Any) -> Any:
        if X is self._held:
            return method(self._fit.held, *more, **options)
        if X is self._own:
            return method(self._fit.own, *more, **options)
        raise ValueError("KernelSearchCV: a scorer may show a machine the items that it was given, and no others")


@dataclass(frozen=True, eq=False)
class FoldScorer:
    """Data, folds and scorers."""

    X: Any
    y: Any
    splits: list[Split]
    scorer: Any
    params: dict[str, Any]
    train_scores: bool
    error_score: Any

    @cached_property
    def reads_predictions_only(self) -> bool:
        """Whether scorers are scikit-learn's own, which use nothing but what a machine predicts."""
        return reads_predictions_only(self.scorer)

    @cached_property
    def leaves_one_out(self) -> bool:
        """Whether every fold holds out one item, every item is held out once, and all others are trained on."""
        n = num_samples(self.X)
        out = [int(test[0]) if len(test) == 1 and len(train) == n - 1 else -1 for train, test in self.splits]
        alone = sorted(out) == list(range(n))
        return alone and all(test[0] not in train for train, test in self.splits)

    def outcome(self, model: Any, f: int, fit: Fit, seconds: float) -> Outcome:
        """The scores of a fit of `model` on the items held out, and on the training items if that is asked for."""
        began = time.perf_counter()
        score = self._score(model, f, fit, own=False)
        took = time.perf_counter() - began
        train_score = self._score(model, f, fit, own=True) if self.train_scores else None
        return Outcome(score, train_score, seconds, took, fit.gap)

    def _score(self, model: Any, f: int, fit: Fit, *, own: bool) -> Any:
        train, test = self.splits[f]
        index = train if own else test
        params = check_method_params(self.X, params=self.params, indices=index)
        machine, X = fit.machine, fit.own if own else fit.held
        if not self.reads_predictions_only:
            held_items, own_items = (safe_split(model, self.X, None, some, train)[0] for some in (test, train))
            machine, X = OnItems(fit, held_items, own_items), own_items if own else held_items
        return score_fitted(machine, X, self.targets(index), self.scorer, params, self.error_score)

    def failed(self, error: Exception) -> Outcome:
        """The outcome of a fit that ended in an error; raises it if that is asked for."""
        if isinstance(self.error_score, str):
            raise error
        metrics = metrics_of(self.scorer)
        score = self.error_score if metrics is None else dict.fromkeys(metrics, self.error_score)
        return Outcome(score, score, 0.0, 0.0, np.nan, f"{type(error).__name__}: {error}")

    def targets(self, index: Array) -> Any:
        """y of some items."""
        return None if self.y is None else safe_indexing(self.y, index)
