"""scikit-learn's tests of kernel approximation, with our Nystroem; the samplers in that file stay theirs."""

from __future__ import annotations

import pytest
from tests.scikit_learn.borrowed import borrow, few

EXCEPTIONS: dict[str, str] = {
    "test_nystroem_callable": "it counts the calls of a function; ours also measures the trace error",
    "test_nystroem_poly_kernel_params": "degree 3.1: powers of a kernel that are not whole are refused",
}

globals().update(borrow("sklearn.tests.test_kernel_approximation", "sklearn.kernel_approximation", "Nystroem"))


def test_exceptions_are_few(request: pytest.FixtureRequest) -> None:
    few(request, EXCEPTIONS)
