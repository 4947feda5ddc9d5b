"""Kernels of rankings, and kernels on groups (K36, K37)."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import kendalltau

from mercer import SVC
from mercer.errors import NotPositiveDefinite
from mercer.kernels import Kendall, Mallows, PositiveType, rankings
from mercer.kernels.groups import Group
from mercer.theory import unitary_representation

rng = np.random.default_rng(0)
S4 = list(permutations(range(4)))


def inversions(s):
    return sum(s[i] > s[j] for i in range(len(s)) for j in range(i + 1, len(s)))


def fixed_points(s):
    return float(sum(a == b for b, a in enumerate(s)))


def test_kendall_is_the_tau_of_places():
    X = [rng.permutation(9) for _ in range(6)]
    places = [np.argsort(x) for x in X]
    expected = [[kendalltau(a, b).statistic for b in places] for a in places]
    assert_allclose(Kendall()(X), expected, atol=1e-12)


@pytest.mark.parametrize("size", [2, 15, 16, 17, 33, 100, 257])
def test_sorting_and_products_count_the_same_pairs(size, monkeypatch):
    X = [rng.permutation(size) for _ in range(7)]
    by_products = Kendall()(X)
    monkeypatch.setattr(rankings, "_PRODUCTS", 0)
    assert_allclose(Kendall()(X), by_products, atol=1e-12)


def test_rankings_that_are_none_are_refused():
    with pytest.raises(ValueError, match="a permutation in every row; got 'a' twice in row 1"):
        Kendall()([["a", "b"], ["a", "a"]])
    with pytest.raises(ValueError, match="rankings of the same things; got 'c' in only one of rows 0 and 1"):
        Mallows()([["a", "b", "c"], ["a", "b"]])
    with pytest.raises(ValueError, match="Rank the same things in both datasets"):
        Kendall()([["a", "b"]], [["a", "c"]])
    with pytest.raises(ValueError, match="rankings of two things or more"):
        Kendall()([["a"]])


# ---- groups


def test_on_a_cycle_the_spectrum_is_the_fourier_transform_K36_K37():
    t = np.arange(6)
    waves = {(0, 0, 0, 0, 3, 3): np.cos(2 * np.pi * t / 6), (0, 0, 0, 0, 3, 6): np.exp(2j * np.pi * t / 6) + 0.5}
    for expected, p in waves.items():
        K = PositiveType("Z6", p)(t)
        assert_allclose(K, K.conj().T, atol=1e-15)
        assert_allclose(np.linalg.eigvalsh(K), expected, atol=1e-12)
        assert_allclose(np.sort(np.fft.fft(p).real), expected, atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4))
def test_a_function_on_a_cycle_is_taken_if_its_transform_is_not_negative_K36(half):
    p = np.array([1.0, half[0], half[1], half[2], half[1], half[0]])
    lowest = np.fft.fft(p).real.min()
    if lowest > 1e-6:
        PositiveType("Z6", p)
    elif lowest < -1e-6:
        with pytest.raises(ValueError, match="PositiveType"):
            PositiveType("Z6", p)


def test_kernels_on_permutations_K36():
    K = PositiveType("S4", lambda s: np.exp(-0.7 * inversions(s)))(S4)
    assert_allclose(np.linalg.eigvalsh(K)[0], 0.2194, atol=5e-5)
    assert_allclose(np.linalg.eigvalsh(Mallows(0.7)(S4)), np.linalg.eigvalsh(K), atol=1e-12)
    assert_allclose(np.linalg.eigvalsh(PositiveType("S4", fixed_points)(S4))[0], 0.0, atol=1e-12)


CASES = {
    "Z6": (lambda t: 0.5 ** min(t, 6 - t), list(range(6))),
    "S3": (lambda s: np.exp(-0.7 * inversions(s)), list(permutations(range(3)))),
    "D4": (lambda s: float(s == (0, 0)) + 0.2 * (s[1] == 0), [(r, f) for f in (0, 1) for r in range(4)]),
}


@pytest.mark.parametrize("name", CASES)
def test_a_kernel_does_not_change_when_both_items_move_K36(name):
    p, X = CASES[name]
    k = PositiveType(name, p)
    for u in X:
        moved = [k._group.multiply(u, s) for s in X]
        assert_allclose(k(moved), k(X), atol=1e-15)


@pytest.mark.parametrize("name", CASES)
def test_the_representation_is_unitary_a_homomorphism_and_gives_p_T31(name):
    p, X = CASES[name]
    found = unitary_representation(PositiveType(name, p))
    assert max(found.unitarity, found.homomorphism, found.reproduction) < 1e-13
    for s, U in zip(found.elements, found.U, strict=True):
        assert_allclose(found.x0.conj() @ U @ found.x0, p(s), atol=1e-13)
        assert_allclose(U @ U.conj().T, np.eye(found.dimension), atol=1e-13)
    assert set(found.elements) == set(X)


def test_a_group_of_the_user_K36():
    signs = Group(lambda s, t: s * t, lambda s: s, 1, (1, -1))
    assert_allclose(PositiveType(signs, {1: 1.0, -1: -0.5})([1, -1]), [[1.0, -0.5], [-0.5, 1.0]])
    with pytest.raises(ValueError, match="multiply must be closed"):
        PositiveType(Group(lambda s, t: s + t, lambda s: -s, 0, (0, 1, -1)), [1.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="a value for every element; got none for -1"):
        PositiveType(signs, {1: 1.0})


def test_the_line_and_the_integers_K36():
    assert_allclose(PositiveType("R", lambda t: np.exp(-0.5 * t * t))([0.0, 1.0]), [[1, 0.60653066], [0.60653066, 1]])
    K = PositiveType("Z", characters=((2.0, 1.5),))([0, 1])
    assert_allclose(K[1, 0], 1.5 * np.exp(2j))
    with pytest.raises(ValueError, match="weights > 0"):
        PositiveType("R", characters=((2.0, -1.5),))


def test_what_is_not_of_positive_type_is_refused_K36():
    with pytest.raises(ValueError, match=r"\|p\(s\)\| must be at most p\(e\)"):
        PositiveType("Z6", [1, 2, 0, 0, 0, 2])
    with pytest.raises(ValueError, match=r"p\(s\^-1\) = p\(s\)\*"):
        PositiveType("Z6", [1, 0.5, 0, 0, 0, 0.2])
    with pytest.raises(ValueError, match=r"p\(e\) must be real and >= 0"):
        PositiveType("Z6", [-1, 0, 0, 0, 0, 0])
    with pytest.raises(NotPositiveDefinite, match=r"the eigenvalue -0\.8"):
        PositiveType("Z6", [1, 0.9, 0, 0, 0, 0.9])
    with pytest.raises(ValueError, match=r"p\(s\^-1\) = p\(s\)\* on these items"):
        PositiveType("Z", lambda t: 1.0 / (1.0 + abs(t) + 0.1 * t))([0, 1])
    for group, s in (("Z6", 0.5), ("S3", (0, 0, 1)), ("D4", (1, 2)), ("R", np.nan), ("Z", "a")):
        with pytest.raises(ValueError, match="X must be elements of"):
            PositiveType(group, lambda s: 1.0)([s])
    for name in ("Q8", "Z0", "S", "", 6):
        with pytest.raises(ValueError, match="group must be a name"):
            PositiveType(name, [1.0])


def test_complex_values_are_refused_by_real_machines_K37():
    k = PositiveType("Z6", np.exp(2j * np.pi * np.arange(6) / 6) + 0.5)
    with pytest.raises((TypeError, ValueError), match=r"real|complex"):
        SVC(kernel=k).fit([0, 1, 2, 3], [0, 1, 0, 1])
