"""Filling and folding: what can be done with the tiles of a matrix.

    dense      every entry, into one array
    product    K @ V without K
    fold_rows  any reduction along rows (top-k, argmin, ...)

`block(r, c)` gives the tile of two slices.  Results do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mercer.config import config
from mercer.engine.pool import one_blas_thread, run, tick
from mercer.engine.tiles import SIDE, Tile, all_tiles, cuts, lower_tiles, side_for
from mercer.errors import MemoryBudgetError
from mercer.native import triangles
from mercer.typing import Array

Block = Callable[[slice, slice], Array]

_MIRRORED = (np.float32, np.float64, np.complex64, np.complex128)  # number types of the compiled loop
_STRIPES = 16  # partial sums of a symmetric product, for any number of threads
_STRIPE_BYTES = 2**27  # largest size of these sums together; beyond it there are fewer


def require_memory(what: str, size: int, cure: str) -> None:
    """Refuse, before allocating, a result of `size` bytes that is over the budget."""
    budget = config().memory
    if size > budget:
        raise MemoryBudgetError(f"{what} needs {_bytes(size)}; the memory budget is {_bytes(budget)}. {cure}")


def _bytes(size: int) -> str:
    return f"{size / 2**30:.2f} GiB" if size >= 2**28 else f"{size / 2**20:.2f} MiB"


def dense(
    block: Block,
    shape: tuple[int, int],
    dtype: np.dtype,
    *,
    symmetric: bool,
    what: str,
    out: Array | None = None,
    side: int | None = None,
) -> Array:
    """The whole n x m matrix, into `out` if that is given; of a symmetric (Hermitian) one half is computed.

    `side` is that of a tile, where another than the usual one is better.
    """
    n, m = shape
    if out is None:
        cure = "Use mercer.LazyGram, which streams tiles, or raise it with mercer.configure(memory=...)."
        require_memory(f"{what} of shape {n} x {m}", n * m * dtype.itemsize, cure)
        out = np.empty(shape, dtype=dtype)
    put, side = _put_mirrored if symmetric else _put, side or side_for(dtype)
    run(lambda tile: put(out, block, tile), lower_tiles(n, side) if symmetric else all_tiles(n, m, side))
    return out


def over_tiles(work: Callable[[Tile], None], shape: tuple[int, int]) -> None:
    """Call work((rows, columns)) for every tile of a matrix, on our threads."""
    run(work, all_tiles(*shape))


def over_items(work: Callable[[int], None], n: int) -> None:
    """Call work(i) for i = 0, ..., n - 1 on our threads; BLAS has one thread, so that no bit depends on n."""
    with one_blas_thread():
        run(work, range(n))


def _put(out: Array, block: Block, tile: Tile) -> None:
    out[tile] = block(*tile)


def _put_mirrored(out: Array, block: Block, tile: Tile) -> None:
    r, c = tile
    T = block(r, c)
    out[r, c] = T
    if r != c:
        out[c, r] = T.conj().T if np.iscomplexobj(T) else T.T
    elif out.dtype in _MIRRORED:  # tiles of other number types are left as the kernel made them
        triangles.mirror_lower(out[r, c])


def product(block: Block, n: int, V: Array) -> Array:
    """K @ V for a symmetric n x n matrix: each tile under the diagonal is computed once and used twice."""
    pieces = cuts(n, side_for(V.dtype))
    count = min(_STRIPES, max(2, _STRIPE_BYTES // (8 * max(V.size, 1))), len(pieces))
    stripes = [range(s, len(pieces), count) for s in range(count)]
    sums = np.zeros((len(stripes), n, V.shape[1]), dtype=np.result_type(V, float))

    def stripe(s: int) -> None:
        for i in stripes[s]:
            for j in range(i + 1):
                r, c = pieces[i], pieces[j]
                T = block(r, c)
                sums[s][r] += T @ V[c]
                if i != j:
                    sums[s][c] += T.conj().T @ V[r]
                tick()

    run(stripe, range(len(stripes)), steps=len(pieces) * (len(pieces) + 1) // 2)
    return np.asarray(sums.sum(axis=0))


def cross_product(block: Block, shape: tuple[int, int], V: Array) -> Array:
    """K @ V for an n x m matrix, tile by tile."""
    out = np.zeros((shape[0], V.shape[1]), dtype=np.result_type(V, float))

    def add(r: slice, c: slice) -> None:
        out[r] += block(r, c) @ V[c]

    fold_rows(add, shape, side_for(V.dtype))
    return out


def fold_rows(fold: Callable[[slice, slice], None], shape: tuple[int, int], side: int = SIDE) -> None:
    """Call `fold` on every tile of an n x m matrix, those of the same rows from left to right by one thread."""
    rows, columns = (cuts(n, side) for n in shape)

    def panel(r: slice) -> None:
        for c in columns:
            fold(r, c)
            tick()

    run(panel, rows, steps=len(rows) * len(columns))
