"""Rows of numbers that stay in a file: memory-mapped arrays, Parquet files, iterators of blocks.

    rows = from_map(np.load("rows.npy", mmap_mode="r"), owner)
    rows, y = from_blocks(iterator, owner, with_targets=True)
    rows, y = from_parquet("rows.parquet", owner, target="price")
    rows[index]                                                      these rows in memory, as Vectors of float64

A fit reads its rows several times and in any order.  What can be read only once from the beginning to the end
(an iterator, a compressed file) is therefore copied into a temporary file, a block at a time, which is deleted when
nothing refers to it any more.  Every block is checked on the way, so that a fault is found before any work.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.config import config
from mercer.errors import bad, wrong_kind
from mercer.items.vectors import Vectors, is_sparse
from mercer.typing import Array, Index

_BLOCK = 2**21  # numbers that are read at a time, at most
_SHARE = 128  # and at most this part of the memory budget in bytes: 1/16 of it as float64
_SAMPLE = 10_000  # rows that stand for all where a kernel looks at its data


@dataclass(frozen=True, eq=False)
class MappedRows(Vectors):
    """(n, d) numbers in a file that is mapped into memory; `names` are those of the columns, if they have some."""

    names: tuple[str, ...] = ()

    def __getitem__(self, index: Index) -> Vectors:  # type: ignore[override]
        taken = Vectors(np.array(self.values[index], dtype=np.float64, order="C"))
        _let_go(self.values)
        return taken

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.width

    def blocks(self) -> Iterator[Vectors]:
        """All rows in their order, some at a time."""
        return (self[r] for r in slices(len(self), self.width))

    def sample(self) -> Vectors:
        """Some rows, evenly spread; all of few."""
        n, most = len(self), min(_SAMPLE, block_rows(self.width))
        return self[np.arange(n)] if n <= most else self[np.linspace(0, n - 1, most).astype(np.intp)]

    def variance(self) -> float:
        """The variance of all entries."""
        mean = sum(float(block.values.sum()) for block in self.blocks()) / (len(self) * self.width)
        return sum(float(np.square(block.values - mean).sum()) for block in self.blocks()) / (len(self) * self.width)


def block_rows(width: int) -> int:
    """Rows that are read at a time."""
    return max(1, min(_BLOCK, config().memory // _SHARE) // max(width, 1))


def slices(n: int, width: int) -> Iterator[slice]:
    """The rows that are read at a time, in their order."""
    step = block_rows(width)
    return (slice(first, min(first + step, n)) for first in range(0, n, step))


def is_parquet(X: Any) -> bool:
    """Whether X is the path of a Parquet file, by its ending."""
    return isinstance(X, (str, os.PathLike)) and os.fspath(X).endswith((".parquet", ".pq"))


def is_map(X: Any) -> bool:
    """Whether X is a matrix in a file that is mapped into memory."""
    return isinstance(X, np.memmap) and X.ndim == 2


def is_out_of_memory(X: Any) -> bool:
    """Whether X are rows that should be read a block at a time."""
    return is_map(X) or is_parquet(X) or isinstance(X, Iterator)


# ---- memory-mapped arrays


def from_map(X: Any, owner: str) -> MappedRows:
    """A memory-mapped matrix; its entries are read once, to check them."""
    if X.dtype.kind not in "fiub" or not X.shape[0] or not X.shape[1]:
        raise bad(owner, "X", "real numbers in one row and one column or more", f"{X.dtype} of shape {X.shape}",
                  "Write the file again.")  # fmt: skip
    for r in slices(*X.shape):
        _require_finite(X[r], owner, "X", r.start)
        _let_go(X)
    return MappedRows(X)


def _let_go(X: Any) -> None:
    """Give back the pages that were read: they stay in the cache of the system, but not in the memory of the process.

    Only of maps that are read-only: pages of a private map may have been written to.
    """
    if getattr(X, "mode", None) == "r" and hasattr(mmap, "MADV_DONTNEED"):
        X._mmap.madvise(mmap.MADV_DONTNEED)


def _require_finite(V: Array, owner: str, name: str, first: int) -> None:
    """Refuse NaN and infinity; `first` is the number of the first row."""
    if V.dtype.kind != "f" or np.isfinite(V).all():
        return
    row, *column = np.argwhere(~np.isfinite(V))[0].tolist()
    place = f"row {first + row}" + "".join(f", column {c}" for c in column)
    raise bad(owner, name, "finite numbers", f"{V[(row, *column)]} at {place}", "Drop, impute or clip such entries.")


# ---- blocks that can be read once


def checked_blocks(blocks: Iterator[Any], owner: str, width: int | None = None) -> Iterator[Array]:
    """The blocks as matrices of one width; a fault names the block, and the row in it."""
    seen = 0
    for seen, given in enumerate(blocks, 1):
        place = f"{owner}, block {seen - 1}"
        if is_sparse(given):
            raise wrong_kind(place, "a dense matrix", "a sparse one", "Pass block.toarray().")
        V = Vectors.check(given, place).values
        if not len(V):
            raise bad(place, "X", "one row or more", "none", "Leave out empty blocks.")
        if V.dtype.kind == "c":
            raise bad(place, "X", "real", "complex numbers", "Pass real and imaginary parts as columns.")
        width = V.shape[1] if width is None else width
        if V.shape[1] != width:
            raise bad(place, "X", f"{width} columns wide, as the rows before", f"{V.shape[1]} columns",
                      "All blocks need the same columns.")  # fmt: skip
        yield V
    if not seen:
        raise bad(owner, "X", "one block or more", "none", "An iterator can be used once: make a new one.")


def from_blocks(
    blocks: Iterator[Any], owner: str, *, with_targets: bool, names: Sequence[str] = ()
) -> tuple[MappedRows, Array | None]:
    """Rows, and their targets if the blocks are pairs (X, y), copied into a temporary file."""
    targets: list[Array] = []

    def rows() -> Iterator[Any]:
        for number, given in enumerate(blocks):
            X, y = _parted(given, f"{owner}, block {number}") if with_targets else (given, None)
            if y is not None:
                targets.append(y)
            yield X

    width, dtype, count = 0, np.dtype(float), 0
    with tempfile.TemporaryFile(prefix="mercer-") as file:
        for number, V in enumerate(checked_blocks(rows(), owner)):
            if not number:
                width, dtype = V.shape[1], V.dtype
            if not np.can_cast(V.dtype, dtype):
                raise bad(f"{owner}, block {number}", "X", f"{dtype}, as the rows before", str(V.dtype),
                          "All blocks need the same type of numbers.")  # fmt: skip
            file.write(np.ascontiguousarray(V, dtype=dtype).data)
            count += len(V)
        file.flush()
        values = np.memmap(file, dtype=dtype, mode="r", shape=(count, width))
    return MappedRows(values, tuple(names)), np.concatenate(targets) if with_targets else None


def _parted(given: Any, place: str) -> tuple[Any, Array]:
    """A block (X, y), with as many targets as rows."""
    if not isinstance(given, tuple) or len(given) != 2:
        raise wrong_kind(place, "a pair (X, y)", type(given).__name__,
                         "With y = None every block brings its targets; or pass all targets as y.")  # fmt: skip
    X, y = given[0], np.asarray(given[1])
    rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if y.ndim not in (1, 2) or len(y) != rows:
        raise bad(place, "y", f"{rows} targets, one for each row", f"shape {y.shape}", "Pass the targets of the block.")
    _require_finite(y, place, "y", 0)
    return X, y


# ---- Parquet


def from_parquet(path: Any, owner: str, target: Any = None) -> tuple[MappedRows, Array | None]:
    """The columns of a Parquet file as rows of numbers; `target` names the column of y, or several."""
    wanted = [target] if isinstance(target, str) else [] if target is None else list(target)
    names = [name for name in parquet_columns(path, owner) if name not in wanted]
    if wanted:
        _require_columns(wanted, parquet_columns(path, owner), path, owner, "y")
    if not names:
        raise bad(owner, "X", "one column or more beside the target", "none", f"Write other columns to {path}.")

    def blocks() -> Iterator[Any]:
        for batch in _batches(path, owner, [*names, *wanted]):
            X = np.column_stack([_numbers(batch, name, owner) for name in names])
            Y = [_column(batch, name) for name in wanted]
            yield (X, Y[0] if isinstance(target, str) else np.column_stack(Y)) if wanted else X

    return from_blocks(blocks(), owner, with_targets=bool(wanted), names=names)


def parquet_blocks(path: Any, owner: str, names: Sequence[str]) -> Iterator[Array]:
    """Blocks of the named columns; of all where there is no name."""
    columns = parquet_columns(path, owner)
    _require_columns(names, columns, path, owner, "X")
    chosen = list(names) or columns
    for batch in _batches(path, owner, chosen):
        yield np.column_stack([_numbers(batch, name, owner) for name in chosen])


def _require_columns(names: Sequence[str], found: list[str], path: Any, owner: str, argument: str) -> None:
    for name in names:
        if name not in found:
            raise bad(owner, argument, f"a column of {path}, one of {found}", repr(name), "Check the spelling.")


def parquet_columns(path: Any, owner: str) -> list[str]:
    """The names of the columns of a Parquet file."""
    return [str(name) for name in _opened(path, owner).schema_arrow.names]


def parquet_rows(path: Any, owner: str) -> int:
    """The number of rows of a Parquet file."""
    return int(_opened(path, owner).metadata.num_rows)


def _opened(path: Any, owner: str) -> Any:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise bad(owner, "X", "something other than Parquet where pyarrow is not installed", repr(os.fspath(path)),
                  "Install it: pip install pyarrow.") from None  # fmt: skip
    try:
        return parquet.ParquetFile(path)
    except pyarrow.ArrowException as error:
        raise bad(owner, "X", "a Parquet file", f"{os.fspath(path)}, which cannot be read: "
                  f"{str(error).splitlines()[0]}", "Write it again.") from None  # fmt: skip


def _batches(path: Any, owner: str, names: list[str]) -> Iterator[Any]:
    return iter(_opened(path, owner).iter_batches(block_rows(len(names)), columns=names))


def _column(batch: Any, name: str) -> Array:
    column = batch.column(batch.schema.get_field_index(name))
    column = column.dictionary_decode() if hasattr(column, "dictionary_decode") else column
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _numbers(batch: Any, name: str, owner: str) -> Array:
    values = _column(batch, name)
    if values.dtype.kind not in "fiub":
        raise bad(owner, f"column {name!r}", "numbers", f"{batch.schema.field(name).type}",
                  "Encode it, or leave it out of the file.")  # fmt: skip
    return values
