"""scikit-learn's tests of Gaussian process classification, on ours."""

from __future__ import annotations

import pytest
from tests.scikit_learn.borrowed import borrow, few

EXCEPTIONS: dict[str, str] = {}

globals().update(
    borrow("sklearn.gaussian_process.tests.test_gpc", "sklearn.gaussian_process", "GaussianProcessClassifier")
)


def test_exceptions_are_few(request: pytest.FixtureRequest) -> None:
    few(request, EXCEPTIONS)
