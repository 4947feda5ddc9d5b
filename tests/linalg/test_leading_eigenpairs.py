"""Leading eigenpairs by products with blocks: LAPACK's, with residuals that prove them (SPEC M13)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.engine.interrupts import one_fit
from mercer.linalg.leading_eigenpairs import all_eigenpairs, leading_eigenpairs

rng = np.random.default_rng(0)


def with_spectrum(values, seed=0):
    """A symmetric matrix with these eigenvalues."""
    n = len(values)
    Q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(n, n)))
    return (Q * values) @ Q.T


SPECTRA = {
    "falling": 1.0 / np.arange(1, 301) ** 2,
    "steep": 10.0 ** -np.linspace(0.0, 12.0, 300),
    "slow": np.linspace(1.0, 0.5, 300),
    "clustered": np.repeat([5.0, 3.0, 1.0, 0.1], 75),
    "of both signs": np.concatenate([np.linspace(1.0, 0.1, 100), -np.linspace(2.0, 0.1, 200)]),
    "negative": -np.arange(1.0, 301.0),
    "of low rank": np.append([4.0, 2.0, 1.0], np.zeros(297)),
}


@pytest.mark.parametrize("count", [1, 5, 20])
@pytest.mark.parametrize("kind", SPECTRA)
def test_pairs_are_lapacks_and_every_residual_bounds_its_error_M13(kind, count):
    A = with_spectrum(SPECTRA[kind])
    found = leading_eigenpairs(A.__matmul__, 300, count, tol=1e-9)
    size = np.abs(SPECTRA[kind]).max()
    assert found.converged
    assert_allclose(found.values, np.sort(SPECTRA[kind])[::-1][:count], rtol=1e-9, atol=1e-12 * size)
    assert_allclose(found.vectors.T @ found.vectors, np.eye(count), atol=1e-10)
    residuals = np.linalg.norm(A @ found.vectors - found.vectors * found.values, axis=0)
    assert_allclose(found.residuals, residuals, atol=1e-12 * size)
    nearest = np.abs(SPECTRA[kind][:, None] - found.values).min(axis=0)
    assert (nearest <= found.residuals + 1e-13 * size).all()


def test_the_tolerance_is_in_units_of_each_eigenvalue():
    A = with_spectrum(SPECTRA["steep"])
    for tol in (1e-2, 1e-6):
        found = leading_eigenpairs(A.__matmul__, 300, 8, tol=tol)
        assert (found.residuals <= np.maximum(tol * found.values, 1e-13)).all()
    rough, fine = (leading_eigenpairs(A.__matmul__, 300, 8, tol=tol).products for tol in (1e-2, 1e-8))
    assert rough < fine


def test_a_start_near_the_answer_saves_products():
    A = with_spectrum(SPECTRA["slow"])
    cold = leading_eigenpairs(A.__matmul__, 300, 4)
    warm = leading_eigenpairs(A.__matmul__, 300, 4, start=cold.vectors)
    assert warm.products == 1 < cold.products
    assert_allclose(warm.values, cold.values, rtol=1e-12)


def test_products_are_counted_and_limited():
    calls = []

    def times(V):
        calls.append(V.shape[1])
        return A @ V

    A = with_spectrum(SPECTRA["slow"])
    found = leading_eigenpairs(times, 300, 4, most=3)
    assert found.products == len(calls) == 3
    assert not found.converged
    assert (found.residuals > 1e-8 * found.values).any()


def test_a_long_search_goes_on_after_the_space_has_been_shrunk():
    values = np.linspace(1.0, 0.9, 2000)
    found = leading_eigenpairs(lambda V: values[:, None] * V, 2000, 3, tol=1e-6)
    assert found.converged
    assert found.products > 15  # more than fit into one space
    assert_allclose(found.values, values[:3], rtol=1e-9)


def test_the_answer_is_the_seeds_and_does_not_depend_on_the_order_of_rows():
    A = with_spectrum(SPECTRA["falling"])
    one, same = (leading_eigenpairs(A.__matmul__, 300, 3, seed=7) for _ in range(2))
    assert np.array_equal(one.vectors, same.vectors)
    p = rng.permutation(300)
    other = leading_eigenpairs(A[np.ix_(p, p)].__matmul__, 300, 3, tol=1e-10)
    assert_allclose(other.values, one.values, rtol=1e-12)


@pytest.mark.parametrize("A", [np.eye(5), np.zeros((4, 4)), np.array([[2.0]]), np.diag([3.0, -1.0])])
def test_small_and_degenerate_matrices(A):
    for count in range(1, len(A) + 3):
        found = leading_eigenpairs(A.__matmul__, len(A), count)
        assert_allclose(found.values, np.linalg.eigvalsh(A)[::-1][:count], atol=1e-14)
        dense = all_eigenpairs(A, count)
        assert_allclose(dense.values, found.values, atol=1e-14)
        assert_allclose(A @ dense.vectors, dense.vectors * dense.values, atol=1e-14)


def test_huge_entries_do_not_overflow():
    found = all_eigenpairs(1e200 * with_spectrum(SPECTRA["falling"]), 2)
    assert np.isfinite(found.residuals).all()
    assert_allclose(found.values, [1e200, 0.25e200])


def test_an_interrupt_keeps_the_best_so_far():
    A, calls = with_spectrum(SPECTRA["slow"]), []

    def times(V):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return A @ V

    with one_fit(object()) as interrupt:
        found = leading_eigenpairs(times, 300, 2)
    assert interrupt.came
    assert found.products == 2
    assert not found.converged
    assert found.vectors.shape == (300, 2)
