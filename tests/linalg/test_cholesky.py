"""The in-place Cholesky factor: closed forms, what it leaves of the matrix, updates, and matrices that resist."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mercer import MemoryBudgetError, NotPositiveDefinite, configure
from mercer.linalg.cholesky import LADDER, factorise


def matrix(n, seed=0, shift=1.0):
    A = np.random.default_rng(seed).normal(size=(n, n))
    return A @ A.T + shift * np.eye(n)


def gram(x, lengthscale):
    return np.exp(-0.5 * (x[:, None] - x) ** 2 / lengthscale**2)


@pytest.mark.parametrize("n", [1, 2, 7, 400])
def test_the_factor_is_that_of_numpy_M10(n):
    M = matrix(n)
    factor = factorise(M.copy())
    assert_allclose(factor.L, np.linalg.cholesky(M), rtol=1e-10, atol=1e-10)
    assert len(factor) == n
    assert factor.jitter == 0.0


def test_the_factor_lies_in_the_buffer_of_the_matrix():
    M = matrix(30)
    assert factorise(M).A is M
    assert_array_equal(np.triu(M, 1), np.triu(matrix(30), 1))


def test_solutions_determinant_and_inverse_are_those_of_the_matrix():
    M = matrix(60)
    factor, B = factorise(M.copy()), np.random.default_rng(1).normal(size=(60, 3))
    assert_allclose(M @ factor.solve(B), B, atol=1e-10)
    assert_allclose(M @ factor.solve(B[:, 0]), B[:, 0], atol=1e-10)
    assert_allclose(factor.L @ factor.half(B), B, atol=1e-10)
    assert_allclose(factor.log_determinant, np.linalg.slogdet(M)[1])
    assert_allclose(factor.inverse(), np.linalg.inv(M), atol=1e-12)
    assert_allclose(factor.inverse_diagonal(), np.diagonal(np.linalg.inv(M)), rtol=1e-10)
    assert factor.solve(np.empty((60, 0))).shape == (60, 0)


def test_products_with_the_matrix_survive_its_factorisation():
    M = matrix(50)
    B = np.random.default_rng(2).normal(size=(50, 4))
    assert_allclose(factorise(M.copy()).times(B), M @ B, rtol=1e-12, atol=1e-10)
    assert_allclose(factorise(M.copy()).times(B[:, 1]), M @ B[:, 1], rtol=1e-12, atol=1e-10)


def test_an_inverse_may_take_the_place_of_the_factor():
    M = matrix(420)
    kept, lost, gone = (factorise(M.copy()) for _ in range(3))
    assert lost.inverse(overwrite=True) is lost.A
    assert_allclose(lost.A, kept.inverse())
    assert_allclose(gone.inverse_diagonal(overwrite=True), kept.inverse_diagonal())
    assert_allclose(kept.L @ kept.L.T, M)
    with configure(memory=2**20), pytest.raises(MemoryBudgetError, match="overwrite"):
        kept.inverse()


@given(st.integers(1, 12), st.integers(1, 5), st.integers(0, 99))
def test_appending_rows_is_factorising_the_larger_matrix_M10(n, m, seed):
    M = matrix(n + m, seed)
    grown = factorise(M[:n, :n].copy()).extend(M[n:, :n], M[n:, n:])
    assert_allclose(grown.L, np.linalg.cholesky(M), atol=1e-8)
    assert_allclose(grown.times(np.eye(n + m)), M, atol=1e-10)


@given(st.integers(2, 14), st.data(), st.integers(0, 99))
def test_removing_rows_is_factorising_the_smaller_matrix_M10(n, data, seed):
    M = matrix(n, seed)
    gone = data.draw(st.lists(st.integers(0, n - 1), max_size=n - 1))
    kept = np.setdiff1d(np.arange(n), gone)
    less = factorise(M.copy()).remove(np.array(gone, dtype=int))
    assert_allclose(less.L, np.linalg.cholesky(M[np.ix_(kept, kept)]), atol=1e-8)
    assert_allclose(less.times(np.eye(len(kept))), M[np.ix_(kept, kept)], atol=1e-10)


def test_all_rows_may_be_removed():
    assert len(factorise(matrix(3)).remove(np.arange(3))) == 0


def test_jitter_is_added_only_when_needed_and_told_M31():
    x = np.array([0.0, 0.0, 1.0, 2.0, 2.0])
    M = 4.0 * gram(x, 1.0)
    factor = factorise(M.copy())
    assert factor.jitter == LADDER[1] * 4.0
    assert_allclose(factor.L @ factor.L.T, M + factor.jitter * np.eye(5), atol=1e-14)
    assert_allclose(factor.times(np.eye(5)), M, atol=1e-14)
    assert factorise(M + 0.1 * np.eye(5)).jitter == 0.0


def test_jitter_is_relative_so_that_units_do_not_matter():
    M = gram(np.linspace(0.0, 1.0, 60), 1e3)
    small, large = factorise(1e-6 * M), factorise(1e6 * M)
    assert small.jitter > 0.0
    assert_allclose(small.jitter, 1e-12 * large.jitter)


def test_a_matrix_that_no_jitter_mends_is_refused_and_left_as_it_was():
    M = matrix(40) - 30.0 * np.eye(40)
    smallest = np.linalg.eigvalsh(M)[0]
    given = M.copy()
    with pytest.raises(NotPositiveDefinite, match=f"smallest eigenvalue {smallest:.3g}"):
        factorise(given)
    assert_array_equal(given, M)


def test_rounding_does_not_count_as_a_pivot():
    """A Gram of rank one whose factorisation LAPACK may well finish."""
    v = np.random.default_rng(5).normal(size=30)
    with pytest.raises(NotPositiveDefinite):
        factorise(np.outer(v, v), ladder=(0.0,))


def test_appending_a_copy_of_a_row_is_refused():
    M = matrix(6)
    with pytest.raises(NotPositiveDefinite, match="leave that row out"):
        factorise(M.copy()).extend(M[2:3], M[2:3, 2:3])


def test_a_matrix_that_cannot_be_overwritten_is_refused():
    with pytest.raises(ValueError, match="C order"):
        factorise(np.asfortranarray(matrix(4)))
