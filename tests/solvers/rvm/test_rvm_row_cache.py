"""Rows that are made once, and what is computed from them."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from mercer.solvers.rvm.row_cache import RowCache

M = np.random.default_rng(0).normal(size=(40, 7))


def test_rows_are_made_once_however_often_they_are_asked_for():
    asked = []

    def make(index):
        asked.extend(index.tolist())
        return M[index]

    cache = RowCache(make, 7)
    assert_array_equal(cache.rows(np.array([3, 5, 3])), M[[3, 5, 3]])
    assert_array_equal(cache.rows(np.array([5, 9, 3])), M[[5, 9, 3]])
    assert_array_equal(cache.block(np.array([9, 0]), np.array([1, 1, 6])), M[[9, 0]][:, [1, 1, 6]])
    assert asked == [3, 5, 9, 0]


def test_products_are_those_of_the_rows_few_or_many():
    cache = RowCache(lambda index: M[index], 7)
    cache.rows(np.arange(40))
    for index in (np.array([2, 30]), np.arange(0, 40, 2), np.array([], dtype=np.intp)):
        assert_allclose(cache.times(index, np.arange(7.0)), M[index] @ np.arange(7.0))
        w = np.linspace(1.0, 2.0, len(index))
        assert_allclose(cache.mix(index, w), w @ M[index], atol=1e-14)
