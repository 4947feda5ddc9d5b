"""Sums over subsets of columns against products and elementary symmetric polynomials in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from tests.native.refusals import refuses
from tests.native.shapes import framed, seeds, sides
from tests.native.tiles import entries, eps, every, indices, parts, rows, sparse_rows, tile, turned, wide

from mercer.native import subsets

degrees = st.integers(0, 6)


def products(A, B):
    """x_ik y_jk in double precision."""
    return wide(A)[:, None, :] * wide(B)


def elementary(P, degree):
    """The elementary symmetric polynomial of the last axis."""
    e = [np.ones(P.shape[:-1], dtype=P.dtype), *(np.zeros(P.shape[:-1], dtype=P.dtype) for _ in range(degree))]
    for k in range(P.shape[-1]):
        for s in range(degree, 0, -1):
            e[s] = e[s] + P[..., k] * e[s - 1]
    return e[degree]


def close(found, expected, size):
    """Equal up to the rounding of numbers of this size."""
    assert_allclose(found, expected, rtol=0.0, atol=300 * eps(found) * max(1.0, np.max(size, initial=0.0)))


@given(XY=rows(every, -0.6, 0.6))
def test_all_subsets(isa, XY):
    X, Y = XY
    out, outside = tile(X, Y)
    subsets.all_subsets(X, turned(Y), out)
    P = products(X, Y)
    close(out, np.prod(1.0 + P, axis=2), np.prod(1.0 + np.abs(P), axis=2))
    outside.check()


@given(AB=sparse_rows(every, -0.6, 0.6), index=indices)
def test_sparse_all_subsets(isa, AB, index):
    A, B = AB
    out, outside = tile(A, B)
    subsets.sparse_all_subsets(*parts(index, A, B.tocsc()), out)
    P = products(A, B)
    close(out, np.prod(1.0 + P, axis=2), np.prod(1.0 + np.abs(P), axis=2))
    outside.check()


@given(XY=rows(every), degree=degrees)
def test_anova(isa, XY, degree):
    X, Y = XY
    out, outside = tile(X, Y)
    subsets.anova(X, turned(Y), degree, out)
    P = products(X, Y)
    close(out, elementary(P, degree), elementary(np.abs(P), degree))
    outside.check()


@given(degree=st.integers(1, 4), seed=seeds)
def test_anova_of_more_columns_than_are_computed_at_a_time(isa, degree, seed):
    X, Y = entries(seed, (3, 6), float), entries(seed + 1, (1100, 6), float)
    out, outside = tile(X, Y)
    subsets.anova(X, turned(Y), degree, out)
    close(out, elementary(products(X, Y), degree), 20.0)
    outside.check()


@given(AB=sparse_rows(every), index=indices, degree=degrees)
def test_sparse_anova(isa, AB, index, degree):
    A, B = AB
    out, outside = tile(A, B)
    subsets.sparse_anova(*parts(index, A, B.tocsc()), degree, out)
    P = products(A, B)
    close(out, elementary(P, degree), elementary(np.abs(P), degree))
    outside.check()


@given(n=sides, m=sides, d=st.sampled_from([0, 1, 3, 70]), power=st.sampled_from([0, 40, 200]), seed=seeds)
def test_scaled_all_subsets_holds_what_no_number_could(isa, n, m, d, power, seed):
    X, Y = entries(seed, (n, d), float) * 2.0**power, entries(seed + 1, (m, d), float) * 2.0**power
    X[:1, :1], Y[:1, :1] = 1.0, -1.0  # a factor of 0
    (out, outside), (exponent, beyond) = framed(np.full((n, m), 99.0)), framed(np.full((n, m), 99))
    subsets.scaled_all_subsets(X, turned(Y), out, exponent)
    factors = 1.0 + products(X, Y)
    assert_allclose(np.sign(out), np.prod(np.sign(factors), axis=2))
    with np.errstate(divide="ignore"):
        logarithm = np.log2(np.abs(out)) + exponent
        assert_allclose(logarithm, np.log2(np.abs(factors)).sum(axis=2), rtol=1e-12, atol=1e-10)
    outside.check()
    beyond.check()


def test_small_products_are_scaled_too(isa):
    X, Yt, out, exponent = np.full((1, 40), -1.0 + 2.0**-50), np.ones((40, 9)), np.empty((1, 9)), np.empty((1, 9), int)
    subsets.scaled_all_subsets(X, Yt, out, exponent)
    assert_allclose(np.log2(out) + exponent, -2000.0)


NAMES = ("aptr", "acol", "aval", "cptr", "crow", "cval")


def test_wrong_dense_arguments_are_named():
    dense = {"X": np.ones((2, 3)), "Yt": np.ones((3, 4)), "out": np.zeros((2, 4))}
    refuses(subsets.all_subsets, dense, {"out"}, free={"X", "out"}, chooses={"out"})
    refuses(subsets.anova, dense | {"degree": 2}, {"out"}, free={"X", "out"}, chooses={"out"})
    scaled = dense | {"exponent": np.zeros((2, 4), dtype=np.int64)}
    refuses(subsets.scaled_all_subsets, scaled, {"out", "exponent"}, free={"X", "out"})


def test_wrong_sparse_arguments_are_named():
    A, B = csr_array(np.ones((2, 3))), csr_array(np.ones((4, 3)))
    sparse = dict(zip(NAMES, parts(np.int32, A, B.tocsc()), strict=True)) | {"out": np.zeros((2, 4))}
    free = {"aval", "cval", "out"}
    refuses(subsets.sparse_all_subsets, sparse, {"out"}, free=free, chooses={"out"})
    refuses(subsets.sparse_anova, sparse | {"degree": 2}, {"out"}, free=free, chooses={"out"})


def test_negative_degrees_are_refused():
    with pytest.raises(ValueError, match=r"^anova: degree must be at least 0; got -1"):
        subsets.anova(np.ones((2, 3)), np.ones((3, 4)), -1, np.zeros((2, 4)))


@pytest.mark.usefixtures("_memory_may_run_out")
@pytest.mark.parametrize("degree", [2**50, 2**62, 2**63 - 1])
def test_too_little_memory_is_an_error_and_not_a_crash(degree):
    with pytest.raises(MemoryError):
        subsets.anova(np.ones((2, 3)), np.ones((3, 4)), degree, np.zeros((2, 4)))
