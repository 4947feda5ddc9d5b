"""Kernels by words: all substrings (K21), bags (K22), dictionaries, near words, words at a place."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mercer.kernels import (
    AllSubstrings,
    Bag,
    Dictionary,
    GappedKmer,
    Mismatch,
    Spectrum,
    WeightedDegree,
)
from mercer.kernels.strings.near_words import NearWords
from mercer.testing import check_kernel, reference

WORDS = ["abab", "baba", "", "a", "banana", "bandana"]
DNA = ["".join(np.random.default_rng(seed).choice(list("acgt"), 30 + seed)) for seed in range(7)]

texts = st.lists(st.text("ab", max_size=12), min_size=1, max_size=4)


# ---- all substrings


def test_the_worked_example_K21():
    assert AllSubstrings(0.5)(["ab"], ["abc"]).item() == 1.25


@given(texts, texts, st.sampled_from([0.3, 1.0, 1.7]), st.sampled_from([None, 1, 3]))
@settings(max_examples=30)
def test_the_suffix_automaton_agrees_with_enumeration_K21(X, Y, decay, longest):
    k = AllSubstrings(decay, max_length=longest)
    assert_allclose(k(X, Y), reference.gram(k, X, Y), rtol=1e-12)


def test_weighted_spectra_add_up_to_all_substrings_K23():
    total = sum(0.7**k * Spectrum(k)(WORDS) for k in range(1, 8))
    assert_allclose(AllSubstrings(0.7)(WORDS), total, rtol=1e-12)


def test_one_letter_repeated_has_a_closed_form_K21():
    n = 500
    expected = sum(0.9**m * (n - m + 1) ** 2 for m in range(1, n + 1))
    assert_allclose(AllSubstrings(0.9)(["a" * n]).item(), expected, rtol=1e-12)


def test_long_strings_are_compared_in_linear_time_K21_C14():
    s = "".join(np.random.default_rng(0).choice(list("acgt"), 100_000))  # 5e9 substrings
    K = AllSubstrings(0.5, max_length=2)([s, s[::-1]])
    assert_allclose(K, 0.5 * Spectrum(1)([s, s[::-1]]) + 0.25 * Spectrum(2)([s, s[::-1]]), rtol=1e-12)


def test_tokens_of_a_large_alphabet_K21():
    s, t = list(range(300)), list(range(150, 450))
    assert_allclose(AllSubstrings(1.0)([s], [t]).item(), 150 * 151 / 2)  # one run of 150 shared tokens


@pytest.mark.parametrize("decay", [0.0, -0.5, np.nan])
def test_a_decay_that_is_not_positive_is_refused_K21(decay):
    with pytest.raises(ValueError, match="decay must be a positive number"):
        AllSubstrings(decay)


# ---- bags and dictionaries


def test_bags_of_characters_are_words_of_one_letter_K22():
    expected = Bag("characters")(WORDS)
    assert_array_equal(Spectrum(1)(WORDS), expected)
    assert_array_equal(AllSubstrings(1.0, max_length=1)(WORDS), expected)
    assert_array_equal(Dictionary(list("abnd"))(WORDS), expected)


def test_bags_of_words_are_words_of_one_token_K22():
    texts = ["the cat saw the dog", "a dog", ""]
    assert_array_equal(Spectrum(1)([text.split() for text in texts]), Bag()(texts))


def test_a_dictionary_with_all_words_is_the_string_kernel_K21():
    words = {s[i:j]: 0.5 ** (j - i) for s in WORDS for i in range(len(s)) for j in range(i + 1, len(s) + 1)}
    assert_allclose(Dictionary(words)(WORDS), AllSubstrings(0.5)(WORDS), rtol=1e-12)
    check_kernel(Dictionary({("a", "b"): 2.0}), [list(s) for s in WORDS])


@pytest.mark.parametrize(
    ("weights", "fault"),
    [
        ({"ab": -1.0}, "finite numbers >= 0"),
        ({"ab": np.inf}, "finite numbers >= 0"),
        ({"": 1.0}, "none of them empty"),
        ([], "none of them empty"),
        (["a", b"a"], "of one form"),
        (3, "a list of words"),
    ],
    ids=["negative", "infinite", "empty word", "no words", "mixed", "number"],
)
def test_bad_dictionaries_are_refused_K21(weights, fault):
    with pytest.raises(ValueError, match=fault):
        Dictionary(weights)


def test_a_dictionary_of_another_form_is_refused_I1():
    with pytest.raises(TypeError, match="of the form of its words, str"):
        Dictionary(["ab"])([b"ab"])


# ---- words that differ in a few letters


@given(texts, texts, st.sampled_from([(3, 1, 2), (3, 2, 4), (4, 1, 3)]))
@settings(max_examples=15)
def test_mismatches_agree_with_enumeration_of_the_alphabet(X, Y, option):
    k = Mismatch(*option)
    assert_allclose(k(X, Y), reference.gram(k, X, Y), rtol=1e-12)


@given(texts, texts, st.sampled_from([(3, 2), (5, 2), (4, 4)]))
@settings(max_examples=15)
def test_gapped_words_agree_with_enumeration_of_kept_places(X, Y, option):
    k = GappedKmer(*option)
    assert_array_equal(k(X, Y), reference.gram(k, X, Y))


def test_without_gaps_or_mismatches_both_are_the_spectrum():
    assert_array_equal(GappedKmer(3, k=3)(DNA), Spectrum(3)(DNA))
    assert_array_equal(Mismatch(3, mismatches=0)(DNA), Spectrum(3)(DNA))


def test_both_ways_to_gapped_words_agree():
    k = GappedKmer(6, k=3)
    A = k.prepare(DNA)
    B = k.prepare(["ttacgxyacgttx", "xyz"], A.frame)
    assert_array_equal(k._by_sets(A, B), NearWords.block(k, A, B))
    later = k.prepare(["acgtxzz", "zzzzzzxacgtac"], A.frame)
    assert_array_equal(k._by_sets(later, B), NearWords.block(k, later, B))


def test_long_strings_count_gapped_words_by_sets():
    s = "".join(np.random.default_rng(1).choice(list("acgt"), 20_000))
    k = GappedKmer(4, k=3)
    Z = k.feature_map([s, s[:9000]])
    assert_array_equal(k([s, s[:9000]]), (Z @ Z.T).toarray())


def test_letters_beyond_8_bits_are_compared_too():
    X = [list(range(400)), list(range(100, 500))]
    assert_array_equal(GappedKmer(3, k=2)(X), [[398 * 3.0, 298 * 3.0], [298 * 3.0, 398 * 3.0]])


def test_one_letter_repeated_at_every_distance():
    n, g, k = 700, 6, 2  # more steps on a diagonal than 8 bits count
    assert GappedKmer(g, k=k)(["a" * n], ["a" * n]).item() == comb(g, k) * (n - g + 1) ** 2


def test_an_alphabet_that_is_too_small_is_refused():
    with pytest.raises(ValueError, match=r"letters must be at least .* got 2 for the 3 letters 'a', 'b', 'c'"):
        Mismatch(2, letters=2)(["abc"])


@pytest.mark.parametrize(
    "make",
    [lambda: Mismatch(0), lambda: Mismatch(2, mismatches=3), lambda: Mismatch(2, letters=0), lambda: GappedKmer(3, k=4),
     lambda: GappedKmer(2.0), lambda: WeightedDegree(0), lambda: AllSubstrings(max_length=0)],
    ids=["k", "mismatches", "letters", "kept", "real", "degree", "max_length"],
)  # fmt: skip
def test_bad_options_are_refused(make):
    with pytest.raises(ValueError, match=r"must be (an integer|at most)"):
        make()


# ---- words at the same place


def test_equal_strings_have_a_closed_form():
    n, D = 100, 4
    weights = [2 * (D - d + 1) / (D * (D + 1)) for d in range(1, D + 1)]
    expected = sum(w * (n - d) for d, w in enumerate(weights))
    assert_allclose(WeightedDegree(D)(["acgtt" * 20]).item(), expected)


@given(st.lists(st.text("ab", max_size=150), min_size=1, max_size=4), st.integers(1, 70))
@settings(max_examples=20)
def test_words_at_a_place_agree_with_plain_loops(X, degree):
    k = WeightedDegree(degree)
    assert_allclose(k(X), reference.gram(k, X), rtol=1e-12)


KERNELS = [AllSubstrings(0.5), GappedKmer(4, k=2), Mismatch(3, letters=5), WeightedDegree(3), Dictionary(["an", "b"])]


@pytest.mark.parametrize("k", KERNELS, ids=repr)
def test_characters_bytes_tokens_and_new_letters_obey_the_laws_I1_I2(k):
    Y = ["ananb", "bxb", ""]
    check_kernel(k, WORDS, Y)
    if not isinstance(k, Dictionary):
        assert_array_equal(k([s.encode() for s in WORDS]), k(WORDS))
        check_kernel(k, [list(s) for s in WORDS], [list(s) for s in Y])


@pytest.mark.parametrize("k", KERNELS, ids=repr)
def test_two_datasets_of_different_form_are_refused_I1(k):
    with pytest.raises(TypeError, match="form"):
        k(WORDS, [list(s) for s in WORDS])
