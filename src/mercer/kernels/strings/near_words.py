"""Mismatch and GappedKmer: words that differ in a few letters.

Both are sums over all pairs of words of the two strings, of a number that depends only on how many letters differ:

    k(s, t) = sum over words u of s and v of t of f(h(u, v)),   h(u, v) = the number of places where they differ
"""

from __future__ import annotations

from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.items import Strings
from mercer.kernels import maps
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.prepared_rows import ORIGIN, dot, rows
from mercer.kernels.strings.letters import Letters, encode, matched, natural, tile
from mercer.kernels.strings.packed_words import Packed, distinct, join, pack, places
from mercer.kernels.strings.word_features import counted, side_by_side, word_rows
from mercer.native import word_distances
from mercer.typing import Array

_LANES = 64  # strings that the compiled loop compares at once
_PER_PAIR = 7e-4  # time of a pair of words and a distance that counts, in that of one word with gaps, counted


class NearWords(Kernel):
    """k(s, t) = sum of f(h) over pairs of words of the two strings; `weights` are f(0), f(1), ... as far as not 0."""

    items = Strings
    psd = True

    @property
    def width(self) -> int:
        """The number of letters of a word."""
        raise NotImplementedError

    def weights(self) -> Array:
        """f(h) for h = 0, 1, ..."""
        raise NotImplementedError

    def prepare_in(self, X: Strings, frame: Any, pool: Pool) -> Letters:
        return encode(X, frame, pool, type(self).__name__)

    def block(self, A: Letters, B: Letters) -> Array:
        letters = max(len(A.alphabet), len(B.alphabet))
        return tile(word_distances.word_distances, A, B, letters, self.width, self.weights())

    def diag(self, A: Letters) -> Array:
        return matched(word_distances.word_distances, A, len(A.alphabet), self.width, self.weights())


@kernel
class Mismatch(NearWords):
    """k(s, t) = sum over all words u of k letters of phi_u(s) phi_u(t) (Leslie et al., 2003).

    phi_u(s) counts the words of s that differ from u in at most `mismatches` letters.  u runs over all words of an
    alphabet of `letters` letters, whether they occur or not: 4 for DNA, 20 for proteins.
    """

    k: int = 5
    mismatches: int = 1
    letters: int = 4

    psd_reason = "an inner product of features: how many words are within a few letters of each word"

    def __post_init__(self) -> None:
        super().__post_init__()
        natural("Mismatch", "k", self.k, 1, "k is the length of words.")
        natural("Mismatch", "mismatches", self.mismatches, 0, "0 makes it Spectrum(k).")
        natural("Mismatch", "letters", self.letters, 1, "DNA has 4, proteins have 20.")
        if self.mismatches > self.k:
            raise bad("Mismatch", "mismatches", f"at most k = {self.k}", repr(self.mismatches), "Lower it.")

    @property
    def width(self) -> int:
        return int(self.k)

    def prepare_in(self, X: Strings, frame: Any, pool: Pool) -> Letters:
        A = super().prepare_in(X, frame, pool)
        if len(A.alphabet) > self.letters:
            raise bad("Mismatch", "letters", "at least the number of letters that occur",
                      f"{self.letters} for the {len(A.alphabet)} letters {_shown(A)}",
                      f"Set letters={len(A.alphabet)} or more, or clean the strings.")  # fmt: skip
        return A

    def weights(self) -> Array:
        """f(h): how many words are within `mismatches` of two words that differ in h letters.

        Such a word agrees with the first in i of these h places, with the second in j, with none in the others, and
        differs from both in r of the k - h places where they agree.
        """
        k, m, a = int(self.k), int(self.mismatches), int(self.letters)
        return np.array([float(_common(k, m, a, h)) for h in range(min(2 * m, k) + 1)])

    def feature_map(self, X: Any) -> Any:
        """phi as a CSR matrix, a column for each word within reach of one that occurs."""
        A = self.prepare(X)
        at, many = places(A.start, A.end, self.width)
        packed = pack(A.codes, len(A.alphabet), self.width)
        first, which = distinct(packed.numbers[at], packed.size)
        reach = sum(comb(self.k, r) * (self.letters - 1) ** r for r in range(self.mismatches + 1))
        maps.guard("Mismatch", len(first), reach)
        begin: Array = at[first]
        words = A.codes[begin[:, None] + np.arange(self.width)]
        reached = _neighbours(words, int(self.mismatches), int(self.letters))
        columns = distinct(reached.ravel(), int(reached.max(initial=0)) + 1)[1].reshape(len(first), -1)
        return counted(columns[which].ravel(), many * (reached.size // max(len(first), 1)))


def _shown(A: Letters) -> str:
    names = [repr(letter[0] if isinstance(letter, tuple) else letter) for letter in A.alphabet]
    return ", ".join(names if len(names) <= 8 else [*names[:7], "..."])


def _common(k: int, m: int, a: int, h: int) -> int:
    """The number of words within m letters of two words of k letters that differ in h places; a letters in all."""
    return sum(
        comb(h, i) * comb(h - i, j) * (a - 2) ** (h - i - j) * comb(k - h, r) * (a - 1) ** r
        for i in range(h + 1)
        for j in range(h - i + 1)
        for r in range(k - h + 1)
        if h - i + r <= m and h - j + r <= m and (a >= 2 or h == 0)
    )


def _neighbours(words: Array, m: int, a: int) -> Array:
    """The numbers of all words within m letters of each row of `words`, as (rows, neighbours)."""
    n, k = words.shape
    packed = _numbers_to_the_base(words, a)
    places_value = [a ** (k - 1 - p) for p in range(k)]
    found = []
    for r in range(m + 1):
        for chosen in combinations(range(k), r):
            for shifts in product(range(1, a), repeat=r):
                change = sum((((words[:, p] + s) % a) - words[:, p]).astype(packed.dtype) * places_value[p]
                             for p, s in zip(chosen, shifts, strict=True))  # fmt: skip
                found.append(packed + change)
    return np.stack(found, axis=1) if found else np.empty((n, 0), dtype=np.int64)


def _numbers_to_the_base(words: Array, a: int) -> Array:
    """Rows of letters as numbers to the base a."""
    k = words.shape[1]
    if a**k >= 2**62:
        raise bad("Mismatch", "letters^k", "below 2^62 for an explicit map", f"{a}^{k}", "Use the kernel itself.")
    return np.asarray(words.astype(np.int64) @ np.array([a ** (k - 1 - p) for p in range(k)], dtype=np.int64))


@kernel
class GappedKmer(NearWords):
    """k(s, t) = sum over words u of `width` = g letters, k of them kept and g - k gaps, of #_u(s) #_u(t).

    A gap stands for any letter, at a fixed place (Ghandi et al., 2014).  Two words of g letters that differ in h places
    share C(g - h, k) such words.  Strings of some hundred letters are compared word by word; for longer ones the words
    with gaps are counted, for each of the C(g, k) sets of kept places in turn.
    """

    g: int = 8
    k: int = 4

    psd_reason = "an inner product of features: how often each word with gaps occurs"

    def __post_init__(self) -> None:
        super().__post_init__()
        natural("GappedKmer", "g", self.g, 1, "g is the length of words, gaps included.")
        natural("GappedKmer", "k", self.k, 1, "k is the number of letters that are kept.")
        if self.k > self.g:
            raise bad("GappedKmer", "k", f"at most g = {self.g}", repr(self.k), "Keep at most all letters.")

    @property
    def width(self) -> int:
        return int(self.g)

    def weights(self) -> Array:
        g, k = int(self.g), int(self.k)
        return np.array([float(comb(g - h, k)) for h in range(g - k + 1)])

    def block(self, A: Letters, B: Letters) -> Array:
        return super().block(A, B) if self._few_pairs(A, B) else self._by_sets(A, B)

    def _few_pairs(self, A: Letters, B: Letters) -> bool:
        """Whether comparing all pairs of words is faster than counting words with gaps."""
        lanes = -(-len(B) // _LANES) * _LANES
        pairs = float(A.lengths.sum()) * lanes * float(B.lengths.max(initial=0))
        words = comb(self.g, self.k) * float(A.lengths.sum() + B.lengths.sum())
        return _PER_PAIR * (self.g - self.k + 3) * pairs <= words

    def _by_sets(self, A: Letters, B: Letters) -> Array:
        """The sum over sets of kept places of one sparse product each."""
        K = np.zeros((len(A), len(B)))
        both = _one_after_the_other(A, B)
        letters = len(A.alphabet) + len(B.alphabet) + 1
        for kept in combinations(range(self.g), self.k):
            V = word_rows(_gapped(both.codes, letters, kept), both.start, both.end, self.g)
            K += dot(rows(V[: len(A)], ORIGIN), rows(V[len(A) :], ORIGIN))[0]
        return K

    def feature_map(self, X: Any) -> Any:
        """phi as a CSR matrix: a column for each word with gaps that occurs, by sets of kept places."""
        A = self.prepare(X)
        maps.guard("GappedKmer", comb(self.g, self.k), int(A.lengths.sum()))
        sets = combinations(range(self.g), self.k)
        parts = ((1.0, word_rows(_gapped(A.codes, len(A.alphabet), kept), A.start, A.end, self.g)) for kept in sets)
        return side_by_side(parts, len(A))


def _gapped(codes: Array, letters: int, kept: tuple[int, ...]) -> Packed:
    """The words with letters at the kept places only, as numbers, at all places."""
    single = pack(codes, letters, 1)
    words = Packed(single.numbers[kept[0] :], single.size)
    for p in kept[1:]:
        words = join(words, Packed(single.numbers[kept[0] :], single.size), p - kept[0])
    return words


def _one_after_the_other(A: Letters, B: Letters) -> Letters:
    """The strings of A and then those of B, in codes of one alphabet; letters that A does not have are one letter."""
    a = A.compact()
    b = Letters(B.in_codes_of(A.alphabet), B.start, B.end, B.alphabet).compact()
    unknown = len(A.alphabet) + len(B.alphabet)
    codes = np.concatenate([a.codes, np.where(b.codes < 0, unknown, b.codes)])
    shift = len(a.codes)
    return Letters(codes, np.append(a.start, b.start + shift), np.append(a.end, b.end + shift), A.alphabet)
