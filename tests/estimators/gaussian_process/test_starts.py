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
    assert_allclose(value(k.kernel.lengthscale)[:3] / X[:, :3].std(axis=0), 2.0)
    assert value(k.kernel.lengthscale)[3] == 2.0  # a constant column has no spread
    assert_allclose(named_kernel("rbf", csr_matrix(X), y).theta, k.theta)


def test_constant_targets_have_units_of_one():
    assert learned_noise(np.ones(5)).value == 0.1
