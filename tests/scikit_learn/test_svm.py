"""scikit-learn's tests of support vector machines, on ours."""

from __future__ import annotations

import pytest
from tests.scikit_learn.borrowed import borrow, few

EXCEPTIONS: dict[str, str] = {}

globals().update(borrow("sklearn.svm.tests.test_svm", "sklearn.svm", "SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"))


def test_exceptions_are_few(request: pytest.FixtureRequest) -> None:
    few(request, EXCEPTIONS)
