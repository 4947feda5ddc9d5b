"""Grams that share their pair statistics.

Kernels of inner products or of distances read one matrix per dataset: <x, y>, |x - y|^2 or sum_k |x_k - y_k|.  Where
more than one kernel reads it, it is computed once and kept; the Gram of every lengthscale, degree or shape is then an
elementwise map of it.  Kernels that look at their items in another way are evaluated as they always are, once each.

To a machine with an intercept k(x, y) - r(x) - r(y) is the same kernel, whatever r.  So its Gram may be stored in
single precision without the level that all values share, which would take the digits of what tells them apart.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Self

import numpy as np

from mercer.config import config
from mercer.engine import fill
from mercer.kernels import Kernel
from mercer.kernels.additive import absolute_distances
from mercer.kernels.base import gram_of
from mercer.kernels.fitted import Fitted
from mercer.kernels.rows import Rows, dot, sqdist
from mercer.typing import Array, Index

_COLUMNS = 64  # that are enough to find the level of each row
_WILD = 16.0  # times the k(x, x) of a typical item
SHARE = 0.5  # of the memory budget, for the matrices of a search
_STATISTICS: dict[str, Callable[[Rows, Rows], Array]] = {
    "dot": lambda A, B: dot(A, B)[0],
    "sqdist": lambda A, B: sqdist(A, B)[0],
    "absolute": absolute_distances,
}


@dataclass(eq=False)
class Room:
    """How many statistics may be kept, how many have been computed, and how often one that is kept was read or not."""

    left: int
    computed: int = 0
    read: int = 0
    missed: int = 0
    lock: Lock = field(default_factory=Lock)


@dataclass(eq=False)
class Whole:
    """All rows of a dataset, and those of their statistics that have been asked for and found room."""

    rows: Rows
    room: Room
    matrices: dict[str, Array] = field(default_factory=dict)

    def matrix(self, name: str) -> Array | None:
        """The statistic of all pairs of rows; None where there is no room for it."""
        if name not in self.matrices:
            with self.room.lock:
                if name not in self.matrices and self.room.left > 0:
                    self.matrices[name] = self._computed(name)
                    self.room.left, self.room.computed = self.room.left - 1, self.room.computed + 1
        return self.matrices.get(name)

    def _computed(self, name: str) -> Array:
        n, statistic = len(self.rows), _STATISTICS[name]

        def block(r: slice, c: slice) -> Array:
            tile = statistic(self.rows[r], self.rows[c])
            if name != "dot" and r == c:
                np.fill_diagonal(tile, 0.0)
            return tile

        return fill.dense(block, (n, n), self.rows.dtype, symmetric=True, what="Pair statistics")


@dataclass(eq=False)
class KnownRows(Rows):
    """Some rows of a dataset whose statistics are kept as soon as a second kernel reads them."""

    whole: Whole = None  # type: ignore[assignment]  # a field after fields with defaults; `of` gives it
    places: Any = None  # None stands for all

    @classmethod
    def of(cls, rows: Rows, room: Room) -> Self:
        """All rows, none of their statistics known yet."""
        return cls(rows.values, rows.sqnorm, rows.frame, whole=Whole(rows, room))

    def __getitem__(self, index: Index) -> Self:
        # a slice of all stays one: tiles are then views
        places = index if self.places is None else np.arange(len(self.whole.rows))[self.places][index]
        return type(self)(
            self.values[index], self.sqnorm[index], self.frame, self.shared, whole=self.whole, places=places
        )

    def known(self, name: str, B: Rows) -> Array | None:
        same = isinstance(B, KnownRows) and B.whole is self.whole
        matrix = self.whole.matrix(name) if self.shared and same else None
        if matrix is None:
            self.whole.room.missed += 1
            return None
        self.whole.room.read += 1
        rows, columns = (slice(None) if places is None else places for places in (self.places, B.places))  # type: ignore[attr-defined]
        return np.asarray(matrix[rows][:, columns])


class Pool(dict[Any, Any]):
    """What the kernels of a search have prepared; rows can keep their statistics."""

    def __init__(self, room: Room) -> None:
        super().__init__()
        self.room = room

    def __setitem__(self, key: Any, value: Any) -> None:
        rows = type(value) is Rows and value.dtype.kind == "f"
        super().__setitem__(key, KnownRows.of(value, self.room) if rows else value)


class Grams:
    """The Grams of many kernels, known beforehand so that it is known what they share.

    `kernels` come with the items that they are for; `room` is for how many n x n statistics there is memory.
    `evaluations` counts pairs of items for which a statistic or a kernel was computed.
    """

    def __init__(self, kernels: Sequence[tuple[Kernel, Any]], *, room: int) -> None:
        self._room, self._alone = Room(room), 0
        pool = Pool(self._room)
        checked: dict[type, Any] = {}
        self._prepared: dict[int, Any] = {}
        for kernel, X in kernels:
            items = checked[kernel.items] = kernel.check(checked.get(kernel.items, X))  # a pool goes by its identity
            self._prepared[id(kernel)] = kernel.prepare_in(items, None, {} if learns(kernel) else pool)
        self._maps = {id(kernel) for kernel, _ in kernels if self._is_map(kernel)}

    def _is_map(self, kernel: Kernel) -> bool:
        """Whether a kernel is a map of statistics alone, which are computed now, on all threads."""
        prepared, room = self._prepared[id(kernel)], self._room
        if not any(isinstance(rows, KnownRows) for rows in rows_of(prepared)):
            return False
        read, missed = room.read, room.missed
        kernel.block(prepared[:1], prepared[:1])
        return room.read > read and room.missed == missed

    @property
    def statistics(self) -> int:
        """Statistics of all pairs that are kept."""
        return self._room.computed

    @property
    def mapped(self) -> int:
        """Kernels that are elementwise maps of these."""
        return len(self._maps)

    @property
    def evaluations(self) -> int:
        n = max(map(len, self._prepared.values()), default=0)
        return (self._room.computed + self._alone) * (n * (n + 1) // 2)

    def gram(self, kernel: Kernel, *, level: bool = True) -> Array:
        """k(x, y) for all pairs of items, of one of the kernels; in single precision if their level does not matter."""
        prepared = self._prepared[id(kernel)]
        if id(kernel) not in self._maps:
            with self._room.lock:
                self._alone += 1
        if level:
            return gram_of(kernel, prepared, prepared)
        n, diagonal = len(prepared), kernel.diag(prepared)

        def block(r: slice, c: slice) -> Array:
            tile = kernel.block(prepared[r], prepared[c])
            if r == c:
                np.fill_diagonal(tile, diagonal[r])
            return tile

        return without_level(block, n, kernel.block(prepared, prepared[_sample(n)]))


class Lent:
    """A Gram that is made when it is first used, and freed after its last use."""

    def __init__(self, make: Callable[[], Array], uses: int) -> None:
        self._make, self._uses, self._lock = make, uses, Lock()
        self._K: Array | None = None

    def __enter__(self) -> Array:
        with self._lock:
            if self._K is None:
                self._K = self._make()
            return self._K

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._uses -= 1
            if not self._uses:
                self._K = None


def without_level(block: Callable[[slice, slice], Array], n: int, some: Array) -> Array:
    """k(x, y) - r(x) - r(y) in single precision: inner products from the centre of `some` columns of the matrix.

    Wild items are left out of the centre, or they would take the digits of all the others.
    """
    sizes = np.abs(np.diagonal(some[_sample(n)]))
    tame = sizes <= _WILD * np.median(sizes)
    r = some[:, tame].mean(axis=1, dtype=np.float64)
    r -= 0.5 * float(r[_sample(n)][tame].mean())

    def apart(rows: slice, columns: slice) -> Array:
        tile = block(rows, columns) - r[rows, None]
        tile -= r[columns]
        return np.asarray(tile)

    return fill.dense(apart, (n, n), np.dtype(np.float32), symmetric=True, what="A Gram in single precision")


def in_single(K: Array) -> Array:
    """A given Gram in single precision, for machines to which its level does not matter."""
    return without_level(lambda r, c: K[r, c], len(K), K[:, _sample(len(K))])


def _sample(n: int) -> slice:
    return slice(None, None, max(1, n // _COLUMNS))


def learns(kernel: Kernel) -> bool:
    """Whether a kernel measures items in a frame of its own, which others must not share."""
    return isinstance(kernel, Fitted) or any(learns(child) for child in kernel.children)


def rows_of(prepared: Any) -> Iterator[Rows]:
    """The rows that a kernel, or the kernels it is made of, have prepared."""
    if isinstance(prepared, Rows):
        yield prepared
    elif isinstance(prepared, tuple):
        for part in prepared:
            yield from rows_of(part)
    elif dataclasses.is_dataclass(prepared):
        for f in dataclasses.fields(prepared):
            if f.name not in ("frame", "memo"):
                yield from rows_of(getattr(prepared, f.name))


def room(n: int) -> int:
    """How many n x n matrices in double precision are within the share of the memory budget that a search may use."""
    return int(SHARE * config().memory) // max(8 * n * n, 1)
