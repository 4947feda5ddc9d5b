"""Kernels on strings: what two sequences of letters or tokens have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad, wrong_kind
from mercer.items import Strings
from mercer.kernels.base import Pool, kernel
from mercer.kernels.word_counts import Counting, Counts, counts


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
        if isinstance(self.k, bool) or not isinstance(self.k, (int, np.integer)) or self.k < 1:
            raise bad("Spectrum", "k", "an integer >= 1", repr(self.k), "k = 1 compares bags of letters.")

    def prepare_in(self, X: Strings, frame: Any, pool: Pool) -> Counts:
        before = type(next(iter(frame))) if frame else X.letters
        if len(X) and before is not X.letters:
            raise wrong_kind("Spectrum", "of one form in both datasets", f"{before.__name__} and {X.letters.__name__}",
                             "Make all of them str, or all of them token lists.")  # fmt: skip
        return counts((self._words(s) for s in X.values), frame)

    def _words(self, s: Any) -> list[Any]:
        return [s[i : i + self.k] for i in range(len(s) - self.k + 1)]
