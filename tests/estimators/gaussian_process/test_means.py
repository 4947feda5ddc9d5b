"""Mean functions: what is known and what is to be found (M31)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.estimators.gaussian_process.means import mean_for
from mercer.items import Vectors

X = np.array([[1.0, 5.0, 2.0], [2.0, 5.0, 4.0], [3.0, 5.0, 9.0]])


def mean(given, vectors=True):
    return mean_for("GP", given, X, vectors=vectors)


def test_zero_has_neither_basis_nor_offset_and_a_constant_one_column():
    assert mean("zero").basis(X, 3).shape == (3, 0)
    assert_array_equal(mean("zero").offset(X, 3), np.zeros((3, 1)))
    assert_array_equal(mean("constant").basis(X, 3), np.ones((3, 1)))


def test_a_linear_basis_spans_lines_and_leaves_constant_columns_out():
    H = mean("linear").basis(Vectors(X), 3)
    assert H.shape == (3, 3)
    line = 1.0 + 2.0 * X[:, 0] - X[:, 2]
    assert_allclose(H @ np.linalg.solve(H, line), line)


def test_a_function_is_given_the_items_as_they_came():
    known = mean(lambda V: V[:, 0])
    assert_array_equal(known.offset(Vectors(X), 3), X[:, :1])
    assert_array_equal(mean(lambda V: V[:, :2]).offset(X, 3), X[:, :2])
    for wrong in (lambda V: 1.0, lambda V: V[:1, 0], lambda V: V[:, 0] * np.nan):
        with pytest.raises(ValueError, match="one number per item"):
            mean(wrong).offset(X, 3)


def test_other_means_are_refused():
    for wrong in ("median", 3.0):
        with pytest.raises(ValueError, match="mean must be"):
            mean(wrong)
    with pytest.raises(ValueError, match="vectors only"):
        mean("linear", vectors=False)
