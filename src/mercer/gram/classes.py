"""Grams of pairs of classes that share the blocks within classes.

One against one, a class meets every other: the Gram of a pair is made of two blocks within classes, which all pairs
of these classes share, and one block between them.  Keeping the former halves the kernel evaluations.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from mercer.config import config
from mercer.engine.pool import run
from mercer.gram.lazy import LazyGram
from mercer.typing import Array

LARGEST = 4096  # items of a class whose block is kept
SHARE = 0.125  # of the memory budget, for all of them


class ClassGrams:
    """Grams of pairs, given the items of every class."""

    def __init__(self, gram: LazyGram, members: list[Array]) -> None:
        self.gram, self.fast, self.members = gram, gram.single(), members
        self.within: dict[int, Array] = {}
        sizes = [len(m) for m in members]
        if max(sizes) <= LARGEST and 4 * sum(n * n for n in sizes) <= SHARE * config().memory:
            run(self._make, range(len(members)))

    def _make(self, c: int) -> None:
        self.within[c] = self.fast.sub(self.members[c]).dense()

    def pair(self, i: int, j: int) -> PairGram:
        """The Gram of the items of class i followed by those of class j."""
        return PairGram(self, i, j, self.gram)


class PairGram:
    """The Gram of two classes; in single precision it is put together from shared blocks."""

    def __init__(self, classes: ClassGrams, i: int, j: int, whole: LazyGram) -> None:
        self.classes, self.i, self.j, self.whole = classes, i, j, whole

    @cached_property
    def gram(self) -> LazyGram:
        """The pair as a lazy Gram of its own."""
        return self.whole.sub(np.concatenate([self.classes.members[self.i], self.classes.members[self.j]]))

    def __len__(self) -> int:
        return len(self.classes.members[self.i]) + len(self.classes.members[self.j])

    def __getattr__(self, name: str) -> Any:
        return getattr(self.gram, name)

    def __matmul__(self, V: Array) -> Array:
        return self.gram @ V

    def single(self) -> PairGram:
        """The same pair in single precision."""
        return PairGram(self.classes, self.i, self.j, self.classes.fast)

    def dense(self) -> Array:
        """Every entry; of a pair in single precision only the block between the classes is computed."""
        within, members = self.classes.within, self.classes.members
        if self.whole is not self.classes.fast or self.i not in within or within[self.i].dtype != np.float32:
            return self.gram.dense()
        n, m = len(members[self.i]), len(members[self.j])
        K = np.empty((n + m, n + m), dtype=np.float32)
        K[:n, :n], K[n:, n:] = within[self.i], within[self.j]
        K[:n, n:] = self.classes.fast.part(members[self.i], members[self.j]).dense()
        K[n:, :n] = K[:n, n:].T
        return K
