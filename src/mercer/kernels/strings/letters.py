"""Strings as numbers: every letter has a code, and all strings of a dataset lie in one vector.

The codes of the first dataset are the `frame`.  A letter that first occurs in a later dataset gets a code of that
dataset alone; where two such datasets are compared, the letters of one are looked up in the other.  So the frame
changes no value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.errors import bad, wrong_kind
from mercer.items import Strings
from mercer.kernels.base import Pool
from mercer.kernels.word_counts import Coder, Known, Vocabulary
from mercer.typing import Array, Index


@dataclass(eq=False)
class Letters:
    """String i is codes[start[i] : end[i]]; the alphabet gives the code of every letter."""

    codes: Array
    start: Array
    end: Array
    alphabet: Vocabulary

    @property
    def frame(self) -> Known:
        return self.alphabet.known

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, index: Index) -> Self:
        start, end = (np.ascontiguousarray(ends[index]) for ends in (self.start, self.end))
        return type(self)(self.codes, start, end, self.alphabet)

    @property
    def lengths(self) -> Array:
        return np.asarray(self.end - self.start)

    def in_codes_of(self, alphabet: Vocabulary) -> Array:
        """The codes that `alphabet` has for these letters, -1 for letters that it does not have."""
        codes = alphabet.codes_of(self.alphabet)
        return self.codes if codes is None else codes.astype(np.int32)[self.codes]

    def compact(self) -> Self:
        """The same strings side by side, without those that a slice has left out."""
        lengths = self.lengths
        end = np.cumsum(lengths)
        within = np.arange(lengths.sum()) - np.repeat(end - lengths, lengths)
        return type(self)(self.codes[np.repeat(self.start, lengths) + within], end - lengths, end, self.alphabet)


def encode(X: Strings, frame: Known | None, pool: Pool, owner: str) -> Letters:
    """The strings of X as numbers; kernels of one expression share them."""
    require_one_form(X, frame, owner)
    key = ("letters", id(X), id(frame))
    if key not in pool:
        pool[key] = _encoded(X, frame)
        pool["alive", id(X)] = X  # so that its id is not given to another object
    found: Letters = pool[key]
    return found


def require_one_form(X: Strings, frame: Known | None, owner: str) -> None:
    """Refuse strings of another form (str, bytes, tokens) than the words of the first dataset have."""
    before = type(next(iter(frame))) if frame else X.letters
    if len(X) and before is not X.letters:
        raise wrong_kind(owner, "of one form in both datasets", f"{before.__name__} and {X.letters.__name__}",
                         "Make all of them str, or all of them token lists.")  # fmt: skip


def _encoded(X: Strings, frame: Known | None) -> Letters:
    coder, end = Coder(frame), np.cumsum([len(s) for s in X.values], dtype=np.int64)
    start = np.concatenate([np.zeros(1, dtype=np.int64), end])[:-1]
    return Letters(_codes(X, coder), start, end, coder.vocabulary)


def _codes(X: Strings, coder: Coder) -> Array:
    """The codes of all letters of all strings; a letter stands in the vocabulary as a string of length one."""
    if X.letters is tuple:
        return coder.codes((token,) for s in X.values for token in s).astype(np.int32)
    if X.letters is bytes:
        points: Array = np.frombuffer(b"".join(X.values), dtype=np.uint8)
    else:
        text = "".join(X.values).encode("utf-32-le", "surrogatepass")
        points = np.frombuffer(text, dtype="<u4")
    found = np.flatnonzero(np.bincount(points)) if len(points) else np.empty(0, dtype=int)
    table = np.zeros(found[-1] + 1 if len(found) else 0, dtype=np.int32)
    table[found] = coder.codes(bytes([c]) if X.letters is bytes else chr(c) for c in found.tolist())
    return np.asarray(table[points])


def tile(compare: Callable[..., None], A: Letters, B: Letters, *arguments: Any) -> Array:
    """A new tile, filled by a compiled loop over all pairs of strings."""
    out = np.empty((len(A), len(B)))
    compare(*_both(A, B), False, *arguments, out)
    return out


def matched(compare: Callable[..., None], A: Letters, *arguments: Any) -> Array:
    """The values of every string with itself."""
    out = np.empty((len(A), 1))
    compare(*_both(A, A), True, *arguments, out)
    return out[:, 0]


def _both(A: Letters, B: Letters) -> tuple[Array, ...]:
    return A.codes, A.start, A.end, B.in_codes_of(A.alphabet), B.start, B.end


def natural(owner: str, name: str, given: Any, least: int, cure: str) -> None:
    """Refuse anything but an integer of at least `least`."""
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < least:
        raise bad(owner, name, f"an integer >= {least}", repr(given), cure)
