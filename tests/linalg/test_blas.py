"""Routines on parts of an array do what their formulas say, and touch nothing else."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.linalg import blas


def parts(*shapes):
    """Slices of larger arrays, and those arrays."""
    rng = np.random.default_rng(0)
    wholes = [rng.normal(size=(r + 3, c + 2)) for r, c in shapes]
    return [whole[1 : r + 1, 2 : c + 2] for whole, (r, c) in zip(wholes, shapes, strict=True)], wholes


def lower(A):
    return np.tril(A) + 3.0 * np.eye(len(A))


@pytest.mark.parametrize(("operate", "formula"), [
    (blas.solve_right, lambda X, L: X @ np.linalg.inv(L).T),
    (blas.multiply_right, lambda X, L: X @ L),
    (partial(blas.multiply_right, factor=-2.0, transposed=True), lambda X, L: -2.0 * X @ L.T),
])  # fmt: skip
def test_a_triangle_on_the_right(operate, formula):
    (X, L), _ = parts((5, 7), (7, 7))
    L[...] = lower(L) + np.triu(L, 1)
    expected = formula(X.copy(), np.tril(L))
    operate(X, L)
    assert_allclose(X, expected, atol=1e-12)


@pytest.mark.parametrize("transposed", [False, True])
def test_a_triangle_on_the_left(transposed):
    (X, T), _ = parts((7, 4), (7, 7))
    expected = (np.tril(T).T if transposed else np.tril(T)) @ X
    blas.multiply_left(X, T, transposed=transposed)
    assert_allclose(X, expected, atol=1e-12)


def test_products_are_added_in_place():
    (C, P, Q), _ = parts((5, 6), (5, 3), (6, 3))
    expected = C - P @ Q.T
    blas.minus_products(C, P, Q)
    assert_allclose(C, expected, atol=1e-12)
    (C, P, Q), _ = parts((5, 6), (3, 5), (3, 6))
    expected = C + P.T @ Q
    blas.plus_products(C, P, Q)
    assert_allclose(C, expected, atol=1e-12)


def test_squares_change_one_triangle_only():
    (C, P), (whole, _) = parts((5, 5), (5, 3))
    before, expected = whole.copy(), np.tril(C - P @ P.T)
    blas.minus_square(C, P)
    assert_allclose(np.tril(C), expected, atol=1e-12)
    outside = np.ones_like(whole, dtype=bool)
    outside[1:6, 2:7] = np.triu(np.ones((5, 5), dtype=bool), 1)
    assert_array_equal(whole[outside], before[outside])
    (C, P), _ = parts((5, 5), (3, 5))
    expected = np.tril(C + P.T @ P)
    blas.plus_square(C, P)
    assert_allclose(np.tril(C), expected, atol=1e-12)


def test_factor_inverse_and_square_of_a_part():
    (A,), _ = parts((6, 6))
    M = A @ A.T + np.eye(6)
    A[...] = M
    assert blas.cholesky(A) is None
    assert_allclose(np.tril(A), np.linalg.cholesky(M), atol=1e-12)
    blas.invert(A)
    blas.square(A)
    assert_allclose(np.tril(A), np.tril(np.linalg.inv(M)), atol=1e-12)
    A[...] = M
    A[3, 3] = -1.0
    assert blas.cholesky(A) == 3
