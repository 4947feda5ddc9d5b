"""scikit-learn's tests of classical scaling, on ours."""

from __future__ import annotations

import pytest
from tests.scikit_learn.borrowed import borrow, few

EXCEPTIONS: dict[str, str] = {}

globals().update(borrow("sklearn.manifold.tests.test_classical_mds", "sklearn.manifold", "ClassicalMDS"))


def test_exceptions_are_few(request: pytest.FixtureRequest) -> None:
    few(request, EXCEPTIONS)
