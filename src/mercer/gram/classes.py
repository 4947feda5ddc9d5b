"""Grams of pairs of classes that share the blocks within classes.

One against one, a class meets every other: the Gram of a pair is made of two blocks within classes, which all pairs
of these classes share, and one block between them.  Keeping the former halves the kernel evaluations.
"""

from __future__ import annotations

import numpy as np

from mercer.config import config
from mercer.engine.pool import run
from mercer.gram.held import HeldGram
from mercer.gram.lazy import LazyGram
from mercer.typing import Array

LARGEST = 2048  # items of a class whose block is kept
SHARE = 0.125  # of the memory budget, for all of them


class ClassGrams:
    """Grams of pairs, given the items of every class; `within` is empty where classes are too large to keep."""

    def __init__(self, gram: LazyGram, members: list[Array]) -> None:
        self.gram, self.fast, self.members = gram, gram.single(), members
        self.within: dict[int, Array] = {}
        sizes = [len(m) for m in members]
        if max(sizes) <= LARGEST and 4 * sum(n * n for n in sizes) <= SHARE * config().memory:
            run(self._make, range(len(members)))

    def _make(self, c: int) -> None:
        self.within[c] = self.fast.sub(self.members[c]).dense()

    def pair(self, i: int, j: int) -> HeldGram | LazyGram:
        """The Gram of the items of class i followed by those of class j."""
        index = np.concatenate([self.members[i], self.members[j]])
        if not self.within:
            return self.gram.sub(index)
        return HeldGram(len(index), lambda: self.gram.sub(index), lambda: self._entries(i, j))

    def _entries(self, i: int, j: int) -> Array:
        """The pair in single precision, of which only the block between the classes is computed."""
        A, B = self.within[i], self.within[j]
        n = len(A)
        K = np.empty((n + len(B), n + len(B)), dtype=A.dtype)
        K[:n, :n], K[n:, n:] = A, B
        K[:n, n:] = self.fast.part(self.members[i], self.members[j]).dense()
        K[n:, :n] = K[:n, n:].T
        return K
