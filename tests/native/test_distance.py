"""Distances of dense rows against the same in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.native.refusals import refuses
from tests.native.shapes import framed, numbers, seeds, sides
from tests.native.tiles import eps, rows, tile, turned, wide, widths

from mercer.native import distance


def differences(X, Y):
    """x_ik - y_jk in double precision."""
    return wide(X)[:, None, :] - wide(Y)[None, :, :]


def close(found, expected, X):
    """Equal up to the rounding of a sum of as many terms as X has columns."""
    assert_allclose(found, expected, rtol=4 * (X.shape[1] + 4) * eps(found), atol=np.finfo(found.dtype).tiny)


@given(XY=rows())
def test_direct(isa, XY):
    X, Y = XY
    out, outside = tile(X, Y)
    distance.direct(X, turned(Y), out)
    close(out, (differences(X, Y) ** 2).sum(axis=2), X)
    outside.check()


@given(XY=rows())
def test_absolute(isa, XY):
    X, Y = XY
    out, outside = tile(X, Y)
    distance.absolute(X, turned(Y), out)
    close(out, np.abs(differences(X, Y)).sum(axis=2), X)
    outside.check()


@given(XY=rows(low=0.0))
def test_chi_squared(isa, XY):
    X, Y = (np.where(V < 0.3, 0, V).astype(V.dtype) for V in XY)  # many zeros on both sides
    out, outside = tile(X, Y)
    distance.chi_squared(X, turned(Y), out)
    D, total = differences(X, Y), wide(X)[:, None, :] + wide(Y)[None, :, :]
    close(out, np.divide(D**2, total, out=np.zeros_like(D), where=total > 0.0).sum(axis=2), X)
    outside.check()


def expanded(X, Y):
    """X Y^T and the squared norms, all rounded to the type of X."""
    x, y = wide(X), wide(Y)
    return (part.astype(X.dtype) for part in (x @ y.T, (x * x).sum(axis=1), (y * y).sum(axis=1)))


@given(XY=rows(), near=st.sampled_from([0.0, 0.1, 1.0]), shift=st.sampled_from([0.0, 8.0, 1024.0]))
def test_from_dots_keeps_the_digits_of_near_pairs(isa, XY, near, shift):
    X, Y = (V + V.dtype.type(shift) for V in XY)
    chosen = np.random.default_rng(0).random(len(Y)) < near
    if len(X):
        Y[chosen] = X[np.arange(len(Y)) % len(X)][chosen]
    G, xx, yy = expanded(X, Y)
    out, outside = framed(G)
    distance.from_dots(out, xx, yy, X, Y)
    exact = (differences(X, Y) ** 2).sum(axis=2)
    assert_allclose(out, exact, rtol=64 * (X.shape[1] + 8) * eps(X), atol=np.finfo(X.dtype).tiny)
    assert (out >= 0.0).all()
    assert (out[exact == 0.0] == 0.0).all()
    outside.check()


@st.composite
def weighted(draw, dtype=float, high=1.0):
    """M, X, Yt."""
    n, m, d = draw(sides), draw(sides), draw(widths)
    shapes = ((n, d), (d, m))
    return numbers(draw(seeds), (n, m), float), *(
        numbers(draw(seeds), s, float, -high, high).astype(dtype) for s in shapes
    )


@given(data=weighted())
def test_absolute_moments_are_added(isa, data):
    M, X, Yt = data
    out, outside = framed(np.ones(X.shape[1]))
    distance.absolute_moments(M, X, Yt, out)
    expected = 1.0 + np.einsum("ij,ijk->k", M, np.abs(differences(X, Yt.T)))
    assert_allclose(out, expected, rtol=1e-12, atol=1e-12 * M.size)
    outside.check()


@given(data=weighted(), q=st.integers(0, 3), seed=seeds)
def test_squared_products_are_added(isa, data, q, seed):
    M, X, Yt = data
    Vt = numbers(seed, (q, M.shape[1]), float)
    out, outside = framed(np.ones((len(M), q * X.shape[1])))
    distance.squared_products(M, X, Yt, Vt, out)
    expected = 1.0 + np.einsum("ij,qj,ijk->iqk", M, Vt, differences(X, Yt.T) ** 2)
    assert_allclose(out, expected.reshape(out.shape), rtol=1e-12, atol=1e-12 * M.shape[1])
    outside.check()


@given(data=weighted(np.int64, high=3.0), seed=seeds)
def test_mismatches(isa, data, seed):
    _, X, Yt = data
    weight = numbers(seed, X.shape[1], float, 0.0, 2.0)
    out, outside = framed(np.full((len(X), Yt.shape[1]), 99.0))
    distance.mismatches(X, Yt, weight, out)
    assert_allclose(out, ((X[:, None, :] != Yt.T) * weight).sum(axis=2), rtol=1e-13)
    outside.check()


@given(data=weighted(np.int64, high=3.0))
def test_mismatch_moments_are_added(isa, data):
    M, X, Yt = data
    out, outside = framed(np.ones(X.shape[1]))
    distance.mismatch_moments(M, X, Yt, out)
    expected = 1.0 + np.einsum("ij,ijk->k", M, (X[:, None, :] != Yt.T).astype(float))
    assert_allclose(out, expected, rtol=1e-12, atol=1e-12 * M.size)
    outside.check()


@given(n=sides, m=sides, d=widths, count=st.sampled_from([1, 2, 7]), seed=seeds, whole=st.booleans())
def test_ranked(isa, n, m, d, count, seed, whole):
    X, Y = (framed(numbers(seed + i, (side, d), np.float64))[0] for i, side in enumerate((n, m)))
    if whole:  # ties, which go by index
        X, Y = np.rint(X), np.rint(Y)
    count = min(count, m)
    rng = np.random.default_rng(seed)
    given = np.array([rng.permutation(m)[:count] for _ in range(n)], dtype=np.intp).reshape(n, count)
    (index, around), (out, outside) = framed(given), framed(np.zeros((n, count)))
    distance.ranked(X, Y, index, out)
    S = (differences(X, Y) ** 2).sum(axis=2)
    assert_array_equal(np.sort(index, axis=1), np.sort(given, axis=1))
    close(out, np.take_along_axis(S, index, axis=1), X)
    steps = np.diff(out, axis=1)
    assert (steps >= 0.0).all()
    assert (np.diff(index, axis=1)[steps == 0.0] > 0).all()
    around.check()
    outside.check()


def test_a_distance_does_not_depend_on_the_tile_it_is_in(isa):
    X, Y = numbers(0, (23, 13), np.float32), numbers(1, (71, 13), np.float32)
    whole, part = np.empty((23, 71), dtype=np.float32), np.empty((5, 30), dtype=np.float32)
    distance.direct(X, turned(Y), whole)
    distance.direct(X[7:12], turned(Y[31:61]), part)
    assert_array_equal(part, whole[7:12, 31:61])


X, Y, M = np.ones((2, 3)), np.ones((4, 3)), np.ones((2, 4))


@pytest.mark.parametrize("name", ["direct", "absolute", "chi_squared"])
def test_wrong_operands_of_a_tile_are_named(name):
    arguments = {"X": X, "Yt": turned(Y), "out": M.copy()}
    refuses(getattr(distance, name), arguments, {"out"}, free={"X", "out"}, chooses={"out"})
    with pytest.raises(ValueError, match=rf"^{name}: X must be of shape \(2, any\); got shape \(3, 3\)"):
        getattr(distance, name)(**arguments | {"X": np.ones((3, 3))})


def test_wrong_arguments_are_named():
    pair = {"xx": np.ones(2), "yy": np.ones(4), "X": X, "Y": Y}
    refuses(distance.from_dots, {"G": M.copy(), **pair}, {"G"}, free={"G", "X"}, chooses={"G"})
    moments = {"M": M, "X": X, "Yt": turned(Y), "out": np.zeros(3)}
    refuses(distance.absolute_moments, moments, {"out"}, free={"M", "X"})
    products = {"M": M, "X": X, "Yt": turned(Y), "Vt": np.ones((2, 4)), "out": np.zeros((2, 6))}
    refuses(distance.squared_products, products, {"out"}, free={"M", "X", "Vt"})
    ranks = {"X": X, "Y": Y, "index": np.zeros((2, 2), dtype=np.intp), "out": np.zeros((2, 2))}
    refuses(distance.ranked, ranks, {"index", "out"}, free={"X", "Y", "out"})
    for wrong in (4, -1):
        with pytest.raises(ValueError, match=rf"^ranked: index must be indices from 0 to below 4; got {wrong}"):
            distance.ranked(**ranks | {"index": np.array([[0, 1], [2, wrong]])})
    codes = {"X": X.astype(np.int64), "Yt": turned(Y).astype(np.int64)}
    refuses(distance.mismatches, {**codes, "weight": np.ones(3), "out": M.copy()}, {"out"}, free={"X", "out"})
    refuses(distance.mismatch_moments, {"M": M, **codes, "out": np.zeros(3)}, {"out"}, free={"M", "X"})
