"""A kernel on a finite set, given by the table of its values."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.items import Objects
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.frozen_matrix import Frozen, as_frozen
from mercer.kernels.positive_matrix import psd_root
from mercer.typing import Array, Index


@dataclass(eq=False)
class Places:
    """The row of the table that belongs to each item."""

    at: Array
    frame = None

    def __len__(self) -> int:
        return len(self.at)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(self.at[index])


@kernel
class Lookup(Kernel):
    """k(labels[i], labels[j]) = matrix[i, j], a positive semi-definite table over any hashable labels."""

    labels: tuple[Hashable, ...]
    matrix: Frozen

    items = Objects
    psd = True
    psd_reason = "a table whose matrix was found positive semi-definite"
    finite = True  # so is the matrix

    def __post_init__(self) -> None:
        if not isinstance(self.labels, tuple):
            given = self.labels.tolist() if isinstance(self.labels, np.ndarray) else self.labels
            object.__setattr__(self, "labels", tuple(given))
        object.__setattr__(self, "matrix", as_frozen("Lookup", "matrix", self.matrix))
        root = self.root
        if len(root) != len(self.labels):
            raise bad("Lookup", "matrix", f"{len(self.labels)} x {len(self.labels)}, one row per label",
                      f"{len(root)} x {len(root)}", "Give one label per row.")  # fmt: skip
        if len(self.places) != len(self.labels):
            twice = next(label for i, label in enumerate(self.labels) if self.places[label] != i)
            raise bad("Lookup", "labels", "all different", f"{twice!r} twice", "Drop its second row and column.")

    @cached_property
    def places(self) -> dict[Hashable, int]:
        """The row of each label."""
        return {label: i for i, label in enumerate(self.labels)}

    @cached_property
    def root(self) -> Array:
        """R with matrix = R R^*, one column per non-zero eigenvalue."""
        return psd_root("Lookup", "matrix", self.matrix)

    @property
    def rank(self) -> int:
        """The rank of the table, which is the dimension of the space of functions the kernel makes."""
        return int(self.root.shape[1])

    def prepare_in(self, X: Objects, frame: Any, pool: Pool) -> Places:
        return Places(np.array([self._place(label) for label in X.values], dtype=np.intp))

    def _place(self, label: Any) -> int:
        if not isinstance(label, Hashable):
            raise bad("Lookup", "X", "a sequence of labels", f"{label!r}, which cannot be one", "Pass hashable labels.")
        if label not in self.places:
            raise KeyError(label)
        return self.places[label]

    def block(self, A: Places, B: Places) -> Array:
        return np.asarray(self.matrix.values[np.ix_(A.at, B.at)])

    def diag(self, A: Places) -> Array:
        return np.asarray(self.matrix.values.diagonal().real[A.at])

    def feature_map(self, X: Any) -> Array:
        return np.asarray(self.root[self.prepare(X).at])
