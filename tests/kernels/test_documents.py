"""TF-IDF with the book's weights (K17) and bags of words and characters (K22)."""

import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from mercer.kernels.documents import Bag, TfIdf
from mercer.kernels.dot import Linear
from mercer.kernels.strings import Spectrum
from mercer.testing import check_kernel

COUNTS = np.array([[2, 1, 0], [1, 0, 3], [0, 0, 1], [1, 0, 0]])
TEXTS = ["The cat and the dog.", "the DOG and a bird", "a cat, a cat!", "", "the", "fish"]


def book(X):
    """phi_ij = log(1 + x_ij) log(N / (1 + df_j)), rows divided by their length unless that is 0."""
    X = np.asarray(X, dtype=float)
    phi = np.log(1.0 + X) * np.log(len(X) / (1.0 + (X > 0).sum(axis=0)))
    length = np.linalg.norm(phi, axis=1, keepdims=True)
    return phi / np.where(length > 0.0, length, 1.0), length.ravel()


def test_the_weights_of_the_book_K17():
    k = TfIdf()
    A = k.prepare(COUNTS)
    assert_allclose(A.frame.idf, [0.0, 0.693147, 0.287682], atol=5e-7)
    assert_allclose(book(COUNTS)[1], [0.480453, 0.398812, 0.199406, 0.0], atol=5e-7)
    assert_allclose(k.feature_map(COUNTS).toarray(), book(COUNTS)[0], rtol=1e-12)
    assert_allclose(k(COUNTS), book(COUNTS)[0] @ book(COUNTS)[0].T, atol=1e-14)


def test_the_idf_is_not_scikit_learns_K17():
    from sklearn.feature_extraction.text import TfidfTransformer

    theirs = TfidfTransformer().fit(COUNTS).idf_
    assert abs(TfIdf().prepare(COUNTS).frame.idf - theirs).min() > 0.5


def test_a_document_without_telling_words_is_zero_with_all_K17_K16():
    K = TfIdf()(COUNTS)
    assert_array_equal(K[3], 0.0)  # its one word is in N - 1 documents: idf 0
    assert_array_equal(np.diag(K), [1.0, 1.0, 1.0, 0.0])


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=5))
def test_values_lie_between_0_and_1_K17(X):
    X = np.array(X)
    K = TfIdf()(X)
    assert K.min() >= 0.0
    assert K.max() <= 1.0
    assert_allclose(K, book(X)[0] @ book(X)[0].T, atol=1e-12)  # also where a word in all documents has idf < 0


def test_dense_and_sparse_counts_texts_and_tokens_agree_K17():
    names = ["x", "y", "z"]
    tokens = [[name for name, count in zip(names, row, strict=True) for _ in range(count)] for row in COUNTS]
    K = TfIdf()(COUNTS)
    for X in (csr_array(COUNTS), tokens, [" ".join(row) for row in tokens], np.array([" ".join(t) for t in tokens])):
        assert_allclose(TfIdf()(X), K, atol=1e-15)


def test_what_was_learned_is_used_on_new_documents_K17():
    k = TfIdf().fit(COUNTS)
    new = np.array([[0, 2, 1], [3, 0, 0]])
    phi = np.log1p(new) * [0.0, np.log(2.0), np.log(4 / 3)]
    expected = phi[0] / np.linalg.norm(phi[0]) @ book(COUNTS)[0].T
    assert_allclose(k(new, COUNTS), [expected, np.zeros(4)], rtol=1e-12)
    assert_allclose(k(COUNTS, new), k(new, COUNTS).T)


def test_unseen_words_are_dropped_K17():
    k = TfIdf().fit(TEXTS)
    assert_allclose(k(["unicorn dog"], TEXTS), k(["dog"], TEXTS))
    assert_array_equal(k(["unicorn"], ["unicorn"]), [[0.0]])


def test_two_datasets_need_a_fitted_kernel():
    with pytest.raises(ValueError, match=r"k\.fit"):
        TfIdf()(TEXTS, TEXTS)


def test_a_fitted_kernel_survives_a_pickle():
    k = TfIdf().fit(TEXTS)
    assert_array_equal(pickle.loads(pickle.dumps(k))(["cat", "the"], TEXTS), k(["cat", "the"], TEXTS))


def test_common_words_alone_do_not_make_documents_alike_E25():
    X = ["the cat and the hat", "the stone and the sea", "a cat a hat", "the rain and the sun", "the fog and the bog"]
    counts, weighted = Bag()(X), TfIdf()(X)
    cosine = counts / np.sqrt(np.outer(np.diag(counts), np.diag(counts)))
    assert cosine[0, 1] > cosine[0, 2]
    assert weighted[0, 1] < weighted[0, 2]


def test_the_data_are_not_touched():
    X = csr_array(COUNTS.astype(float))
    TfIdf()(X)
    assert_array_equal(X.toarray(), COUNTS)


def test_laws_of_tfidf_K17():
    check_kernel(TfIdf(), TEXTS, ["dog unicorn", "the bird", "unicorn", ""])
    check_kernel(TfIdf("characters"), TEXTS, ["dog unicorn", "é"])
    check_kernel(TfIdf(), COUNTS, COUNTS[::-1] + 1)


def test_laws_of_the_bag_K22():
    check_kernel(Bag(), TEXTS, ["dog dog", "bird unicorn", "unicorn", ""])
    check_kernel(Bag("characters"), TEXTS, ["dog dog", "bird unicorn", "", "é"])
    check_kernel(Bag(), COUNTS, COUNTS[::-1] + 1)


def test_a_bag_is_linear_on_counts_K22():
    assert_array_equal(Bag()(COUNTS), Linear()(COUNTS.astype(float)))
    words = sorted({w for text in TEXTS for w in text.lower().replace(".", "").replace(",", "").strip("!").split()})
    tallies = [Counter(text.lower().replace(".", "").replace(",", "").strip("!").split()) for text in TEXTS]
    V = np.array([[tally[w] for w in words] for tally in tallies], dtype=float)
    assert_array_equal(Bag()(TEXTS), V @ V.T)


def test_a_bag_of_characters_is_the_spectrum_of_single_letters_K22_K23():
    assert_array_equal(Bag("characters")(TEXTS), Spectrum(1)(TEXTS))


def test_case_matters_to_characters_and_not_to_words_K22():
    assert Bag()(["Cat"], ["cAT"]).item() == 1.0
    assert Bag("characters")(["Cat"], ["cAT"]).item() == 0.0


def test_a_tokenizer_of_ones_own_is_a_list_of_tokens_K22():
    assert_array_equal(Bag()([text.split("-") for text in ["a b-c", "c-a b"]]), [[2.0, 2.0], [2.0, 2.0]])


@pytest.mark.parametrize("kernel", [Bag, TfIdf])
def test_an_unknown_tokenizer_is_refused(kernel):
    with pytest.raises(ValueError, match=r"one of .*characters.*words"):
        kernel("sentences")


def test_negative_counts_are_refused_K17():
    with pytest.raises(ValueError, match=r"counts must be >= 0; got -1\.0 in row 2"):
        TfIdf()(np.array([[1, 0], [0, 2], [0, -1]]))


def test_texts_and_counts_do_not_mix_I1():
    with pytest.raises(TypeError, match="one form in both datasets"):
        Bag()(TEXTS, COUNTS)
    with pytest.raises(TypeError, match="one form in both datasets"):
        TfIdf().fit(COUNTS)(TEXTS)


def test_another_number_of_words_is_refused():
    with pytest.raises(ValueError, match="counts of 3 words; got 2 columns"):
        Bag()(COUNTS, COUNTS[:, :2])


def test_empty_data_give_empty_matrices_I2():
    assert TfIdf()([]).shape == (0, 0)
    assert TfIdf().fit(TEXTS)([], TEXTS).shape == (0, 6)
    assert Bag()([], TEXTS).shape == (0, 6)


def test_repr_reads_back():
    for k in (TfIdf(), TfIdf("characters"), Bag(), Bag("characters")):
        assert eval(repr(k)) == k
