"""P-values of permutations: exact by their definition, of one statistic and of the largest of several."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.statistics.permutations import bonferroni, combined, exceedance, require_permutations, studentised

rng = np.random.default_rng(0)


def test_p_counts_the_observed_order_and_all_ties():
    null = np.array([[1.0, 2.0, 3.0, 3.0], [5.0, 5.0, 5.0, 5.0]])
    assert_array_equal(exceedance(np.array([3.0, 5.0]), null), [3 / 5, 1.0])
    assert_array_equal(exceedance(np.array([9.0, 6.0]), null), [1 / 5, 1 / 5])
    assert_array_equal(exceedance(np.array([3.0 + 1e-9]), null[:1]), [3 / 5])  # ties but for rounding


def test_p_of_exchangeable_numbers_is_uniform():
    """p <= a in at most the share a of all cases, and not much less, for one statistic and for dependent ones."""
    for kernels in (1, 4):
        draws = rng.normal(size=(4000, kernels, 20)) + 2.0 * rng.normal(size=(4000, 1, 20))
        p = np.array([combined(T[:, 0], T[:, 1:])[1] for T in draws])
        assert abs(np.mean(p <= 0.1) - 0.1) < 0.02


def test_units_and_constant_statistics_do_not_matter():
    T = rng.normal(size=(3, 30))
    found = combined(T[:, 0], T[:, 1:])
    assert combined(1e6 * T[:, 0] + 5.0, 1e6 * T[:, 1:] + 5.0) == found
    more = np.vstack([T, np.full(30, 7.0)])
    z, others = studentised(more[:, 0], more[:, 1:])
    assert z[3] == 0.0
    assert_allclose(np.column_stack([z, others])[:3].std(axis=1), 1.0)


def test_bonferroni_multiplies_the_smallest():
    assert bonferroni(np.array([0.2, 0.01, 0.5])) == (1, pytest.approx(0.03))
    assert bonferroni(np.array([0.9, 0.8])) == (1, 1.0)


@pytest.mark.parametrize("count", [0, -1, 2.5, True, None])
def test_a_number_of_permutations_that_is_none_is_refused_I5(count):
    with pytest.raises(ValueError, match="n_permutations must be an integer >= 1; got"):
        require_permutations("mmd_test", count)
