"""Blocks of rows: how a ridge regression on landmarks sees its data, whoever holds them.

    blocks.added(NormalEquations.zero, ...)        one pass; every pass begins anew

A source of blocks (arrays, files that are mapped into memory, partitions on other machines) makes K = k(rows,
landmarks) of one block at a time.  What a solver keeps of a block is a sum (`Sum`, such as `NormalEquations`): sums of
several blocks are merged in the order of the blocks, so that the answer does not depend on who computed them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from mercer.config import usable_cores
from mercer.engine.pool import run
from mercer.engine.tiles import cuts, lower_tiles
from mercer.errors import bad
from mercer.linalg.blas import plus_products, plus_square
from mercer.typing import Array

_SMALLEST, _LARGEST = 512, 1024  # rows and columns of a tile of K'K: products of large tiles are quicker
_ROWS_PER_SUM = 2800  # rows whose products are added in single precision
_ROWS_AT_ONCE = 512  # rows with which a thread makes products with columns: they stay in its cache


@dataclass(frozen=True, eq=False)
class RowBlock:
    """Some rows: k(x, landmarks) in single or double precision, k(x, x), targets (rows, outputs) and weights.

    K is only lent: the next block may be written over it.
    """

    K: Array
    diagonal: Array
    Y: Array
    weight: Array

    def __post_init__(self) -> None:
        rows = {len(self.K), len(self.diagonal), len(self.Y), len(self.weight)}
        if len(rows) != 1 or not len(self.K):
            raise bad("blocks", "a block", "one row or more, with a target and a weight for each",
                      f"parts of {sorted(rows)} rows", "Leave out empty blocks.")  # fmt: skip


class Sum(Protocol):
    """A sum over blocks; it and what makes it can be sent to other processes."""

    def add(self, block: RowBlock) -> None:
        """Add a block."""

    def merge(self, other: Self) -> None:
        """Add the sum of the blocks that follow."""


S = TypeVar("S", bound=Sum)


class Blocks(Protocol):
    """A source of blocks of rows; `width` is the number of landmarks, `outputs` that of targets."""

    @property
    def width(self) -> int: ...

    @property
    def outputs(self) -> int: ...

    def some(self, most: int) -> RowBlock:
        """At most so many rows, from all parts where that is no trouble, with K in double precision."""

    def added(self, make: Callable[[], S], *, single: bool = False, every: int = 1, enough: float = np.inf) -> S:
        """The sum that `make` begins over all blocks in their order.

        With `single`, K may be in single precision.  With `every`, each so-many-th block is taken as a sample, which
        may end after `enough` rows.
        """


def add_up(blocks: Iterable[RowBlock], total: S, enough: float = np.inf) -> S:
    """Add these blocks to a sum, up to so many rows."""
    count = 0
    for block in blocks:
        total.add(block)
        count += len(block.weight)
        if count >= enough:
            break
    return total


@dataclass(eq=False)
class NormalEquations:
    """Sums over rows x of weight w: A = sum w k k' (lower triangle), B = sum w k y', c = sum w k, k = k(x, landmarks);

    and of the targets: sum w, sum w y, sum w y^2, the number of rows and sum w k(x, x).
    """

    A: Array
    B: Array
    c: Array
    weight: float
    y: Array
    yy: Array
    count: int
    trace: float

    @classmethod
    def zero(cls, width: int, outputs: int, *, square: bool = True) -> Self:
        """Of no rows; without `square`, A is left out."""
        side = width if square else 0
        return cls(np.zeros((side, side)), np.zeros((width, outputs)), np.zeros(width), 0.0, np.zeros(outputs),
                   np.zeros(outputs), 0, 0.0)  # fmt: skip

    @classmethod
    def of(cls, blocks: Blocks, *, single: bool, square: bool = True, every: int = 1) -> Self:
        """Of all rows, in one pass."""
        return blocks.added(partial(cls.zero, blocks.width, blocks.outputs, square=square), single=single, every=every)

    def add(self, block: RowBlock) -> None:
        """Add the sums of a block."""
        K, w, Y = block.K, block.weight, block.Y
        F = _common_factors(K) if len(self.A) and K.dtype != self.A.dtype else np.ones((len(K), 1))
        sides = transposed_product(K, w[:, None] * np.hstack([Y, F]))
        k = Y.shape[1]
        self.B += sides[:, :k]
        self.c += sides[:, k]
        self.weight += float(w.sum())
        self.y += w @ Y
        self.yy += w @ np.square(Y)
        self.count += len(w)
        self.trace += float(w @ block.diagonal)
        if len(self.A):
            _add_square(self.A, K, w, F, sides[:, k:].T)

    def merge(self, other: Self) -> None:
        """Add the sums of other rows."""
        self.A += other.A
        self.B += other.B
        self.c += other.c
        self.weight += other.weight
        self.y += other.y
        self.yy += other.yy
        self.count += other.count
        self.trace += other.trace


def transposed_product(K: Array, columns: Array | Callable[[slice, Array], Array]) -> Array:
    """K'[columns] in double precision, some rows at a time on each thread.

    `columns` may be a function that makes those of some rows (a slice) of them and of their K.
    """
    parts = cuts(len(K), _ROWS_AT_ONCE)
    found: list[Any] = [None] * len(parts)

    def work(i: int) -> None:
        r = parts[i]
        rows = np.asarray(K[r], dtype=float)
        found[i] = rows.T @ (columns(r, rows) if callable(columns) else columns[r])

    run(work, range(len(parts)))
    return np.asarray(sum(found))  # in the order of the rows, whoever was first


def _common_factors(K: Array) -> Array:
    """What all columns share: a constant and the mean of each row, in numbers of single precision."""
    means = np.empty(len(K), dtype=K.dtype)
    width = np.full(K.shape[1], 1.0 / K.shape[1], dtype=K.dtype)

    def work(r: slice) -> None:
        means[r] = K[r] @ width

    run(work, cuts(len(K), _ROWS_AT_ONCE))
    return np.column_stack([np.ones(len(K)), means])


def _add_square(A: Array, K: Array, w: Array, F: Array, S: Array) -> None:
    """A += K'WK on and under the diagonal, a tile for each thread; `S` is F'WK."""
    if K.dtype == A.dtype:
        K = K if (w == 1.0).all() else K * np.sqrt(w)[:, None]
        run(lambda tile: _plus_tile(A[tile], K, tile), _tiles(len(A)))
    else:
        _add_single_square(A, K, w, F, S)


def _add_single_square(A: Array, K: Array, w: Array, F: Array, S: Array) -> None:
    """The same of rows in single precision: a few at a time are added in it, and their sums in double precision.

    Rounding is in proportion to what is added up, so that this is C = K - FG, what the factors F leave of K, with the
    G of least squares.  With N = F'WF and S = F'WK,  K'WK = C'WC + G'S + (S - NG)'G.
    """
    N = F.T @ (w[:, None] * F)
    G = np.linalg.lstsq(N, S, rcond=None)[0].astype(K.dtype)
    F = F.astype(K.dtype)
    root = None if (w == 1.0).all() else np.sqrt(w).astype(K.dtype)[:, None]
    C = np.empty_like(K)

    def centre(r: slice) -> None:
        np.matmul(F[r], G, out=C[r])
        np.subtract(K[r], C[r], out=C[r])
        if root is not None:
            C[r] *= root[r]

    run(centre, cuts(len(K), _ROWS_AT_ONCE))
    G = G.astype(float)
    left, right = np.vstack([G, S - N @ G]), np.vstack([S, G])
    parts = cuts(len(K), _ROWS_PER_SUM)

    def work(tile: tuple[slice, slice]) -> None:
        r, c = tile
        T = np.empty((r.stop - r.start, c.stop - c.start), dtype=K.dtype)
        for part in parts:
            T.fill(0.0)
            _plus_tile(T, C[part], tile)
            A[tile] += T
        plus_products(A[tile], left[:, r], right[:, c])

    run(work, _tiles(len(A)))


def _plus_tile(T: Array, K: Array, tile: tuple[slice, slice]) -> None:
    """T += a tile of K'K."""
    r, c = tile
    if r == c:
        plus_square(T, K[:, r])
    else:
        plus_products(T, K[:, r], K[:, c])


def _tiles(n: int) -> list[tuple[slice, slice]]:
    """The tiles of K'K: one in each row and column for every core, so that all have as much to do if the diagonal ones,

    which are half the work, come last.  (Of every core, not of every thread in use, on which no bit may depend.)
    """
    side = int(np.clip(-(-n // usable_cores()), _SMALLEST, _LARGEST))
    return sorted(lower_tiles(n, side), key=lambda tile: tile[0] == tile[1])
