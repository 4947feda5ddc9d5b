"""scikit-learn's tests of kernel densities, on ours.

Our rules "scott" and "silverman" follow the units of the columns, and theirs do not: their numbers are passed here.
"""

from __future__ import annotations

from unittest.mock import patch

import pytest
from tests.scikit_learn.borrowed import borrow, few

import mercer

EXCEPTIONS: dict[str, str] = {
    "test_kernel_density_sampling": "ours draws from every kernel; there all but two are refused",
    "test_kde_algorithm_metric_choice[haversine-auto]": "angles on a sphere are no norm: the density has no mass 1",
    "test_kde_algorithm_metric_choice[haversine-ball_tree]": "the same",
    "test_kde_sample_weights": "trees of two samples agree to the stated rtol, 1e-4; there the default is 0",
}


class TheirRules(mercer.KernelDensity):
    def fit(self, X, y=None, sample_weight=None):
        n, D = X.shape
        theirs = {"scott": n ** (-1 / (D + 4)), "silverman": (n * (D + 2) / 4) ** (-1 / (D + 4))}
        given = self.bandwidth
        self.bandwidth = theirs.get(given, given) if isinstance(given, str) else given
        super().fit(X, y, sample_weight)
        self.bandwidth = given
        return self


TheirRules.__name__ = "KernelDensity"  # pipelines name their steps by it
with patch.dict(vars(mercer), KernelDensity=TheirRules):
    globals().update(borrow("sklearn.neighbors.tests.test_kde", "sklearn.neighbors", "KernelDensity"))


def test_exceptions_are_few(request: pytest.FixtureRequest) -> None:
    few(request, EXCEPTIONS)
