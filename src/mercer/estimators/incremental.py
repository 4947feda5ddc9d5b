"""More items or fewer after a fit: the factor of the Gram is extended or reduced, and the answer is that of a refit.

    machine.update(X, y)         O(n^2) per new item
    machine.remove(index)        O(n^2) per item that leaves

A fitted machine does not hold its factor, which is as large as the Gram.  The first change computes it again and keeps
it for the next ones; pickles leave it out.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from mercer.errors import NotPositiveDefinite, bad
from mercer.estimators.base import weights
from mercer.estimators.regressor import KernelRegressor, columns_of
from mercer.estimators.training_data import Data
from mercer.solvers.ridge import Factored, Shifted, Targets
from mercer.typing import Array, Gram


class Incremental(KernelRegressor):
    """A machine whose coefficients solve (K + alpha W^-1) a + b = y; a subclass says how the system is made."""

    alpha_: Any
    _targets: Targets
    _factor: Factored | None

    @abstractmethod
    def _system(self, kept: Data, gram: Gram, targets: Targets, alphas: Array) -> Shifted:
        """What solves with K + alpha W^-1, for one alpha or for several."""

    @abstractmethod
    def _settle(self, kept: Data, support: Array, targets: Targets, system: Shifted, gram: Gram | None = None) -> None:
        """Make the machine that predicts, and its proof."""

    @abstractmethod
    def _way(self, kept: Data, several: bool) -> str:
        """The name of the solver; "dual" is the one with a factor."""

    # ---- what people call

    def update(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from more items: what `fit` to all of them gives for alpha_.

        X of a precomputed kernel holds the values between the new items and all: the old ones, then the new.  What a
        kernel has learned from the first items (a vocabulary) stays.
        """
        check_is_fitted(self)
        X, Y = self._new_items(X, y)
        data, rows = self._kept.extended(X)
        n, before = len(self._kept), self.shape_fit_[0]
        weight = weights(type(self).__name__, sample_weight, len(Y))
        used = np.flatnonzero(weight)
        targets = self._targets.plus(Targets(Y[used], weight[used]))
        stay = np.append(np.arange(n), n + used)
        scaled = rows.part(used, stay).dense() * targets.s[n:, None] * targets.s
        self._move(data.keep(stay), np.append(self.support_, before + used), targets, before + len(Y),
                   lambda system: system.extended(scaled[:, :n], scaled[:, n:]))  # fmt: skip
        return self

    def remove(self, index: Any) -> Self:
        """Forget items, by their positions among all that were passed: what `fit` to the rest gives for alpha_.

        Positions are counted anew afterwards.
        """
        check_is_fitted(self)
        gone = _mask(type(self).__name__, index, self.shape_fit_[0])
        out = gone[self.support_]
        if out.all():
            raise bad(type(self).__name__, "index", "some of the items", "all of them", "Leave at least one.")
        stay, left = np.flatnonzero(~out), int((~gone).sum())
        support = (np.cumsum(~gone) - 1)[self.support_[stay]]
        kept = self._kept.keep(stay).renumbered(support, left)
        self._move(kept, support, self._targets.rows(stay), left, lambda system: system.reduced(np.flatnonzero(out)))
        return self

    # ---- how it is done

    def _move(
        self, kept: Data, support: Array, targets: Targets, count: int, step: Callable[[Factored], Factored]
    ) -> None:
        """Take a step with the factor, or solve anew where there is none."""
        moved = self._stepped(step)
        gram = kept.double().gram() if moved is None else None
        system = moved if gram is None else self._system(kept, gram, targets, np.atleast_1d(self.alpha_))
        self._factor = moved
        self.shape_fit_ = (count, count) if self._precomputed else (count, *self.shape_fit_[1:])
        if self._precomputed:
            self.n_features_in_ = count
        self._forget_choice()
        self._settle(kept, support, targets, system, gram)  # type: ignore[arg-type]

    def _stepped(self, step: Callable[[Factored], Factored]) -> Factored | None:
        if self._factor is None and self._way(self._kept, np.ndim(self.alpha_) > 0) != "dual":
            return None
        system = self._system_now()
        try:
            return step(system) if isinstance(system, Factored) else None
        except NotPositiveDefinite:
            return None

    def _system_now(self) -> Shifted:
        """The system of the items there are: the factor if it was kept, or made again."""
        if self._factor is not None:
            return self._factor
        return self._system(self._kept, self._kept.double().gram(), self._targets, np.atleast_1d(self.alpha_))

    def _new_items(self, X: Any, y: Any) -> tuple[Any, Array]:
        """The new items and their targets, checked; of a precomputed kernel, rows that are wider than those of fit."""
        if self._precomputed:
            return check_array(X, dtype=np.float64), self._same_outputs(columns_of(check_array(y, ensure_2d=False)))
        X, Y = self._with_targets(X, y, reset=False)
        return X, self._same_outputs(Y)

    def _same_outputs(self, Y: Array) -> Array:
        if Y.shape[1] != self._targets.k:
            raise bad(type(self).__name__, "y", f"{self._targets.k} number(s) per item, as in fit", Y.shape[1],
                      "Pass targets like those before.")  # fmt: skip
        return Y

    def _forget_choice(self) -> None:
        """Errors that a choice was made by belong to the items it was made on."""
        for name in ("loo_error_", "gcv_"):
            self.__dict__.pop(name, None)

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        return {**state, "_factor": None} if "_factor" in state else state


def _mask(owner: str, index: Any, n: int) -> Array:
    """True at the positions of `index` among n."""
    gone = np.zeros(n, dtype=bool)
    try:
        gone[index] = True
    except (IndexError, ValueError, TypeError):
        raise bad(owner, "index", f"positions of the {n} items", repr(index), "Count from 0.") from None
    return gone
