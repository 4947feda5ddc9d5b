"""Frozen: a matrix as a value."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from mercer.kernels.frozen_matrix import Frozen, as_frozen

M = np.random.default_rng(0).normal(size=(3, 2))


def test_equal_numbers_are_equal_and_hash_alike():
    assert Frozen(M) == Frozen(M.copy(order="F"))
    assert hash(Frozen(M)) == hash(Frozen(M.copy(order="F")))
    assert Frozen(np.array([0.0, 1.0])) == Frozen(np.array([-0.0, 1.0]))
    assert hash(Frozen(np.array([0.0, 1.0]))) == hash(Frozen(np.array([-0.0, 1.0])))
    assert Frozen(np.ones(2)) == Frozen(np.ones(2, dtype=complex))
    assert hash(Frozen(np.ones(2))) == hash(Frozen(np.ones(2, dtype=complex)))
    assert Frozen(M) != Frozen(M + 1e-16 * 4)
    assert Frozen(M) != Frozen(M.reshape(2, 3))
    assert Frozen(M) != M.tolist()


def test_it_is_a_copy_that_cannot_be_written():
    source = M.copy()
    frozen = Frozen(source)
    source[0, 0] = 99.0
    assert frozen == Frozen(M)
    for same in (frozen, pickle.loads(pickle.dumps(frozen)), copy.deepcopy(frozen)):
        with pytest.raises(ValueError, match="read-only"):
            same.values[0, 0] = 1.0
        assert same == frozen


@pytest.mark.parametrize("array", [M, M[0], np.array(2.5), M + 1j * M, np.array([1e-300, 1 / 3, 1e22])])
def test_the_text_reads_back_to_the_last_bit(array):
    frozen = Frozen(array)
    assert as_frozen("test", "M", eval(repr(frozen))) == frozen
    assert_array_equal(np.asarray(frozen), array)


def test_an_existing_one_is_kept():
    frozen = Frozen(M)
    assert as_frozen("test", "M", frozen) is frozen
    assert as_frozen("test", "M", sparse.csr_array(M)) == frozen
    assert as_frozen("test", "M", [[1, 2], [3, 4]]).values.dtype == np.float64


@pytest.mark.parametrize("wrong", [[[1.0, 2.0], [3.0]], "abc", [["a"]], None, [[1.0, np.nan]], [np.inf]])
def test_what_is_not_an_array_of_finite_numbers_is_refused(wrong):
    with pytest.raises(ValueError, match=r"test: M must be an array of (finite )?numbers"):
        as_frozen("test", "M", wrong)
