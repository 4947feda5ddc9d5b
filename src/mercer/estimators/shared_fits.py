"""Shared fits: what an estimator offers to a search that fits many machines of its kind.

A search (selection/) has a Gram, several machines that differ in parameters such as C or alpha, and several folds.  It
asks each machine whether it can share work with the others, and fits it by itself if not:

    offer = offered(machine, y, psd=..., leave_one_out=...)    None: fit this machine by itself
    offer.fit(machines, folds)                                 one call for all machines whose offers are equal

The answer comes from the method `shared_fits` of the estimator, where it has one:

    def shared_fits(self, y, *, psd, leave_one_out) -> SharedFits | None

    y               the targets of the training items
    psd             whether the kernel is known to be positive semi-definite; None: nothing is known
    leave_one_out   every fold holds out one item, each item once, without weights, and only held-out items are scored

A shared fit must give the scored items the values that `fit` and `predict` would give them.  The method looks at the
parameters and at y, and returns None for a problem that the shared fit does not solve, or that `fit` refuses.

A subclass inherits the offer only if it inherits all other methods too.  If it overrides `fit`, `predict` or any other
method, `offered` returns None for it, unless it has a `shared_fits` of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from inspect import getattr_static
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from mercer.gram.row_centred import row_centred_array
from mercer.native import gather
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted machine for a scorer.

    gap     the relative duality gap; nan where there is none
    held    what the scorer passes to `predict` in place of the held-out items
    own     the same for the training items
    """

    machine: Any
    gap: float
    held: Any
    own: Any


Fits = list[list[Fit | None]]  # one list per fold, in the order of the machines; None: there was no time for the fit


@dataclass(frozen=True)
class SharedFits:
    """An offer to fit several machines in one call.

    fit           (machines, folds) -> Fits
    key           what machines must have in common to be fitted in one call, beside the Gram
    by_fold       folds share nothing: each is a call of its own, and calls may run on several threads
    row_centred   a Gram in single precision with centred rows is enough (gram/row_centred.py)
    """

    fit: Callable[[Sequence[Any], Sequence[Fold]], Fits]
    key: Hashable = None
    by_fold: bool = False
    row_centred: bool = False


@dataclass(frozen=True, eq=False)
class Fold:
    """One split of the items of a Gram.

    K, y      kernel values of all pairs of items, and the targets of all items
    train     the positions of the training items; `weight` are their weights, None for 1
    scored    the positions of the items that are scored: first the `held` held-out ones, then the training items if
              these are scored too
    go_on     returns whether there is time for more work
    """

    K: Array
    y: Array
    train: Array
    scored: Array
    held: int
    weight: Array | None
    go_on: Callable[[], bool]

    def part(self, rows: Array, columns: Array) -> Array:
        """K[rows, columns]."""
        out = np.empty((len(rows), len(columns)), dtype=self.K.dtype)
        gather.gather(np.ascontiguousarray(self.K), rows, columns, out)
        return out

    def values(self, items: Array, B: Array) -> Array:
        """K[scored, items] @ B in the precision of K; items whose row of B is zero are skipped."""
        J = np.flatnonzero(B.any(axis=1))
        B = B[J] if len(J) < len(B) else B
        return np.asarray(B.T.astype(self.K.dtype) @ self.part(items[J], self.scored)).T

    def row_centred(self) -> Fold:
        """The same fold with a Gram in single precision with centred rows."""
        return self if self.K.dtype == np.float32 else replace(self, K=row_centred_array(self.K))

    def fit(self, machine: Any, values: Array, gap: float) -> Fit:
        """The fit of a machine whose `predict` takes the given values in place of the scored items."""
        return Fit(machine, gap, values[: self.held], values[self.held :])


class GivenPredictions(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor whose predictions are known: `predict` gets them in place of items, and returns them."""

    def predict(self, X: Any) -> Array:
        """The predictions that were passed as X."""
        return np.asarray(X)

    def __sklearn_is_fitted__(self) -> bool:
        return True


def offered(machine: Any, y: Array, *, psd: bool | None, leave_one_out: bool) -> SharedFits | None:
    """The offer of a machine; None if it makes none, or if it overrides a method of the class that offers."""
    kind = type(machine)
    author = next((cls for cls in kind.__mro__ if "shared_fits" in vars(cls)), None)
    if author is None or overrides(kind, author):
        return None
    found: SharedFits | None = machine.shared_fits(y, psd=psd, leave_one_out=leave_one_out)
    return found


def overrides(kind: type, base: type) -> bool:
    """Whether a subclass defines a name of its base again.

    Names that begin with two underscores do not count: an offer depends on parameters, not on the __init__ that set
    them.  Nor do the methods set_..._request, which scikit-learn makes for every class.
    """
    if kind is base:
        return False
    names = (name for name in dir(base) if not name.startswith("__") and not name.endswith("_request"))
    return any(getattr_static(kind, name) is not getattr_static(base, name) for name in names)


def passes(psd: bool | None, check_psd: Any) -> bool:
    """Whether `fit` accepts a kernel without a test of its whole Gram."""
    return bool(psd) or (psd is None and check_psd != "raise")


def are_numbers(y: Array, *, most: int) -> bool:
    """Whether targets are finite numbers in an array of 1 to `most` dimensions."""
    return 1 <= y.ndim <= most and y.dtype.kind in "fiu" and bool(np.isfinite(y).all())
