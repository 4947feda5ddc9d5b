"""Filling and folding tiles: the same numbers for any number of threads, refusals before anything is allocated."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer import MemoryBudgetError, configure
from mercer.engine import fill
from mercer.engine.tiles import SIDE

rng = np.random.default_rng(0)
SIZES = [0, 1, 5, SIDE, SIDE + 1, 1000]


def symmetric(n, dtype=float):
    M = rng.normal(size=(n, n)).astype(dtype)
    if dtype is complex:
        M = M + 1j * rng.normal(size=(n, n))
    return M + M.conj().T


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", [float, np.float32, complex])
def test_dense_stores_what_the_blocks_say(n, dtype):
    M = symmetric(n, dtype)
    found = fill.dense(lambda r, c: M[r, c].copy(), M.shape, M.dtype, symmetric=True, what="M")
    assert_array_equal(found, M)
    assert found.dtype == M.dtype
    half = M[:, : n // 2]
    assert_array_equal(fill.dense(lambda r, c: half[r, c], half.shape, M.dtype, symmetric=False, what="M"), half)


@pytest.mark.parametrize("make", [np.asfortranarray, lambda T: T.astype(int), lambda T: T > 0.0],
                         ids=["columns first", "integers", "truth values"])  # fmt: skip
def test_blocks_may_be_arrays_of_any_order_and_type(make):
    M = symmetric(SIDE + 1)
    found = fill.dense(lambda r, c: make(M[r, c]), M.shape, make(M).dtype, symmetric=True, what="M")
    assert_array_equal(found, make(M))


def test_blocks_that_are_read_only_are_fine():
    M = symmetric(SIDE + 1)
    M.setflags(write=False)
    assert_array_equal(fill.dense(lambda r, c: M[r, c], M.shape, M.dtype, symmetric=True, what="M"), M)


def test_dense_is_symmetric_to_the_last_bit_whatever_the_blocks_say_I2():
    M = symmetric(1000) + 1e-14 * rng.normal(size=(1000, 1000))
    found = fill.dense(lambda r, c: M[r, c].copy(), M.shape, M.dtype, symmetric=True, what="M")
    assert_array_equal(found, found.T)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("columns", [0, 1, 3])
@pytest.mark.parametrize("dtype", [float, complex])
def test_products_are_products(n, columns, dtype):
    M, V = symmetric(n, dtype), rng.normal(size=(n, columns)).astype(dtype)
    assert_allclose(fill.product(lambda r, c: M[r, c], n, V), M @ V, atol=1e-11)
    wide = M[: n // 3]
    assert_allclose(fill.cross_product(lambda r, c: wide[r, c], wide.shape, V), wide @ V, atol=1e-11)


@pytest.mark.parametrize("threads", [2, 3])
def test_the_number_of_threads_changes_no_bit(threads):
    M, V = symmetric(2000), rng.normal(size=(2000, 3))

    def results():
        yield fill.dense(lambda r, c: M[r, c] @ M[c, c], M.shape, M.dtype, symmetric=True, what="M")
        yield fill.product(lambda r, c: M[r, c], len(M), V)
        yield fill.cross_product(lambda r, c: M[r, c], M.shape, V)

    with configure(threads=1):
        expected = list(results())
    with configure(threads=threads):
        for found, single in zip(results(), expected, strict=True):
            assert_array_equal(found, single)


def test_a_result_over_budget_is_refused_before_a_tile_is_made_C5():
    def block(r, c):
        raise AssertionError("a tile was asked for")

    message = (
        r"The Gram of k of shape 1000 x 3000 needs 22.89 MiB; the memory budget is 1.00 MiB. "
        r"Use mercer.LazyGram, which streams tiles, or raise it with mercer.configure\(memory=...\)."
    )
    with configure(memory=2**20), pytest.raises(MemoryBudgetError, match=message):
        fill.dense(block, (1000, 3000), np.dtype(float), symmetric=False, what="The Gram of k")


def test_big_sizes_are_told_in_gibibytes():
    with pytest.raises(MemoryBudgetError, match=r"needs 7450.58 GiB"):
        fill.require_memory("It", 8 * 10**12, "Ask for less.")


def test_what_just_fits_is_allowed():
    with configure(memory=2**20):
        fill.require_memory("It", 2**20, "")
        with pytest.raises(MemoryBudgetError):
            fill.require_memory("It", 2**20 + 1, "")
