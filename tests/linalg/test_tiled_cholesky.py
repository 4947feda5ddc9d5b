"""The blocked factor and inverse are LAPACK's, and leave the upper triangle alone."""

from __future__ import annotations

import faulthandler
import threading

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer import configure
from mercer.linalg.tiled_cholesky import RowSolver, factor_lower, invert_lower, multiply_lower


def positive(n):
    F = np.random.default_rng(n).normal(size=(n, n + 5))
    return F @ F.T / n + 0.1 * np.eye(n)


@pytest.mark.parametrize("n", [0, 1, 5, 256, 257, 700, 1100])
def test_factor_and_inverse_are_those_of_the_matrix(n):
    M = positive(n)
    A = M.copy()
    assert factor_lower(A) is None
    L = np.linalg.cholesky(M)
    assert_allclose(np.tril(A), L, atol=1e-12)
    K = np.random.default_rng(0).normal(size=(7, n))
    assert_allclose(RowSolver(A)(K.copy()) @ L.T, K, atol=1e-12)
    invert_lower(A)
    assert_allclose(np.tril(A), np.tril(np.linalg.inv(L)), atol=1e-9)
    multiply_lower(A)
    assert_allclose(np.tril(A), np.tril(np.linalg.inv(M)), atol=1e-9)
    assert_array_equal(np.triu(A, 1), np.triu(M, 1))


def test_the_row_where_a_factor_ends_is_named():
    M = positive(600)
    M[450, 450] = -1.0
    assert factor_lower(M) == 450


def test_threads_do_not_change_a_bit():
    answers = []
    for threads in (1, 2):
        A = positive(600)
        with configure(threads=threads):
            factor_lower(A)
            invert_lower(A)
            multiply_lower(A)
        answers.append(A)
    assert_array_equal(*answers)


@pytest.fixture
def watchdog():
    """Two threads that wait for each other for ever end the run with a traceback of both."""
    faulthandler.dump_traceback_later(120.0, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def inverse(n):
    A = positive(n)
    factor_lower(A)
    invert_lower(A)
    multiply_lower(A)
    return A


def test_many_factors_of_odd_sizes_on_two_threads_end_and_are_the_same_every_time(watchdog):
    sizes = [1, 255, 257, 383, 511, 513, 641, 777]
    with configure(threads=2):
        first = [inverse(n) for n in sizes]
        for _ in range(10):
            for n, A in zip(sizes, first, strict=True):
                assert_array_equal(inverse(n), A)


def test_factors_of_several_callers_at_once_end_and_are_the_same(watchdog):
    """Users' own threads share the pool, the setting of BLAS, and its buffers."""
    sizes = [257, 401, 513, 659]
    alone, together = [inverse(n) for n in sizes], {}

    def caller(n):
        with configure(threads=2):
            for _ in range(8):
                together[n] = inverse(n)

    threads = [threading.Thread(target=caller, args=(n,)) for n in sizes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n, A in zip(sizes, alone, strict=True):
        assert_array_equal(together[n], A)
