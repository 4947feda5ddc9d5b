"""Kernels a user brings along: feature maps (K18) and similarities (K19)."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from mercer.kernels.dot import Homogeneous, Linear
from mercer.kernels.radial import RBF
from mercer.kernels.user import FeatureMap, Similarity
from mercer.testing import check_kernel
from mercer.theory import certify

rng = np.random.default_rng(13)
X, Y = rng.normal(size=(9, 3)), rng.normal(size=(5, 3))
WORDS, OTHERS = ["abba", "b", "", "cab", "bb"], ["aa", "cab"]
W1, W2 = rng.normal(size=(3, 16)), rng.normal(size=(16, 4))


def letters(words):
    return [[float(word.count(letter)) for letter in "abc"] for word in words]


def network(V):
    """The body of a small frozen neural network."""
    return np.tanh(np.tanh(np.asarray(V) @ W1) @ W2)


def squares(V):
    return np.asarray(V) ** 2


def gaussian(x, y):
    return np.exp(-0.5 * np.sum((x - y) ** 2))


def shared_letters(x, y):
    return len(set(x) & set(y))


def edits(x, y):
    """The Levenshtein distance, by its recursion."""
    if not x or not y:
        return len(x) + len(y)
    return min(edits(x[1:], y) + 1, edits(x, y[1:]) + 1, edits(x[1:], y[1:]) + (x[0] != y[0]))


# ---- feature maps


@pytest.mark.parametrize("phi", [network, squares])
def test_a_feature_map_gives_a_kernel_on_vectors_K18(phi):
    k = FeatureMap(phi)
    check_kernel(k, X, Y)
    assert_allclose(k(X, Y), phi(X) @ phi(Y).T, rtol=1e-13)
    assert k.psd is True


def test_a_feature_map_gives_a_kernel_on_any_items_K18_I1():
    check_kernel(FeatureMap(letters), WORDS, OTHERS)
    assert_array_equal(FeatureMap(letters)(WORDS, OTHERS), np.array(letters(WORDS)) @ np.array(letters(OTHERS)).T)


def test_the_rank_is_at_most_the_number_of_features_K18():
    many = rng.normal(size=(30, 3))
    assert np.linalg.matrix_rank(FeatureMap(network)(many)) <= 4
    assert np.linalg.eigvalsh(FeatureMap(network)(many)).min() > -1e-12


def test_different_items_may_have_equal_features_K18():
    K = FeatureMap(squares)(np.vstack([X, -X]))
    assert_allclose(K[:9, :9], K[:9, 9:], rtol=1e-13)


def test_sparse_complex_and_single_precision_features_K18_K37():
    assert_allclose(FeatureMap(lambda V: sparse.csr_array(V))(X, Y), Linear()(X, Y), rtol=1e-13)
    waves = FeatureMap(lambda V: np.exp(1j * np.asarray(V)))
    assert_array_equal(waves(X), waves(X).conj().T)
    assert np.linalg.eigvalsh(waves(X)).min() > -1e-12
    assert FeatureMap(lambda V: V.astype(np.float32))(X).dtype == np.float32


def test_a_map_of_ragged_lengths_is_refused_K18():
    ragged = FeatureMap(lambda words: [[1.0] * len(word) for word in words])
    with pytest.raises(ValueError, match="rows of one length; got 4 entries in row 0 and 1 in row 1"):
        ragged(WORDS)


def test_a_map_must_return_one_row_per_item_K18():
    with pytest.raises(ValueError, match=r"one result per item \(9\); got"):
        FeatureMap(lambda V: V[1:])(X)
    with pytest.raises(ValueError, match="2-dimensional"):
        FeatureMap(lambda V: V[:, 0])(X)
    with pytest.raises(ValueError, match="finite"):
        FeatureMap(lambda V: V * np.inf)(X)
    with pytest.raises(ValueError, match="as many columns wide"):
        FeatureMap(lambda V: np.ones((len(V), len(V))))(X, Y)
    with pytest.raises(ValueError, match="phi must be a function"):
        FeatureMap(np.ones((3, 3)))


def test_feature_maps_join_the_algebra():
    assert_allclose((2.0 * FeatureMap(squares) + RBF())(X), 2.0 * squares(X) @ squares(X).T + RBF()(X), rtol=1e-12)
    assert repr(FeatureMap(network)) == "FeatureMap(network)"


# ---- similarities


def test_a_similarity_is_evaluated_pair_by_pair_K19():
    k = Similarity(gaussian)
    check_kernel(k, X, Y)
    assert_allclose(k(X, Y), RBF()(X, Y), rtol=1e-12)
    assert k.psd is None


def test_a_similarity_takes_any_objects_K19_I1():
    k = Similarity(shared_letters)
    check_kernel(k, WORDS, OTHERS)
    assert k(["abc"], ["cd", ""]).tolist() == [[1.0, 0.0]]
    assert k(WORDS).dtype == np.float64


def test_a_similarity_may_take_whole_datasets_K19():
    k = Similarity(rbf_kernel, pairwise=True)
    check_kernel(k, X, Y)
    for form in (np.asarray, sparse.csr_array):
        assert_allclose(k(form(X), form(Y)), rbf_kernel(X, Y), rtol=1e-13)
    assert Similarity(lambda A, B: np.ones((len(A), len(B)), np.float32), pairwise=True)(WORDS).dtype == np.float32


@pytest.mark.parametrize("pairwise", [False, True])
def test_an_asymmetric_similarity_is_refused_or_symmetrised_K19(pairwise):
    def ahead(A, B):
        return np.asarray(A)[:, :1] - 0.5 * np.asarray(B)[:, 0] if pairwise else A[0] - 0.5 * B[0]

    with pytest.raises(ValueError, match=r"s\(x, y\) must be symmetric.*symmetrize=True"):
        Similarity(ahead, pairwise=pairwise)(X)
    with pytest.raises(ValueError, match="symmetric"):
        Similarity(ahead, pairwise=pairwise)(X, Y)
    k = Similarity(ahead, symmetrize=True, pairwise=pairwise)
    check_kernel(k, X, Y)
    assert_allclose(k(X, Y), 0.25 * (X[:, :1] + Y[:, 0]), rtol=1e-13, atol=1e-15)


def test_one_asymmetric_pair_among_many_is_found_K19():
    symmetric = rbf_kernel(np.arange(60.0)[:, None])
    table = symmetric.copy()
    table[17, 41] += 1e-3
    with pytest.raises(ValueError, match="symmetric"):
        Similarity(lambda i, j: table[i, j])(list(range(60)))
    assert_array_equal(Similarity(lambda i, j: symmetric[i, j])(list(range(60))), symmetric)


def test_a_similarity_in_many_tiles_K19():
    points = rng.normal(size=(390, 2))
    assert_allclose(Similarity(rbf_kernel, pairwise=True)(points), rbf_kernel(points), rtol=1e-12)


def test_bad_similarities_are_refused_K19():
    with pytest.raises(ValueError, match="one real number per pair"):
        Similarity(lambda x, y: x)(X)
    with pytest.raises(ValueError, match="one real number per pair"):
        Similarity(lambda x, y: 1j)(X)
    with pytest.raises(ValueError, match="one real number per pair"):
        Similarity(lambda x, y: None)(WORDS)
    with pytest.raises(ValueError, match="one real number per pair"):
        Similarity(gaussian, pairwise=True)(X)
    with pytest.raises(ValueError, match="must be finite; got nan"):
        Similarity(lambda x, y: np.nan)(X)
    with pytest.raises(ValueError, match="function must be a function"):
        Similarity("rbf")


def test_certify_passes_the_gaussian_and_fails_the_sigmoid_and_edit_distances_K19_K12_K20():
    assert certify(Similarity(gaussian), X)
    sigmoid = certify(Similarity(lambda x, y: np.tanh(x @ y)), np.array([[1.0], [2.0]]))
    assert not sigmoid
    assert_allclose(sigmoid.smallest, -0.090867, atol=1e-6)
    words = ["".join(letters) for length in range(4) for letters in product("ab", repeat=length)]
    near = certify(Similarity(lambda x, y: np.exp(-0.3 * edits(x, y))), words)
    assert not near
    assert_allclose(near.smallest, -0.11984, atol=1e-5)
    assert_allclose(certify(Similarity(lambda x, y: np.exp(-edits(x, y))), words).smallest, 0.12492, atol=1e-5)


def test_similarities_join_the_algebra():
    k = Similarity(gaussian) * Homogeneous(2)
    assert k.psd is None
    assert_allclose(k(X, Y), RBF()(X, Y) * Homogeneous(2)(X, Y), rtol=1e-12)
    assert repr(Similarity(gaussian, symmetrize=True)) == "Similarity(gaussian, symmetrize=True)"
