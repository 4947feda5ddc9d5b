"""Tiles: how a Gram matrix is cut into pieces of work.

A kernel fills one block k(X[i:j], Y[p:q]); it knows nothing of memory or threads.  This module chooses the
blocks.  Two facts decide:

1. a tile should stay in one core's second-level cache from the matrix product to the last transform;
2. k(X, X) is symmetric, so only tiles on or under the diagonal are planned.

Read `cuts`, then `lower_tiles`.  Running them is engine/pool.py; filling an array is engine/fill.py.
"""

from __future__ import annotations

from itertools import pairwise

SIDE = 384  # rows and columns of a tile: 1.2 MB of float64, inside a 2 MB cache with its operands

Tile = tuple[slice, slice]


def cuts(n: int, side: int = SIDE) -> list[slice]:
    """Consecutive slices of at most `side` that cover range(n), of nearly equal length."""
    pieces = -(-n // side)
    edges = [n * i // pieces for i in range(pieces + 1)] if pieces else [0]
    return [slice(a, b) for a, b in pairwise(edges)]


def all_tiles(n: int, m: int) -> list[Tile]:
    """Every tile of an n x m matrix, row by row."""
    columns = cuts(m)
    return [(r, c) for r in cuts(n) for c in columns]


def lower_tiles(n: int) -> list[Tile]:
    """The tiles of an n x n symmetric matrix on or under the diagonal."""
    pieces = cuts(n)
    return [(r, c) for i, r in enumerate(pieces) for c in pieces[: i + 1]]
