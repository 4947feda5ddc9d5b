"""Kernels by dynamic programs: gaps (K24), local alignments, edits (K20)."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mercer.kernels import EditSimilarity, Fixed, GapWeighted, LocalAlignment, Normalised, Spectrum
from mercer.testing import check_kernel, reference
from mercer.testing.reference.strings import edits
from mercer.theory import certify

texts = st.lists(st.text("ab", max_size=7), min_size=1, max_size=10)
DNA = ["".join(np.random.default_rng(seed).choice(list("acgt"), 40 + 7 * seed)) for seed in range(11)]
BINARY = ["".join(letters) for length in range(4) for letters in product("ab", repeat=length)]


# ---- gaps


def test_the_worked_example_K24():
    k = GapWeighted(2, decay=0.5)
    assert_allclose(k(["cat"], ["car"]).item(), 0.5**4)
    assert_allclose(k(["cat"]).item(), 2 * 0.5**4 + 0.5**6)
    assert_allclose(Normalised(k)(["cat", "car"])[0, 1], 1 / (2 + 0.5**2))


@given(texts, texts, st.integers(1, 7), st.sampled_from([0.2, 0.7, 1.0]))
@settings(max_examples=25)
def test_the_dynamic_program_agrees_with_enumeration_K24(X, Y, length, decay):
    k = GapWeighted(length, decay=decay)
    assert_allclose(k(X, Y), reference.gram(k, X, Y), rtol=1e-10)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6, 8])
def test_the_laws_hold_for_strings_of_unequal_lengths_K24(length):
    check_kernel(GapWeighted(length, decay=0.6), DNA, ["acgt", "", "xyacgxt", "ttttttttt"])


@pytest.mark.parametrize("length", [2, 3, 7])
def test_shorter_words_add_up_K24(length):
    k = GapWeighted(length, decay=0.6, shorter=True)
    assert_allclose(k(DNA), sum(GapWeighted(p, decay=0.6)(DNA) for p in range(1, length + 1)), rtol=1e-12)
    check_kernel(k, DNA[:5])


def test_a_length_beyond_both_strings_gives_zero_K24():
    assert_array_equal(GapWeighted(4)(["abc", "ab"]), np.zeros((2, 2)))


def test_without_gaps_it_tends_to_the_spectrum_K24():
    decay = 1e-6
    assert_allclose(GapWeighted(3, decay=decay)(DNA) / decay**6, Spectrum(3)(DNA), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("decay", [0.0, -0.1, 1.1, np.nan, Fixed(2.0)], ids=str)
def test_a_decay_out_of_range_is_refused_K24(decay):
    with pytest.raises(ValueError, match="decay must be above 0 and at most 1"):
        GapWeighted(2, decay=decay)


def test_a_decay_of_one_is_a_choice_and_not_tuned_K24():
    assert GapWeighted(2, decay=1.0).theta.size == 0
    assert GapWeighted(2).theta.size == 1


# ---- local alignments


@given(st.lists(st.text("ab", max_size=5), min_size=1, max_size=9))
@settings(max_examples=15)
def test_sums_over_alignments_agree_with_enumeration(X):
    k = LocalAlignment(0.7, match=1.0, mismatch=-0.5, gap_open=1.0, gap_extend=0.3, form="sum")
    assert_allclose(k(X), reference.gram(k, X), rtol=1e-10)


@pytest.mark.parametrize("form", ["cosine", "sum", "logarithm"])
def test_the_laws_hold_in_every_form(form):
    check_kernel(LocalAlignment(0.3, form=form), DNA[:6], ["acgt", "", "xyacgxt"])


def test_strings_of_any_length_stay_within_range():
    s, t = "acgt" * 500, "acgtt" * 400  # sums near exp(2000)
    k = LocalAlignment(1.0)
    K = k([s, t])
    assert np.isfinite(K).all()
    assert_array_equal(np.diagonal(K), 1.0)
    whole = LocalAlignment(1.0, form="logarithm")([s]).item()
    assert 2000.0 < whole < 2400.0  # the best alignment scores 2000
    with pytest.raises(ValueError, match="inf"):
        LocalAlignment(1.0, form="sum")([s])


def test_the_logarithm_is_not_positive_and_says_so():
    k = LocalAlignment(2.0, gap_open=0.5, gap_extend=0.0, form="logarithm")
    assert k.psd is False
    assert np.linalg.eigvalsh(k(BINARY))[0] < -1e-3


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"form": "log"}, "form must be one of"),
        ({"match": -2.0}, "match must be at least mismatch"),
        ({"gap_open": -1.0}, "gap_open and gap_extend must be >= 0"),
        ({"mismatch": np.nan}, "mismatch must be a finite number"),
        ({"beta": 200.0}, "beta . match must be at most 100"),
        ({"beta": 0.0}, "beta must be a positive number"),
    ],
    ids=["form", "match", "gap", "nan", "steep", "beta"],
)
def test_bad_scores_are_refused(options, fault):
    with pytest.raises(ValueError, match=fault):
        LocalAlignment(**options)


# ---- edits


def test_all_binary_words_K20():
    for gamma, lowest in ((0.3, -0.11984), (1.0, 0.12492)):
        assert_allclose(np.linalg.eigvalsh(EditSimilarity(gamma)(BINARY))[0], lowest, atol=5e-6)
    assert EditSimilarity(1.0).psd is False
    assert not certify(EditSimilarity(0.3), BINARY).psd


@given(st.lists(st.text("abc", max_size=150), min_size=1, max_size=4), st.text("abcd", max_size=70))
@settings(max_examples=25)
def test_distances_agree_with_the_table_K20(X, t):
    assert_array_equal(EditSimilarity().distances(X, [t, ""]), [[edits(s, t), len(s)] for s in X])


def test_distances_of_tokens_and_later_letters_K20():
    k = EditSimilarity()
    frame = k.prepare([["a"]]).frame
    A, B = k.prepare([["x", "y", "z"]], frame), k.prepare([["y", "w", "z"], []], frame)
    assert_allclose(k.block(A, B), np.exp([[-2.0, -3.0]]))


@pytest.mark.parametrize("gamma", [0.0, -1.0])
def test_a_gamma_that_is_not_positive_is_refused_K20(gamma):
    with pytest.raises(ValueError, match="gamma must be a positive number"):
        EditSimilarity(gamma)
