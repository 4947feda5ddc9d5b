"""No pair is measured twice where symmetry gives it: counts of kernel values, as assertions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from mercer import LazyGram, configure
from mercer.engine.tiles import lower_tiles
from mercer.kernels import Centred, Constant, GaussianOf, Kernel, Normalised, kernel

n, m = 1500, 700
X, Y = np.arange(float(n))[:, None], np.arange(float(m))[:, None]
LOWER = sum((r.stop - r.start) * (c.stop - c.start) for r, c in lower_tiles(n))
SEEN: Counter = Counter()


@kernel
class Counted(Kernel):
    """The constant 1, which notes the first item and the number of rows and columns of every tile."""

    psd = True

    def block(self, A, B):
        SEEN[tuple((V.values[0, 0], len(V)) for V in (A, B))] += 1
        return np.ones((len(A), len(B)))

    def diag(self, A):
        return np.ones(len(A))


@pytest.fixture(autouse=True)
def _fresh_count():
    SEEN.clear()


def tiles():
    """The tiles that were asked for, but for single entries, which tell the number type."""
    return {(r, c): times for (r, c), times in SEEN.items() if r[1] * c[1] > 1}


def values():
    return sum(times * r[1] * c[1] for (r, c), times in tiles().items())


SYMMETRIC = {
    "k(X)": lambda: Counted()(X),
    "product": lambda: LazyGram(Counted(), X) @ np.ones((n, 2)),
    "2 k + 1": lambda: (2.0 * Counted() + Constant(1.0))(X),
    "normalised": lambda: Normalised(Counted())(X),
    "gaussian of": lambda: GaussianOf(Counted())(X),
}


@pytest.mark.parametrize("compute", SYMMETRIC.values(), ids=SYMMETRIC)
@pytest.mark.parametrize("threads", [1, 3])
def test_a_symmetric_gram_takes_each_pair_of_tiles_once(compute, threads):
    with configure(threads=threads):
        compute()
    assert set(tiles().values()) == {1}
    assert not any((c, r) in tiles() for r, c in tiles() if r != c), "never a tile and its mirror"
    assert values() == LOWER < 0.65 * n * n


def test_a_cross_gram_takes_each_pair_once():
    LazyGram(Counted(), X, Y) @ np.ones(m)
    assert values() == n * m
    SEEN.clear()
    Counted()(X, Y)
    assert values() == n * m


def test_neighbours_take_each_pair_once_per_side():
    LazyGram(Counted(), X).nearest(3)
    assert values() == n * n


def test_rows_and_diagonals_take_what_they_show():
    LazyGram(Counted(), X).rows([3, 7])
    assert values() == 2 * n
    SEEN.clear()
    LazyGram(Counted(), X).diag()
    assert values() == 0


def test_centring_a_fitted_kernel_measures_the_training_set_once():
    k = Centred(Counted()).fit(X)
    assert values() == n * n
    SEEN.clear()
    k(Y, X[:10])
    assert values() == (m + 10) * n + m * 10  # means of both, and the values
