"""What is known of every column of all rows: mean, deviation, and one column at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from mercer.distributed.rows import Block, Rows, Shared
from mercer.typing import Array


@dataclass(eq=False)
class _Largest:
    """The largest |x| of every column."""

    found: Array

    @classmethod
    def of(cls, block: Block) -> Self:
        return cls(np.abs(np.asarray(block.X, dtype=float)).max(axis=0))

    def merge(self, other: _Largest) -> None:
        self.found = np.maximum(self.found, other.found)


@dataclass(eq=False)
class _Moments:
    """How many rows, their mean, and for every column the sum of squared distances from it."""

    count: int
    mean: Array
    squares: Array

    @classmethod
    def of(cls, block: Block, unit: Array) -> Self:
        X = np.asarray(block.X, dtype=float) / unit
        return cls(len(X), X.mean(axis=0), X.var(axis=0) * len(X))

    def merge(self, other: _Moments) -> None:
        n = self.count + other.count
        apart = other.mean - self.mean
        self.squares = self.squares + other.squares + apart**2 * (self.count * other.count / n)
        self.mean = self.mean + apart * (other.count / n)
        self.count = n


@dataclass(frozen=True, eq=False)
class ColumnFacts:
    """The largest |x|, the mean and the standard deviation of every column."""

    largest: Array
    mean: Array
    deviation: Array

    @classmethod
    def of(cls, rows: Rows) -> Self:
        """In two passes: columns are divided by their largest number first, so that all squares are numbers."""
        largest = rows.total(_Largest.of, task="the largest numbers of a block").found
        unit = np.where(largest > 0.0, largest, 1.0)
        found = rows.total(_Moments.of, Shared(unit), task="the moments of a block")
        return cls(largest, found.mean * unit, np.sqrt(found.squares / found.count) * unit)


def column(rows: Rows, j: int) -> Array:
    """All numbers of one column, here."""
    return np.asarray(rows.stacked(_column, j, task="a column of a block"), dtype=float)


def _column(block: Block, j: int) -> Array:
    return np.ascontiguousarray(np.asarray(block.X)[:, j])
