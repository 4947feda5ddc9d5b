"""Ridge regression on landmarks stores nothing with a row per item and a column per landmark (H2)."""

from __future__ import annotations

import tracemalloc

import numpy as np

import mercer
from mercer.kernels import RBF


def peak(n: int) -> int:
    """Bytes at the peak of a fit to n items with 100 landmarks."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, 2)), rng.normal(size=n)
    machine = mercer.KernelRidge(1.0, kernel=RBF(1.0), method="nystrom", n_landmarks=100, landmarks="uniform")
    tracemalloc.start()
    machine.fit(X, y)
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return size


def test_the_memory_of_ridge_on_landmarks_grows_by_a_few_numbers_an_item_H2(monkeypatch):
    monkeypatch.setattr("mercer.estimators.training_data.low_rank._PANEL", 2**17)
    small, large = peak(5_000), peak(40_000)
    assert (large - small) / 35_000 < 8 * 25  # of the 100 numbers of a row of K_nm
