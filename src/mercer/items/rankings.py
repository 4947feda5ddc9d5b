"""Rankings: orders of the same things, the best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from mercer.errors import bad, wrong_kind
from mercer.items.symbols import Listed, in_order, listed


@dataclass(frozen=True, eq=False)
class Rankings(Listed):
    """n rankings, each a tuple that holds every one of the same things once, the best first."""

    kind: ClassVar[str] = "rankings"

    @classmethod
    def check(cls, X: Any, owner: str) -> Self:
        if isinstance(X, cls):
            return X
        rows = list(X) if isinstance(X, np.ndarray) and X.ndim == 2 else listed(X, owner, "a list of rankings")
        values = [_ranking(value, owner, row) for row, value in enumerate(rows)]
        for row, value in enumerate(values):
            if set(value) != set(values[0]):
                odd = in_order(set(value) ^ set(values[0]))[0]
                raise bad(owner, "X", "rankings of the same things", f"{odd!r} in only one of rows 0 and {row}",
                          "Rank the same things in every row.")  # fmt: skip
        return cls(values)

    @property
    def things(self) -> list[Any]:
        """What is ranked, in an order that all processes agree on."""
        return in_order(self.values[0]) if self.values else []


def _ranking(value: Any, owner: str, row: int) -> tuple[Any, ...]:
    if isinstance(value, np.ndarray) and value.ndim == 1:
        value = value.tolist()
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise wrong_kind(owner, "rankings", f"{type(value).__name__} in row {row}",
                         "Pass for each a list of all things, the best first.")  # fmt: skip
    ranking = tuple(value)
    try:
        different = len(set(ranking))
    except TypeError as error:
        raise wrong_kind(owner, "rankings of hashable things", f"{error} in row {row}", "Use tuples.") from None
    if different < len(ranking):
        twice = next(thing for i, thing in enumerate(ranking) if thing in ranking[:i])
        raise bad(owner, "X", "a permutation in every row", f"{twice!r} twice in row {row}", "Rank every thing once.")
    return ranking
