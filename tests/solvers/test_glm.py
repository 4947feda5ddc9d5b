"""Penalised generalised linear models: certificates, invariances, limits, and separable classes (M1, M2, M34)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from mercer.solvers import glm
from mercer.solvers.glm import solve_glm
from mercer.solvers.losses import Bernoulli, Multinomial, Poisson

rng = np.random.default_rng(0)
n, K = 60, 4
Phi = rng.normal(size=(n, K))
f = Phi @ rng.normal(size=K) + 0.3
s = rng.uniform(0.5, 2.0, n)
CASES = {
    "bernoulli": (Bernoulli(), (rng.random(n) < 1.0 / (1.0 + np.exp(-f))).astype(int)),
    "multinomial": (Multinomial(3), np.argmax(Phi[:, :3] + rng.gumbel(size=(n, 3)), axis=1)),
    "poisson": (Poisson(), rng.poisson(np.exp(f / 2.0))),
}
cases = pytest.mark.parametrize("case", CASES)
alphas = pytest.mark.parametrize("alpha", [10.0, 0.1, 1e-4, 0.0])
TIGHT = 1e-13


def objective(family, y, W, b, alpha, weight):
    loss = family.loss(family.hidden(Phi @ W + b), family.statistic(y))
    return weight @ loss + 0.5 * alpha * (W**2).sum()


@cases
@alphas
@pytest.mark.parametrize("bias", [True, False])
def test_the_certificate_holds_and_a_general_minimiser_finds_nothing_better(case, alpha, bias):
    family, y = CASES[case]
    m = solve_glm(Phi, y, family, alpha=alpha, weight=s, fit_intercept=bias, tol=TIGHT)
    assert m.converged
    assert -1e-12 <= m.gap <= 1e-11 * m.primal
    assert m.gradient <= 1e-4
    assert_allclose(objective(family, y, m.W, m.intercept, alpha, s), m.primal, rtol=1e-12)

    def flat(x):
        W = family.shown(x[: K * family.functions].reshape(K, -1))
        b = family.shown(x[K * family.functions :]) if bias else 0.0
        return objective(family, y, W, b, alpha, s)

    other = minimize(flat, np.zeros((K + bias) * family.functions), tol=1e-10)
    assert m.dual <= other.fun + 1e-12
    assert_allclose(other.fun, m.primal, rtol=1e-7)
    if not bias:
        assert not m.intercept.any()


@cases
def test_loose_and_tight_brackets_hold_the_same_optimum(case):
    family, y = CASES[case]
    loose, tight = (solve_glm(Phi, y, family, alpha=0.1, tol=tol) for tol in (1e-2, TIGHT))
    assert loose.n_iter < tight.n_iter
    assert loose.dual <= tight.primal
    assert tight.dual <= loose.primal


@cases
def test_the_answer_is_a_fixed_point(case):
    family, y = CASES[case]
    m = solve_glm(Phi, y, family, alpha=0.1, tol=TIGHT)
    again = solve_glm(Phi, y, family, alpha=0.1, tol=TIGHT, start=m)
    assert again.n_iter == 1
    assert_allclose(again.W, m.W, atol=1e-7)


@cases
def test_weight_zero_is_absence_and_weight_two_is_repetition(case):
    family, y = CASES[case]
    w = np.arange(n) % 3
    rows = np.repeat(np.arange(n), w)
    one = solve_glm(Phi, y, family, alpha=0.1, weight=w, tol=TIGHT)
    other = solve_glm(Phi[rows], y[rows], family, alpha=0.1, tol=TIGHT)
    assert_allclose(one.W, other.W, atol=1e-7)
    assert_allclose(one.primal, other.primal)


@cases
def test_a_rotation_of_the_features_rotates_the_weights(case):
    family, y = CASES[case]
    Q = np.linalg.qr(rng.normal(size=(K, K)))[0]
    one, other = (solve_glm(F, y, family, alpha=0.3, tol=TIGHT) for F in (Phi, Phi @ Q))
    assert_allclose(Q @ other.W, one.W, atol=1e-9)


@cases
def test_more_features_than_items_are_solved_in_the_span_of_the_items(case):
    family, y = CASES[case]
    wide = rng.normal(size=(n, 3 * n))
    m = solve_glm(wide, y, family, alpha=5.0, tol=TIGHT)
    slopes = family.shown(family.mean(family.hidden(wide @ m.W + m.intercept)) - family.statistic(y))
    assert m.converged
    assert_allclose(5.0 * m.W, -wide.T @ slopes, atol=1e-5)  # the gradient is 0, so W is in that span
    assert_allclose(slopes.sum(axis=0), 0.0, atol=1e-5)


@cases
def test_a_large_penalty_leaves_the_best_constant(case):
    family, y = CASES[case]
    m = solve_glm(Phi, y, family, alpha=1e12, tol=TIGHT)
    assert_allclose(m.W, 0.0, atol=1e-9)
    assert_allclose(family.mean(family.hidden(m.intercept)[None])[0], family.statistic(y).mean(axis=0), atol=1e-8)


def test_the_classes_of_a_softmax_sum_to_zero_and_their_names_do_not_matter():
    _, y = CASES["multinomial"]
    order = np.array([2, 0, 1])
    one, other = (solve_glm(Phi, labels, Multinomial(3), alpha=0.1, tol=TIGHT) for labels in (y, order[y]))
    assert_allclose(one.W.sum(axis=1), 0.0, atol=1e-12)
    assert_allclose(other.W[:, order], one.W, atol=1e-9)


def test_a_softmax_of_two_classes_is_logistic_with_half_the_penalty():
    """|w_1|^2 + |w_2|^2 = |w_2 - w_1|^2 / 2 when they sum to 0."""
    _, y = CASES["bernoulli"]
    one = solve_glm(Phi, y, Bernoulli(), alpha=0.5, tol=TIGHT)
    two = solve_glm(Phi, y, Multinomial(2), alpha=1.0, tol=TIGHT)
    assert_allclose(two.W[:, 1] - two.W[:, 0], one.W[:, 0], atol=1e-9)


@pytest.mark.parametrize("alpha", [1.0, 1e-3])
def test_conjugate_gradients_and_a_factorised_hessian_agree(alpha, monkeypatch):
    family, y = CASES["multinomial"]
    direct = solve_glm(Phi, y, family, alpha=alpha, tol=1e-12)
    monkeypatch.setattr(glm, "_DIRECT", 0)
    iterated = solve_glm(Phi, y, family, alpha=alpha, tol=1e-12)
    assert iterated.converged
    assert_allclose(iterated.W, direct.W, atol=1e-5)
    assert iterated.dual <= direct.primal


def test_collinear_features_share_their_weight_M34():
    _, y = CASES["bernoulli"]
    one = solve_glm(Phi, y, Bernoulli(), alpha=0.0, tol=TIGHT)
    twice = solve_glm(np.hstack([Phi, Phi]), y, Bernoulli(), alpha=0.0, tol=TIGHT)
    assert twice.converged
    assert_allclose(twice.W[:K], 0.5 * one.W, atol=1e-6)
    assert_allclose(twice.W[K:], 0.5 * one.W, atol=1e-6)


@pytest.mark.parametrize(("family", "y"), [
    (Bernoulli(), (Phi[:, 0] > 0).astype(int)),
    (Multinomial(3), np.digitize(Phi[:, 0], [-0.5, 0.5])),
])  # fmt: skip
def test_classes_that_are_separated_are_named_only_where_no_penalty_holds_them(family, y):
    features = np.column_stack([Phi, Phi[:, 0] ** 2])
    m = solve_glm(features, y, family, alpha=0.0)
    assert m.reason == "separable"
    assert not m.converged
    assert "separate" in str(m)
    f = features @ m.W + m.intercept
    labels = (f[:, 0] > 0).astype(int) if f.shape[1] == 1 else np.argmax(f, axis=1)
    assert (labels == y).all()  # the witness
    assert solve_glm(features, y, family, alpha=1e-6).converged


def test_no_features_leave_the_intercept_and_nothing_leaves_nothing():
    _, y = CASES["bernoulli"]
    m = solve_glm(Phi[:, :0], y, Bernoulli(), alpha=1.0)
    assert m.W.shape == (0, 1)
    assert_allclose(1.0 / (1.0 + np.exp(-m.intercept)), y.mean())
    assert_allclose(solve_glm(Phi[:, :0], y, Bernoulli(), alpha=1.0, fit_intercept=False).primal, n * np.log(2.0))


def test_a_step_too_far_is_taken_back():
    """From f = 0 Newton's step overshoots where a count is huge."""
    m = solve_glm(np.ones((1, 1)), [10**6], Poisson(), alpha=0.0, fit_intercept=False, tol=TIGHT, max_iter=200)
    assert_allclose(m.W[0, 0], np.log(1e6), rtol=1e-8)


def test_stopping_early_is_told():
    _, y = CASES["bernoulli"]
    m = solve_glm(Phi, y, Bernoulli(), alpha=1e-3, max_iter=1)
    assert (m.converged, m.reason, m.n_iter) == (False, "max_iter", 1)


def test_a_negative_penalty_is_refused():
    with pytest.raises(ValueError, match="alpha must be a number >= 0; got -1"):
        solve_glm(Phi, CASES["bernoulli"][1], Bernoulli(), alpha=-1.0)


@cases
def test_many_items_begin_at_the_answer_of_a_part_and_end_at_the_same_M1(case, monkeypatch):
    family, y = CASES[case]
    plain = solve_glm(Phi, y, family, alpha=0.1, weight=s, tol=TIGHT)
    monkeypatch.setattr(glm, "_MANY", 20)
    monkeypatch.setattr(glm, "_PART", 2)
    begun = solve_glm(Phi, y, family, alpha=0.1, weight=s, tol=TIGHT)
    assert begun.converged
    assert_allclose(begun.W, plain.W, atol=1e-6)
    assert begun.n_iter <= plain.n_iter


def test_a_part_without_a_class_is_not_begun_with_M1(monkeypatch):
    monkeypatch.setattr(glm, "_MANY", 20)
    y = np.zeros(n, dtype=int)
    y[-1] = 1
    y[-2] = 2
    found = solve_glm(Phi, y, Multinomial(3), alpha=1.0)
    assert found.converged


def test_conjugate_gradients_find_what_the_whole_hessian_finds_M2(monkeypatch):
    family, y = CASES["multinomial"]
    whole = solve_glm(Phi, y, family, alpha=0.01, weight=s, tol=TIGHT)
    monkeypatch.setattr(glm, "_DIRECT", 1)
    products = solve_glm(Phi, y, family, alpha=0.01, weight=s, tol=1e-10)
    assert products.converged
    assert_allclose(products.W, whole.W, atol=1e-4)
