"""Subsets of a known set (K34, K35), and shares of all there is: Tanimoto, MinMax."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.kernels import Agreement, Intersection, MinMax, SubsetCount, Tanimoto, UnionComplement

D, MU = (1, 2, 3, 4), (0.1, 0.2, 0.3, 0.4)
SETS = [frozenset(some) for size in range(5) for some in combinations(D, size)]
rng = np.random.default_rng(0)


def test_what_both_leave_out_is_the_intersection_of_complements_K34():
    complements = [set(D) - A for A in SETS]
    measure = Intersection(dict(zip(D, MU, strict=True)))
    K = UnionComplement(D, weights=MU)(SETS)
    assert_allclose(K, measure(complements), atol=1e-15)
    assert np.linalg.eigvalsh(K)[0] > -1e-12


def test_agreement_is_the_sum_of_both_K35():
    measure = Intersection(dict(zip(D, MU, strict=True)))
    K = Agreement(D, weights=MU)(SETS)
    assert_allclose(K, measure(SETS) + UnionComplement(D, weights=MU)(SETS), atol=1e-15)
    assert_array_equal(np.diagonal(K), 1.0)
    hamming = np.array([[len(A ^ B) / 4 for B in SETS] for A in SETS])
    assert_allclose(Agreement(D)(SETS), 1.0 - hamming, atol=1e-15)


def test_a_measure_must_be_one_K34():
    with pytest.raises(ValueError, match=r"UnionComplement: weights must be of sum 1.*normalise=True"):
        UnionComplement(D, weights=(1, 2, 3, 4))
    assert UnionComplement(D, weights=(1, 2, 3, 4), normalise=True).weights == pytest.approx(MU)
    with pytest.raises(ValueError, match="weights must be 4 finite numbers >= 0"):
        Agreement(D, weights=(0.5, 0.5, 0.5, -0.5))
    with pytest.raises(ValueError, match="domain must be one element or more, all different"):
        Agreement((1, 1))
    with pytest.raises(ValueError, match=r"X must be subsets of the domain; got 9 in row 1"):
        Agreement(D)([{1}, {9}])


def test_packed_bits_are_sets_of_numbers():
    members = rng.random((40, 150)) < 0.2
    members[3] = False
    packed = np.packbits(members, axis=1)
    sets = [set(np.flatnonzero(row).tolist()) for row in members]
    for k in (Tanimoto(), Intersection(), SubsetCount(), Agreement(tuple(range(192)))):
        assert_allclose(k(packed), k(sets), rtol=1e-14)
        assert_allclose(k(members[:5], packed), k(sets[:5], sets), rtol=1e-14)
    assert_allclose(Tanimoto()(packed), MinMax()(members.astype(float)), rtol=1e-14)


def test_nothing_is_like_nothing():
    assert_array_equal(Tanimoto()([set(), {1}]), np.eye(2))
    assert_array_equal(Tanimoto()(np.array([[0], [1]], dtype=np.uint8)), np.eye(2))
    assert_array_equal(MinMax()([[0.0, 0.0], [1.0, 0.0]]), np.eye(2))


def test_counts_are_multisets():
    x, y = rng.integers(0, 5, (2, 7))
    first, second = ({(k, t) for k, c in enumerate(v) for t in range(c)} for v in (x, y))
    assert_allclose(MinMax()([x], [y]), Tanimoto()([first], [second]))
    with pytest.raises(ValueError, match="MinMax: X must be non-negative"):
        MinMax()([[-1.0]])
