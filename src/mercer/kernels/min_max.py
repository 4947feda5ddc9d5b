"""What two items share, as a part of all they have: Tanimoto of sets and bits, MinMax of counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.items import Sets, Vectors
from mercer.items.sets import PackedSets
from mercer.kernels.additive import absolute_sums, non_negative
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.prepared_rows import same_width, typed
from mercer.kernels.word_counts import counts, inner
from mercer.native import bits
from mercer.typing import Array, Index


@dataclass(eq=False)
class Bits:
    """Rows of 64-bit words, and how many ones each has."""

    words: Array
    sizes: Array
    frame = None

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(self.words[index], self.sizes[index])


@kernel
class Tanimoto(Kernel):
    """k(A, B) = |A ∩ B| / |A ∪ B| of sets, also called Jaccard's index; two empty sets have the value 1.

    Sets packed into bits (a 2-d array of uint8 from `numpy.packbits`, or of bool) are compared 64 elements at a time.
    """

    items = Sets
    psd = True
    psd_reason = "min and max of indicators: a mixture of kernels that compare random elements (min-wise hashing)"
    bound = 1.0

    def prepare_in(self, X: Sets, frame: Any, pool: Pool) -> Any:
        if not isinstance(X, PackedSets):
            return counts(X.members, frame if isinstance(frame, dict) else None)
        words = np.ascontiguousarray(X.values).view(np.int64)
        sizes = np.empty(len(X))
        bits.ones(words, sizes)
        return Bits(words, sizes)

    def block(self, A: Any, B: Any) -> Array:
        if not isinstance(A, Bits):
            return _of_all(inner(A, B), A.rows.sqnorm, B.rows.sqnorm)
        same_width(A.words.shape[1], B.words.shape[1])
        out = np.empty((len(A), len(B)))
        bits.tanimoto(A.words, typed(A.sizes, float), B.words, typed(B.sizes, float), out)
        return out

    def diag(self, A: Any) -> Array:
        return np.ones(len(A))


def _of_all(common: Array, a: Array, b: Array) -> Array:
    """common / (a + b - common), and 1 where both are empty; overwrites `common`."""
    union = np.add.outer(a, b)
    union -= common
    nothing = union <= 0.0
    if nothing.any():
        common[nothing] = union[nothing] = 1.0
    common /= union
    return common


@dataclass(eq=False)
class Histograms:
    """Rows of entries >= 0, dense or sparse, and their sums."""

    values: Any
    sums: Array
    frame = None

    def __len__(self) -> int:
        return len(self.sums)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(self.values[index], self.sums[index])

    @property
    def dtype(self) -> np.dtype:
        found: np.dtype = self.values.dtype
        return found


@kernel
class MinMax(Kernel):
    """k(x, y) = sum_k min(x_k, y_k) / sum_k max(x_k, y_k) on entries >= 0, such as counts; 1 for two rows of zeros.

    On entries 0 and 1 it is Tanimoto.
    """

    psd = True
    psd_reason = "a limit of Tanimoto kernels of sets: an entry x_k stands for an interval [0, x_k] of elements"
    bound = 1.0

    def prepare_in(self, X: Vectors, frame: Any, pool: Pool) -> Histograms:
        V = non_negative("MinMax", X).values
        return Histograms(V, np.asarray(V.sum(axis=1, dtype=np.float64)).ravel().astype(V.dtype))

    def block(self, A: Histograms, B: Histograms) -> Array:
        """min = (a + b - |a - b|) / 2 and max = (a + b + |a - b|) / 2, summed over the columns."""
        apart = absolute_sums(A, B)
        total = np.add.outer(A.sums, B.sums)
        common = np.maximum(total - apart, 0.0)
        total += apart
        nothing = total <= 0.0
        if nothing.any():
            common[nothing] = total[nothing] = 1.0
        common /= total
        return np.asarray(common)

    def diag(self, A: Histograms) -> Array:
        return np.ones_like(A.sums)
