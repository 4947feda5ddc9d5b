"""AllSubstrings: words of all lengths that two strings share."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.items import Strings
from mercer.kernels import maps
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.strings.letters import Letters, encode, matched, natural, tile
from mercer.kernels.strings.packed_words import pack
from mercer.kernels.strings.word_features import side_by_side, word_rows
from mercer.native import substrings
from mercer.parameters import Parameter, hyper, value
from mercer.typing import Array


@kernel
class AllSubstrings(Kernel):
    """k(s, t) = sum over words u of decay^|u| #_u(s) #_u(t), |u| >= 1, overlaps included.

    `max_length` leaves out longer words.  A pair costs a number of steps linear in |s| + |t| (a suffix automaton),
    whatever the number of common words is; beyond some 10^5 letters the automaton outgrows the caches of a processor,
    and each step takes longer.  With decay = 1 and max_length = 1 this is a bag of letters.
    """

    decay: Parameter = hyper(0.5, low=1e-3, high=10.0)
    max_length: int | None = None

    items = Strings
    psd = True
    psd_reason = "an inner product of features: how often each substring occurs, by the root of its weight"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_length is not None:
            natural("AllSubstrings", "max_length", self.max_length, 1, "None counts words of all lengths.")

    def prepare_in(self, X: Strings, frame: Any, pool: Pool) -> Letters:
        return encode(X, frame, pool, "AllSubstrings")

    def block(self, A: Letters, B: Letters) -> Array:
        return tile(substrings.common_substrings, A, B, np.cumsum(self._weights(A, B)))

    def diag(self, A: Letters) -> Array:
        return matched(substrings.common_substrings, A, np.cumsum(self._weights(A, A)))

    def parameter_gradients(self, A: Letters, B: Letters, W: Array) -> dict[str, Any]:
        """The same sum with the derivatives l decay^(l - 1) of the weights."""
        slopes = self._weights(A, B) * np.arange(self._longest(A, B) + 1) / value(self.decay)
        return {"decay": float(np.sum(W * tile(substrings.common_substrings, A, B, np.cumsum(slopes))))}

    def feature_map(self, X: Any) -> Any:
        """phi as a CSR matrix: decay^(|u| / 2) #_u, a column for each word that occurs, by length."""
        A = self.prepare(X)
        weights = self._weights(A, A)
        words = sum(int(np.maximum(A.lengths - length + 1, 0).sum()) for length in range(1, len(weights)))
        maps.guard("AllSubstrings", 1, words)
        parts = (
            (weights[length], word_rows(pack(A.codes, len(A.alphabet), length), A.start, A.end, length))
            for length in range(1, len(weights))
        )
        return side_by_side(parts, len(A))

    def _longest(self, A: Letters, B: Letters) -> int:
        """The length of the longest words that both sides can share and that count."""
        most = min(int(A.lengths.max(initial=0)), int(B.lengths.max(initial=0)))
        return most if self.max_length is None else min(most, int(self.max_length))

    def _weights(self, A: Letters, B: Letters) -> Array:
        """decay^l for l up to the longest word, 0 for l = 0."""
        weights = np.power(value(self.decay), np.arange(self._longest(A, B) + 1.0))
        weights[0] = 0.0
        return np.asarray(weights)
