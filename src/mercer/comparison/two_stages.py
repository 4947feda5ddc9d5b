"""Tuned on a sample, fitted to all rows: a search on some rows, and then fits of what it chose to all of them.

The fit to all rows is exact where the method's `Large` says so, else by one of its ways.  If there are several, each is
fitted to a part of the rows, and the best on other rows is taken.  Where time is limited the fit has the smallest size;
`enlarge` fits a larger one, as growth.py asks for.
"""

from __future__ import annotations

import time
import warnings
from contextlib import suppress
from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from mercer.comparison.all_rows import Large, Rows, Way, exactly
from mercer.comparison.deadline import expired
from mercer.comparison.kernel_family import lengthscales, stretched
from mercer.comparison.methods import CLASSIFICATION
from mercer.comparison.sample import drawn
from mercer.typing import Array

_TRIAL_ROWS = 10_000  # at most, by which ways are compared
_HELD_OUT = 0.2  # share of them, on which ways are judged
_TRIAL_SIZE = 1  # the place of the size that is compared among all sizes
EXACT = 0  # in the place of a size
_DOUBT = 4.0  # an exact fit may take so many times what its estimate says


class TwoStages(BaseEstimator):  # type: ignore[misc]
    """`search` on at most `rows` of the rows, then its best machine on all of them.

    search     an estimator that tunes itself; with tunes=False it is the machine itself, and there is one stage only
    large      what is done with more rows than an exact fit takes; None: the machine is used as it is
    limited    whether time is: then the first fit to all rows is the quickest, else the largest

    After fit: best_estimator_, search_, refit_time_, how_ (in words: exact or not), fitted_rows_ (positions), and why
    these are not all, in `why_`; size_, and the sizes that can be fitted next in `larger_`.
    """

    def __init__(
        self, search: Any, large: Large | None, rows: int, task: str, tunes: bool = True, limited: bool = False,
        random_state: int | None = 0,
    ) -> None:  # fmt: skip
        self.search, self.large, self.rows, self.task = search, large, rows, task
        self.tunes, self.limited, self.random_state = tunes, limited, random_state

    def fit(self, X: Any, y: Array) -> Self:
        """Search, then fit."""
        rng, n = np.random.default_rng(self.random_state), len(y)
        self.how_, self.size_ = "exact", EXACT
        self.larger_: tuple[int, ...] = ()
        self.way_: Way | None = None
        self.why_: str | None = None
        sample = drawn(y, self.rows, self.task, rng) if self.tunes else np.arange(0)
        self.counts_, self.fitted_rows_ = Rows(n, max(len(sample), 1)), sample
        if self.tunes:
            self.search_ = clone(self.search).fit(_taken(X, sample), y[sample])
            self.best_estimator_ = getattr(self.search_, "best_estimator_", self.search_)
            self.refit_time_ = getattr(self.search_, "refit_time_", 0.0)
            if len(sample) == n:
                return self
        self.tuned_ = self.best_estimator_ if self.tunes else self.search
        try:
            self._begin(X, y, rng)
        except KeyboardInterrupt:
            if not expired() or not hasattr(self, "best_estimator_"):
                raise
            if len(self.fitted_rows_) < n:
                self.why_, self.larger_ = "the time limit ended the fit to all rows", ()
        return self

    def _begin(self, X: Any, y: Array, rng: Any) -> None:
        """The first fit to all rows: exact, or the quickest of the best way, or its largest if time is not limited.

        Where time is limited the quickest fit comes before ways are compared, so that there is one in any case.
        """
        if self.large is None or len(y) <= self.large.exact:
            self.enlarge(X, y, EXACT)
            return
        ways = self.large.usual(len(np.unique(y)) if self.task == CLASSIFICATION else 1)
        if self.limited:
            self._take(ways[0], len(y))
            self.enlarge(X, y, self.larger_[0])
        way, tuned = self._best(ways, X, y, rng)
        if not self.limited or way is not self.way_ or tuned is not self.tuned_:
            self.tuned_ = tuned
            sizes = self._take(way, len(y))
            self.enlarge(X, y, sizes[0] if self.limited else sizes[-1])

    def _take(self, way: Way, n: int) -> tuple[int, ...]:
        """The sizes of a way, which will be fitted next."""
        assert self.large is not None
        sizes = way.usual(n)
        self.way_, self.larger_ = way, (*sizes, EXACT) if self.large.costed else sizes
        return sizes

    def enlarge(self, X: Any, y: Array, size: int) -> Self:
        """A fit of this size to all rows."""
        start = time.perf_counter()
        machine = self._machine(self.way_, size).fit(X, y)
        self.best_estimator_, self.refit_time_ = machine, time.perf_counter() - start
        self.size_, self.fitted_rows_ = size, np.arange(len(y))
        self.larger_ = self.larger_[self.larger_.index(size) + 1 :] if size in self.larger_ else ()
        alone = hasattr(machine, "leaves_") and len(machine.leaves_) == 1
        self.how_ = "exact" if self.way_ is None or size == EXACT or alone else self.way_.words.format(size)
        self.larger_ = () if alone else self.larger_
        return self

    def needs(self, X: Any, size: int, seconds: float) -> float:
        """About how long a fit of this size takes, if that of the present size took so many seconds."""
        assert self.way_ is not None
        if size != EXACT:
            return float(seconds * (size / self.size_) ** self.way_.power)
        cost = self.tuned_.estimate_cost(X)["exact"]
        return float(_DOUBT * cost.seconds if cost.fits else np.inf)

    def _best(self, ways: tuple[Way, ...], X: Any, y: Array, rng: Any) -> tuple[Way, Any]:
        """The way whose machine, fitted to a part of the rows, is the best on others, and the tuned machine.

        The kernel is narrowed as long as that makes it better.
        """
        tuned = self.tuned_
        if len(ways) == 1 and not ways[0].narrows:
            return ways[0], tuned
        some = rng.permutation(drawn(y, _TRIAL_ROWS, self.task, rng))
        held, part = np.sort(some[: int(_HELD_OUT * len(some))]), np.sort(some[int(_HELD_OUT * len(some)) :])
        counts, sets = Rows(len(part), self.counts_.tuned), [(_taken(X, rows), y[rows]) for rows in (part, held)]

        def score(way: Way, tuned: Any) -> float:
            sizes = way.usual(len(part))
            with suppress(ValueError, ArithmeticError), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # those of the fit to all rows are told
                machine = way.build(tuned, counts, sizes[min(_TRIAL_SIZE, len(sizes) - 1)])
                return float(machine.fit(*sets[0]).score(*sets[1]))
            return -np.inf

        scores = [score(way, tuned) for way in ways]
        best, way = max(scores), ways[int(np.argmax(scores))]
        while way.narrows and lengthscales(tuned.kernel) and (now := score(way, _narrowed(tuned))) > best:
            tuned, best = _narrowed(tuned), now
        return way, tuned

    def _machine(self, way: Way | None, size: int) -> Any:
        """A new machine with what the search chose."""
        if way is None:
            return clone(self.tuned_)
        return exactly(self.tuned_) if size == EXACT else way.build(self.tuned_, self.counts_, size)

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


def _narrowed(machine: Any) -> Any:
    """A fitted machine that says it has half of its lengthscales."""
    narrow = copy(machine)
    narrow.kernel = stretched(machine.kernel, 0.5)
    return narrow


def _taken(X: Any, rows: Array) -> Any:
    from mercer import items
    from mercer.estimators.sklearn_private import safe_indexing

    return X[rows] if isinstance(X, items.Items) else safe_indexing(X, rows)
