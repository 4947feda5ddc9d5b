"""Loops over pairs of sequences, rows of bits and rankings against NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.native.refusals import refuses
from tests.native.shapes import framed, seeds

from mercer.native import alignment, bits, inversions, signature

lengths = st.lists(st.integers(1, 9), min_size=0, max_size=10)


def sequences(lengths, width, seed):
    ends = np.cumsum([0, *lengths]).astype(np.intp)
    return np.random.default_rng(seed).normal(size=(ends[-1], width)), ends


def sums(x, y, gamma, band):
    """The sum over all alignments, in plain loops."""
    M = np.zeros((len(x) + 1, len(y) + 1))
    M[0, 0] = 1.0
    for i in range(len(x)):
        for j in range(len(y)):
            e = np.exp(-gamma * ((x[i] - y[j]) ** 2).sum()) * max(0.0, 1.0 - abs(i - j) / band)
            M[i + 1, j + 1] = e / (2.0 - e) * (M[i, j + 1] + M[i + 1, j] + M[i, j])
    return M[-1, -1]


def ratios(points, ends, gamma, band):
    p, dp = np.empty(len(points)), np.empty(len(points))
    alignment.own_ratios(points, ends, gamma, band, p, dp)
    return p, dp


def aligned(X, Y, gamma, band):
    out = np.empty((len(X[1]) - 1, len(Y[1]) - 1))
    alignment.align(*X, ratios(*X, gamma, band)[0], *Y, ratios(*Y, gamma, band)[0], gamma, band, out)
    return out


@given(
    lengths, lengths, st.sampled_from([1, 3]), st.sampled_from([0.1, 2.0]), st.sampled_from([1.5, 4.0, np.inf]), seeds
)
def test_align(isa, first, second, width, gamma, band, seed):
    X, Y = sequences(first, width, seed), sequences(second, width, seed + 1)
    cut = [[P[a:b] for a, b in itertools.pairwise(e)] for P, e in (X, Y)]
    out, outside = framed(np.empty((len(first), len(second))))
    alignment.align(*X, ratios(*X, gamma, band)[0], *Y, ratios(*Y, gamma, band)[0], gamma, band, out)
    expected = [[sums(x, y, gamma, band) / np.sqrt(sums(x, x, gamma, band) * sums(y, y, gamma, band)) for y in cut[1]]
                for x in cut[0]]  # fmt: skip
    assert_allclose(out, np.reshape(expected, out.shape), rtol=1e-11, atol=1e-300)
    outside.check()


@given(lengths, st.sampled_from([2.5, np.inf]), seeds)
def test_slopes_of_alignments_are_differences(isa, given_lengths, band, seed):
    X, gamma, h = sequences(given_lengths, 2, seed), 0.4, 1e-5
    shape = (len(given_lengths), len(given_lengths))
    out, slope = np.empty(shape), np.empty(shape)
    p, dp = ratios(*X, gamma, band)
    alignment.align_slope(*X, p, dp, *X, p, dp, gamma, band, out, slope)
    expected = (aligned(X, X, gamma + h, band) - aligned(X, X, gamma - h, band)) / (2 * h)
    assert_allclose(slope, expected, atol=1e-8)
    assert_allclose(out, aligned(X, X, gamma, band), rtol=1e-12)
    assert_array_equal(out, out.T)


@given(st.lists(st.integers(0, 6), max_size=10), st.integers(0, 2), seeds)
def test_signature_and_its_slope(isa, given_lengths, refinement, seed):
    X, h = sequences(given_lengths, 2, seed), 1e-5
    Y = X[0].copy(), X[1]  # in other memory, where all pairs are computed
    shape = (len(given_lengths), len(given_lengths))
    out, all_pairs, slope, up, down = (np.empty(shape) for _ in range(5))
    signature.signature_slope(*X, *X, 0.3, refinement, out, slope)
    signature.signature(*X, *Y, 0.3, refinement, all_pairs)
    signature.signature(*X, *X, 0.3 * np.exp(h), refinement, up)
    signature.signature(*X, *X, 0.3 * np.exp(-h), refinement, down)
    assert_allclose(out, all_pairs, rtol=1e-11)
    assert_allclose(slope, (up - down) / (2 * h), atol=1e-6 * max(1.0, abs(out).max(initial=0.0)))


@given(st.integers(1, 70), st.integers(1, 40), st.integers(1, 5), seeds)
def test_tanimoto_of_bits(isa, n, m, words, seed):
    r = np.random.default_rng(seed)
    A, B = (r.integers(0, 2**62, size=(rows, words)) & r.integers(0, 2**62, size=(rows, words)) for rows in (n, m))
    U, V = (np.unpackbits(M.view(np.uint8), axis=1).astype(float).reshape(len(M), -1) for M in (A, B))
    a, b = np.empty(n), np.empty(m)
    bits.ones(A, a)
    bits.ones(B, b)
    assert_array_equal(a, U.sum(axis=1))
    out, outside = framed(np.empty((n, m)))
    bits.tanimoto(A, a, B, b, out)
    union = a[:, None] + b - U @ V.T
    assert_allclose(out, np.where(union > 0, U @ V.T / np.maximum(union, 1.0), 1.0))
    outside.check()


@given(st.integers(0, 7), st.integers(0, 7), st.sampled_from([0, 1, 2, 15, 16, 17, 40, 130]), seeds)
def test_pairs_in_different_order(isa, n, m, d, seed):
    r = np.random.default_rng(seed)
    A, B = (np.array([r.permutation(d) for _ in range(rows)], dtype=np.int32).reshape(rows, d) for rows in (n, m))
    places = np.argsort(B, axis=1)
    out, outside = framed(np.empty((n, m)))
    inversions.discordant(A, B, out)
    before = [P[:, :, None] < P[:, None, :] for P in (A, places)]
    assert_array_equal(out, (before[0][:, None] != before[1]).sum(axis=(2, 3)) / 2.0)
    outside.check()


def test_wrong_arguments_are_named():
    x, ends, p = np.ones((3, 2)), np.array([0, 1, 3]), np.ones(3)
    pair = {
        "x": x,
        "xends": ends,
        "p": p,
        "y": x,
        "yends": ends,
        "q": p,
        "gamma": 1.0,
        "band": 2.0,
        "out": np.zeros((2, 2)),
    }
    refuses(alignment.align, pair, {"out"}, free={"x", "y"})
    with pytest.raises(ValueError, match=r"^align: band must be above 0"):
        alignment.align(**pair | {"band": 0.0})
    for wrong in ([1, 3], [0, 2, 1], [0, 1, 2], [0, 1, 9]):
        with pytest.raises(ValueError, match=r"^align: xends must be"):
            alignment.align(**pair | {"xends": np.array(wrong)})
    paths = {"x": x, "xends": ends, "y": x, "yends": ends, "scale": 1.0, "refinement": 0, "out": np.zeros((2, 2))}
    refuses(signature.signature, paths, {"out"}, free={"x", "y"})
    with pytest.raises(ValueError, match=r"^signature: refinement must be from 0 to"):
        signature.signature(**paths | {"refinement": -1})
    words = np.ones((2, 3), dtype=np.int64)
    sets = {"A": words, "a": np.ones(2), "B": words, "b": np.ones(2), "out": np.zeros((2, 2))}
    refuses(bits.tanimoto, sets, {"out"}, free={"A", "out"})
    with pytest.raises(ValueError, match=r"^discordant: B must be places below 2"):
        inversions.discordant(np.zeros((1, 2), np.int32), np.full((1, 2), 2, np.int32), np.zeros((1, 1)))
