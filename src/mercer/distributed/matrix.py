"""A tall matrix whose rows are in blocks on workers: products, sums over rows, and some of its rows here.

    Z = SpreadMatrix.of(rows, make, shared, width)     make(block, shared) are the rows of a block
    Z @ w, Z.T @ b, Z[index]                           a pass over the blocks each, but for the last, which is a view
    Z.squares(weight)                                  Z' diag(weight) Z and Z' weight, of the rows that count
    Z.gathered()                                       all of it, here, if it fits the memory budget

Vectors with an entry for each row are here; matrices with a row for each row are not.  The blocks stay in the memory of
the workers between passes where there is room, else they are made again in every pass: the numbers are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from mercer.distributed.cluster import BroadcastLost, dropped_blocks, kept_on_workers
from mercer.distributed.rows import Block, Rows, Shared
from mercer.distributed.sums import Added
from mercer.engine.fill import require_memory
from mercer.typing import Array

MakeRows = Callable[..., Array]


class Made:
    """Rows that workers have made of others, and how they are made again if workers are lost with all they need."""

    def __init__(self, rows: Rows, make: MakeRows, shared: Sequence[Any], width: int) -> None:
        self._source, self._make, self._shared, self._width = rows, make, shared, width
        self.rows = self._fresh()

    def _fresh(self) -> Rows:
        rows = self._source
        made = rows.mapped(self._make, *self._shared, width=self._width)
        return Rows(kept_on_workers(made, 8 * len(rows) * self._width), None, rows.counts)

    def asked(self, question: Callable[[Rows], Any]) -> Any:
        """The answer to a question about the rows."""
        try:
            return question(self.rows)
        except (BroadcastLost, ConnectionAbortedError):
            if not dropped_blocks(self.rows.array):
                raise
            self.rows = self._fresh()
            return question(self.rows)


@dataclass(frozen=True, eq=False)
class SpreadMatrix:
    """Rows `index` of those that were made (None: all), in that order, each once, minus `centre` if there is one."""

    made: Made
    index: Array | None = None
    centre: Array | None = None

    __array_ufunc__ = None  # an array times this matrix is our product

    @classmethod
    def of(cls, rows: Rows, make: MakeRows, *shared: Any, width: int) -> Self:
        """The matrix whose rows make(block, *shared) gives for every block, kept by the workers if there is room."""
        return cls(Made(rows, make, shared, width))

    @property
    def rows(self) -> Rows:
        """All rows that were made, as they are on the workers now."""
        return self.made.rows

    def __len__(self) -> int:
        return len(self.rows) if self.index is None else len(self.index)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.rows.shape[1]

    @property
    def ndim(self) -> int:
        return 2

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(float)

    @property
    def T(self) -> Transposed:
        return Transposed(self)

    def __getitem__(self, index: Any) -> SpreadMatrix:
        every = np.arange(len(self.rows)) if self.index is None else self.index
        return replace(self, index=every[index])

    def __sub__(self, centre: Array) -> SpreadMatrix:
        return replace(self, centre=centre if self.centre is None else self.centre + centre)

    # ---- passes

    def __matmul__(self, w: Any) -> Array:
        if isinstance(w, Transposed):
            return w.__rmatmul__(self.gathered()) if len(self) <= len(w.matrix) else self @ w.matrix.gathered().T
        found = self._stacked(_scores, Shared(w), task="products of a block")
        found = found if self.index is None else found[self.index]
        return np.asarray(found if self.centre is None else found - self.centre @ w)

    def weights(self, b: Array) -> Array:
        """The sum over rows of b_i z_i; b may have several columns."""
        total = self._total(_weights, Shared(self._placed(b)), task="sums of a block")
        found = np.zeros((self.shape[1], *b.shape[1:])) if total is None else total.parts[0]
        return np.asarray(found if self.centre is None else found - _outer(self.centre, b.sum(axis=0)))

    def squares(self, *weight: Array) -> tuple[list[Array], list[Array]]:
        """Z' diag(w) Z and Z'w for every one of the weights w, in one pass over the rows at which one is not 0."""
        placed, d = self._placed(np.column_stack(weight)), self.shape[1]
        more = 8 * len(weight) * d * d
        total = self._total(_square, Shared(placed), self._centre, task="squares of a block", more=more)
        if total is None:
            return [np.zeros((d, d)) for _ in weight], [np.zeros(d) for _ in weight]
        return total.parts[: len(weight)], total.parts[len(weight) :]

    def row_squares(self) -> Array:
        """|z_i|^2."""
        found = self._stacked(_row_squares, self._centre, task="squares of a block")
        return np.asarray(found if self.index is None else found[self.index])

    def mean(self, axis: int = 0, dtype: Any = None) -> Array:
        """The mean row."""
        return self.weights(np.full(len(self), 1.0 / len(self)))

    def covariance(self) -> Array:
        """That of the columns, with n - 1 in the denominator as in np.cov."""
        squares, _ = (self - self.mean()).squares(np.full(len(self), 1.0 / (len(self) - 1)))
        return squares[0]

    def gathered(self) -> Array:
        """All rows, here."""
        n, d = self.shape
        require_memory(f"{n} x {d} numbers", 8 * n * d, "Choose fewer landmarks, or raise the budget.")
        index = self.index
        found = self.made.asked(lambda rows: rows.stacked(_itself) if index is None else rows.take(index))
        return np.asarray(found if self.centre is None else found - self.centre)

    # ---- what a pass needs

    def _total(self, work: Any, *shared: Any, task: str, more: int = 0) -> Any:
        return self.made.asked(lambda rows: rows.total(work, *shared, task=task, needs=self._bytes() + more))

    def _stacked(self, work: Any, *shared: Any, task: str) -> Any:
        return self.made.asked(lambda rows: rows.stacked(work, *shared, task=task, needs=self._bytes()))

    def _placed(self, b: Array) -> Array:
        """Numbers for these rows at the positions of all rows, 0 for the others."""
        if self.index is None:
            return b
        placed = np.zeros((len(self.rows), *b.shape[1:]))
        placed[self.index] = b
        return placed

    @cached_property
    def _centre(self) -> Shared | None:
        """The centre, for tasks."""
        return None if self.centre is None else Shared(self.centre)

    def _bytes(self) -> int:
        """About how many bytes a task holds."""
        return 16 * int(self.rows.counts.max()) * self.shape[1]


@dataclass(frozen=True, eq=False)
class Transposed:
    """The other way round, for products from the left."""

    matrix: SpreadMatrix

    __array_ufunc__ = None

    @property
    def shape(self) -> tuple[int, int]:
        n, d = self.matrix.shape
        return d, n

    def __matmul__(self, b: Array) -> Array:
        return self.matrix.weights(b)

    def __rmatmul__(self, A: Array) -> Array:
        return np.asarray((self.matrix @ np.ascontiguousarray(A.T)).T)


def _scores(block: Block, w: Array) -> Array:
    return np.asarray(block.X @ w)


def _weights(block: Block, b: Array) -> Added | None:
    own = block.own(b)
    return Added([block.X.T @ own]) if own.any() else None


def _square(block: Block, weight: Array, centre: Array | None) -> Added | None:
    own = block.own(weight)
    used = np.flatnonzero(own.any(axis=1))
    if not len(used):
        return None
    Z = block.X[used] if centre is None else block.X[used] - centre
    scaled = [w[:, None] * Z for w in own[used].T]
    return Added([*(Z.T @ part for part in scaled), *(part.sum(axis=0) for part in scaled)])


def _row_squares(block: Block, centre: Array | None) -> Array:
    Z = block.X if centre is None else block.X - centre
    return np.asarray(np.einsum("ij,ij->i", Z, Z))


def _itself(block: Block) -> Array:
    return np.asarray(block.X)


def _outer(centre: Array, sums: Any) -> Array:
    return np.asarray(centre * sums if np.ndim(sums) == 0 else np.outer(centre, sums))
