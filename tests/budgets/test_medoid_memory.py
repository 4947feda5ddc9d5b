"""Medoids of many items without a matrix of all distances: peak bytes beyond the data (C5)."""

from __future__ import annotations

import numpy as np
import pytest
from tests.budgets.test_peak_memory import peak

from mercer import KMedoids, silhouette
from mercer.kernels import RBF
from mercer.solvers.medoids.sampled import batch_size

n = 6000
X = np.random.default_rng(0).normal(size=(n, 4))
WHOLE = 8 * n**2  # 275 MiB
SLACK = 60 * 2**20  # tiles of two threads


@pytest.mark.parametrize("method", ["sampled", "clara"])
def test_a_sample_needs_its_own_columns_only_C5(method):
    machine = KMedoids(5, kernel=RBF(1.0), method=method, n_init=2, random_state=0).fit(X[:100])
    with peak() as found:
        machine.fit(X)
    batch = 8 * n * batch_size(n, 5)
    assert found["bytes"] <= (2 * batch if method == "sampled" else 0) + SLACK < WHOLE


def test_silhouettes_are_streamed_C5():
    labels = np.arange(n) % 4
    with peak() as found:
        silhouette(X, labels)
    assert found["bytes"] <= SLACK + 8 * n * 8 < WHOLE
