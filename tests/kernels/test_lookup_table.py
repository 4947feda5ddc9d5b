"""A kernel on a finite set, given by its table (K39)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.errors import NotPositiveDefinite
from mercer.kernels.lookup_table import Lookup
from mercer.testing import check_kernel

LABELS = ("cat", "dog", ("a", 1), None)
R = np.random.default_rng(1).normal(size=(4, 2))
TABLE = R @ R.T
k = Lookup(LABELS, TABLE)


def test_values_are_read_from_the_table_K39():
    check_kernel(k, list(LABELS), ["dog", "dog", None])
    assert_array_equal(k(["dog", "cat"], [None, "dog", "dog"]), TABLE[np.ix_([1, 0], [3, 1, 1])])


def test_the_dimension_of_the_function_space_is_the_rank_K39():
    assert k.rank == 2
    assert k.feature_map(LABELS).shape == (4, 2)
    assert np.linalg.matrix_rank(k(list(LABELS) * 3)) == 2
    assert Lookup("ab", np.eye(2)).rank == 2
    assert Lookup("ab", np.zeros((2, 2))).rank == 0


def test_an_unknown_label_is_a_key_error_K39():
    for unknown in ("bird", 0, ("a", 2)):
        with pytest.raises(KeyError) as raised:
            k(["cat", unknown])
        assert raised.value.args[0] == unknown
    with pytest.raises(ValueError, match=r"\[1\], which cannot be one"):
        k([[1], [2]])


def test_labels_from_arrays_are_plain_values_K39():
    by_array = Lookup(np.array([3, 5]), np.eye(2))
    assert by_array == Lookup((3, 5), [[1, 0], [0, 1]])
    assert_array_equal(by_array(np.array([5, 5, 3]), [5]), [[1.0], [1.0], [0.0]])
    assert eval(repr(by_array)) == by_array


def test_a_table_must_be_a_kernel_K39():
    with pytest.raises(NotPositiveDefinite, match="matrix must be positive semi-definite; got smallest eigenvalue -1"):
        Lookup("ab", [[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match="symmetric"):
        Lookup("ab", [[1.0, 0.5], [0.0, 1.0]])
    with pytest.raises(ValueError, match="2 x 2, one row per label; got 3 x 3"):
        Lookup("ab", np.eye(3))
    with pytest.raises(ValueError, match="all different; got 'a' twice"):
        Lookup("aa", np.eye(2))


def test_a_hermitian_table_K39_K37():
    C = R + 1j * R[::-1]
    table = C @ C.conj().T
    complex_k = Lookup(LABELS, table)
    K = complex_k(list(LABELS))
    assert_allclose(K, table, rtol=1e-15)
    phi = complex_k.feature_map(LABELS)
    assert_allclose(phi @ phi.conj().T, table, rtol=1e-12, atol=1e-12)
    check_kernel(complex_k, list(LABELS))
