"""Ridge problems of many alphas and folds from products with one matrix have the solutions of each by itself (M10)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.kernels import RBF, Linear
from mercer.solvers.ridge import Targets, batched, factorised, solve_ridge
from mercer.solvers.ridge.batched import solve_batched
from mercer.solvers.ridge.batched_preconditioners import LowRankInverse, ShiftedFactor
from mercer.solvers.ridge.batched_systems import Column, Systems

rng = np.random.default_rng(0)
N = 120
X = rng.normal(size=(N, 4))
y = np.sin(2.0 * X[:, 0]) + 0.1 * rng.normal(size=N) + 3.0
ALPHAS = np.array([1e-4, 1e-2, 1.0, 100.0])
FOLDS = [np.arange(N) % 3 != f for f in range(3)]
WEIGHTS = [np.ones(N), rng.integers(0, 4, N).astype(float)]
always = lambda: True


def columns(weight, intercept):
    return [Column(np.sqrt(weight) * fold, y * fold, intercept) for fold in FOLDS]


def exact(K, fold, weight, intercept, alpha):
    used = np.flatnonzero(fold * weight)
    t = Targets(y[used, None], weight[used], intercept)
    answer = solve_ridge(factorised(t.scale(K[np.ix_(used, used)].copy()), alpha), t, alpha)
    f = K[:, used] @ answer.coef[:, 0] + answer.intercept[0]
    r = t.Y[:, 0] - f[used]
    return f, float(weight[used] @ r**2 + alpha * answer.coef[:, 0] @ (f[used] - answer.intercept[0]))


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weight", WEIGHTS, ids=["equal", "weighted"])
@pytest.mark.parametrize("kernel", [RBF(0.2), RBF(1.0), RBF(10.0), Linear()], ids=repr)
def test_folds_and_alphas(kernel, weight, intercept):
    K = kernel(X)
    cells = solve_batched(K, columns(weight, intercept), ALPHAS, tol=1e-14, most=100, go_on=always)
    assert (cells.gaps <= 1e-14).all()
    for f, fold in enumerate(FOLDS):
        for l, alpha in enumerate(ALPHAS):
            assert_allclose(cells.values[f, l], exact(K, fold, weight, intercept, alpha)[0], atol=1e-5)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weight", WEIGHTS, ids=["equal", "weighted"])
def test_a_factor_near_its_alpha_solves_what_a_few_columns_leave_open(weight, intercept):
    K, alphas = RBF(1.0)(X), np.array([1e-5, 1e-4, 1e-3])
    cells = solve_batched(K, columns(weight, intercept), alphas, tol=1e-12, most=25, go_on=always)
    assert (cells.iterations[..., 1] > 0).any()
    assert (cells.gaps <= 1e-12).all()
    for f, fold in enumerate(FOLDS):
        for l, alpha in enumerate(alphas):
            assert_allclose(cells.values[f, l], exact(K, fold, weight, intercept, alpha)[0], atol=1e-4)


@pytest.mark.parametrize("steps", [1, 2, 4])
def test_the_gap_bounds_how_far_the_objective_is_from_its_minimum(steps):
    K, weight, alphas = RBF(0.7)(X), np.ones(N), np.array([1e-2, 0.1, 1.0])
    found = batched._Gradients(Systems(K, columns(weight, False)[:1], alphas), 0.0, steps, always)
    found.by_low_rank()
    for l, alpha in enumerate(alphas):
        best = exact(K, FOLDS[0], weight, False, alpha)[1]
        f, c = found.U[l], found.C[l]
        primal = float(np.sum((y - f)[FOLDS[0]] ** 2) + alpha * c @ f)
        dual = alpha * (2.0 * found.Z[l] @ c - c @ f - alpha * c @ c)
        assert primal - dual == pytest.approx(found.R[l] @ found.R[l], rel=1e-6, abs=1e-9)
        assert dual <= best * (1.0 + 1e-9) <= primal * (1.0 + 1e-8)
        assert found.gaps[l] >= (primal - best) / primal - 1e-9


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weight", WEIGHTS, ids=["equal", "weighted"])
def test_both_inverses_bring_the_eigenvalues_together(weight, intercept):
    systems, alpha, fold = (
        Systems(RBF(2.0)(X), columns(weight, intercept)[:1], np.array([1e-2])),
        1e-2,
        np.zeros(N, int),
    )
    used = systems.columns[0].s > 0.0
    E = systems.project(np.eye(N) * systems.roots(fold), fold)[used]
    A = systems.multiply(E, fold[used])[1]
    spread = np.linalg.eigvalsh(E @ np.linalg.pinv(E) @ A @ np.linalg.pinv(E))[-1] / alpha
    for way, most in ((LowRankInverse.of(systems), spread / 10.0), (ShiftedFactor.of(systems, [0], alpha), 1.01)):
        values = np.linalg.eigvals(way(A, fold[used]) @ np.linalg.pinv(E)).real
        values = values[values > 1e-8 * values.max()]  # the direction s is not theirs
        assert values.max() <= most * values.min()


def test_a_linear_kernel_has_no_more_columns_than_its_items_and_is_solved_in_a_few_steps():
    cells = solve_batched(Linear()(X), columns(np.ones(N), False), ALPHAS, tol=1e-10, most=30, go_on=always)
    assert cells.rank == 4
    assert cells.iterations.sum(axis=2).max() <= 6


def test_a_target_of_zeros_an_early_end_and_a_matrix_that_is_not_positive():
    zero = Column(np.ones(N), np.zeros(N))
    cells = solve_batched(RBF(1.0)(X), [zero], ALPHAS, tol=1e-8, most=50, go_on=always)
    assert not cells.values.any()
    assert not cells.gaps.any()
    stopped = solve_batched(RBF(1.0)(X), columns(np.ones(N), False), ALPHAS, tol=1e-8, most=50, go_on=lambda: False)
    assert np.isinf(stopped.gaps).all()
    bad = solve_batched(-RBF(1.0)(X), columns(np.ones(N), False), ALPHAS, tol=1e-8, most=50, go_on=always)
    assert (bad.gaps[:, :2] > 1e-8).all()


def test_inverses_of_many_cells_hold_no_more_numbers_than_a_few_grams():
    alphas = np.geomspace(1e-4, 10.0, 40)
    systems = Systems(RBF(0.5)(X), columns(np.ones(N), False), alphas)
    found = LowRankInverse.of(systems)
    assert found.rank > 2
    assert sum(H.size for H in found.inverses.values()) <= 2.2 * N * N


def test_a_cell_that_a_pole_did_not_solve_does_not_keep_others_from_theirs(monkeypatch):
    monkeypatch.setattr(batched, "_ALPHA_RATIO", 2.0)
    alphas = np.array([1e-6, 1e-3, 1.0])
    cells = solve_batched(RBF(0.5)(X), columns(np.ones(N), False), alphas, tol=0.0, most=1, go_on=always)
    assert (cells.iterations[..., 1] > 0).all()
