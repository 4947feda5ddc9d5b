"""A ridge machine is fitted in the memory of one Gram matrix (C5, M10)."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from mercer import KernelRidge, MemoryBudgetError, configure
from mercer.kernels import RBF

n = 1600
X = np.random.default_rng(0).normal(size=(n, 4))
y = np.sin(X[:, 0])
WHOLE = 8 * n**2


@pytest.mark.parametrize("weight", [None, np.linspace(0.5, 2.0, n)], ids=["equal", "weighed"])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_a_fit_needs_one_gram_and_leaves_none_behind_C5(weight, fit_intercept):
    m = KernelRidge(0.1, kernel=RBF(), fit_intercept=fit_intercept).fit(X[:900], y[:900])
    tracemalloc.start()
    try:
        m.fit(X, y, weight)
        left, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert WHOLE < most < 1.4 * WHOLE
    assert left < 0.1 * WHOLE


def test_a_gram_over_the_budget_is_refused_before_it_is_made_I5():
    with configure(memory=WHOLE // 2), pytest.raises(MemoryBudgetError):
        KernelRidge(0.1, kernel=RBF()).fit(X, y)
