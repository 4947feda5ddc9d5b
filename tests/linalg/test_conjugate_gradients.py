"""Conjugate gradients on one system and on many: against direct solutions, and where there is no descent."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.linalg.conjugate_gradients import Iteration, conjugate_gradients, row_inner

rng = np.random.default_rng(3)
ROOT = rng.normal(size=(10, 10))
M = ROOT @ ROOT.T + np.eye(10)
RIGHT = rng.normal(size=(10, 2))


def by_diagonal(V):
    return V / np.diagonal(M)[:, None]


def test_the_residual_falls_to_the_tolerance():
    X, products = conjugate_gradients(lambda V: M @ V, RIGHT, solve=by_diagonal, tol=1e-4, most=300)
    R = RIGHT - M @ X
    assert np.vdot(R, by_diagonal(R)) <= 1e-8 * np.vdot(RIGHT, by_diagonal(RIGHT))
    assert 0 < products < 40


def test_an_exact_preconditioner_takes_one_product_and_no_right_side_none():
    exact = {"solve": lambda V: np.linalg.solve(M, V), "tol": 1e-10, "most": 300}
    X, products = conjugate_gradients(lambda V: M @ V, RIGHT, **exact)
    assert products == 1
    assert_allclose(X, np.linalg.solve(M, RIGHT), rtol=1e-9)
    X, products = conjugate_gradients(lambda V: M @ V, 0.0 * RIGHT, **exact)
    assert products == 0
    assert not X.any()


def test_it_ends_after_the_products_allowed_and_leaves_the_right_side_alone():
    before = RIGHT.copy()
    X, products = conjugate_gradients(lambda V: M @ V, RIGHT, solve=lambda V: V, tol=1e-12, most=3)
    assert products == 3
    assert np.vdot(X, 2.0 * RIGHT - M @ X) > 0.0  # nearer than X = 0 in the norm of M
    assert_array_equal(RIGHT, before)


@pytest.mark.parametrize("A", [-M, np.zeros((10, 10))])
def test_a_matrix_without_descent_ends_it_where_it_stands(A):
    X, products = conjugate_gradients(lambda V: A @ V, RIGHT, solve=lambda V: V, tol=1e-4, most=300)
    assert products == 0
    assert not X.any()


def test_rows_are_systems_of_their_own_and_may_leave():
    shifts = np.array([0.0, 1.0, 100.0])
    right = rng.normal(size=(3, 10))
    state = Iteration(right, np.zeros_like(right), np.zeros_like(right), dot=row_inner)
    found, rows = np.empty_like(right), np.arange(3)
    for _ in range(30):
        state.aim(state.R)
        image = state.P @ M
        state.step(image + shifts[rows, None] * state.P, state.P, image)
        done = np.linalg.norm(state.R, axis=1) < 1e-10
        found[rows[done]] = state.sums[0][done]
        assert_allclose(state.sums[0] @ M, state.sums[1], atol=1e-8)
        state.keep(~done)
        rows = rows[~done]
        if not len(rows):
            break
    for x, shift, b in zip(found, shifts, right, strict=True):
        assert_allclose((M + shift * np.eye(10)) @ x, b, atol=1e-9)
