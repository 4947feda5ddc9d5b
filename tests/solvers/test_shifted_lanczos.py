"""Ridge problems of many alphas and folds from products with one matrix have the solutions of each by itself (M10)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.kernels import RBF, Linear
from mercer.solvers.ridge import Targets, factorised, solve_ridge
from mercer.solvers.shifted_lanczos import Column, solve_shifted

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 4))
y = np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=120) + 3.0
ALPHAS = np.array([1e-4, 1e-2, 1.0, 100.0])
FOLDS = [np.arange(120) % 3 != f for f in range(3)]
always = lambda: True


def columns(weight, intercept):
    return [Column(np.sqrt(weight) * fold, y * fold, np.flatnonzero(~fold), intercept) for fold in FOLDS]


def exact(K, fold, weight, intercept, alpha):
    used = np.flatnonzero(fold * weight)
    t = Targets(y[used, None], weight[used], intercept)
    answer = solve_ridge(factorised(t.scale(K[np.ix_(used, used)].copy()), alpha), t, alpha)
    f = K[:, used] @ answer.coef[:, 0] + answer.intercept[0]
    r = t.Y[:, 0] - f[used]
    return f[~fold], float(weight[used] @ r**2 + alpha * answer.coef[:, 0] @ (f[used] - answer.intercept[0]))


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weight", [np.ones(120), rng.integers(0, 4, 120).astype(float)], ids=["equal", "weighted"])
@pytest.mark.parametrize("kernel", [RBF(1.0), RBF(10.0), Linear()], ids=repr)
def test_folds_and_alphas(kernel, weight, intercept):
    K = kernel(X)
    bases = solve_shifted(K, columns(weight, intercept), ALPHAS, tol=1e-16, most=120, go_on=always)
    for fold, basis in zip(FOLDS, bases, strict=True):
        F = basis.values()
        for a, alpha in enumerate(ALPHAS):
            assert_allclose(F[:, a], exact(K, fold, weight, intercept, alpha)[0], atol=1e-5)


@pytest.mark.parametrize("steps", [1, 3, 10, 25])
def test_the_gap_bounds_how_far_the_objective_is_from_its_minimum(steps):
    K, weight = RBF(1.0)(X), np.ones(120)
    basis = solve_shifted(K, columns(weight, False)[:1], ALPHAS, tol=0.0, most=steps, go_on=always)[0]
    assert len(basis) == steps
    for a, alpha in enumerate(ALPHAS):
        best = exact(K, FOLDS[0], weight, False, alpha)[1]
        objective = alpha * basis.size**2 * basis.form[a]  # of the dual, which is below the minimum
        assert objective <= best * (1.0 + 1e-9)
        assert best - objective <= basis.residual[a] ** 2 + 1e-9 * best
        assert basis.gaps[a] >= (best - objective) / best - 1e-9


def test_a_basis_of_a_linear_kernel_has_no_more_vectors_than_columns():
    bases = solve_shifted(Linear()(X), columns(np.ones(120), False), ALPHAS, tol=0.0, most=120, go_on=always)
    assert all(basis.exhausted and len(basis) <= 6 for basis in bases)  # and one of rounding


def test_a_target_of_zeros_and_an_early_end():
    column = Column(np.ones(120), np.zeros(120), np.arange(5))
    assert len(solve_shifted(RBF(1.0)(X), [column], ALPHAS, tol=1e-8, most=50, go_on=always)[0]) == 0
    stopped = solve_shifted(RBF(1.0)(X), columns(np.ones(120), False), ALPHAS, tol=1e-8, most=50, go_on=lambda: False)
    assert [len(basis) for basis in stopped] == [0, 0, 0]
