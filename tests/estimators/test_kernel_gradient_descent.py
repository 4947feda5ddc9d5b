"""KernelGradientDescent: the estimator around the iteration (M11, T16, E26)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer import KernelGradientDescent, KernelRidge, configure
from mercer.kernels import RBF, Linear
from mercer.kernels import Spectrum as Substrings

rng = np.random.default_rng(0)
n = 60
X = rng.normal(size=(n, 2))
y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=n)
K = RBF()(X)


def test_the_coefficients_are_the_iterates_M11():
    m = KernelGradientDescent(kernel=RBF(), learning_rate=0.01, max_iter=5, tol=0.0).fit(X, y)
    beta = np.zeros(n)
    for _ in range(5):
        beta = beta + 0.01 * (y - K @ beta)
    assert_allclose(m.dual_coef_, beta, rtol=1e-10)
    assert_allclose(m.predict(X), K @ beta, rtol=1e-10)
    assert (m.n_iter_, m.converged_, m.learning_rate_) == (5, False, 0.01)


def test_linear_descent_is_descent_in_the_weights_T16():
    m = KernelGradientDescent(kernel="linear", learning_rate=0.003, max_iter=20, tol=0.0).fit(X, y)
    theta = np.zeros(2)
    for _ in range(20):
        theta = theta + 0.003 * X.T @ (y - X @ theta)
    assert_allclose(m.coef_[0], theta, atol=1e-12)


def test_many_steps_interpolate_like_ridge_without_a_penalty_M11():
    few = X[:8]
    m = KernelGradientDescent(kernel=RBF(0.5), max_iter=100_000, tol=1e-12).fit(few, y[:8])
    assert m.converged_
    assert_allclose(m.predict(X), KernelRidge(0.0, kernel=RBF(0.5)).fit(few, y[:8]).predict(X), atol=1e-6)


def test_the_default_step_is_half_the_limit_M11():
    assert_allclose(KernelGradientDescent(kernel=RBF()).fit(X, y).learning_rate_, 1.0 / np.linalg.eigvalsh(K)[-1])
    assert KernelGradientDescent(kernel=2.0 * RBF(), update="sequential").fit(X, y).learning_rate_ == 0.5


def test_early_stopping_learns_from_some_and_stops_where_the_others_say_M11():
    m = KernelGradientDescent(kernel=RBF(0.3), early_stopping=True, validation_fraction=0.25, random_state=0).fit(X, y)
    assert len(m.support_) == 45
    assert m.certificate_.reason == "early stopping"
    held = np.setdiff1d(np.arange(n), m.support_)

    def error(steps):
        same = KernelGradientDescent(kernel=RBF(0.3), max_iter=steps, tol=0.0).fit(X[m.support_], y[m.support_])
        return np.sum((y[held] - same.predict(X[held])) ** 2)

    assert error(m.n_iter_) == min(error(m.n_iter_ + step) for step in (-1, 0, 1, 2))


def test_several_outputs_are_several_descents():
    Y = np.column_stack([y, X[:, 1]])
    both = KernelGradientDescent(kernel=RBF(), max_iter=30, tol=0.0).fit(X, Y).predict(X)
    for j in range(2):
        alone = KernelGradientDescent(kernel=RBF(), max_iter=30, tol=0.0).fit(X, Y[:, j]).predict(X)
        assert_allclose(both[:, j], alone, atol=1e-12)


def test_given_matrices_and_strings_work_too():
    given = KernelGradientDescent(kernel="precomputed", max_iter=30).fit(K, y)
    assert_allclose(given.predict(K), KernelGradientDescent(kernel=RBF(), max_iter=30).fit(X, y).predict(X))
    words = ["".join(rng.choice(list("ab"), size=6)) for _ in range(30)]
    target = np.array([word.count("a") for word in words], dtype=float)
    assert KernelGradientDescent(kernel=Substrings(1)).fit(words, target).score(words, target) > 0.9


def test_a_gram_over_the_budget_is_streamed():
    many = np.vstack([X] * 5)
    stored = KernelGradientDescent(kernel=RBF(), max_iter=3).fit(many, np.tile(y, 5))
    with configure(memory=2**19):
        streamed = KernelGradientDescent(kernel=RBF(), max_iter=3).fit(many, np.tile(y, 5))
    assert_allclose(streamed.dual_coef_, stored.dual_coef_, rtol=1e-10)


def test_sequential_updates_depend_on_the_order_and_batch_updates_do_not():
    order = rng.permutation(n)
    for update, alike in (("batch", True), ("sequential", False)):
        m = KernelGradientDescent(kernel=RBF(), update=update, max_iter=1, tol=0.0)
        a, b = m.fit(X, y).predict(X), m.fit(X[order], y[order]).predict(X)
        assert np.allclose(a, b) == alike


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"learning_rate": 1.0}, "below 2 / lambda_max"),
        ({"learning_rate": 2.5, "update": "sequential"}, "below 2 / max"),
        ({"learning_rate": "fast"}, "'auto' or a number"),
        ({"update": "random"}, "update must be one of"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"early_stopping": True, "validation_fraction": 1.0}, "validation_fraction must be"),
        ({"early_stopping": True, "validation_fraction": 1e-6}, "enough items"),
    ],
)
def test_bad_settings_are_refused_M11(change, message):
    with pytest.raises(ValueError, match=message):
        KernelGradientDescent(kernel=RBF(), **change).fit(X, y)


def test_a_kernel_that_is_zero_learns_nothing():
    m = KernelGradientDescent(kernel=Linear()).fit(np.zeros((4, 1)), np.ones(4))
    assert_array_equal(m.predict(np.ones((2, 1))), 0.0)
