"""Counts of words, for kernels that compare items by the words they share: k-mers, tokens, elements of a set.

The first dataset gives each of its words a code, a column of a sparse matrix; these codes are the `frame`, and a tile
is one sparse product.  Words that first occur in a later dataset get codes of that dataset alone, and where two such
datasets are compared, the words of one are looked up in the other.  So the frame makes a kernel faster and changes none
of its values.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Self

import numpy as np

from mercer.kernels.base import Kernel, kernel
from mercer.kernels.prepared_rows import ORIGIN, Rows, dot, rows
from mercer.typing import Array, Index

Known = dict[Hashable, int] | range  # a range where the words are the columns of a matrix of counts


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """word -> code: `known` is shared by all datasets of one frame, `own` belongs to one dataset."""

    known: Known
    own: dict[Hashable, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.known) + len(self.own)

    def __iter__(self) -> Iterator[Any]:
        return chain(self.known, self.own)

    def codes_of(self, other: Vocabulary) -> Array | None:
        """The code here of every word of `other`, -1 where there is none; None if codes are the same in both."""
        if self is other or not (self.own and other.own):
            return None
        return np.array([*range(len(other.known)), *(self.own.get(word, -1) for word in other.own)])


class Coder(dict[Hashable, int]):
    """A code for every word asked for: the one that is known, else the next that is free."""

    def __init__(self, frame: Known | None) -> None:
        super().__init__()
        self.first = frame is None
        self.known: Any = {} if frame is None else frame
        self.own: dict[Hashable, int] = {}

    def __missing__(self, word: Hashable) -> int:
        free = len(self.known) + len(self.own)
        code: int = self.known[word] if word in self.known else self.own.setdefault(word, free)
        self[word] = code
        return code

    def codes(self, words: Iterable[Hashable]) -> Array:
        return np.fromiter(map(self.__getitem__, words), dtype=np.int64)

    @property
    def vocabulary(self) -> Vocabulary:
        """The codes so far; those of the first dataset become `known` to all later ones."""
        return Vocabulary(self.own) if self.first else Vocabulary(self.known, self.own)


@dataclass(eq=False)
class Counts:
    """Sparse rows over a vocabulary, one column per word."""

    rows: Rows
    words: Vocabulary

    @property
    def frame(self) -> Known:
        return self.words.known

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(self.rows[index], self.words)

    def in_codes_of(self, words: Vocabulary) -> Rows:
        """These rows with the columns of `words`; others are dropped, as they would be multiplied by zeros."""
        codes = words.codes_of(self.words)
        if codes is None:
            return self.rows
        from scipy.sparse import csr_array

        V = self.rows.values.tocoo()
        kept = codes[V.col] >= 0
        V = csr_array((V.data[kept], (V.row[kept], codes[V.col[kept]])), shape=(len(self), len(words)))
        return Rows(V, self.rows.sqnorm, ORIGIN)


def counts(items: Iterable[Iterable[Hashable]], frame: Known | None) -> Counts:
    """How often each word occurs in each item."""
    coder = Coder(frame)
    codes = [coder.codes(words) for words in items]
    indices = np.concatenate([np.empty(0, dtype=np.int64), *codes])
    return count_matrix(indices, np.array([len(part) for part in codes], dtype=np.int64), coder.vocabulary)


def count_matrix(codes: Array, many: Array, words: Vocabulary) -> Counts:
    """Counts of `codes`, of which the first many[0] belong to item 0, and so on."""
    from scipy.sparse import csr_array

    bounds = np.concatenate([[0], np.cumsum(many)])
    V = csr_array((np.ones(len(codes)), codes, bounds), shape=(len(many), len(words)))
    V.sum_duplicates()
    return Counts(rows(V, ORIGIN), words)


def inner(A: Counts, B: Counts) -> Array:
    """sum_w a_w b_w for all pairs of rows, as a new tile."""
    left, right = A.rows, B.in_codes_of(A.words)
    width = max(left.values.shape[1], right.values.shape[1])
    return dot(_widened(left, width), _widened(right, width))[0]


def _widened(A: Rows, width: int) -> Rows:
    """The same rows with empty columns to the right; nothing is copied."""
    V = A.values
    if V.shape[1] == width:
        return A
    from scipy.sparse import csr_array

    return Rows(csr_array((V.data, V.indices, V.indptr), shape=(len(A), width)), A.sqnorm, ORIGIN)


@kernel
class Counting(Kernel):
    """k(x, y) = sum_w phi_w(x) phi_w(y) over words w; a subclass prepares `Counts` that hold phi."""

    psd = True

    def block(self, A: Counts, B: Counts) -> Array:
        return inner(A, B)

    def diag(self, A: Counts) -> Array:
        return A.rows.sqnorm.copy()

    def feature_map(self, X: Any) -> Any:
        """phi as a CSR matrix, one column per word that occurs in X, in the order of first occurrence."""
        return self.prepare(X).rows.values
