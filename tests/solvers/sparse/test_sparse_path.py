"""Lasso, l1-logistic regression and group lasso: optimality conditions, bounds, screening, scikit-learn (M3, M4)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import log_softmax
from sklearn.linear_model import Lasso, LogisticRegression

from mercer.solvers.losses import Bernoulli, Gaussian, Multinomial, Poisson
from mercer.solvers.sparse import lambda_grid, lambda_max, sparse_path

rng = np.random.default_rng(0)
n = 80
x = np.sort(rng.uniform(-3.0, 3.0, n))
Phi = np.exp(-0.5 * (x[:, None] - x) ** 2)
y = np.sinc(x) + 0.1 * rng.normal(size=n)
two = (y > 0.2).astype(int)
two[::9] ^= 1
three = np.digitize(y + 0.1 * rng.normal(size=n), [0.0, 0.4])
s = rng.uniform(0.2, 2.0, n)
TARGETS = {"squares": (Gaussian(), y), "two classes": (Bernoulli(), two), "three classes": (Multinomial(3), three)}
targets = pytest.mark.parametrize(("family", "target"), TARGETS.values(), ids=TARGETS)
FRACTIONS = [0.5, 0.1, 1e-2, 1e-3]


def residuals(family, target, found, weight=1.0, Phi=Phi):
    """s (t - mean) as people see it: one column per class where there are several."""
    f = Phi @ found.W + found.intercept
    if isinstance(family, Gaussian):
        R = target[:, None] - f
    elif isinstance(family, Bernoulli):
        R = target[:, None] - 1.0 / (1.0 + np.exp(-f))
    else:
        R = np.eye(family.classes)[target] - np.exp(log_softmax(f, axis=1))
    return np.broadcast_to(weight, len(R))[:, None] * R


def objective(family, target, W, b, lam, weight=None, Phi=Phi):
    f, weight = Phi @ W + b, np.ones(len(target)) if weight is None else weight
    if isinstance(family, Gaussian):
        loss = 0.5 * (target - f[:, 0]) ** 2
    elif isinstance(family, Bernoulli):
        loss = np.logaddexp(0.0, np.where(target == 1, -1.0, 1.0) * f[:, 0])
    else:
        loss = -log_softmax(f, axis=1)[np.arange(len(target)), target]
    return weight @ loss + lam * np.linalg.norm(W, axis=1).sum()


@targets
@pytest.mark.parametrize("weight", [None, s], ids=["equal", "weighted"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_optimality_conditions_hold_M3_M4(family, target, weight, fit_intercept):
    """|Phi_j' R| <= lambda; on the support Phi_j' R = lambda W_j / |W_j|; sum R = 0 when there is an intercept."""
    options = {"weight": weight, "fit_intercept": fit_intercept}
    lambdas = lambda_max(Phi, target, family, **options) * np.array(FRACTIONS)
    for lam, found in zip(lambdas, sparse_path(Phi, target, family, lambdas, tol=1e-10, **options), strict=True):
        R = residuals(family, target, found, 1.0 if weight is None else weight)
        G = Phi.T @ R
        assert found.converged
        assert found.lam == lam
        assert np.linalg.norm(G, axis=1).max() <= lam * (1.0 + 1e-6)
        W = found.W[found.support]
        assert_allclose(G[found.support], lam * W / np.linalg.norm(W, axis=1, keepdims=True), atol=1e-4 * lam)
        if fit_intercept:
            assert_allclose(R.sum(axis=0), 0.0, atol=1e-10)
        else:
            assert_array_equal(found.intercept, 0.0)


@targets
def test_lambda_max_is_where_the_first_weight_appears_M3(family, target):
    top = lambda_max(Phi, target, family)
    over, under = sparse_path(Phi, target, family, [top, 0.99 * top])
    assert not over.W.any()
    assert over.gap <= 1e-9 * over.primal
    assert len(under.support) >= 1


def test_lambda_max_of_squares_M3():
    assert_allclose(lambda_max(Phi, y, Gaussian()), np.abs(Phi.T @ (y - y.mean())).max())


@targets
def test_the_support_grows_as_lambda_falls_in_trend_M3(family, target):
    top = lambda_max(Phi, target, family)
    sizes = [len(found.support) for found in sparse_path(Phi, target, family, lambda_grid(top, 20))]
    assert sizes[0] == 0
    assert np.corrcoef(np.arange(20), sizes)[0, 1] > 0.8
    assert sizes[-1] < n


def test_rows_are_zero_or_nonzero_together_and_sum_to_zero_M4():
    lam = 0.05 * lambda_max(Phi, three, Multinomial(3))
    (found,) = sparse_path(Phi, three, Multinomial(3), [lam], tol=1e-10)
    rows = found.W[found.support]
    assert (rows != 0.0).all()
    assert_allclose(rows.sum(axis=1), 0.0, atol=1e-10)
    assert not np.delete(found.W, found.support, axis=0).any()


@pytest.mark.parametrize("fraction", FRACTIONS)
def test_two_classes_in_groups_are_l1_logistic_regression_M4(fraction):
    """f = w (-1, 1)/2 and |W_j| = |w_j| / sqrt(2)."""
    lam = fraction * lambda_max(Phi, two, Bernoulli())
    (binary,) = sparse_path(Phi, two, Bernoulli(), [lam], tol=1e-10)
    (grouped,) = sparse_path(Phi, two, Multinomial(2), [np.sqrt(2.0) * lam], tol=1e-10)
    assert_allclose(grouped.primal, binary.primal, rtol=1e-9)
    odds = (Phi @ grouped.W + grouped.intercept) @ [-1.0, 1.0]
    assert_allclose(odds, (Phi @ binary.W + binary.intercept)[:, 0], atol=1e-3)


@targets
def test_the_gap_bounds_how_far_from_the_optimum_we_are_M3(family, target):
    """Stopped at any accuracy, primal - gap <= optimum <= primal."""
    lam = 0.01 * lambda_max(Phi, target, family)
    (best,) = sparse_path(Phi, target, family, [lam], tol=1e-11)
    for tol in (0.5, 1e-1, 1e-2, 1e-4):
        (found,) = sparse_path(Phi, target, family, [lam], tol=tol)
        P = objective(family, target, found.W, found.intercept, lam)
        assert_allclose(found.primal, P, rtol=1e-10)
        assert P - best.primal >= -1e-9 * P
        assert P - best.primal <= found.gap + 1e-9 * P
        assert found.gap <= tol * found.primal


@targets
def test_no_neighbour_is_better_M3(family, target):
    lam = 0.05 * lambda_max(Phi, target, family)
    (found,) = sparse_path(Phi, target, family, [lam], tol=1e-12)
    best = objective(family, target, found.W, found.intercept, lam)
    for size in (1e-3, 1e-1):
        for _ in range(20):
            W = found.W + size * rng.normal(size=found.W.shape) * (rng.random((n, 1)) < 0.1)
            assert objective(family, target, W, found.intercept + size * rng.normal(), lam) >= best * (1.0 - 1e-11)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_screening_never_removes_a_support_vector_M3(seed):
    draw = np.random.default_rng(seed)
    count, features = int(draw.integers(2, 25)), int(draw.integers(1, 30))
    F = draw.normal(size=(count, features)) + draw.normal() * draw.normal(size=features)
    F[:, : features // 3] = F[:, -(features // 3) :] if features >= 3 else F[:, : features // 3]  # twice
    family, t = Gaussian(), draw.normal(size=count)
    if draw.random() < 0.6:
        classes = int(draw.integers(2, 4))
        t = np.arange(count) % classes
        if count < classes:
            return
        family = Bernoulli() if classes == 2 else Multinomial(classes)
    options = {"weight": draw.uniform(0.1, 3.0, count), "fit_intercept": bool(draw.random() < 0.7)}
    lam = float(draw.uniform(0.01, 0.9)) * lambda_max(F, t, family, **options)
    if lam == 0.0:
        return
    (screened,) = sparse_path(F, t, family, [lam], tol=1e-5, **options)
    (all_of_them,) = sparse_path(F, t, family, [lam], tol=1e-10, screen=False, **options)
    assert len(all_of_them.screened) == 0
    assert_allclose(screened.primal, all_of_them.primal, rtol=2e-5)
    G = np.linalg.norm(F.T @ residuals(family, t, all_of_them, options["weight"], F), axis=1)
    assert (G[screened.screened] < lam).all()
    assert not np.isin(screened.screened, all_of_them.support).any()


def test_screening_finds_what_it_can_M3():
    lam = 0.1 * lambda_max(Phi, y, Gaussian())
    (found,) = sparse_path(Phi, y, Gaussian(), [lam], tol=1e-8)
    assert len(found.screened) + len(found.support) > 0.9 * n


@pytest.mark.parametrize("fraction", [0.1, 0.01])
@pytest.mark.parametrize("weight", [None, s], ids=["equal", "weighted"])
def test_scikit_learns_lasso_has_the_same_answer_M3(fraction, weight):
    """Its alpha is lambda over the sum of the weights; it scales these to a sum of n."""
    lam = fraction * lambda_max(Phi, y, Gaussian(), weight=weight)
    (found,) = sparse_path(Phi, y, Gaussian(), [lam], weight=weight, tol=1e-10)
    alpha = lam / (n if weight is None else weight.sum())
    theirs = Lasso(alpha=alpha, tol=1e-10, max_iter=10**6).fit(Phi, y, sample_weight=weight)
    P = objective(Gaussian(), y, theirs.coef_[:, None], theirs.intercept_, lam, weight)
    assert_allclose(found.primal, P, rtol=1e-7)
    assert found.primal <= P * (1.0 + 1e-12)
    assert_allclose((Phi @ found.W)[:, 0] + found.intercept, theirs.predict(Phi), atol=1e-4)


@pytest.mark.parametrize("fraction", [0.3, 0.1])
def test_scikit_learns_logistic_regression_has_the_same_answer_M3(fraction):
    lam = fraction * lambda_max(Phi, two, Bernoulli())
    (found,) = sparse_path(Phi, two, Bernoulli(), [lam], tol=1e-10)
    theirs = LogisticRegression(C=1.0 / lam, l1_ratio=1.0, solver="saga", tol=1e-9, max_iter=10**5).fit(Phi, two)
    P = objective(Bernoulli(), two, theirs.coef_.T, theirs.intercept_, lam)
    assert_allclose(found.primal, P, rtol=1e-7)
    assert found.primal <= P * (1.0 + 1e-12)
    assert_allclose(np.ravel(Phi @ found.W + found.intercept), theirs.decision_function(Phi), atol=1e-3)


def test_weights_count_items():
    """An item of weight 2 is an item that comes twice."""
    twice = np.repeat(np.arange(n), 1 + (np.arange(n) < 20))
    weight = 1.0 + (np.arange(n) < 20)
    for family, target in TARGETS.values():
        (a,) = sparse_path(Phi, target, family, [0.3], weight=weight, tol=1e-10)
        (b,) = sparse_path(Phi[twice], target[twice], family, [0.3], tol=1e-10)
        assert_allclose(a.primal, b.primal, rtol=1e-9)
        assert_allclose(Phi @ a.W + a.intercept, Phi @ b.W + b.intercept, atol=1e-4)


def test_columns_that_come_twice_change_no_score_M3():
    (once,) = sparse_path(Phi, y, Gaussian(), [0.3], tol=1e-10)
    (twice,) = sparse_path(np.hstack([Phi, Phi]), y, Gaussian(), [0.3], tol=1e-10)
    assert_allclose(twice.primal, once.primal, rtol=1e-9)
    assert_allclose(Phi @ (twice.W[:n] + twice.W[n:]), Phi @ once.W, atol=1e-5)


def test_a_path_has_the_solutions_of_its_lambdas_in_their_order_M3():
    lambdas = [0.1, 10.0, 1.0]
    path = sparse_path(Phi, y, Gaussian(), lambdas, tol=1e-10)
    assert [found.lam for found in path] == lambdas
    for lam, found in zip(lambdas, path, strict=True):
        (alone,) = sparse_path(Phi, y, Gaussian(), [lam], tol=1e-10)
        assert_allclose(found.W, alone.W, atol=1e-6)


def test_a_large_offset_of_the_targets_goes_into_the_intercept_M3():
    (a,), (b,) = (sparse_path(Phi, t, Gaussian(), [0.3], tol=1e-9) for t in (y, y + 1e8))
    assert_allclose(b.W, a.W, atol=1e-5)
    assert_allclose(b.intercept, a.intercept + 1e8, rtol=1e-12)


def test_a_large_offset_of_the_columns_goes_into_the_intercept_M3():
    offset = 1e7 * rng.uniform(size=n)
    (a,), (b,) = (sparse_path(Z, two, Bernoulli(), [0.3], tol=1e-5) for Z in (Phi, Phi + offset))
    assert b.converged
    assert_allclose(b.primal, a.primal, rtol=1e-4)


@pytest.mark.parametrize("weight", [None, s], ids=["equal", "weighted"])
def test_constant_targets_need_no_weights(weight):
    for value in (0.1, 123.456, 9.87e4):  # the mean of n such numbers need not be one of them
        (found,) = sparse_path(Phi, np.full(n, value), Gaussian(), [1e-14], weight=weight)
        assert not found.W.any()
        assert_allclose(found.intercept, value, rtol=1e-14)
        assert found.primal == found.dual == 0.0
    assert lambda_max(Phi, np.full(n, 0.1), Gaussian(), weight=weight) == 0.0


def test_columns_that_do_not_vary_have_no_weight():
    assert lambda_max(np.full((n, 3), 0.7), two, Bernoulli()) == 0.0
    (found,) = sparse_path(np.full((n, 3), 0.7), two, Bernoulli(), [1e-3])
    assert not found.W.any()


def test_one_item():
    (found,) = sparse_path(np.ones((1, 1)), np.array([3.0]), Gaussian(), [0.1])
    assert not found.W.any()
    assert found.intercept == 3.0
    (found,) = sparse_path(np.ones((1, 1)), np.array([3.0]), Gaussian(), [0.1], fit_intercept=False)
    assert_allclose(found.W, 2.9)


def test_a_limit_of_steps_is_told_with_a_valid_bound():
    (best,) = sparse_path(Phi, two, Bernoulli(), [1e-3])
    (found,) = sparse_path(Phi, two, Bernoulli(), [1e-3], max_iter=1)
    assert not found.converged
    assert found.reason == "max_iter"
    assert found.dual <= best.primal <= found.primal


def test_a_solution_says_what_it_proves():
    (found,) = sparse_path(Phi, y, Gaussian(), [0.3])
    assert "of the best possible" in str(found)
    assert f"{len(found.support)} of {n} features" in str(found)


@pytest.mark.parametrize("lam", [0.0, -1.0, np.nan, np.inf])
def test_lambda_must_be_positive(lam):
    with pytest.raises(ValueError, match="positive numbers"):
        sparse_path(Phi, y, Gaussian(), [lam])


def test_shapes_and_families_are_checked():
    with pytest.raises(ValueError, match="one row, one target and one positive weight"):
        sparse_path(Phi, y[:-1], Gaussian(), [1.0])
    with pytest.raises(ValueError, match="Leave out items of weight 0"):
        sparse_path(Phi, y, Gaussian(), [1.0], weight=np.zeros(n))
    with pytest.raises(ValueError, match="curvature is bounded"):
        sparse_path(Phi, np.ones(n), Poisson(), [1.0])


def test_the_grid_of_lambdas():
    assert_allclose(lambda_grid(8.0, 4, 1e-3), [8.0, 0.8, 0.08, 0.008])
    assert_allclose(lambda_grid(0.0, 1), [1.0])
