"""Metrics from gradients: the matrix of the next round, and when rounds end."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.solvers.metric_rounds import learn_metric, mean_outer, next_transform

rng = np.random.default_rng(0)


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_the_square_of_the_transform_is_a_power_of_the_mean_outer_product(power):
    G = mean_outer(rng.normal(size=(30, 4)))
    T = next_transform(G, power)
    assert_allclose(T, T.T, atol=1e-14)
    values, vectors = np.linalg.eigh(G)
    assert_allclose(T @ T, (vectors * (values / values[-1]) ** power) @ vectors.T, atol=1e-12)


def test_of_a_diagonal_metric_only_the_diagonal_counts():
    G = mean_outer(rng.normal(size=(30, 3)) * [1.0, 2.0, 4.0])
    T = next_transform(G, 1.0, diagonal=True)
    assert_allclose(T @ T, np.diag(np.diag(G) / np.diag(G).max()), atol=1e-14)


def test_a_constant_function_leaves_the_plain_metric_and_scale_does_not_matter():
    assert_allclose(next_transform(np.zeros((3, 3)), 1.0), np.eye(3))
    gradients = rng.normal(size=(10, 3))
    plain = next_transform(mean_outer(gradients), 1.0)
    for size in (1e-200, 1e200):
        assert_allclose(next_transform(mean_outer(size * gradients), 1.0), plain, rtol=1e-12)


class Scripted:
    """A fit whose error is read from a list."""

    def __init__(self, error):
        self.error = error

    def gradients(self):
        return np.eye(2)


@pytest.mark.parametrize(("errors", "best", "done"), [([3.0, 2.0, 1.0], 1.0, 3), ([3.0, 2.0, 2.5, 1.0], 2.0, 3)])
def test_rounds_end_when_the_error_no_longer_falls_and_the_best_is_kept(errors, best, done):
    left = iter(errors)
    found = learn_metric(lambda T: Scripted(next(left)), np.eye(2), 2, (1.0,))
    assert found.fit.error == best
    assert [error for _, error in found.history] == errors[:done]
