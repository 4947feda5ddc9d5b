"""Spectrum: words of one length that two strings share."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.items import Strings
from mercer.kernels.base import Pool, kernel
from mercer.kernels.strings.letters import encode, natural, require_one_form
from mercer.kernels.strings.packed_words import distinct, pack, places
from mercer.kernels.word_counts import Coder, Counting, Counts, count_matrix


@kernel
class Spectrum(Counting):
    """k(s, t) = sum over words u of k letters of #_u(s) #_u(t), overlaps included (Leslie et al., 2002).

    Letters are characters, bytes or any hashable tokens; a string shorter than k has no features.
    """

    k: int = 3

    items = Strings
    psd_reason = "an inner product of features: how often each substring occurs"

    def __post_init__(self) -> None:
        super().__post_init__()
        natural("Spectrum", "k", self.k, 1, "k = 1 compares bags of letters.")

    def prepare_in(self, X: Strings, frame: Any, pool: Pool) -> Counts:
        require_one_form(X, frame, "Spectrum")
        return words_of_length(X, self.k, Coder(frame), pool)


def words_of_length(X: Strings, length: int, coder: Coder, pool: Pool) -> Counts:
    """How often each word of `length` letters occurs in each string.

    Words are first counted as packed numbers; only those that differ are made, and get their codes from `coder`.
    """
    letters = encode(X, None, pool, "Spectrum")
    words = pack(letters.codes, len(letters.alphabet), length)
    at, many = places(letters.start, letters.end, length)
    first, which = distinct(words.numbers[at], words.size)
    rows = np.searchsorted(letters.end, at[first], side="right")
    offsets = at[first] - letters.start[rows]
    found = (X.values[row][p : p + length] for row, p in zip(rows.tolist(), offsets.tolist(), strict=True))
    return count_matrix(coder.codes(found)[which], many, coder.vocabulary)
