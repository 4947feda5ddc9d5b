"""Roots of matrices that must be positive, whatever the units of their rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mercer.errors import NotPositiveDefinite
from mercer.kernels.frozen_matrix import Frozen
from mercer.kernels.positive_matrix import check_hermitian, definite_root, lower_triangle, psd_root

rng = np.random.default_rng(9)


@given(st.integers(1, 6), st.integers(0, 6), st.booleans(), st.integers(0, 2**32 - 1))
def test_a_root_times_its_mirror_is_the_matrix_and_shows_its_rank_K9(n, rank, is_complex, seed):
    draw = np.random.default_rng(seed).normal
    R = draw(size=(n, rank)) + (1j * draw(size=(n, rank)) if is_complex else 0.0)
    M = R @ R.conj().T
    root = psd_root("test", "M", Frozen(M))
    assert root.shape == (n, min(n, rank))
    assert_allclose(root @ root.conj().T, M, atol=1e-12 * max(1.0, abs(M).max()))


@pytest.mark.parametrize("root", [psd_root, definite_root])
def test_units_do_not_make_a_matrix_singular_K1(root):
    units = 10.0 ** np.array([-9, -3, 0, 4, 9])
    L = np.tril(rng.normal(size=(5, 5))) + 3 * np.eye(5)
    M = units[:, None] * (L @ L.T) * units
    R = root("test", "M", Frozen(M))
    assert R.shape == (5, 5)
    assert_allclose((R @ R.T) / np.outer(units, units), L @ L.T, rtol=1e-12)


def test_the_smallest_eigenvalue_is_named_K1_K9():
    indefinite, singular = Frozen([[1.0, 2.0], [2.0, 1.0]]), Frozen([[1.0, 1.0], [1.0, 1.0]])
    with pytest.raises(NotPositiveDefinite, match="test: M must be positive semi-definite; got smallest eigenvalue -1"):
        psd_root("test", "M", indefinite)
    with pytest.raises(NotPositiveDefinite, match="test: M must be positive definite; got smallest eigenvalue -1"):
        definite_root("test", "M", indefinite)
    with pytest.raises(NotPositiveDefinite, match="positive definite; got smallest eigenvalue"):
        definite_root("test", "M", singular)
    assert psd_root("test", "M", singular).shape == (2, 1)
    with pytest.raises(NotPositiveDefinite, match="got smallest eigenvalue -2"):
        psd_root("test", "M", Frozen([[-2.0]]))
    with pytest.raises(NotPositiveDefinite):
        psd_root("test", "M", Frozen([[0.0, 1.0], [1.0, 5.0]]))


def test_asymmetry_and_shape_are_refused_K1_K9():
    with pytest.raises(ValueError, match=r"M must be symmetric.*1 from their mirror images.*smallest eigenvalue 0.5"):
        check_hermitian("test", "M", Frozen([[1.0, 1.0], [0.0, 1.0]]))
    with pytest.raises(ValueError, match="symmetric"):  # small numbers count as much as large ones
        check_hermitian("test", "M", Frozen([[1e-16, 0.5e-16, 0.0], [0.0, 1e-16, 0.0], [0.0, 0.0, 1.0]]))
    with pytest.raises(ValueError, match="symmetric"):  # symmetric, but not Hermitian
        check_hermitian("test", "M", Frozen([[1.0, 1j], [1j, 1.0]]))
    check_hermitian("test", "M", Frozen([[1.0, 1j], [-1j, 1.0]]))
    for wrong in (np.ones((2, 3)), np.ones(3), np.empty((0, 0))):
        with pytest.raises(ValueError, match="a square matrix; got shape"):
            check_hermitian("test", "M", Frozen(wrong))


def test_a_lower_triangle_is_taken_as_it_is_or_refused_K1():
    L = np.array([[1e-9, 0.0], [2.0, 3e9]])
    assert lower_triangle("test", "L", Frozen(L)).tolist() == L.tolist()
    with pytest.raises(ValueError, match="lower triangular; got entries above"):
        lower_triangle("test", "L", Frozen(L.T))
    with pytest.raises(ValueError, match="a square matrix"):
        lower_triangle("test", "L", Frozen(np.ones((2, 3))))
    with pytest.raises(NotPositiveDefinite, match="L L\\^T of L must be positive definite; got smallest eigenvalue 0"):
        lower_triangle("test", "L", Frozen([[1.0, 0.0], [1.0, 0.0]]))
