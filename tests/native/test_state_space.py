"""Kalman's filter on a line against the factor of the covariance, at every instruction set."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.kernels import Matern
from mercer.native import state_space

rng = np.random.default_rng(0)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("columns", [1, 3])
def test_products_and_determinant_are_those_of_the_matrix(isa, order, columns):
    x, Y, noise = np.sort(rng.uniform(0.0, 4.0, 23)), rng.normal(size=(23, columns)), rng.uniform(0.1, 0.5, 23)
    M = 1.7 * Matern(1.0, nu=order - 0.5)(x[:, None]) + np.diag(noise)
    gaps = np.diff(x, prepend=x[:1]) * np.sqrt(2.0 * order - 1.0)
    products, slopes, log_slopes = np.zeros(columns**2), np.zeros(3 * columns**2), np.zeros(3)
    means, covariances = np.empty((23, columns * order)), np.empty((23, order**2))
    found = state_space.filter_line(order, gaps, Y, noise, 1.7, products, log_slopes, slopes, means, covariances)
    assert_allclose(found, np.linalg.slogdet(M)[1])
    assert_allclose(products.reshape(columns, columns), Y.T @ np.linalg.solve(M, Y))
    inverse = np.linalg.inv(M)
    assert_allclose(log_slopes[2], np.trace(inverse))
    assert_allclose(slopes.reshape(3, columns, columns)[2], -Y.T @ inverse @ inverse @ Y)
    last = 1.7 * Matern(1.0, nu=order - 0.5)(x[-1:, None], x[:, None]) @ inverse @ Y
    assert_allclose(means[-1].reshape(columns, order)[:, 0], last[0])


@pytest.mark.parametrize("order", [1, 2, 3])
def test_transitions_compose(isa, order):
    A = np.empty((3, order**2))
    state_space.line_transitions(order, np.array([0.3, 0.9, 1.2]), A)
    first, second, both = A.reshape(3, order, order)
    assert_allclose(second @ first, both, atol=1e-14)


@pytest.mark.parametrize(("change", "fault"), [
    ({"order": 4}, "order must be 1, 2 or 3"),
    ({"gaps": np.zeros(4)}, "gaps must be"),
    ({"noise": np.zeros(5, dtype=np.float32)}, "noise must be"),
    ({"Y": np.zeros((5, 17)), "products": np.zeros(289)}, "Y must be at most 16 columns"),
    ({"products": np.zeros(3)}, "products must be"),
    ({"means": np.zeros((5, 2)), "covariances": np.zeros((5, 1))}, "covariances must be"),
])  # fmt: skip
def test_the_border_refuses_what_does_not_fit(change, fault):
    given = {"order": 2, "gaps": np.zeros(5), "Y": np.zeros((5, 1)), "noise": np.ones(5), "variance": 1.0,
             "products": np.zeros(1), "log_determinant_slopes": None, "product_slopes": None, "means": None,
             "covariances": None} | change  # fmt: skip
    with pytest.raises((TypeError, ValueError), match=fault):
        state_space.filter_line(**given)
