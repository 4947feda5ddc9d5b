"""Kernelised gradient descent: closed form, the span, limits, steps that diverge (M11, T16, E26)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.kernels import Polynomial
from mercer.kernels.maps import ordered_products
from mercer.solvers.gradient_descent import Watch, chosen_step, descend, largest_eigenvalue

rng = np.random.default_rng(0)
X = rng.normal(size=(20, 3))
K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]])


def closed_form(K, Y, alpha, T):
    values, V = np.linalg.eigh(K)
    tiny = np.abs(values) < 1e-12 * values[-1]
    safe = np.where(tiny, 1.0, values)
    factors = np.where(tiny, alpha * T, (1.0 - (1.0 - alpha * safe) ** T) / safe)
    return V @ (factors[:, None] * (V.T @ Y))


def test_lanczos_finds_the_largest_eigenvalue_M11():
    assert_allclose(largest_eigenvalue(K), np.linalg.eigvalsh(K)[-1], rtol=1e-10)
    assert largest_eigenvalue(np.zeros((4, 4))) == 0.0


@pytest.mark.parametrize("T", [1, 7, 200])
@pytest.mark.parametrize("gram", [K, X @ X.T], ids=["full rank", "singular"])
def test_the_iterates_are_those_of_the_closed_form_M11(gram, T):
    alpha = 1.5 / largest_eigenvalue(gram)
    found = descend(gram, Y, alpha=alpha, max_iter=T)
    assert found.n_iter == T
    assert_allclose(found.beta, closed_form(gram, Y, alpha, T), atol=1e-9)


def test_descent_stays_in_the_span_of_the_features_T16():
    """theta_t of descent on all ordered products equals Phi'beta_t at each of 50 steps."""
    Z = 0.5 * rng.normal(size=(12, 4))
    Phi, y = ordered_products(Z, 3), rng.normal(size=(12, 1))
    G = Phi @ Phi.T
    alpha, theta = 1.0 / largest_eigenvalue(G), np.zeros((Phi.shape[1], 1))
    for t in range(1, 51):
        theta = theta + alpha * Phi.T @ (y - Phi @ theta)
        beta = descend(G, y, alpha=alpha, max_iter=t).beta
        assert_allclose(Phi.T @ beta, theta, atol=1e-12)


def test_a_start_outside_the_span_never_enters_it_T16():
    Phi, y = rng.normal(size=(4, 9)), rng.normal(size=4)
    outside = np.linalg.svd(Phi)[2][-1]
    theta = outside.copy()
    for _ in range(30):
        theta += 0.05 * Phi.T @ (y - Phi @ theta)
    assert_allclose(theta @ outside, 1.0)


@pytest.mark.parametrize("d", [2, 10, 30])
def test_kernel_descent_predicts_what_primal_descent_does_E26(d):
    """The cubic kernel of d inputs, of 1 + d + d^2 + d^3 features."""
    Z, new = rng.normal(size=(15, d)) / np.sqrt(d), rng.normal(size=(5, d)) / np.sqrt(d)
    y = rng.normal(size=(15, 1))
    k = Polynomial(1, offset=0.0)
    G, cross = (sum(k(A, Z) ** m for m in range(4)) for A in (Z, new))
    Phi = ordered_products(Z, 3)
    assert Phi.shape[1] == 1 + d + d**2 + d**3
    alpha, theta = 1.0 / largest_eigenvalue(G), np.zeros((Phi.shape[1], 1))
    for _ in range(40):
        theta += alpha * Phi.T @ (y - Phi @ theta)
    assert_allclose(cross @ descend(G, y, alpha=alpha, max_iter=40).beta, ordered_products(new, 3) @ theta, atol=1e-10)


def test_many_steps_reach_the_pseudo_inverse_M11():
    G = X @ X.T + 1.0
    in_range = G @ rng.normal(size=(20, 1))
    found = descend(G, in_range, alpha=1.0 / largest_eigenvalue(G), max_iter=5000, tol=1e-13)
    assert found.reason == "converged"
    assert_allclose(found.beta, np.linalg.pinv(G, rcond=1e-10) @ in_range, atol=1e-8)
    assert found.gradient <= 1e-12


@pytest.mark.parametrize("update", ["batch", "sequential"])
def test_the_error_falls_at_every_step_below_the_limit_M11(update):
    alpha = chosen_step(K, np.diagonal(K), update, None)
    errors = [descend(K, Y, alpha=alpha, max_iter=t, update=update).primal for t in (1, 2, 5, 20, 100)]
    assert (np.diff(errors) < 0.0).all()


@pytest.mark.parametrize("update", ["batch", "sequential"])
def test_at_the_limit_descent_diverges_and_the_step_is_refused_M11(update):
    limit = 2.0 / (np.linalg.eigvalsh(K)[-1] if update == "batch" else 1.0)
    for alpha in (limit, 1.01 * limit, 0.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="the step must be positive and below 2 / "):
            chosen_step(K, np.diagonal(K), update, alpha)
    assert chosen_step(K, np.diagonal(K), update, 0.99 * limit) == 0.99 * limit
    wild = [np.abs(descend(K, Y, alpha=1.2 * limit, max_iter=t, update=update).beta).max() for t in (50, 100)]
    assert wild[1] > 10.0 * wild[0]


def test_one_sequential_pass_is_the_printed_loop_and_no_batch_step_M11():
    beta = np.zeros(20)
    for i in range(20):
        beta[i] += 0.3 * (Y[i, 0] - sum(beta[j] * K[i, j] for j in range(20)))
    one = descend(K, Y[:, :1], alpha=0.3, max_iter=1, update="sequential").beta[:, 0]
    assert_allclose(one, beta)
    assert np.abs(one - descend(K, Y[:, :1], alpha=0.3, max_iter=1).beta[:, 0]).max() > 0.01


def test_both_updates_have_the_same_limit_M11():
    G = K + 0.1 * np.eye(20)
    steps = {u: chosen_step(G, np.diagonal(G), u, None) for u in ("batch", "sequential")}
    ends = [descend(G, Y, alpha=a, max_iter=5000, update=u, tol=1e-12).beta for u, a in steps.items()]
    assert_allclose(ends[0], ends[1], atol=1e-8)
    assert_allclose(ends[0], np.linalg.solve(G, Y), atol=1e-8)


def test_early_stopping_returns_the_step_of_least_held_out_error_M11():
    new = rng.normal(size=(8, 3))
    cross = np.exp(-0.5 * ((new[:, None] - X) ** 2).sum(axis=2))
    noisy = Y + rng.normal(size=Y.shape)
    target = np.column_stack([np.sin(new[:, 0]), new[:, 1] * new[:, 2]])
    alpha = 1.0 / largest_eigenvalue(K)
    found = descend(K, noisy, alpha=alpha, max_iter=2000, watch=Watch(cross, target, patience=3))
    errors = [np.sum((target - cross @ closed_form(K, noisy, alpha, t)) ** 2) for t in range(1, found.n_iter + 4)]
    assert found.reason == "early stopping"
    assert found.n_iter == 1 + int(np.argmin(errors))
    assert_allclose(found.beta, closed_form(K, noisy, alpha, found.n_iter), atol=1e-10)


def test_the_certificate_speaks_of_the_answer():
    found = descend(K, Y, alpha=0.1, max_iter=3)
    assert not found.converged
    assert_allclose(found.primal, 0.5 * np.sum((Y - K @ found.beta) ** 2))
    assert "3 steps" in str(found)


def test_nothing_to_learn_is_learned_at_once():
    found = descend(K, np.zeros((20, 1)), alpha=0.1, max_iter=10, tol=1e-6)
    assert found.converged
    assert not found.beta.any()
