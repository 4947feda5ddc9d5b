"""Dictionary: words of a given list that two strings share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mercer.errors import bad, wrong_kind
from mercer.items import Strings
from mercer.items.symbols import in_order
from mercer.kernels.base import Pool, kernel
from mercer.kernels.prepared_rows import ORIGIN, rows
from mercer.kernels.strings.letters import encode
from mercer.kernels.strings.packed_words import distinct, pack, places
from mercer.kernels.word_counts import Counting, Counts, Vocabulary
from mercer.typing import Array


@kernel
class Dictionary(Counting):
    """k(s, t) = sum over the words u of a dictionary of weight_u #_u(s) #_u(t), overlaps included.

    `weights` maps words to numbers >= 0, or lists words that weigh 1; words are strings of the same form as the items
    (str, bytes or tuples of tokens).  It is kept as a tuple of pairs, in order.
    """

    weights: Any

    items = Strings
    psd_reason = "an inner product of features: how often each word of a dictionary occurs, by its weight"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights != (pairs := _pairs(self.weights)):
            object.__setattr__(self, "weights", pairs)

    def prepare_in(self, X: Strings, frame: Any, pool: Pool) -> Counts:
        from scipy.sparse import csr_array

        words = {word: column for column, (word, _) in enumerate(self.weights)}
        if len(X) and X.letters is not type(self.weights[0][0]):
            raise wrong_kind("Dictionary", f"of the form of its words, {type(self.weights[0][0]).__name__}",
                             X.letters.__name__, "Make both str, or both tuples of tokens.")  # fmt: skip
        V = csr_array((len(X), len(words)))
        for length in sorted({len(word) for word in words}):
            V = V + _occurrences(X, words, length, pool)
        roots = np.sqrt([weight for _, weight in self.weights])
        V.data = V.data * roots[V.indices]
        return Counts(rows(V, ORIGIN), Vocabulary(words))


def _occurrences(X: Strings, words: dict[Any, int], length: int, pool: Pool) -> Any:
    """Counts of the words of one length, in the columns of `words`."""
    from scipy.sparse import csr_array

    letters = encode(X, None, pool, "Dictionary")
    packed = pack(letters.codes, len(letters.alphabet), length)
    at, many = places(letters.start, letters.end, length)
    first, which = distinct(packed.numbers[at], packed.size)
    row = np.repeat(np.arange(len(X)), many)
    column = _columns(X, words, length, row[first], at[first] - letters.start[row[first]])[which]
    kept = column >= 0
    return csr_array((np.ones(kept.sum()), (row[kept], column[kept])), shape=(len(X), len(words)))


def _columns(X: Strings, words: dict[Any, int], length: int, row: Array, offset: Array) -> Array:
    """The column of the word at each place, -1 if it is not in the dictionary."""
    found = [words.get(X.values[i][p : p + length], -1) for i, p in zip(row.tolist(), offset.tolist(), strict=True)]
    return np.array(found, dtype=np.int64)


def _pairs(weights: Any) -> tuple[tuple[Any, float], ...]:
    """(word, weight) in the order of the words, which are of one form, not empty, with weights finite and >= 0."""
    try:
        mapping = hasattr(weights, "items") or all(type(entry) is tuple and len(entry) == 2 for entry in weights)
        pairs = dict(weights) if mapping else dict.fromkeys(weights, 1.0)
        found = {_word(word): float(weight) for word, weight in pairs.items()}
    except (TypeError, ValueError):
        raise bad("Dictionary", "weights", "a list of words, or a mapping from words to numbers", repr(weights),
                  "Write e.g. ['ab', 'ba'] or {'ab': 1.0, 'ba': 0.5}.") from None  # fmt: skip
    if not found or len({type(word) for word in found}) > 1 or not all(map(len, found)):
        raise bad("Dictionary", "weights", "words of one form, none of them empty", repr(weights),
                  "Make all words str, or all of them tuples of tokens.")  # fmt: skip
    for word, weight in found.items():
        if not (math.isfinite(weight) and weight >= 0.0):
            raise bad("Dictionary", "weights", "finite numbers >= 0", f"{weight} for {word!r}",
                      "A negative weight would not make a kernel.")  # fmt: skip
    return tuple((word, found[word]) for word in in_order(found))


def _word(word: Any) -> Any:
    if not isinstance(word, (str, bytes, tuple, list)):
        raise TypeError(word)
    return tuple(word) if isinstance(word, list) else word
