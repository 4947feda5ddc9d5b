"""The centre and the deviation of columns: those of most values, whatever a few are."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix

from mercer.estimators.robust_scale import centre_and_deviation, pulled_in

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 3)) * [1.0, 100.0, 0.01] + [0.0, 5.0, -3.0]


def test_of_tame_columns_they_are_mean_and_standard_deviation_or_nearly():
    centre, deviation = centre_and_deviation(X)
    assert_allclose(centre, X.mean(axis=0), atol=0.02 * X.std(axis=0).max())
    assert_allclose(deviation, X.std(axis=0), rtol=0.06)


@pytest.mark.parametrize("n", [8, 50, 400])
@pytest.mark.parametrize("wild", [1e3, 1e9, -1e300])
def test_one_wild_row_moves_them_no_more_than_its_neighbour_would(n, wild):
    spoiled = np.vstack([X[: n - 1], np.full((1, 3), wild)])
    (c, d), (centre, deviation) = centre_and_deviation(X[: n - 1]), centre_and_deviation(spoiled)
    assert (np.abs(c - centre) < 0.7 * d).all()
    assert ((deviation / d > 0.6) & (deviation / d < 1.8)).all()


def test_rare_values_are_not_taken_for_wild_ones():
    flag = np.zeros((300, 1))
    flag[7] = 1.0  # pulled in, the column would be constant
    assert_allclose(centre_and_deviation(flag), [flag.mean(axis=0), flag.std(axis=0)])


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_few_values(n):
    centre, deviation = centre_and_deviation(X[:n])
    assert ((X[:n].min(axis=0) <= centre) & (centre <= X[:n].max(axis=0))).all()
    assert (deviation > 0.0).all() if n > 1 else (deviation == 0.0).all()


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_units_do_not_matter_where_squares_are_no_numbers(size):
    for found, plain in zip(centre_and_deviation(size * X), centre_and_deviation(X), strict=True):
        assert_allclose(found / size, plain, rtol=1e-10)


def test_constant_columns_have_no_deviation():
    assert_array_equal(centre_and_deviation(np.full((20, 2), 0.1))[1], 0.0)
    assert_array_equal(centre_and_deviation(np.zeros((20, 2)))[0], 0.0)


def test_sparse_columns_are_measured_with_their_zeros():
    S = X * (rng.random(X.shape) < 0.3)
    for found, dense in zip(centre_and_deviation(csr_matrix(S)), centre_and_deviation(S), strict=True):
        assert_allclose(found, dense)


def test_only_the_outermost_values_are_pulled_in():
    V = np.arange(200.0)[:, None]
    V[0], V[-1] = -1e9, 1e9
    assert_array_equal(pulled_in(V)[:, 0], np.clip(np.arange(200.0), 2.0, 197.0))
