"""Loops over pairs of sequences against plain Python, at every instruction set, and what their border refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from tests.native.refusals import refuses
from tests.native.shapes import framed, seeds

from mercer.native import edit_distance, gap_weighted, local_alignment, substrings, weighted_degree, word_distances
from mercer.testing.reference import strings as plain

counts = st.sampled_from([0, 1, 3, 8, 9, 17])
gaps = gap_weighted.gap_weighted
FACTORS = (2.0, 0.5, 0.4, 0.8)


def sequences(seed, n, letters=3, longest=7):
    """n sequences in one vector with letters between them that belong to none."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, longest + 1, n)
    end = np.cumsum(lengths + 1, dtype=np.int64)
    return rng.integers(-1, letters, end[-1] if n else 0).astype(np.int32), end - 1 - lengths, end - 1


def lists(S, unknown):
    """The sequences as lists; a letter below 0 is equal to none of the other side."""
    return [[unknown if c < 0 else int(c) for c in S[0][a:b]] for a, b in zip(S[1], S[2], strict=True)]


def compared(A, B, k):
    return np.array([[k(a, b) for b in lists(B, "right")] for a in lists(A, "left")], dtype=float).reshape(
        len(A[1]), len(B[1])
    )


def alignments(x, y):
    """Logarithms of sums over alignments, by the formula with beta = 1."""
    match, mismatch, open_, extend = np.log(FACTORS)
    return np.log(plain.local_alignment(1.0, match, mismatch, -open_, -extend, "sum")(x, y))


def near(x, y):
    """Pairs of words of two letters by the number of places where they differ."""
    worth = [3.0, 0.5]
    pairs = [plain.differences(u, v) for u in plain.words(x, 2) for v in plain.words(y, 2)]
    return sum(worth[h] for h in pairs if h < 2)


ALL = np.cumsum([0.0, *(0.5**m for m in range(1, 9))])
WEIGHTS = np.array([0.5, 0.3, 0.2])
LOOPS = {
    "gap_weighted": (lambda *a: gaps(*a[:-1], 3, False, 0.6, a[-1], None), plain.gap_weighted(3, 0.6)),
    "seven letters": (lambda *a: gaps(*a[:-1], 7, True, 0.6, a[-1], None), plain.gap_weighted(7, 0.6, True)),
    "alignments": (lambda *a: local_alignment.log_local_alignments(*a[:-1], *FACTORS, a[-1]), alignments),
    "edits": (lambda *a: edit_distance.edit_distances(*a[:-1], 3, a[-1]), plain.edits),
    "substrings": (lambda *a: substrings.common_substrings(*a[:-1], ALL, a[-1]), plain.all_substrings(0.5, None)),
    "same place": (
        lambda *a: weighted_degree.weighted_degree(*a[:-1], 2, WEIGHTS, a[-1]),
        lambda x, y: sum(
            w * sum(u == v for u, v in zip(plain.words(x, d), plain.words(y, d), strict=False))
            for d, w in enumerate(WEIGHTS, start=1)
        ),
    ),
    "near words": (lambda *a: word_distances.word_distances(*a[:-1], 3, 2, np.array([3.0, 0.5]), a[-1]), near),
    "wide letters": (lambda *a: word_distances.word_distances(*a[:-1], 999, 2, np.array([3.0, 0.5]), a[-1]), near),
}


@pytest.mark.parametrize("name", LOOPS)
@given(n=counts, m=counts, seed=seeds)
@settings(max_examples=6)
def test_all_pairs_and_matched_pairs(isa, name, n, m, seed):
    loop, formula = LOOPS[name]
    longest = 5 if name == "alignments" else 7
    A, B = sequences(seed, n, longest=longest), sequences(seed + 1, m, longest=longest)
    out, outside = framed(np.full((n, m), 99.0))
    loop(*A, *B, False, out)
    expected = compared(A, B, formula)
    assert_allclose(out, expected, rtol=1e-10, atol=1e-12)
    outside.check()
    few = min(n, m)
    left, right = ((T[0], T[1][:few], T[2][:few]) for T in (A, B))
    column, outside = framed(np.full((few, 1), 99.0))
    loop(*left, *right, True, column)
    assert_allclose(column[:, 0], np.diagonal(expected), rtol=1e-10, atol=1e-12)
    outside.check()


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6])
def test_slopes_in_the_decay_are_those_of_differences(isa, length):
    A, B, h = sequences(0, 9, longest=12), sequences(1, 11, longest=12), 1e-6
    value, slope, low, high = (np.empty((9, 11)) for _ in range(4))
    gaps(*A, *B, False, length, True, 0.7, value, slope)
    gaps(*A, *B, False, length, True, 0.7 - h, low, None)
    gaps(*A, *B, False, length, True, 0.7 + h, high, None)
    assert_allclose(slope, (high - low) / (2.0 * h), rtol=1e-6, atol=1e-8)


NAMES = ("a_letters", "a_start", "a_end", "b_letters", "b_start", "b_end")
S = (np.arange(6, dtype=np.int32), np.array([0, 3]), np.array([3, 6]))
GIVEN = dict(zip(NAMES, (*S, *S), strict=True)) | {"matched": False}
FREE = {"a_letters", "b_letters"}


@pytest.mark.parametrize(
    ("function", "options", "written"),
    [
        (gaps, {"length": 2, "shorter": False, "decay": 0.5, "value": 0, "slope": 0}, {"value", "slope"}),
        (local_alignment.log_local_alignments, {"match": 2.0, "mismatch": 1.0, "open": 0.1, "extend": 0.1, "out": 0},
         {"out"}),
        (edit_distance.edit_distances, {"alphabet": 6, "out": 0}, {"out"}),
        (weighted_degree.weighted_degree, {"bits": 3, "weights": np.ones(2), "out": 0}, {"out"}),
        (word_distances.word_distances, {"alphabet": 6, "width": 2, "weights": np.ones(2), "out": 0}, {"out"}),
        (substrings.common_substrings, {"sums": np.ones(3), "out": 0}, {"out"}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)  # fmt: skip
def test_wrong_arguments_are_named(function, options, written):
    arrays = {name: np.zeros((2, 2)) for name in written}
    given = GIVEN | options | arrays
    function(**given)
    starts = {"a_start", "b_start"}  # the size of these decides on that of others, which is then refused
    chosen = {name: value for name, value in given.items() if name not in starts}
    fixed = {name: given[name] for name in starts}

    def call(**arguments):
        function(**arguments, **fixed)

    call.__name__ = function.__name__
    refuses(call, chosen, written, free=FREE | {"weights", "sums"})
    for side in ("a", "b"):
        for name, wrong in ((f"{side}_start", [-1, 3]), (f"{side}_end", [3, 7]), (f"{side}_end", [3, 2])):
            with pytest.raises(ValueError, match=f"{name} must be places in {side}_letters"):
                function(**given | {name: np.array(wrong)})


def test_matched_sequences_must_be_as_many():
    with pytest.raises(ValueError, match="b_start must be as long as a_start"):
        edit_distance.edit_distances(*S, S[0], S[1][:1], S[2][:1], True, 6, np.zeros((2, 1)))
