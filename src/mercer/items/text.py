"""Text: strings, which are read letter by letter, and documents, which are read word by word.

Both come as lists of `str` or of token lists, of any lengths.  Documents also come as a matrix of counts.  One
dataset holds one form only: `"ab"` and `["a", "b"]` side by side would compare as different for no visible reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from mercer.errors import bad, wrong_kind
from mercer.items.symbols import Listed, is_missing, listed
from mercer.items.vectors import Vectors, is_sparse
from mercer.typing import Index


@dataclass(frozen=True, eq=False)
class Strings(Listed):
    """n sequences: all str, all bytes, or all tuples of hashable tokens."""

    kind: ClassVar[str] = "strings"

    @classmethod
    def check(cls, X: Any, owner: str) -> Self:
        if isinstance(X, cls):
            return X
        return cls(_sequences(listed(X, owner, "a list of strings or token lists"), owner, (str, bytes)))

    @property
    def letters(self) -> type:
        """What the sequences are made of: str, bytes or tuple."""
        return type(self.values[0]) if self.values else str


@dataclass(frozen=True, eq=False)
class Documents(Listed):
    """n texts: all str, or all tuples of tokens; a matrix of counts becomes `CountedDocuments`."""

    kind: ClassVar[str] = "documents"

    @classmethod
    def check(cls, X: Any, owner: str) -> Any:
        if isinstance(X, Documents):
            return X
        if is_sparse(X) or (isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiub"):
            return CountedDocuments(_counts(X, owner))
        values = listed(X, owner, "a list of texts or token lists, or a matrix of counts")
        sequences = _sequences(values, owner, (str,))
        _refuse_bare_numbers(sequences, owner)
        return cls(sequences)


@dataclass(frozen=True, eq=False)
class CountedDocuments(Documents):
    """n texts known only by counts: how often each of d words occurs, as a CSR matrix."""

    values: Any

    @property
    def width(self) -> int:
        return int(self.values.shape[1])

    def __len__(self) -> int:
        return int(self.values.shape[0])

    def __getitem__(self, index: Index) -> Self:
        return type(self)(self.values[index])

    def pieces(self) -> Iterable[bytes]:
        V = self.values
        yield f"{V.shape}".encode()
        yield from (part.astype("<f8").tobytes() for part in (V.indptr, V.indices, V.data))

    def keys(self) -> list[bytes]:
        return Vectors(self.values).keys()


def _sequences(values: list[Any], owner: str, texts: tuple[type[str] | type[bytes], ...]) -> list[Any]:
    """Every value as one of the `texts` types or as a tuple of tokens, all of the same form."""
    out = [_sequence(value, owner, row, texts) for row, value in enumerate(values)]
    odd = next((row for row, value in enumerate(out) if type(value) is not type(out[0])), None)
    if odd is not None:
        raise wrong_kind(owner, "of one form", f"{_form(out[0])} in row 0 and {_form(out[odd])} in row {odd}",
                         "Make all of them str, or all of them token lists.")  # fmt: skip
    return out


def _form(value: Any) -> str:
    return "tokens" if isinstance(value, tuple) else type(value).__name__


def _sequence(value: Any, owner: str, row: int, texts: tuple[type[str] | type[bytes], ...]) -> Any:
    if isinstance(value, texts):
        return value[:]  # the plain type, also where numpy gave a subclass
    if isinstance(value, np.ndarray) and value.ndim == 1:
        value = value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return _tokens(value, owner, row)
    if is_missing(value):
        raise bad(owner, "X", "text in every row", f"{value!r} in row {row}", "Drop or fill the missing rows first.")
    raise wrong_kind(owner, "text or token lists", f"{type(value).__name__} in row {row}",
                     "Numbers need a vector kernel such as RBF; sets have no order; decode bytes.")  # fmt: skip


def _tokens(value: Sequence[Any], owner: str, row: int) -> tuple[Any, ...]:
    """A tuple of hashable tokens, none of them missing or a real number."""
    tokens = tuple(value)
    try:
        hash(tokens)
    except TypeError as error:
        raise wrong_kind(owner, "sequences of hashable tokens", f"{error} in row {row}", "Use tuples.") from None
    for token in tokens:
        if is_missing(token):
            raise bad(owner, "X", "tokens without gaps", f"{token!r} in row {row}", "Drop or fill the missing tokens.")
        if isinstance(token, float):
            raise wrong_kind(owner, "sequences of symbols", f"the real number {token} in row {row}",
                             "Vectors need a vector kernel such as RBF; bin real sequences first.")  # fmt: skip
    return tokens


def _refuse_bare_numbers(values: list[Any], owner: str) -> None:
    """Rows such as [2, 0, 1] could be counts of words or numbers of words: the user has to say which."""
    for row, value in enumerate(values):
        if isinstance(value, tuple) and any(isinstance(token, (int, np.integer)) for token in value):
            raise wrong_kind(owner, "texts, token lists or a matrix of counts", f"a list of integers in row {row}",
                             "Pass counts as np.asarray(X), token numbers as strings.")  # fmt: skip


def _counts(X: Any, owner: str) -> Any:
    """A CSR matrix of float64 counts >= 0, zeros left out."""
    from scipy.sparse import csr_array

    V = csr_array(Vectors.check(X, owner).values, dtype=np.float64, copy=True)
    V.eliminate_zeros()
    if V.nnz and V.data.min() < 0.0:
        row = int(np.searchsorted(V.indptr, V.data.argmin(), side="right")) - 1
        raise bad(owner, "counts", ">= 0", f"{V.data.min()} in row {row}", "Pass how often each word occurs.")
    return V
