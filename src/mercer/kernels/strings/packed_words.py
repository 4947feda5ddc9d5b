"""All words of one length as numbers: equal words have equal numbers.

A word is packed, letter by letter, into one integer, and words of 2m letters are made of two of m letters.  Where the
integer would become too large, words are first replaced by their rank among those that occur.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.typing import Array

_LARGEST = 2**62
_TABLE = 2**20  # numbers up to this are ranked by a table, larger ones by sorting


@dataclass(frozen=True, eq=False)
class Packed:
    """numbers[p] < size stands for the word that begins at place p."""

    numbers: Array
    size: int


def pack(codes: Array, letters: int, length: int) -> Packed:
    """The words of `length` >= 1 letters at all places, also at those where the strings' borders cut a word."""
    if length == 1:
        return Packed(codes.astype(np.int64), max(letters, 1))
    half = pack(codes, letters, length // 2)
    whole = join(half, half, length // 2)
    return whole if length % 2 == 0 else join(whole, pack(codes, letters, 1), length - 1)


def join(left: Packed, right: Packed, distance: int) -> Packed:
    """The words of `left` followed by those of `right` that begin `distance` places later."""
    if left.size * right.size > _LARGEST:
        left, right = ranked(left), ranked(right)
    n = max(len(right.numbers) - distance, 0)
    return Packed(left.numbers[:n] * right.size + right.numbers[distance : distance + n], left.size * right.size)


def ranked(words: Packed) -> Packed:
    """The same words by their rank."""
    values, ranks = np.unique(words.numbers, return_inverse=True)
    return Packed(ranks.astype(np.int64), max(len(values), 1))


def places(start: Array, end: Array, length: int) -> tuple[Array, Array]:
    """The places at which whole words begin, string by string, and how many each string has."""
    many = np.maximum(end - start - length + 1, 0)
    first = np.cumsum(many) - many
    return np.repeat(start - first, many) + np.arange(many.sum()), many


def distinct(numbers: Array, size: int) -> tuple[Array, Array]:
    """(positions of the first of every number, in order; which of them each entry is)."""
    n = len(numbers)
    if size > max(_TABLE, 4 * n):
        _, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(len(first), dtype=np.int64)
        rank[order] = np.arange(len(first))
        return first[order], rank[inverse]
    table = np.zeros(size, dtype=np.int64)
    table[numbers[::-1]] = np.arange(n)[::-1]  # of equal numbers the first is written last
    first = np.flatnonzero(table[numbers] == np.arange(n))
    table[numbers[first]] = np.arange(len(first))
    return first, table[numbers]
