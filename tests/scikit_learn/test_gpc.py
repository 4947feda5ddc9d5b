"""scikit-learn's tests of Gaussian process classification, on ours."""

from __future__ import annotations

import pytest
from tests.scikit_learn.borrowed import borrow, few

WORDING = "the wording of a message: ours says the fault, the value and the cure"

EXCEPTIONS: dict[str, str] = {
    "test_warning_bounds": WORDING,
    "test_gpc_fit_error[params0-ValueError-kernel cannot be a CompoundKernel]": WORDING,
    "test_gpc_latent_mean_and_variance_complain_on_more_than_2_classes": "ours has an answer for several classes too",
}

globals().update(
    borrow("sklearn.gaussian_process.tests.test_gpc", "sklearn.gaussian_process", "GaussianProcessClassifier")
)


def test_exceptions_are_few(request: pytest.FixtureRequest) -> None:
    few(request, EXCEPTIONS)
