"""Cheap starts: the median heuristic and kernel-target alignment."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer import alignment, median_lengthscale
from mercer.kernels import RBF, Linear
from mercer.selection.grids import LIBSVM

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 4))


def test_the_libsvm_grid_M22():
    assert len(LIBSVM["C"]) * len(LIBSVM["gamma"]) == 110
    assert (LIBSVM["C"][0], LIBSVM["C"][-1]) == (2.0**-5, 2.0**15)
    assert (LIBSVM["gamma"][0], LIBSVM["gamma"][-1]) == (2.0**-15, 2.0**3)


def test_the_median_lengthscale_is_in_the_units_of_the_data():
    from scipy.spatial.distance import pdist

    assert_allclose(median_lengthscale(X), np.median(pdist(X)), rtol=0.03)
    assert_allclose(median_lengthscale(7.0 * X), 7.0 * median_lengthscale(X))
    assert_allclose(median_lengthscale(X + 100.0), median_lengthscale(X))
    assert median_lengthscale(np.ones((5, 2))) == 1.0
    with pytest.raises(ValueError, match="two rows or more"):
        median_lengthscale(X[:1])


def test_a_kernel_that_is_the_target_is_aligned_with_it():
    labels = np.repeat(["a", "b"], 100)
    assert_allclose(alignment((labels[:, None] == labels).astype(float), labels), 1.0)
    numbers = X[:, 0]
    assert_allclose(alignment(np.outer(numbers, numbers), numbers), 1.0)


def test_alignment_does_not_see_scale_or_offset_and_prefers_the_right_kernel():
    K, numbers = RBF(1.0)(X), np.sin(X[:, 0])
    assert_allclose(alignment(3.0 * K + 5.0, numbers), alignment(K, numbers))
    assert alignment(RBF((1.0, np.inf, np.inf, np.inf))(X), numbers) > alignment(K, numbers)
    assert alignment(np.ones((200, 200)), numbers) == 0.0
    assert -1.0 <= alignment(Linear()(X), np.arange(200) % 2) <= 1.0
