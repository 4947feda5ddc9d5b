"""Kernels on documents: which words two texts share, and how informative each word is.

Texts are cut by a tokenizer, "words" (runs of letters, digits and underscores, in lower case) or "characters" (code
points as they are).  For any other way pass lists of tokens, or a matrix of counts, and no tokenizer is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import bad, wrong_kind
from mercer.items import Documents
from mercer.items.text import CountedDocuments
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.prepared_rows import ORIGIN, Rows, dot, rows
from mercer.kernels.word_counts import Counting, Counts, Known, Vocabulary, counts
from mercer.typing import Array, Index

TOKENIZERS: dict[str, Callable[[str], Iterable[str]]] = {
    "words": lambda text: re.findall(r"\w+", text.lower()),
    "characters": tuple,
}


def check_tokenizer(owner: str, tokenizer: str) -> None:
    """Refuse the name of an unknown tokenizer."""
    if tokenizer not in TOKENIZERS:
        raise bad(owner, "tokenizer", f"one of {sorted(TOKENIZERS)}", repr(tokenizer),
                  "For another way of cutting, pass lists of tokens.")  # fmt: skip


def word_counts(X: Documents, tokenizer: str, frame: Known | None, owner: str) -> Counts:
    """How often each word occurs in each document; a matrix of counts is taken as it is."""
    counted = isinstance(X, CountedDocuments)
    if frame is not None and len(X) and counted != isinstance(frame, range):
        raise wrong_kind(owner, "of one form in both datasets", "texts and a matrix of counts", "Count both, or none.")
    if not isinstance(X, CountedDocuments):
        cut = TOKENIZERS[tokenizer]
        return counts((cut(text) if isinstance(text, str) else text for text in X.values), frame)
    words = range(X.width) if frame is None else frame
    if len(words) != X.width:
        raise bad(owner, "X", f"counts of {len(words)} words", f"{X.width} columns", "Keep one column per word.")
    return Counts(rows(X.values, ORIGIN), Vocabulary(words))


@kernel
class Bag(Counting):
    """k(d, e) = sum over words w of #_w(d) #_w(e): a bag of words, or of characters."""

    tokenizer: str = "words"

    items = Documents
    psd_reason = "an inner product of features: how often each word occurs"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_tokenizer("Bag", self.tokenizer)

    def prepare_in(self, X: Documents, frame: Any, pool: Pool) -> Counts:
        return word_counts(X, self.tokenizer, frame, "Bag")


@dataclass(frozen=True, eq=False)
class Corpus:
    """What TF-IDF learns: the words of the first dataset and how rare each of them is."""

    known: Known
    idf: Array


@dataclass(eq=False)
class Weighted:
    """Documents as unit vectors of weighted counts over the words of a corpus; 0 if they have none of them."""

    rows: Rows
    frame: Corpus

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: Index) -> Weighted:
        return Weighted(self.rows[index], self.frame)


@kernel
class TfIdf(Kernel):
    """k(d, e) = cos(phi(d), phi(e)), phi_w(d) = log(1 + #_w(d)) log(N / (1 + df_w)).

    N and df_w, the number of documents that hold w, are learned from the first dataset; words it did not hold are
    dropped.  Logarithms damp repetitions of a word, and a word that is in nearly every document has no weight.  A
    document without any informative word has k = 0 with every document, itself included.
    """

    tokenizer: str = "words"

    items = Documents
    learned = True
    psd = True
    psd_reason = "an inner product of features: weighted counts of words, scaled to length 1"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_tokenizer("TfIdf", self.tokenizer)

    def prepare_in(self, X: Documents, frame: Corpus | None, pool: Pool) -> Weighted:
        found = word_counts(X, self.tokenizer, None if frame is None else frame.known, "TfIdf")
        corpus = _learned(found) if frame is None else frame
        return Weighted(_unit_rows(found.rows.values[:, : len(corpus.known)], corpus.idf), corpus)

    def block(self, A: Weighted, B: Weighted) -> Array:
        K, _ = dot(A.rows, B.rows)
        return np.minimum(K, 1.0, out=K)

    def diag(self, A: Weighted) -> Array:
        return A.rows.sqnorm.copy()

    def feature_map(self, X: Any) -> Any:
        """phi scaled to unit length, as a CSR matrix over the words of X."""
        return self.prepare(X).rows.values


def _learned(found: Counts) -> Corpus:
    """idf_w = log(N / (1 + df_w)); empty if there are no documents."""
    V = found.rows.values
    df = np.bincount(V.indices[V.data > 0.0], minlength=V.shape[1])
    return Corpus(found.words.known, np.log(max(len(found), 1) / (1.0 + df)))


def _unit_rows(V: Any, idf: Array) -> Rows:
    """log(1 + count) idf, every row scaled to length 1 unless it is zero."""
    from scipy.sparse import csr_array

    data = np.log1p(V.data) * idf[V.indices]
    row = np.repeat(np.arange(V.shape[0]), np.diff(V.indptr))
    norm = np.sqrt(np.bincount(row, data**2, minlength=V.shape[0]))
    data /= np.where(norm > 0.0, norm, 1.0)[row]
    return Rows(csr_array((data, V.indices, V.indptr), shape=V.shape), (norm > 0.0).astype(float), ORIGIN)
