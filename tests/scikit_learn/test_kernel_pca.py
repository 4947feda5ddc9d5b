"""scikit-learn's tests of kernel PCA, on ours."""

from __future__ import annotations

import pytest
from tests.scikit_learn.borrowed import borrow, few

EXCEPTIONS: dict[str, str] = {
    "test_precomputed_kernel_not_psd[randomized]": "ours finds the largest eigenvalues with every solver; there this "
    "one finds those of largest size, and refuses",
}

globals().update(borrow("sklearn.decomposition.tests.test_kernel_pca", "sklearn.decomposition", "KernelPCA"))


def test_exceptions_are_few(request: pytest.FixtureRequest) -> None:
    few(request, EXCEPTIONS)
