"""Tuned on a sample, fitted to all rows: a search on some rows, and then one fit of what it chose to all of them.

The fit to all rows is exact where the method's `Large` says so, else by landmarks, prototypes or leaves, as many as the
time allows: a middling number is fitted to a part of the rows, and the seconds that took are extrapolated, in
proportion to rows and to the square of the size (to the size itself for smaller ones).
"""

from __future__ import annotations

import time
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from mercer.comparison.all_rows import Large
from mercer.comparison.deadline import expired
from mercer.comparison.methods import CLASSIFICATION
from mercer.comparison.sample import drawn
from mercer.typing import Array

_PART = 16  # the trial is on this part of the rows
_TRIAL_ROWS = 1000  # at least
_TRIAL_SIZE = 2  # the place of its size among all sizes
_SAFETY = 0.6  # share of the time left that the fit may take by the extrapolation
_PREDICTED = 200  # rows that the trial predicts


class TwoStages(BaseEstimator):  # type: ignore[misc]
    """`search` on at most `rows` of the rows, then its best machine on all of them.

    search      an estimator that tunes itself; with tunes=False it is the machine itself, and there is one stage only
    large       what is done with more rows than an exact fit takes; None: the machine is used as it is
    predicts    how many rows will be predicted: their time counts too
    seconds     for all of it; None: no limit

    After fit: best_estimator_, search_, refit_time_, how_ (in words: exact or not), fitted_rows_ (positions), and why
    these are not all, in `why_`.
    """

    def __init__(
        self, search: Any, large: Large | None, rows: int, task: str, predicts: int = 0, tunes: bool = True,
        seconds: float | None = None, random_state: int | None = 0,
    ) -> None:  # fmt: skip
        self.search, self.large, self.rows, self.task = search, large, rows, task
        self.predicts, self.tunes, self.seconds, self.random_state = predicts, tunes, seconds, random_state

    def fit(self, X: Any, y: Array) -> Self:
        """Search, then fit."""
        began = time.perf_counter()
        rng = np.random.default_rng(self.random_state)
        n = len(y)
        sample = drawn(y, self.rows, self.task, rng) if self.tunes else np.arange(0)
        self.how_, self.fitted_rows_ = "exact", np.arange(n)
        self.why_: str | None = None
        if self.tunes:
            self.search_ = clone(self.search).fit(_taken(X, sample), y[sample])
            self.best_estimator_ = getattr(self.search_, "best_estimator_", self.search_)
            self.refit_time_ = getattr(self.search_, "refit_time_", 0.0)
            if len(sample) == n:
                return self
        left = None if self.seconds is None else self.seconds - (time.perf_counter() - began)
        found = self._size(X, y, len(sample), left, rng)
        if found is None:
            self.fitted_rows_ = sample
            return self
        return self._finish(X, y, sample, found)

    def _finish(self, X: Any, y: Array, sample: Array, size: int) -> Self:
        """The fit to all rows; if time ends it, the machine of the search stays."""
        start = time.perf_counter()
        try:
            machine = self._machine(size, len(y) / max(len(sample), 1)).fit(X, y)
        except KeyboardInterrupt:
            if not expired() or not self.tunes:
                raise
            self.why_, self.fitted_rows_ = "the time limit ended the fit to all rows", sample
            return self
        self.best_estimator_, self.refit_time_ = machine, time.perf_counter() - start
        if size and self.large is not None and not (hasattr(machine, "leaves_") and len(machine.leaves_) == 1):
            self.how_ = self.large.words.format(size)
        return self

    def _machine(self, size: int, growth: float) -> Any:
        """A new machine with what the search chose; size 0 is an exact one."""
        chosen = self.best_estimator_ if self.tunes else self.search
        if not size or self.large is None:
            return clone(chosen)
        return self.large.build(chosen, growth, size)

    def _size(self, X: Any, y: Array, sampled: int, left: float | None, rng: Any) -> int | None:
        """The size of the fit to all rows, 0 for an exact one; None if there is no time for any."""
        n, classes = len(y), len(np.unique(y)) if self.task == CLASSIFICATION else 2
        if self.large is None or n <= self.large.exact:
            sizes: tuple[int, ...] = (0,)
        else:
            sizes = self.large.usual(n, classes)
        if left is None or n <= _TRIAL_ROWS:
            return sizes[-1]
        tried = sizes[min(_TRIAL_SIZE, len(sizes) - 1)]
        part = drawn(y, min(n, max(_TRIAL_ROWS, n // _PART, 2 * tried)), self.task, rng)
        seconds = self._trial(X, y, part, tried, sampled)
        needs = {size: seconds * _growth(size, tried) for size in sizes}
        fitting = [size for size in sizes if needs[size] <= _SAFETY * left]
        if not fitting and self.tunes:
            self.why_ = f"all would take about {needs[sizes[0]]:.0f} s"
        return fitting[-1] if fitting else None if self.tunes else sizes[0]

    def _trial(self, X: Any, y: Array, part: Array, size: int, sampled: int) -> float:
        """Seconds of a fit to all rows and of its predictions, from a fit to some."""
        growth = len(part) / max(sampled, 1)
        Z, more = _taken(X, part), len(y) / len(part)
        start = time.perf_counter()
        machine = self._machine(size, growth).fit(Z, y[part])
        fitted = time.perf_counter()
        some = min(_PREDICTED, len(part))
        machine.predict(_taken(X, part[:some]))
        predicted = (time.perf_counter() - fitted) * self.predicts / some
        cost = (fitted - start) * (more if size else more**2)
        return cost + predicted * (1.0 if size else more)

    # ---- the machine that was fitted

    @property
    def machine_(self) -> Any:
        """What a user keeps: the search or the machine, if there was one stage only, else both stages."""
        if not self.tunes:
            return self.best_estimator_
        return self.search_ if self.best_estimator_ is getattr(self.search_, "best_estimator_", self.search_) else self

    def predict(self, X: Any) -> Any:
        """The predictions of the fitted machine."""
        return self.best_estimator_.predict(X)


def _growth(size: int, tried: int) -> float:
    """The cost of a size, in units of that of the one which was tried."""
    ratio = size / max(tried, 1)
    return 1.0 if not size else ratio**2 if ratio > 1.0 else ratio


def _taken(X: Any, rows: Array) -> Any:
    from mercer import items
    from mercer.estimators.sklearn_private import safe_indexing

    return X[rows] if isinstance(X, items.Items) else safe_indexing(X, rows)
