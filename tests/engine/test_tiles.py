"""Tiles cover a matrix once, in nearly equal pieces."""

from __future__ import annotations

import numpy as np
import pytest

from mercer.engine.tiles import SIDE, all_tiles, cuts, lower_tiles

SIZES = [0, 1, 2, SIDE - 1, SIDE, SIDE + 1, 2 * SIDE, 1000, 5 * SIDE + 7]


@pytest.mark.parametrize("n", SIZES)
def test_cuts_cover_every_row_once_and_in_order(n):
    pieces = cuts(n)
    assert [i for piece in pieces for i in range(piece.start, piece.stop)] == list(range(n))


@pytest.mark.parametrize("n", SIZES)
def test_cuts_are_no_longer_than_a_side_and_nearly_equal(n):
    lengths = [piece.stop - piece.start for piece in cuts(n)]
    assert max(lengths, default=0) <= SIDE
    assert max(lengths, default=0) - min(lengths, default=0) <= 1
    assert len(lengths) == -(-n // SIDE)


@pytest.mark.parametrize(("n", "m"), [(0, 5), (1, 1), (SIDE + 1, 10), (1000, 800)])
def test_all_tiles_cover_a_matrix_once(n, m):
    seen = np.zeros((n, m), dtype=int)
    for tile in all_tiles(n, m):
        seen[tile] += 1
    assert (seen == 1).all()


@pytest.mark.parametrize("n", [0, 1, SIDE, SIDE + 1, 1000])
def test_lower_tiles_and_their_mirrors_cover_a_symmetric_matrix_once(n):
    seen = np.zeros((n, n), dtype=int)
    for r, c in lower_tiles(n):
        seen[r, c] += 1
        if r != c:
            seen[c, r] += 1
    assert (seen == 1).all()
