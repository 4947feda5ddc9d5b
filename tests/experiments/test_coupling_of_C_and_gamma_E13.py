"""E13: C and gamma are not chosen one after the other.  A narrower kernel wants no larger a C."""

from __future__ import annotations

import numpy as np

from mercer import SVC, KernelSearchCV

CS = [2.0**e for e in range(-5, 16, 2)]


def two_clouds(seed, n=200):
    """Three Gaussians per class, in the plane."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(2, 3, 2))
    y = np.arange(n) % 2
    return centres[y, rng.integers(0, 3, n)] + 0.5 * rng.normal(size=(n, 2)), y


def best_C(seed):
    """The C of least cross-validated error at gamma = 1 and at gamma = 5; ties go to the smaller."""
    search = KernelSearchCV(SVC(), {"C": CS, "gamma": [1.0, 5.0]}, refit=False).fit(*two_clouds(seed))
    scores = search.cv_results_["mean_test_score"].reshape(len(CS), 2)
    return [CS[int(np.argmax(scores[:, g]))] for g in range(2)]


def test_the_best_C_at_gamma_5_is_no_larger_than_that_at_gamma_1_E13():
    wide, narrow = np.median([best_C(seed) for seed in range(9)], axis=0)
    assert narrow <= wide
