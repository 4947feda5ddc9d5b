"""The Hamming kernel on categorical columns: values, derivatives, unseen categories."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mercer.kernels.categorical import Hamming
from mercer.kernels.sets import Intersection
from mercer.testing import check_kernel

X = [["red", "S", 1], ["red", "L", 2], ["blue", "S", 1], ["green", "M", 2]]
Y = [["red", "M", 3], ["pink", "S", 3], ["pink", "XL", 1]]
cells = st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=1, max_size=5)


def naive(X, Y, scales):
    S = [[sum((a != b) / s for a, b, s in zip(x, y, scales, strict=True)) for y in Y] for x in X]
    return np.exp(-np.array(S))


@given(cells, cells)
def test_the_gram_is_the_formula(A, B):
    assert_allclose(Hamming(0.7)(A, B), naive(A, B, [0.7] * 3), rtol=1e-14)
    assert_allclose(Hamming((0.5, 1.0, 2.0))(A, B), naive(A, B, [0.5, 1.0, 2.0]), rtol=1e-14)


@pytest.mark.parametrize("scale", [0.8, (0.5, 2.0, 1.5), (0.5, np.inf, 1.5)])
def test_laws(scale):
    check_kernel(Hamming(scale), X, Y)


def test_an_infinite_lengthscale_drops_its_column():
    short = [row[1:] for row in X]
    assert_array_equal(Hamming((np.inf, 1.0, 2.0))(X), Hamming((1.0, 2.0))(short))


def test_on_two_sided_columns_it_is_one_minus_the_agreement_in_the_exponent_K35():
    """With d equal columns, -log k counts disagreements: d minus the intersection of (column, value) pairs."""
    agree = Intersection()([set(enumerate(row)) for row in X])
    assert_allclose(-np.log(Hamming()(X)), 3.0 - agree, rtol=1e-12)


def test_unseen_categories_differ_from_known_ones_and_equal_themselves():
    k = Hamming()
    A = k.prepare([["a"], ["b"]])
    B = k.prepare([["z"], ["a"], ["z"], ["y"]], A.frame)
    assert_allclose(k.block(A, B), np.exp([[-1.0, 0.0, -1.0, -1.0], [-1.0, -1.0, -1.0, -1.0]]), rtol=1e-15)
    assert_allclose(k.block(B, B)[0], np.exp([0.0, -1.0, 0.0, -1.0]), rtol=1e-15)


def test_only_values_of_the_same_column_are_compared():
    assert_allclose(Hamming()([["a", "b"]], [["b", "a"]]), [[np.exp(-2.0)]])


def test_arrays_lists_and_frames_agree():
    K = Hamming()(X)
    for same in (
        np.array(X, dtype=object),
        [tuple(row) for row in X],
        pd.DataFrame(X),
        pd.DataFrame(X).astype("category"),
    ):
        assert_array_equal(Hamming()(same), K)
    codes = np.array([[0, 0, 1], [0, 1, 2], [1, 0, 1], [2, 2, 2]])
    assert_array_equal(Hamming()(codes), K)
    assert_array_equal(Hamming()(codes.astype(float), codes), K)


def test_wrong_widths_are_refused():
    with pytest.raises(ValueError, match=r"one number or one per column \(3\); got 2 numbers"):
        Hamming((1.0, 2.0))(X)
    with pytest.raises(ValueError, match="3 columns wide; got 2 columns"):
        Hamming()(X, [row[:2] for row in Y])


def test_empty_data_give_empty_matrices_I2():
    assert Hamming((1.0, 2.0, 3.0))([], X).shape == (0, 4)
    assert Hamming()(X, []).shape == (4, 0)


def test_repr_reads_back():
    for k in (Hamming(), Hamming(2.0), Hamming((1.0, 2.0))):
        assert eval(repr(k)) == k
