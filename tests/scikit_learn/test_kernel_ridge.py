"""scikit-learn's tests of kernel ridge regression, on ours."""

from __future__ import annotations

import pytest
from tests.scikit_learn.borrowed import borrow, few

EXCEPTIONS: dict[str, str] = {}

globals().update(borrow("sklearn.tests.test_kernel_ridge", "sklearn.kernel_ridge", "KernelRidge"))


def test_exceptions_are_few(request: pytest.FixtureRequest) -> None:
    few(request, EXCEPTIONS)
