"""The moments of all permutations, against going through all of them; and the gamma law with these."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.statistics.moments import Invariants, gamma_pvalue, permutation_moments

rng = np.random.default_rng(0)


def centred(n, rank):
    F = rng.normal(size=(n, rank))
    F -= F.mean(axis=0)
    return F @ F.T


@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_mean_and_variance_are_those_of_all_permutations(n):
    A, B = centred(n, 3), centred(n, 2)
    every = [np.vdot(A, B[np.ix_(p, p)]) for p in map(list, permutations(range(n)))]
    assert_allclose(
        permutation_moments(Invariants.of(A), Invariants.of(B)), [np.mean(every), np.var(every)], rtol=1e-10
    )


def test_a_vector_stands_for_its_outer_product():
    A, w = centred(7, 3), np.r_[np.full(3, 1 / 3), np.full(4, -1 / 4)]
    one, other = Invariants.of(np.outer(w, w)), Invariants.of_vector(w)
    assert_allclose([one.trace, one.norm2, one.diagonal2], [other.trace, other.norm2, other.diagonal2])
    assert_allclose(permutation_moments(Invariants.of(A), one), permutation_moments(Invariants.of(A), other))


def test_the_gamma_law_has_these_moments():
    from scipy.stats import gamma

    assert_allclose(gamma_pvalue(3.0, 2.0, 0.5), gamma(8.0, scale=0.25).sf(3.0))
    assert gamma_pvalue(0.0, 0.0, 0.0) == 1.0
    assert gamma_pvalue(1.0, 1.0, 0.0) == 1.0
