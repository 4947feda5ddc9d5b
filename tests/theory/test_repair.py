"""repair: the three ways to make a Gram positive semi-definite, on training and test rows alike (I6)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.kernels import RBF, Sigmoid
from mercer.theory import certify, repair

rng = np.random.default_rng(0)
X = rng.normal(size=(25, 2))
K = Sigmoid(1.0)(X)
VALUES, V = np.linalg.eigh(K)
HERMITIAN = np.exp(1j * rng.normal(size=(6, 6)))
HERMITIAN = HERMITIAN + HERMITIAN.conj().T


@pytest.mark.parametrize("M", [K, HERMITIAN], ids=["real", "complex"])
@pytest.mark.parametrize(
    ("how", "spectrum"), [("clip", lambda w: np.maximum(w, 0.0)), ("flip", np.abs), ("shift", lambda w: w - w[0])]
)
def test_each_way_changes_the_spectrum_as_it_says_I6(how, spectrum, M):
    values, V = np.linalg.eigh(M)
    fixed = repair(M, how)
    assert_allclose(fixed.K, (V * spectrum(values)) @ V.conj().T, atol=1e-12)
    assert certify(fixed.K).psd
    assert fixed.smallest == values[0] < 0.0


@pytest.mark.parametrize("M", [K, HERMITIAN], ids=["real", "complex"])
@pytest.mark.parametrize("how", ["clip", "flip"])
def test_a_new_item_equal_to_a_training_item_gets_its_repaired_row_I6(how, M):
    fixed = repair(M, how)
    assert_allclose(fixed.cross(M), fixed.K, atol=1e-12)


def test_test_rows_are_mapped_by_the_projector_of_the_training_spectrum_I6():
    rows = Sigmoid(1.0)(rng.normal(size=(7, 2)), X)
    positive = V[:, VALUES > 0.0]
    assert_allclose(repair(K, "clip").cross(rows), rows @ positive @ positive.T, atol=1e-12)
    assert_allclose(repair(K, "flip").cross(rows), rows @ V @ np.diag(np.sign(VALUES)) @ V.T, atol=1e-12)
    assert np.array_equal(repair(K, "shift").cross(rows), rows)


def test_shift_changes_only_the_diagonal_I6():
    change = repair(K, "shift").K - K
    assert_allclose(change, -VALUES[0] * np.eye(25), atol=1e-12)


def test_clip_is_the_nearest_positive_semi_definite_matrix_I6():
    best = np.linalg.norm(repair(K, "clip").K - K)
    for _ in range(20):
        B = V * np.sqrt(np.maximum(VALUES, 0.0)) + 0.1 * rng.normal(size=K.shape)
        assert np.linalg.norm(B @ B.T - K) > best
    assert best < np.linalg.norm(repair(K, "flip").K - K)


@pytest.mark.parametrize("how", ["clip", "flip", "shift"])
def test_a_positive_semi_definite_gram_is_left_alone_I6(how):
    G = RBF(1.0)(np.vstack([X, X[:3]]))  # singular: three items twice
    fixed = repair(G, how)
    assert np.array_equal(fixed.K, G)
    assert fixed.negative_mass == 0.0
    assert np.array_equal(fixed.cross(G), G)
    assert "nothing was repaired" in str(fixed)


def test_the_negative_mass_is_the_share_of_the_spectrum_that_was_negative_I6():
    fixed = repair(np.diag([3.0, -1.0, -0.5, 0.5]))
    assert_allclose(fixed.negative_mass, 1.5 / 5.0)
    assert str(fixed).startswith("2 negative eigenvalues, the smallest -1, holding 30.00%")


def test_what_cannot_be_repaired_is_refused_I3():
    with pytest.raises(ValueError, match="symmetric"):
        repair(np.array([[1.0, 1.0], [-1.0, 1.0]]))
    with pytest.raises(ValueError, match="square"):
        repair(np.ones((2, 3)))
    with pytest.raises(ValueError, match="how must be one of"):
        repair(K, "bend")
    with pytest.raises(ValueError, match="m x 25"):
        repair(K).cross(K[:, :4])
