"""The spectrum kernel (K23) against enumeration, its feature map and its laws."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mercer.kernels.radial import RBF
from mercer.kernels.strings import Spectrum
from mercer.testing import check_kernel

WORDS = ["abab", "baba", "", "a", "banana", "bandana"]


def naive(s, t, k):
    """Count common words of k letters, one pair at a time."""
    p = Counter(s[i : i + k] for i in range(len(s) - k + 1))
    q = Counter(t[i : i + k] for i in range(len(t) - k + 1))
    return sum(count * q[u] for u, count in p.items())


def test_the_worked_example_K23():
    assert Spectrum(2)(["abab"], ["baba"]).item() == 4.0  # ab twice against once, ba once against twice


def test_occurrences_overlap_K21():
    assert Spectrum(2)(["aaa"]).item() == 4.0


@given(st.lists(st.text("ab", max_size=6), min_size=1, max_size=4), st.text("abc", max_size=6), st.integers(1, 4))
def test_the_gram_is_the_naive_count_K23(X, t, k):
    Y = [t, "abc"]
    assert_array_equal(Spectrum(k)(X, Y), [[naive(s, u, k) for u in Y] for s in X])


@given(st.lists(st.text("abcde", max_size=60), min_size=1, max_size=3), st.integers(20, 40))
@settings(max_examples=20)
def test_words_too_long_for_one_integer_are_counted_by_rank_K23(X, k):
    X = [*X, *(s * 3 for s in X)]
    assert_array_equal(Spectrum(k)(X), [[naive(s, t, k) for t in X] for s in X])


def test_words_longer_than_the_string_give_zero_K23():
    assert_array_equal(Spectrum(5)(["abab", "abcd"]), np.zeros((2, 2)))


@pytest.mark.parametrize("k", [1, 2, 3])
def test_laws(k):
    check_kernel(Spectrum(k), WORDS, ["anagram", "bab", "zzzz", "zz", ""])


def test_the_diagonal_counts_words_that_only_a_later_dataset_has():
    k = Spectrum(2)
    later = k.prepare(["abzz", "zzz"], k.prepare(["ab"]).frame)
    assert_array_equal(k.diag(later), [3.0, 4.0])
    assert_array_equal(k.block(later, later), [[3.0, 2.0], [2.0, 4.0]])


def test_two_later_datasets_are_compared_by_their_words_not_their_codes():
    k = Spectrum(1)
    frame = k.prepare(["a"]).frame
    A, B = k.prepare(["axy"], frame), k.prepare(["zay", "q"], frame)  # x and z would both be the first new word
    assert_array_equal(k.block(A, B), [[2.0, 0.0]])
    assert_array_equal(k.block(B, A), [[2.0], [0.0]])


def test_the_feature_map_reproduces_the_kernel_K23():
    phi = Spectrum(2).feature_map(WORDS)
    assert_array_equal((phi @ phi.T).toarray(), Spectrum(2)(WORDS))
    assert phi.shape[1] == len({s[i : i + 2] for s in WORDS for i in range(len(s) - 1)})


def test_characters_bytes_and_tokens_agree_K23():
    k = Spectrum(2)
    text = k(WORDS)
    assert_array_equal(k([s.encode() for s in WORDS]), text)
    assert_array_equal(k([list(s) for s in WORDS]), text)
    assert_array_equal(k([np.array([ord(c) for c in s], dtype=int) for s in WORDS]), text)
    assert_array_equal(k(np.array(WORDS)), text)


def test_letters_are_code_points_K22():
    assert_array_equal(Spectrum(1)(["né", "né"], ["é"]), [[1.0], [1.0]])


@pytest.mark.parametrize(
    ("X", "Y"), [(["ab"], [["a", "b"]]), (["ab"], [b"ab"]), ([("a", "b")], ["ab"])], ids=["tokens", "bytes", "str"]
)
def test_two_datasets_of_different_form_are_refused_I1(X, Y):
    with pytest.raises(TypeError, match="one form in both datasets"):
        Spectrum(2)(X, Y)


def test_numbers_are_refused_I1():
    with pytest.raises(TypeError, match=r"shape .* Numbers need a vector kernel"):
        Spectrum(2)(np.eye(3))


def test_a_sum_with_a_vector_kernel_is_refused_I1():
    with pytest.raises(TypeError, match="of one kind"):
        Spectrum(2) + RBF()


@pytest.mark.parametrize("k", [0, -1, 2.0, True, "2"])
def test_k_is_a_positive_integer(k):
    with pytest.raises(ValueError, match="integer >= 1"):
        Spectrum(k)


def test_k_may_come_from_a_numpy_grid():
    assert [Spectrum(k) for k in np.arange(1, 3)] == [Spectrum(1), Spectrum(2)]
    assert repr(Spectrum(np.int64(2))) == "Spectrum(2)"


def test_empty_data_give_empty_matrices_I2():
    assert Spectrum(2)([], WORDS).shape == (0, 6)
    assert Spectrum(2)(WORDS, []).shape == (6, 0)


def test_many_strings_over_several_tiles():
    rng = np.random.default_rng(0)
    X = ["".join(rng.choice(list("acgt"), 12)) for _ in range(500)]
    phi = Spectrum(3).feature_map(X)
    assert_array_equal(Spectrum(3)(X), (phi @ phi.T).toarray())


def test_repr_reads_back():
    assert repr(Spectrum(4)) == "Spectrum(4)"
    assert eval(repr(Spectrum())) == Spectrum(3)


def test_slopes_are_empty_for_there_is_nothing_to_tune():
    k = Spectrum(2)
    A = k.prepare(WORDS)
    assert k.vjp(A, A, np.ones((6, 6))).shape == (0,)
    assert_allclose((0.5 * k).vjp(A, A, np.ones((6, 6))), 0.5 * k(WORDS).sum())
