"""Kernel values that support vector machines compute: a small multiple of those between items and support vectors."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from mercer import SVC, SVR, OneClassSVM
from mercer.kernels import RBF, kernel

VALUES: Counter = Counter()


@kernel
class Counted(RBF):
    """RBF that counts its values."""

    native_shape = None  # else some are computed without a call of `block`

    def block(self, A, B):
        VALUES["block"] += len(A) * len(B)
        return super().block(A, B)


@pytest.fixture(autouse=True)
def _fresh_count():
    VALUES.clear()


def clouds(n, classes, apart=4.0, columns=4, seed=0):
    """Rows around as many centres as there are classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    return rng.normal(size=(n, columns)) + apart * np.eye(classes, columns)[y], y


def test_few_support_vectors_cost_few_kernel_values_M21():
    """Three classes of 4 000 rows: never all of the n^2 / 2."""
    n = 4000
    X, y = clouds(n, 3)
    machine = SVC(kernel=Counted(2.0)).fit(X, y)
    assert 10 < len(machine.support_) < 0.1 * n
    assert machine.certificate_.converged
    assert VALUES["block"] < 4 * n * len(machine.support_)
    assert VALUES["block"] < 0.35 * n**2 / 2


@pytest.mark.parametrize("n", [6000, 12_000])
def test_of_two_classes_too_M17(n):
    X, y = clouds(n, 2, apart=3.0)
    machine = SVC(kernel=Counted(2.0)).fit(X, y)
    assert 10 < len(machine.support_) < 0.2 * n
    assert VALUES["block"] < 4 * n * len(machine.support_)
    assert VALUES["block"] < 0.45 * n**2 / 2


def test_of_a_regression_too_M26():
    n = 6000
    X, _ = clouds(n, 2)
    machine = SVR(kernel=Counted(2.0), epsilon=0.3, C=10.0).fit(X, np.sin(X[:, 0]))
    assert 5 < len(machine.support_) < 0.2 * n
    assert VALUES["block"] < 0.45 * n**2 / 2


def test_of_one_class_too():
    n = 6000
    X, _ = clouds(n, 1)
    machine = OneClassSVM(kernel=Counted(2.0), nu=0.02).fit(X)
    assert VALUES["block"] < 6 * n * len(machine.support_)
    assert VALUES["block"] < 0.45 * n**2 / 2


def test_the_gram_of_few_items_is_computed_once_for_all_pairs_M21():
    X, y = clouds(300, 5)
    SVC(kernel=Counted(2.0), probability=True).fit(X, y)
    assert VALUES["block"] <= 300 * 300 + 1  # and one that tells the number type


def test_a_warm_search_of_C_does_not_compute_kernel_values_again():
    from mercer import KernelSearchCV

    X, y = clouds(300, 3)
    KernelSearchCV(SVC(kernel=Counted(2.0)), {"C": [0.1, 1.0, 10.0]}, cv=3, refit=False).fit(X, y)
    assert VALUES["block"] <= 300 * 300 + 300 * 80
