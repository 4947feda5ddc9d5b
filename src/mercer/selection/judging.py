"""What a candidate is worth on a fold: scikit-learn's scorers on machines that were fitted to kernel values."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from sklearn.metrics._scorer import _BaseScorer, _MultimetricScorer, _PassthroughScorer
from sklearn.model_selection._validation import _score
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _check_method_params, _num_samples

from mercer.typing import Array

Split = tuple[Array, Array]
HELD, OWN = 0, 1  # the items held out of a fold, and those that its machines were fitted to
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


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted machine, and what it is to be given in place of the items of a fold (its HELD and its OWN ones)."""

    machine: Any
    gap: float
    given: Callable[[int], Any]


class OnItems:
    """A machine that was fitted to kernel values, for a function that wants to show it the items themselves."""

    def __init__(self, fit: Fit, items: tuple[Any, Any]) -> None:
        self._fit, self._items = fit, items

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._fit.machine, name)
        return partial(self._asked, found) if name in _METHODS else found

    def _asked(self, method: Any, X: Any, *more: Any, **options: Any) -> Any:
        for which, items in enumerate(self._items):
            if X is items:
                return method(self._fit.given(which), *more, **options)
        raise ValueError("KernelSearchCV: a scorer may show a machine the items that it was given, and no others")


@dataclass(frozen=True, eq=False)
class Judge:
    """Data, folds and scorers."""

    X: Any
    y: Any
    splits: list[Split]
    scorer: Any
    params: dict[str, Any]
    train_scores: bool
    error_score: Any

    @property
    def looks_at_values_only(self) -> bool:
        """Whether scorers are scikit-learn's own, which look at nothing but what a machine predicts."""
        scorers = self.scorer._scorers.values() if isinstance(self.scorer, _MultimetricScorer) else [self.scorer]
        return all(isinstance(scorer, (_BaseScorer, _PassthroughScorer)) for scorer in scorers)

    @cached_property
    def leaves_one_out(self) -> bool:
        """Whether every item is left out once and by itself, and learned from otherwise."""
        n = _num_samples(self.X)
        out = [int(test[0]) if len(test) == 1 and len(train) == n - 1 else -1 for train, test in self.splits]
        alone = sorted(out) == list(range(n))
        return alone and all(test[0] not in train for train, test in self.splits)

    def outcome(self, model: Any, f: int, fit: Fit, seconds: float) -> Outcome:
        """The scores of a fit of `model` on the items held out, and on its own if that is asked for."""
        began = time.perf_counter()
        score = self._score(model, f, fit, HELD)
        took = time.perf_counter() - began
        own = self._score(model, f, fit, OWN) if self.train_scores else None
        return Outcome(score, own, seconds, took, fit.gap)

    def _score(self, model: Any, f: int, fit: Fit, which: int) -> Any:
        train, test = self.splits[f]
        index = train if which == OWN else test
        params = _check_method_params(self.X, params=self.params, indices=index)
        machine, X = fit.machine, fit.given(which)
        if not self.looks_at_values_only:
            items = tuple(_safe_split(model, self.X, None, some, train)[0] for some in (test, train))
            machine, X = OnItems(fit, items), items[which]
        return _score(machine, X, self.targets(index), self.scorer, params, self.error_score)

    def failed(self, error: Exception) -> Outcome:
        """The outcome of a fit that ended in an error; raises it if that is asked for."""
        if isinstance(self.error_score, str):
            raise error
        score = self.error_score
        if isinstance(self.scorer, _MultimetricScorer):
            score = dict.fromkeys(self.scorer._scorers, self.error_score)
        return Outcome(score, score, 0.0, 0.0, np.nan, f"{type(error).__name__}: {error}")

    def targets(self, index: Array) -> Any:
        """y of some items."""
        return None if self.y is None else _safe_indexing(self.y, index)
