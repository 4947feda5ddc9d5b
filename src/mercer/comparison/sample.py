"""Sample: the items that take part in a comparison, split into training items and held-out ones, with their kernel.

Items are used as they are; table_sample.py makes a sample of a table, whose columns are scaled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np

from mercer import items
from mercer.comparison.methods import CLASSIFICATION, METHODS, REGRESSION, is_precomputed
from mercer.errors import bad
from mercer.kernels import Kernel
from mercer.tables import Table
from mercer.typing import Array

RARE = 4  # a class of fewer rows cannot be split and folded
WARM_UP_ITEMS = 40  # items, shared by the classes, of a fit that is not timed


@dataclass(frozen=True, eq=False)
class Sample:
    """Items ready for machines.

    X, vectors    as the kernel takes them, and as methods take them that know numbers only (None: the same)
    splits        pairs (train, test) of positions
    table         the features as they were read, if the items are rows of a table
    total, rows   how many rows with a target it had, and which of them take part
    is_default    the kernel is the default for the columns
    notes         what was done to the rows, in sentences
    """

    X: Any
    y: Array
    task: str
    kernel: Any
    splits: list[tuple[Array, Array]]
    random_state: int | None = 0
    scoring: Any = None
    vectors: Any = None
    table: Table | None = None
    target: str = "y"
    total: int = 0
    rows: Any = None
    is_default: bool = False
    notes: tuple[str, ...] = ()

    @property
    def train(self) -> Array:
        return self.splits[-1][0]

    @property
    def test(self) -> Array:
        return self.splits[-1][1]

    @property
    def unit(self) -> str:
        """What an item is called in messages."""
        return "items" if self.table is None else "rows"

    def items(self, rows: Array, train: Array | None = None, *, numbers: bool = False) -> Any:
        """Some items, or as rows of numbers; of a Gram matrix their kernel values with the items at `train`."""
        from mercer.estimators.sklearn_private import safe_indexing

        if is_precomputed(self.kernel):
            return self.X[np.ix_(rows, rows if train is None else train)]
        X = self.vectors if numbers and self.vectors is not None else self.X
        return X[rows] if isinstance(X, items.Items) else safe_indexing(X, rows)

    def known(self, rows: Array) -> dict[str, Any]:
        """Arguments of `predict`: a deviation, of y and not of f; of a Gram also k(x, x), which a process asks for."""
        given = {"return_std": True, "of": "y"}
        return given | {"prior": self.X.diagonal()[rows]} if is_precomputed(self.kernel) else given

    def few(self) -> Array:
        """Positions of a few training items, of every class."""
        return some_of_each(self.y, self.splits[0][0], self.task, WARM_UP_ITEMS)

    def drawn(self, size: int) -> Sample:
        """The sample with at most `size` training items, with the classes in proportion."""
        rng = np.random.default_rng(self.random_state)
        return replace(self, splits=[(self.train[drawn(self.y[self.train], size, self.task, rng)], self.test)])

    def to_dict(self) -> dict[str, Any]:
        """The data in words and numbers."""
        about = {"target": self.target, "rows_used": len(self.y), "random_state": self.random_state}
        if self.table is None:
            return about
        known = {"data": self.table.name, "rows_total": self.total, "columns": self.table.kinds}
        return about | known | {"notes": list(self.notes)}


def sample_of_items(
    X: Any, y: Any, kernel: Any, task: str | None, cv: Any, test_size: float, random_state: int | None, scoring: Any
) -> Sample:
    """Items as they are, all of them."""
    X, y, task = _checked(X, y, kernel, task)
    splits = splits_of(y, task, cv, test_size, random_state)
    return Sample(X, y, task, kernel, splits, random_state, scoring, total=len(y), rows=np.arange(len(y)))


def _checked(X: Any, y: Any, kernel: Any, task: str | None) -> tuple[Any, Array, str]:
    """Items that can be taken apart, targets of as many, and the task."""
    from sklearn.utils import check_consistent_length

    if is_precomputed(kernel):
        X = np.asarray(X)
        if X.ndim != 2 or X.shape[0] != X.shape[1]:
            raise bad("compare", "X", "a square Gram matrix for kernel='precomputed'", f"shape {X.shape}",
                      "Pass k(X, X) of all items, or the kernel and the items.")  # fmt: skip
    elif isinstance(X, items.Vectors):
        X = X.values
    elif isinstance(kernel, Kernel) and not (hasattr(X, "shape") or isinstance(X, list)):
        X = kernel.check(X)  # only the kernel knows how to cut X into items
    y, task = targets_of(y, task)
    check_consistent_length(X, y)
    return X, y, task


def targets_of(y: Any, task: str | None) -> tuple[Array, str]:
    """Targets in one dimension, and the task: as it was given, or by what they look like."""
    from sklearn.utils import column_or_1d
    from sklearn.utils.multiclass import type_of_target

    y = column_or_1d(y)
    if task is None:
        task = REGRESSION if type_of_target(y) == "continuous" else CLASSIFICATION
    if task not in METHODS:
        raise bad("compare", "task", f"one of {tuple(METHODS)}", repr(task), "Leave it out to go by y.")
    return y.astype(float) if task == REGRESSION else y, task


def splits_of(y: Array, task: str, cv: Any, test_size: float, random_state: int | None) -> list[tuple[Array, Array]]:
    """Pairs (train, test) of positions, shuffled, and with the classes in proportion."""
    from sklearn.model_selection import check_cv, train_test_split

    classes, places = task == CLASSIFICATION, np.arange(len(y))
    if cv is None:
        if not isinstance(test_size, Integral) and not 0.0 < test_size < 1.0:
            raise bad("compare", "test_size", "a share between 0 and 1, or a number of items", test_size,
                      "0.25 is usual.")  # fmt: skip
        least = len(np.unique(y)) if classes else 1  # as many as it takes to hold out every class
        size = test_size if isinstance(test_size, Integral) else max(math.ceil(test_size * len(y)), least)
        split = train_test_split(places, test_size=size, stratify=y if classes else None, random_state=random_state)
        return [(np.sort(split[0]), np.sort(split[1]))]
    if isinstance(cv, Integral):
        cv = folds_of(task, int(cv), random_state)
    return list(check_cv(cv, y, classifier=classes).split(places, y))


def folds_of(task: str, count: int, random_state: int | None) -> Any:
    """Shuffled folds, with the classes in proportion."""
    from sklearn.model_selection import KFold, StratifiedKFold

    return (StratifiedKFold if task == CLASSIFICATION else KFold)(count, shuffle=True, random_state=random_state)


def drawn(y: Array, size: int, task: str, rng: Any) -> Array:
    """At most `size` positions in order; of every class its share, and RARE at least if it has as many."""
    if len(y) <= size:
        return np.arange(len(y))
    if task != CLASSIFICATION:
        return np.sort(rng.permutation(len(y))[:size])
    members = [np.flatnonzero(y == c) for c in np.unique(y)]
    shares = [max(RARE, round(size * len(own) / len(y))) for own in members]
    return np.sort(np.concatenate([rng.permutation(own)[:share] for own, share in zip(members, shares, strict=True)]))


def some_of_each(y: Array, rows: Array, task: str, count: int) -> Array:
    """The first of `rows`, about `count` in all, but three of every class at least."""
    if task == REGRESSION:
        return rows[:count]
    labels = np.unique(y[rows])
    each = max(3, count // len(labels))
    return np.sort(np.concatenate([rows[y[rows] == c][:each] for c in labels]))
