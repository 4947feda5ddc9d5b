"""scikit-learn's tests of Gaussian process regression, on ours."""

from __future__ import annotations

import pytest
from tests.scikit_learn.borrowed import borrow, few

EXCEPTIONS: dict[str, str] = {}

globals().update(
    borrow("sklearn.gaussian_process.tests.test_gpr", "sklearn.gaussian_process", "GaussianProcessRegressor")
)


def test_exceptions_are_few(request: pytest.FixtureRequest) -> None:
    few(request, EXCEPTIONS)
