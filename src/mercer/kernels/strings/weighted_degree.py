"""WeightedDegree: words that two strings have at the same place."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.items import Strings
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.strings.letters import Letters, encode, matched, natural, tile
from mercer.kernels.strings.packed_words import pack
from mercer.kernels.strings.word_features import side_by_side, word_rows
from mercer.native import weighted_degree
from mercer.typing import Array


@kernel
class WeightedDegree(Kernel):
    """k(s, t) = sum_d b_d #{places p: s and t hold the same d letters from p on}, d = 1 to `degree` = D.

    b_d = 2 (D - d + 1) / (D (D + 1)): short words weigh more, and all weights add up to 1 (Raetsch and Sonnenburg,
    2004).  For strings that are aligned, such as DNA around a site; of two lengths, the places of the shorter count.
    """

    degree: int = 3

    items = Strings
    psd = True
    psd_reason = "an inner product of features: which word is at which place, by the root of its weight"

    def __post_init__(self) -> None:
        super().__post_init__()
        natural("WeightedDegree", "degree", self.degree, 1, "degree = 1 counts places with equal letters.")

    def prepare_in(self, X: Strings, frame: Any, pool: Pool) -> Letters:
        return encode(X, frame, pool, "WeightedDegree")

    def block(self, A: Letters, B: Letters) -> Array:
        bits = max(len(A.alphabet), len(B.alphabet)).bit_length()
        return tile(weighted_degree.weighted_degree, A, B, bits, self._weights())

    def diag(self, A: Letters) -> Array:
        return matched(weighted_degree.weighted_degree, A, len(A.alphabet).bit_length(), self._weights())

    def feature_map(self, X: Any) -> Any:
        """phi as a CSR matrix: sqrt(b_d), a column for each word and place that occur, by d."""
        A = self.prepare(X)
        parts = (
            (weight, word_rows(pack(A.codes, len(A.alphabet), d), A.start, A.end, d, by_place=True))
            for d, weight in enumerate(self._weights(), start=1)
        )
        return side_by_side(parts, len(A))

    def _weights(self) -> Array:
        D = int(self.degree)
        return 2.0 * np.arange(D, 0.0, -1.0) / (D * (D + 1.0))
