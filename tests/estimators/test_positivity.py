"""What machines say of kernels that are not positive semi-definite (I6)."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import SVC, GaussianProcessRegressor, KernelRidge, NotPositiveDefinite
from mercer.estimators.positivity import TRIED_OF_FUNCTION, Indefinite
from mercer.kernels import RBF, Linear, Similarity

rng = np.random.default_rng(0)
X = rng.normal(size=(100, 2))
y = np.where(X[:, 0] > 0.0, 1.0, -1.0)


def far(x, z):
    return -float(np.abs(x - z).sum())


def near(x, z):
    return float(np.exp(-np.abs(x - z).sum()))


@pytest.mark.parametrize("machine", [SVC, KernelRidge])
def test_a_similarity_of_which_nothing_is_known_is_tried_I6(machine):
    with pytest.warns(Indefinite, match="eigenvalue -"):
        machine(kernel=Similarity(far)).fit(X, y)
    with pytest.raises(NotPositiveDefinite):
        machine(kernel=Similarity(far), check_psd="raise").fit(X, y)
    machine(kernel=Similarity(far), check_psd="off").fit(X, y)  # warnings are errors
    machine(kernel=Similarity(near)).fit(X, y)


def test_the_difference_of_two_kernels_is_tried_too_I6():
    with pytest.warns(Indefinite):
        SVC(kernel=Linear() - RBF(1.0)).fit(X, y)


def test_a_trial_takes_few_calls_of_a_function_I6():
    calls = []

    def counted(x, z):
        calls.append(1)
        return near(x, z)

    counts = []
    for policy in ("off", "warn"):
        calls.clear()
        GaussianProcessRegressor(Similarity(counted), alpha=0.1, optimizer=None, check_psd=policy).fit(X, y)
        counts.append(len(calls))
    assert 0 < counts[1] - counts[0] <= 1.1 * TRIED_OF_FUNCTION**2
