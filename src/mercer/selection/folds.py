"""One kernel on one split, for machines that are fitted to it in one go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mercer.selection.judging import Fit
from mercer.selection.store import in_single
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Fold:
    """The Gram of all items, who trains (with weights), and who is scored: first the items held out, `held` of them."""

    K: Array
    y: Array
    train: Array
    scored: Array
    held: int
    weight: Array | None
    go_on: Callable[[], bool]

    def values(self, items: Array, B: Array) -> Array:
        """K[scored, items] @ B in the precision of K, over items that have a coefficient; columns lie side by side."""
        J = np.flatnonzero(B.any(axis=1))
        B = B[J] if len(J) < len(B) else B
        return np.asarray(B.T.astype(self.K.dtype) @ self.part(items[J], self.scored)).T

    def part(self, rows: Array, columns: Array) -> Array:
        """K[rows, columns]."""
        from mercer.compiled.parts import gather

        out = np.empty((len(rows), len(columns)), dtype=self.K.dtype)
        gather(np.require(self.K, requirements=["C", "W"]), rows, columns, out)
        return out

    def in_single(self) -> Fold:
        """With the Gram in single precision, for machines that do not see its level."""
        return self if self.K.dtype == np.float32 else replace(self, K=in_single(self.K))

    def fit(self, machine: Any, values: Array, gap: float) -> Fit:
        """A machine that is given its values on the scored items in place of these."""
        return Fit(machine, gap, lambda which: values[self.held :] if which else values[: self.held])
