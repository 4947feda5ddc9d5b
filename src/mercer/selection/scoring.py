"""Scores of fits on folds, by scikit-learn's scorers, also where machines are given kernel values in place of items."""

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
    """A machine that was fitted to kernel values, as it is shown to a user's scorer, which knows only items.

    Where the scorer passes the held-out items `held` or the training items `own`, the machine gets kernel values.
    """

    def __init__(self, fit: Fit, held: Any, own: Any) -> None:
        self._fit, self._held, self._own = fit, held, own

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._fit.machine, name)
        return partial(self._call, found) if name in _METHODS else found

    def _call(self, method: Any, X: Any, *more: Any, **options: Any) -> Any:
        if X is self._held:
            return method(self._fit.held, *more, **options)
        if X is self._own:
            return method(self._fit.own, *more, **options)
        raise ValueError("KernelSearchCV: a scorer may call a machine with the items that it was given; got others. "
                         "Use scikit-learn's GridSearchCV with this scorer.")  # fmt: skip


@dataclass(frozen=True, eq=False)
class FoldScorer:
    """The data of a search, its folds, and how fits are scored.

    weight         the weights of the items; None for 1
    scorer_reads   "labels", "predictions" or "machine" (estimators/sklearn_private.py)
    params         the parameters of the scorer, such as its own sample_weight
    train_scores   whether training items are scored too
    error_score    the score of a fit that fails; "raise" raises its error
    """

    X: Any
    y: Any
    weight: Array | None
    splits: list[Split]
    scorer: Any
    scorer_reads: str
    params: dict[str, Any]
    train_scores: bool
    error_score: Any

    @cached_property
    def leave_one_out(self) -> bool:
        """Whether every fold holds out one item, each item once, and weights and training scores are not needed."""
        n = num_samples(self.X)
        if self.weight is not None or self.train_scores or len(self.splits) != n:
            return False
        every = all(len(test) == 1 and len(train) == n - 1 and test[0] not in train for train, test in self.splits)
        return every and len({int(test[0]) for _, test in self.splits}) == n

    def outcome(self, model: Any, f: int, fit: Fit, seconds: float) -> Outcome:
        """The scores of a fit of `model` on the held-out items of fold f, and on its training items if asked for."""
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
        if self.scorer_reads == "machine":
            held_items, own_items = (safe_split(model, self.X, None, some, train)[0] for some in (test, train))
            machine, X = OnItems(fit, held_items, own_items), own_items if own else held_items
        return score_fitted(machine, X, self.targets(index), self.scorer, params, self.error_score)

    def failed(self, error: Exception) -> Outcome:
        """The outcome of a fit that ended in an error; with error_score="raise" the error is raised."""
        if isinstance(self.error_score, str):
            raise error
        metrics = metrics_of(self.scorer)
        score = self.error_score if metrics is None else dict.fromkeys(metrics, self.error_score)
        return Outcome(score, score, 0.0, 0.0, np.nan, f"{type(error).__name__}: {error}")

    def targets(self, index: Array) -> Any:
        """y of some items."""
        return None if self.y is None else safe_indexing(self.y, index)
