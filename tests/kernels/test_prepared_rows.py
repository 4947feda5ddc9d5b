"""Rows and their distances: no digit is lost, nothing is computed twice, nothing is mixed up."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from mercer.items import Vectors
from mercer.kernels.dot import Linear, Polynomial
from mercer.kernels.prepared_rows import (
    ORIGIN,
    centre,
    centred,
    dot,
    product_moments,
    rows,
    sqdist,
    squared_moments,
    squared_products,
)
from mercer.kernels.radial import RBF, Exponential, Matern

rng = np.random.default_rng(5)


def distances(X, Y, form=np.asarray):
    X, Y = Vectors.check(form(X), "test"), Vectors.check(form(Y), "test")
    frame = centre(X, {})
    return sqdist(rows(centred(X, frame, None), frame), rows(centred(Y, frame, None), frame))[0]


def exact(X, Y):
    """Squared distances in rational arithmetic, rounded once."""
    return [[float(sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(x, y, strict=True))) for y in Y] for x in X]


@pytest.mark.parametrize("D", [1, 3, 4, 5, 20])
@pytest.mark.parametrize("shift", [0.0, 1.0, 1e6])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_near_points_keep_the_digits_of_their_small_distances_K3(D, shift, form):
    X = rng.normal(size=(6, D)) + shift
    Y = X + rng.normal(size=X.shape) * 10.0 ** -np.arange(1, 7)[:, None]  # as near as 1e-6 of the spread
    assert_allclose(distances(X, Y, form), exact(X, Y), rtol=1e-13)


@pytest.mark.parametrize("D", [2, 12])
def test_neighbouring_floats_have_their_exact_distance_K3(D):
    X = 1.0 + rng.random((4, D))
    Y = np.nextafter(X, 2.0)
    assert_allclose(np.diag(distances(X, Y)), [float(sum(Fraction(np.spacing(v)) ** 2 for v in x)) for x in X])


@given(st.lists(st.tuples(*[st.floats(-1e6, 1e6, width=32)] * 6), min_size=2, max_size=6))
@settings(max_examples=60)
def test_squared_distances_are_never_negative_and_zero_for_equal_rows_K3(X):
    for dtype in (np.float64, np.float32):
        V = np.array(X, dtype=dtype)
        S = distances(V, V)
        assert (S >= 0.0).all()
        assert_array_equal(np.diag(S), 0.0)
        rtol, underflow = (1e-3 if dtype == np.float32 else 1e-11), float(np.finfo(dtype).tiny)
        assert_allclose(S, exact(V.tolist(), V.tolist()), rtol=rtol, atol=underflow)


def test_subtracting_the_centre_is_exact():
    """The centre has few binary digits, so data around it lose none."""
    for scale, shift in ((1.0, 1e6), (1e-3, 7.3), (1e8, 3e9), (1.0, 0.4)):
        X = Vectors.check(shift + scale * rng.normal(size=(50, 3)), "test")
        frame = centre(X, {})
        at = np.zeros(3) if frame.at is None else frame.at
        moved = centred(X, frame, None)
        assert all(Fraction(v) == Fraction(x) - Fraction(c) for v, x, c in
                   zip(moved.ravel(), X.values.ravel(), np.tile(at, 50), strict=True))  # fmt: skip
        assert abs(moved.mean(axis=0)).max() < 5 * scale


def test_the_centre_is_found_per_column():
    X = Vectors.check(np.column_stack([1e8 * rng.normal(size=99), 5.0 + 1e-6 * rng.normal(size=99)]), "test")
    assert_array_equal(np.round(centre(X, {}).at, 4), [0.0, 5.0])
    assert centre(Vectors.check(rng.normal(size=(9, 2)), "test"), {}) is ORIGIN
    assert centre(Vectors.check(np.full((4, 2), 3.7), "test"), {}).at.tolist() == [3.7, 3.7]


@pytest.mark.parametrize("D", [3, 6])
def test_rows_of_different_width_are_refused(D):
    A, B = (rows(rng.normal(size=(2, d)), ORIGIN) for d in (D, D + 1))
    for statistic in (dot, sqdist):
        with pytest.raises(ValueError, match=f"as many columns wide as X .{D}.; got {D + 1} columns"):
            statistic(A, B)


def test_lengths_beyond_the_number_type_are_refused_not_turned_into_nan():
    X = np.array([[1.0, 2.0], [1e20, 0.0]], dtype=np.float32)
    for k in (RBF(1.0), Linear(), Polynomial(2)):
        with pytest.raises(ValueError, match="overflow in row 1"):
            k(X)
        assert np.isfinite(RBF(1.0)(X.astype(np.float64))).all()


def test_kernels_of_one_expression_share_a_tile_and_leave_it_alone():
    X, Y = rng.normal(size=(7, 6)), rng.normal(size=(5, 6))
    parts = [RBF(0.7), Matern(1.3), Linear(), Polynomial(2), Exponential(0.4), RBF(2.0)]
    expected = sum(k(X, Y) for k in parts)
    assert_allclose(sum(parts)(X, Y), expected, rtol=1e-13)
    assert_allclose(sum(reversed(parts))(X, Y), expected, rtol=1e-13)
    k = sum(parts)
    A = k.prepare(X)
    B = k.prepare(Y, A.frame)
    assert_allclose(k.block(A, B), k.block(A, B), rtol=0)  # the memory of a tile is read, not written


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csr_matrix])
def test_moments_are_what_the_sums_say(form):
    X, Y, M = rng.normal(size=(7, 4)), rng.normal(size=(5, 4)), rng.normal(size=(7, 5))
    A, B = rows(form(X), ORIGIN), rows(form(Y), ORIGIN)
    difference = X[:, None] - Y
    assert_allclose(squared_moments(A, B, M), np.einsum("ij,ijk->k", M, difference**2))
    assert_allclose(product_moments(A, B, M), np.einsum("ij,ik,jk->k", M, X, Y))


@pytest.mark.parametrize("wild", [1.0, 1e6])
def test_moments_and_products_keep_their_digits_beside_a_wild_row_K2(wild):
    X = rng.normal(size=(8, 5))
    X[3] *= wild
    A = rows(X, ORIGIN)
    D = (X[:, None] - X) ** 2
    M, V = np.exp(-0.5 * D.sum(axis=2)), rng.normal(size=(8, 2))  # nothing of the wild row but its zero from itself
    assert_allclose(squared_moments(A, A, M), np.einsum("ij,ijk->k", M, D), rtol=1e-12)
    assert_allclose(squared_products(A, A, M, V), np.einsum("ij,ijk,jq->kiq", M, D, V), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kernel", [Linear(), RBF(1.3), RBF(tuple(np.linspace(0.5, 2.0, 30))), Matern(2.0, nu=2.5)])
def test_narrow_and_wide_sparse_rows_give_the_same_tiles(kernel, monkeypatch):
    dense = rng.normal(size=(60, 30)) * (rng.random((60, 30)) < 0.2)
    dense[5] = dense[7] + 1e-9  # a pair that the matrix product cannot tell apart
    X = sparse.csr_array(dense)
    narrow = kernel(X)
    monkeypatch.setattr("mercer.kernels.prepared_rows._NARROW", 0)
    assert_allclose(kernel(X), narrow, rtol=1e-13, atol=1e-14)
