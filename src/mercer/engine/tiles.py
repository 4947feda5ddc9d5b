"""Tiles: how a Gram matrix is cut into pieces of work.

A kernel fills one block k(X[i:j], Y[p:q]); it knows nothing of memory or threads.  This module chooses the
blocks.  Two facts decide:

1. a tile should stay in one core's second-level cache from the matrix product to the last transform;
2. k(X, X) is symmetric, so only tiles on or under the diagonal are planned.

Read `cuts`, then `lower_tiles`.  Running them is engine/pool.py; filling an array is engine/fill.py.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

SIDE = 384  # rows and columns of a tile: 1.2 MB of float64, inside a 2 MB cache with its operands
COSTLY_SIDE = 32  # of tiles whose entries take long (a sum over two sequences): a few hundred items use all cores
SINGLE_SIDE = 600  # the same of float32: 1.4 MB

Tile = tuple[slice, slice]


def side_for(dtype: np.dtype) -> int:
    """Rows and columns of a tile of these numbers."""
    return SINGLE_SIDE if dtype.itemsize <= 4 else SIDE


def cuts(n: int, side: int = SIDE) -> list[slice]:
    """Consecutive slices of at most `side` that cover range(n), of nearly equal length."""
    pieces = -(-n // side)
    edges = [n * i // pieces for i in range(pieces + 1)] if pieces else [0]
    return [slice(a, b) for a, b in pairwise(edges)]


def all_tiles(n: int, m: int, side: int = SIDE) -> list[Tile]:
    """Every tile of an n x m matrix, row by row."""
    columns = cuts(m, side)
    return [(r, c) for r in cuts(n, side) for c in columns]


def lower_tiles(n: int, side: int = SIDE) -> list[Tile]:
    """The tiles of an n x n symmetric matrix on or under the diagonal."""
    pieces = cuts(n, side)
    return [(r, c) for i, r in enumerate(pieces) for c in pieces[: i + 1]]
