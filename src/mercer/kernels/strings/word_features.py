"""Explicit features of strings: how often each numbered word occurs in each string, as a sparse matrix."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from mercer.kernels.strings.packed_words import Packed, distinct, places
from mercer.typing import Array


def word_rows(words: Packed, start: Array, end: Array, length: int, by_place: bool = False) -> Any:
    """Counts of the words of `length` letters, a column for each that occurs, in the order of first occurrence.

    With `by_place` the same word at another place of a string is another word.
    """
    at, many = places(start, end, length)
    numbers, size = words.numbers[at], words.size
    if by_place:
        first = np.cumsum(many) - many
        numbers = distinct(numbers, size)[1] + (np.arange(len(at)) - np.repeat(first, many)) * (len(at) + 1)
        size = (len(at) + 1) * (int(many.max(initial=0)) + 1)
    return counted(distinct(numbers, size)[1], many)


def counted(columns: Array, many: Array) -> Any:
    """A CSR matrix with the counts of `columns`, of which the first many[0] belong to row 0, and so on."""
    from scipy.sparse import csr_array

    width = int(columns.max(initial=-1)) + 1
    bounds = np.concatenate([[0], np.cumsum(many)])
    V = csr_array((np.ones(len(columns)), columns, bounds), shape=(len(many), width))
    V.sum_duplicates()
    return V


def side_by_side(parts: Iterable[tuple[float, Any]], rows: int) -> Any:
    """Matrices times the roots of their weights, in one; weights of 0 are left out."""
    from scipy.sparse import csr_array, hstack

    kept = [np.sqrt(weight) * V for weight, V in parts if weight > 0.0]
    return hstack(kept, format="csr") if kept else csr_array((rows, 0))
