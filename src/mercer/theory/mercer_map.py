"""The finite Mercer map: features of any items, found from their Gram alone.

K = V L V* gives phi(x_i) = L^(1/2) V[i, :], so that <phi(x_i), phi(x_j)> = K_ij.  A new item has the coordinates
k(x, X) V L^(-1/2), which agrees with phi on the training items and is the projection of its image on their span.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mercer.gram import LazyGram
from mercer.kernels.base import Kernel
from mercer.theory.spectrum import positive_part
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class MercerMap:
    """phi with <phi(x_i), phi(x_j)> = k(x_i, x_j) on given items, in as many dimensions as their Gram has rank."""

    kernel: Kernel
    prepared: Any  # the training items
    eigenvalues: Array  # (r,), largest first
    vectors: Array  # (n, r)

    @cached_property
    def phi(self) -> Array:
        """(n, r): one row per training item."""
        return np.asarray(self.vectors * np.sqrt(self.eigenvalues))

    def transform(self, X: Any) -> Array:
        """(m, r): the features of other items."""
        new = self.kernel.prepare(X, self.prepared.frame)
        return LazyGram.of(self.kernel, new, self.prepared) @ (self.vectors / np.sqrt(self.eigenvalues))


def mercer_map(kernel: Kernel, X: Any) -> MercerMap:
    """The Mercer map of a kernel on items X; an indefinite Gram raises `NotPositiveDefinite`."""
    gram = LazyGram(kernel, X)
    return MercerMap(kernel, gram.A, *positive_part(gram.dense(), "mercer_map"))
