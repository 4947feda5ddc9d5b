"""Vocabularies: codes that are shared through a frame, and words that only one dataset has."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from mercer.kernels.word_counts import Coder, counts, inner

documents = st.lists(st.lists(st.sampled_from("abcdef"), max_size=5), max_size=4)


def naive(X, Y):
    return np.array([[sum(x.count(w) * y.count(w) for w in set(x)) for y in Y] for x in X]).reshape(len(X), len(Y))


@given(documents, documents, documents)
def test_inner_products_do_not_depend_on_the_frame(first, X, Y):
    frame = counts(first, None).frame
    assert_array_equal(inner(counts(X, frame), counts(Y, frame)), naive(X, Y))
    A = counts(X, None)
    assert_array_equal(inner(A, counts(Y, A.frame)), naive(X, Y))
    assert_array_equal(A.rows.sqnorm, np.diag(naive(X, X)))


@given(documents, documents)
def test_slices_keep_their_vocabulary(X, Y):
    A = counts(X, counts(Y, None).frame)
    assert_array_equal(inner(A[::2], A), naive(X, X)[::2])


def test_the_frame_is_not_changed_by_later_datasets():
    frame = counts([["a", "b"]], None).frame
    later = counts([["b", "c"]], frame)
    assert later.frame is frame
    assert frame == {"a": 0, "b": 1}
    assert later.words.own == {"c": 2}


def test_equal_words_have_equal_codes():
    coder = Coder({"a": 0})
    assert_array_equal(coder.codes(["b", "a", "b", "c"]), [1, 0, 1, 2])
    assert list(coder.vocabulary) == ["a", "b", "c"]
