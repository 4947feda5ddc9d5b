"""The Hamming kernel: two rows of categories are similar if they agree in many columns."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.items import Categories
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.word_counts import Coder, Known, Vocabulary
from mercer.native import distance, radial
from mercer.parameters import Parameter, hyper, value
from mercer.typing import Array, Index


@dataclass(eq=False)
class Codes:
    """(n, d) integers, equal where the categories are."""

    values: Array
    words: Vocabulary

    @property
    def frame(self) -> Known:
        return self.words.known

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(self.values[index], self.words)

    def columns_in_codes_of(self, other: Codes) -> Array:
        """(d, n) codes that can be compared with those of `other`."""
        if self.values.shape[1] != other.values.shape[1]:
            raise bad("Hamming", "X", f"{other.values.shape[1]} columns wide", f"{self.values.shape[1]} columns",
                      "Both datasets need the same columns.")  # fmt: skip
        codes = other.words.codes_of(self.words)
        return np.ascontiguousarray((self.values if codes is None else codes[self.values]).T)


@kernel
class Hamming(Kernel):
    """k(x, y) = exp(-sum_j [x_j != y_j] / l_j) on d categorical columns; an infinite lengthscale drops its column."""

    lengthscale: Parameter = hyper(1.0, vector=True)

    items = Categories
    psd = True
    psd_reason = "a product over columns of kernels on one column (Schur): 1 on the diagonal and exp(-1/l) beside it"
    bound = 1.0

    def prepare_in(self, X: Categories, frame: Any, pool: Pool) -> Codes:
        lengthscale = value(self.lengthscale)
        if len(X) and np.ndim(lengthscale) and len(lengthscale) != X.width:
            raise bad("Hamming", "lengthscale", f"one number or one per column ({X.width})",
                      f"{len(lengthscale)} numbers", "Give as many lengthscales as X has columns.")  # fmt: skip
        coder = Coder(frame)
        codes = coder.codes(chain.from_iterable(X.values))
        return Codes(codes.reshape(len(X), X.width), coder.vocabulary)

    def block(self, A: Codes, B: Codes) -> Array:
        return self._block(A, B.columns_in_codes_of(A))

    def _block(self, A: Codes, columns: Array) -> Array:
        S = np.empty((len(A), columns.shape[1]))
        weight = np.broadcast_to(1.0 / np.asarray(value(self.lengthscale)), len(columns)).copy()
        distance.mismatches(A.values, columns, weight, S)
        radial.exponential(S, 1.0)
        return S

    def diag(self, A: Codes) -> Array:
        return np.ones(len(A))

    def parameter_gradients(self, A: Codes, B: Codes, W: Array) -> dict[str, Any]:
        """dk/dl_j = k [x_j != y_j] / l_j^2; one lengthscale gets the sum over columns."""
        columns = B.columns_in_codes_of(A)
        moments = np.zeros(len(columns))
        distance.mismatch_moments(W * self._block(A, columns), A.values, columns, moments)
        lengthscale = value(self.lengthscale)
        slopes = moments / np.asarray(lengthscale) ** 2
        return {"lengthscale": slopes if np.ndim(lengthscale) else slopes.sum()}
