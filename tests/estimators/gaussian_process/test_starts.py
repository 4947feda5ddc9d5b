"""Kernels by name: units from the data (M32)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix

from mercer.estimators.gaussian_process.starts import NAMES, learned_noise, named_kernel
from mercer.parameters import value

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 4)) * [1.0, 10.0, 0.1, 0.0]
y = 5.0 * rng.normal(size=200)


@pytest.mark.parametrize("name", NAMES)
def test_prior_variances_are_that_of_the_targets(name):
    k = named_kernel(name, X, y)
    share = np.mean(k.diag(k.prepare(X))) / y.var()
    assert 0.9 < share < (2.2 if name == "linear" else 1.1)
    low, high = k.bounds.T
    assert ((low < k.theta) & (k.theta < high)).all()


def test_lengthscales_are_in_spreads_of_their_column_and_sparse_data_have_the_same():
    k = named_kernel("rbf", X, y)
    assert_allclose(value(k.kernel.lengthscale)[:3] / X[:, :3].std(axis=0), 2.0, rtol=0.05)
    assert value(k.kernel.lengthscale)[3] == 2.0  # a constant column has no spread
    assert_allclose(named_kernel("rbf", csr_matrix(X), y).theta, k.theta)


def test_constant_targets_have_units_of_one():
    assert learned_noise(np.ones(5)).value == 0.1


def test_one_wild_row_changes_neither_starts_nor_bounds_to_speak_of():
    Z = X[:, :3]
    tame, wild = (named_kernel("rbf", rows, y) for rows in (Z, np.vstack([Z[:-1], np.full((1, 3), 1e9)])))
    assert_allclose(wild.theta, tame.theta, atol=0.1)
    assert_allclose(wild.bounds, tame.bounds, atol=0.1)


def test_targets_whose_square_is_no_number_are_refused():
    with pytest.raises(ValueError, match=r"y must be small enough.*larger unit"):
        learned_noise(1e200 * y)
