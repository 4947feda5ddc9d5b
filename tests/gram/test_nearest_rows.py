"""The nearest rows: found in single precision, proved in double, and the same as by sorting all distances (T12, M7)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from mercer.gram import LazyGram, nearest_rows
from mercer.kernels import RBF, Exponential, Linear, Matern, RationalQuadratic
from mercer.kernels.prepared_rows import ORIGIN, rows

rng = np.random.default_rng(0)


def made(V):
    return rows(np.ascontiguousarray(V), ORIGIN)


def by_sorting(A, B, count):
    """(index, s) from every difference in double precision; ties by position."""
    S = ((A[:, None].astype(float) - B.astype(float)) ** 2).sum(axis=2)
    index = np.argsort(S, axis=1, kind="stable")[:, :count]
    return index, np.take_along_axis(S, index, axis=1)


def agrees(A, B, count):
    index, s = nearest_rows.nearest_rows(made(A), made(B), count)
    expected, least = by_sorting(A, B, count)
    assert_array_equal(index, expected)
    assert_allclose(s, least, rtol=1e-13)


@pytest.fixture
def at_once(monkeypatch):
    """Single precision for small matrices, too."""
    monkeypatch.setattr(nearest_rows, "_SMALL", 0)


@pytest.mark.parametrize("number", [np.float64, np.float32])
@pytest.mark.parametrize("d", [1, 3, 40])
@pytest.mark.parametrize("count", [1, 5, 60])
def test_neighbours_are_those_of_all_distances(at_once, number, d, count):
    agrees(rng.normal(size=(150, d)).astype(number), rng.normal(size=(700, d)).astype(number), count)


HARD = {
    "near copies": lambda V: np.vstack([V, V + 1e-9 * rng.normal(size=V.shape)]),
    "ties on a grid": np.rint,
    "every row four times": lambda V: np.repeat(V[::4], 4, axis=0),
    "one point": lambda V: np.ones_like(V),
    "all zero": np.zeros_like,
    "an outlier": lambda V: V * np.where(np.arange(len(V)) == 3, 1e7, 1.0)[:, None],
    "far from the origin": lambda V: V + 1e6,
    "tiny": lambda V: 1e-150 * V,
    "huge": lambda V: 1e150 * V,
    "denormal": lambda V: 5e-324 * np.rint(V),
}


@pytest.mark.parametrize("name", HARD)
def test_what_single_precision_cannot_tell_apart_is_told_in_double(at_once, name):
    V = HARD[name](rng.normal(size=(400, 3)))
    agrees(V[:50], V, 7)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), d=st.integers(1, 6), spread=st.sampled_from([1.0, 2.0**-10, 2.0**10]))
def test_any_rows(seed, d, spread):
    draw = np.random.default_rng(seed)
    B = np.rint(4.0 * draw.normal(size=(300, d)) * draw.lognormal(0.0, 2.0, (300, 1))) * spread
    before, nearest_rows._SMALL = nearest_rows._SMALL, 0
    try:
        agrees(B[:40], B, 4)
    finally:
        nearest_rows._SMALL = before


@pytest.mark.parametrize("number", [np.float64, np.float32])
@pytest.mark.parametrize("far", [1e3, 1e6, 1e9, 1e12])
def test_new_rows_far_from_all_others(at_once, number, far):
    """All others are nearly as near: the difference of two of them is rounding in single precision."""
    A, B = (far * rng.normal(size=(40, 3))).astype(number), rng.normal(size=(400, 3)).astype(number)
    index, s = nearest_rows.nearest_rows(made(A), made(B), 5)
    expected, least = by_sorting(A, B, 5)
    assert_allclose(s, least, rtol=1e-13)  # those that double precision cannot tell apart may change places
    if far <= 1e6:
        assert_array_equal(index, expected)


def test_the_rounding_of_single_precision_is_within_its_bound(at_once):
    """The bound is what the proof rests on: no t may be further from its value than E."""
    A, B = made(rng.normal(size=(60, 30))), made(rng.normal(size=(90, 30)))
    size = float(np.sqrt(max(A.sqnorm.max(), B.sqnorm.max())))
    found = nearest_rows._rows(A, size) @ nearest_rows._columns(B, size)
    t = (B.sqnorm / 2.0 - A.values @ B.values.T) / size**2
    a, b = np.sqrt(A.sqnorm) / size, float(np.sqrt(B.sqnorm.max())) / size
    E = (30 + 8) * 2.0**-24 * b * (a + b / 2.0)
    assert (np.abs(found - t) <= E[:, None]).all()


@pytest.mark.parametrize("k", [RBF(1.3), Exponential(0.7), Matern(2.0), Matern(0.5, nu=3.2), RationalQuadratic(1.0),
                               3.0 * RBF((0.5, 1.0, 2.0)), 2.0 * Linear()], ids=repr)  # fmt: skip
def test_kernels_of_distance_have_the_neighbours_of_their_own_distance_T12(k):
    X, Y = rng.normal(size=(40, 3)), rng.normal(size=(60, 3))
    index, squared = LazyGram(k, X, Y).nearest(5)
    D = k.diag(k.prepare(X))[:, None] + k.diag(k.prepare(Y)) - 2.0 * k(X, Y)
    assert_array_equal(index, np.argsort(D, axis=1)[:, :5])
    assert_allclose(squared, np.sort(D, axis=1)[:, :5], atol=1e-12)
    assert_array_equal(LazyGram(k, csr_array(X), csr_array(Y)).nearest(5)[0], index)


def test_a_kernel_that_is_0_for_all_pairs_still_has_neighbours_M7():
    X = 100.0 * rng.normal(size=(50, 2))
    index, squared = LazyGram(RBF(1e-3), X, X + 1.0).nearest(4)
    assert_array_equal(index, by_sorting(X, X + 1.0, 4)[0])
    assert_array_equal(squared, 2.0)
    assert_array_equal(LazyGram(0.0 * RBF(), X).nearest(2)[0], np.tile([0, 1], (50, 1)))  # all at distance 0
