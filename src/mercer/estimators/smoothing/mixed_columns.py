"""The columns of a table as numbers and as codes of categories."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import validate_data

from mercer.errors import bad
from mercer.estimators.base import numbers
from mercer.items import Table
from mercer.typing import Array

FARTHEST = 1e60  # ranges: squares of numbers up to here are numbers


@dataclass(frozen=True, eq=False)
class MixedColumns:
    """Which columns hold numbers, unordered categories and ordered numbers.

    numeric       positions of numbers that vary; `constant` those that do not, which are left out
    unordered     {position: {category: code}}, in a list of pairs; ordered, positions
    low, high     the range of every numeric column, in which it is measured from 0 to 1
    """

    numeric: list[int]
    constant: list[int]
    unordered: list[tuple[int, dict[Any, int]]]
    ordered: list[int]
    low: Array
    high: Array

    @property
    def levels(self) -> tuple[int, ...]:
        """The number of categories of each coded column; 0 for an ordered one."""
        return (*(len(codes) for _, codes in self.unordered), *(0 for _ in self.ordered))

    @property
    def coded(self) -> list[int]:
        """Positions of the coded columns."""
        return [*(column for column, _ in self.unordered), *self.ordered]

    @property
    def half(self) -> Array:
        """Half the range of every numeric column: halves do not overflow."""
        return np.asarray(0.5 * self.high - 0.5 * self.low)

    def widths(self, h: Array) -> Array:
        """Bandwidths in units of the data, in those of the range."""
        with np.errstate(over="ignore"):
            return np.clip(0.5 * h / self.half, 1.0 / FARTHEST, FARTHEST)

    def split(self, owner: str, V: Array) -> tuple[Array, Array]:
        """(m, d) numbers in units of the range, and (m, c) codes; -1 for a category that is new."""
        Z = number_columns(owner, V, self.numeric)
        with np.errstate(over="ignore"):
            Z = np.clip((0.5 * Z - 0.5 * self.low) / self.half, -FARTHEST, FARTHEST)
        codes = [np.array([known.get(one, -1) for one in V[:, j].tolist()], float) for j, known in self.unordered]
        rest = number_columns(owner, V, self.ordered)
        return Z, np.column_stack([*(code[:, None] for code in codes), rest]) if self.coded else np.empty((len(V), 0))


@dataclass(eq=False)
class Extent:
    """What rows show of their columns: the ranges of numbers, and the categories of unordered columns."""

    low: Array
    high: Array
    categories: list[set[Any]]

    @classmethod
    def of(cls, machine: Any, V: Array) -> Self:
        """Of checked rows V."""
        unordered, _, rest = _roles(machine, V.shape[1])
        Z = number_columns(type(machine).__name__, V, rest)
        low, high = (Z.min(axis=0), Z.max(axis=0)) if len(Z) else (np.zeros(len(rest)), np.zeros(len(rest)))
        return cls(low, high, [set(V[:, j].tolist()) for j in unordered])

    def merge(self, other: Extent) -> None:
        """Add other rows."""
        self.low, self.high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        self.categories = [mine | theirs for mine, theirs in zip(self.categories, other.categories, strict=True)]


def learned(machine: Any, extent: Extent) -> MixedColumns:
    """The columns of training data of this extent, as the options of a machine say."""
    owner = type(machine).__name__
    unordered, ordered, rest = _roles(machine, machine.n_features_in_)
    vary = 0.5 * extent.high - 0.5 * extent.low > 0.0
    categories = [(j, _codes(owner, j, found)) for j, found in zip(unordered, extent.categories, strict=True)]
    numeric = [j for j, one in zip(rest, vary, strict=True) if one]
    constant = [j for j, one in zip(rest, vary, strict=True) if not one]
    return MixedColumns(numeric, constant, categories, ordered, extent.low[vary], extent.high[vary])


def _roles(machine: Any, width: int) -> tuple[list[int], list[int], list[int]]:
    """The columns of unordered categories, of ordered ones, and of numbers."""
    owner, names = type(machine).__name__, list(getattr(machine, "feature_names_in_", ()))
    unordered = _positions(owner, "categorical", machine.categorical, width, names)
    ordered = _positions(owner, "ordered", machine.ordered, width, names)
    twice = sorted({*unordered} & {*ordered})
    if twice:
        raise bad(owner, "ordered", "other columns than categorical", f"{twice} in both", "Name each column once.")
    return unordered, ordered, [j for j in range(width) if j not in unordered and j not in ordered]


def checked(machine: Any, X: Any, y: Any = None, *, reset: bool) -> Any:
    """X, and y if it is given, after scikit-learn's checks; with columns of categories X may hold texts."""
    if y is None and reset:
        raise ValueError(f"{type(machine).__name__} requires y to be passed, but the target y is None.")
    X = _object_rows(X) if isinstance(X, Table) else X
    mixed = len(np.atleast_1d(machine.categorical)) > 0
    options: dict[str, Any] = {"dtype": None, "ensure_all_finite": False} if mixed else {"dtype": np.float64}
    if y is None:
        return validate_data(machine, X, reset=reset, **options)
    X, y = validate_data(machine, X, y, reset=reset, multi_output=True, y_numeric=True, **options)
    return X, y


def _object_rows(X: Table) -> Array:
    """The rows of a table whose columns are of several kinds."""
    rows = np.empty((len(X), len(X.columns)), dtype=object)
    for j, column in enumerate(X.columns.values()):
        rows[:, j] = column
    return rows


def number_columns(owner: str, V: Array, columns: list[int]) -> Array:
    """Some columns as finite float64."""
    Z = numbers(owner, "X", V[:, columns]) if columns else np.empty((len(V), 0))
    assert_all_finite(Z, input_name="X")
    return Z


def _codes(owner: str, column: int, found: set[Any]) -> dict[Any, int]:
    """{category: code}, in the order of their texts."""
    if any(one is None or one != one for one in found):
        raise bad(owner, f"column {column} of X", "without missing categories", "None or NaN",
                  "Give them a name of their own.")  # fmt: skip
    return {one: code for code, one in enumerate(sorted(found, key=lambda one: (type(one).__name__, one)))}


def _positions(owner: str, option: str, given: Any, width: int, names: list[Any]) -> list[int]:
    """Columns by position or by name."""
    wanted = [given] if isinstance(given, (str, int)) or not isinstance(given, Iterable) else list(given)
    found = []
    for one in wanted:
        if isinstance(one, str) and one in names:
            found.append(names.index(one))
        elif isinstance(one, (int, np.integer)) and not isinstance(one, bool) and -width <= one < width:
            found.append(int(one) % width)
        else:
            raise bad(owner, option, f"names of columns or positions below {width}", repr(one), "Look at X.")
    return sorted(set(found))
