"""Regression with any loss (M12), and quantile regression."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import make_regression
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import HuberRegressor, QuantileRegressor
from sklearn.metrics import mean_pinball_loss

from mercer import SVR, KernelQuantileRegressor, KernelRiskRegressor, NotConverged, NotPositiveDefinite
from mercer.estimators.positivity import Indefinite
from mercer.kernels import RBF, Linear, Sigmoid, Spectrum
from mercer.solvers.losses import EpsilonInsensitive, Hinge, Huber, Pinball, Squared

rng = np.random.default_rng(0)
n = 90
X = rng.uniform(-3.0, 3.0, size=(n, 2))
y = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.2 * rng.standard_t(3, size=n)
grid = rng.uniform(-3.0, 3.0, size=(40, 2))


def risk_of(m, loss, X, y, C):
    """1/2 |h|^2 + C sum loss of a fitted machine, from its public parts."""
    b = m.dual_coef_.ravel()
    norm2 = b @ m.kernel(X[m.support_]) @ b
    return 0.5 * norm2 + C * loss.value(y - m.predict(X)).sum()


def test_squared_error_is_kernel_ridge_regression_with_lambda_1_over_C_M12():
    ours = KernelRiskRegressor("squared_error", C=5.0, kernel=RBF(1.0), fit_intercept=False, tol=1e-12).fit(X, y)
    theirs = KernelRidge(alpha=1.0 / 5.0, kernel="rbf", gamma=0.5).fit(X, y)
    assert_allclose(ours.predict(grid), theirs.predict(grid), atol=1e-8)


@pytest.mark.parametrize("C", [0.3, 10.0])
def test_epsilon_insensitive_is_support_vector_regression_M12_M26(C):
    ours = KernelRiskRegressor(EpsilonInsensitive(0.2), C=C, kernel=RBF(1.0), tol=1e-8).fit(X, y)
    theirs = SVR(C=C, epsilon=0.2, kernel=RBF(1.0), tol=1e-7).fit(X, y)
    assert_allclose(ours.predict(grid), theirs.predict(grid), atol=1e-3)
    assert len(ours.support_) == len(theirs.support_) < n


@pytest.mark.parametrize("loss", [Squared(), Huber(0.3), EpsilonInsensitive(0.1), Pinball(0.7)], ids=str)
def test_the_certificate_is_about_the_machine_as_it_predicts_M12(loss):
    m = KernelRiskRegressor(loss, C=3.0, kernel=RBF(1.0), tol=1e-5).fit(X, y)
    proof = m.certificate_
    assert m.converged_
    assert 0.0 <= proof.gap <= 1e-5 * proof.primal
    assert_allclose(risk_of(m, loss, X, y, 3.0), proof.primal, rtol=1e-8)
    assert_allclose(proof.distance, np.sqrt(2.0 * proof.gap))
    better = clone(m).set_params(tol=1e-9).fit(X, y)
    assert proof.dual <= better.certificate_.primal * (1.0 + 1e-8)
    far = np.abs(m.predict(grid) - m.intercept_ - better.predict(grid) + better.intercept_)
    assert (far <= proof.distance + better.certificate_.distance + 1e-9).all()  # k(x, x) = 1


def test_hubers_loss_forgets_outliers_and_squares_do_not():
    Z, t, w = make_regression(60, 3, n_informative=3, noise=1.0, coef=True, random_state=1)
    t[:5] += 1e4
    near = KernelRiskRegressor(Huber(1.35), C=10.0, kernel="linear").fit(Z, t)
    far = KernelRiskRegressor("squared_error", C=10.0, kernel="linear").fit(Z, t)
    assert_allclose(near.coef_[0], w, rtol=0.05)
    assert np.abs(far.coef_[0] - w).max() > 100.0
    theirs = HuberRegressor(epsilon=1.35, alpha=0.0, max_iter=1000).fit(Z, t)
    assert_allclose(near.coef_[0], theirs.coef_, rtol=0.05)


def test_a_function_of_the_user_is_a_loss_M12():
    def cosh(y, f):
        return np.log(np.cosh(y - f)), -np.tanh(y - f)

    m = KernelRiskRegressor(cosh, C=2.0, kernel=RBF(1.0), tol=1e-10).fit(X, y)
    b = np.zeros(n)
    b[m.support_] = m.dual_coef_[0]
    assert_allclose(b, 2.0 * np.tanh(y - m.predict(X)), atol=1e-4)  # the gradient is zero
    assert "if the loss is convex" in str(m.certificate_)
    assert "cosh" in str(m.certificate_)


# ---- quantiles


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
def test_coverage_on_training_items_is_the_quantile_and_on_new_ones_near_it(q):
    m = KernelQuantileRegressor(quantile=q, C=1.0, kernel=RBF(1.5)).fit(X, y)
    rest = y - m.predict(X)
    assert (rest < -1e-9).mean() <= q + 1e-9
    assert (rest > 1e-9).mean() <= 1.0 - q + 1e-9
    fresh = rng.uniform(-3.0, 3.0, size=(2000, 2))
    t = np.sin(fresh[:, 0]) + 0.5 * fresh[:, 1] + 0.2 * rng.standard_t(3, size=2000)
    assert abs((t <= m.predict(fresh)).mean() - q) < 0.12


@pytest.mark.parametrize("q", [0.25, 0.5])
def test_without_a_penalty_it_is_scikit_learns_linear_quantile_regression(q):
    """Its penalty is of another kind, so only alpha = 0 and C = infinity agree."""
    ours = KernelQuantileRegressor(quantile=q, C=1e5, kernel="linear", tol=1e-9).fit(X, y)
    theirs = QuantileRegressor(quantile=q, alpha=0.0).fit(X, y)
    loss = [mean_pinball_loss(y, m.predict(X), alpha=q) for m in (ours, theirs)]
    assert_allclose(*loss, rtol=1e-5)
    assert_allclose(ours.coef_[0], theirs.coef_, atol=1e-2)


def test_the_median_does_not_care_how_far_an_outlier_is():
    far, farther = y.copy(), y.copy()
    top = int(np.argmax(y - KernelQuantileRegressor(C=0.5, kernel=RBF(1.0)).fit(X, y).predict(X)))
    far[top], farther[top] = 1e2, 1e4
    f, g = (KernelQuantileRegressor(C=0.5, kernel=RBF(1.0), tol=1e-7).fit(X, t).predict(grid) for t in (far, farther))
    assert_allclose(f, g, atol=1e-2)


def test_many_items_of_a_linear_kernel_are_solved_on_their_features():
    Z = rng.normal(size=(600, 3))
    t = Z @ [1.0, -2.0, 0.5] + rng.normal(size=600)
    for loss in ("huber", "squared_error", "epsilon_insensitive", "pinball"):
        fast = KernelRiskRegressor(loss, kernel="linear", tol=1e-8).fit(Z, t)
        slow = KernelRiskRegressor(loss, kernel=lambda a, b: a @ b.T, tol=1e-8)
        assert_allclose(fast.predict(Z), slow.fit(Z, t).predict(Z), atol=1e-3)


# ---- weights, items, policies, limits


@pytest.mark.parametrize("loss", ["huber", "squared_error", "epsilon_insensitive", "pinball"])
def test_weights_are_repetitions_and_zero_is_absence_I4(loss):
    w = rng.integers(0, 3, n).astype(float)
    m = KernelRiskRegressor(loss, kernel=RBF(1.0), tol=1e-9)
    weighed = clone(m).fit(X, y, sample_weight=w).predict(grid)
    again = np.repeat(np.arange(n), w.astype(int))
    assert_allclose(weighed, clone(m).fit(X[again], y[again]).predict(grid), atol=1e-3)
    assert_allclose(weighed, clone(m).fit(X[w > 0], y[w > 0], sample_weight=w[w > 0]).predict(grid), atol=1e-3)


def test_a_precomputed_gram_and_strings_go_like_vectors_I1_I3():
    direct = KernelRiskRegressor(kernel=RBF(1.0), tol=1e-10).fit(X, y)
    given = KernelRiskRegressor(kernel="precomputed", tol=1e-10, check_psd="off").fit(RBF(1.0)(X), y)
    assert_allclose(given.predict(RBF(1.0)(grid, X)), direct.predict(grid), atol=1e-8)
    words = ["".join(rng.choice(list("abc"), size=8)) for _ in range(30)]
    count = np.array([float(word.count("ab")) for word in words])
    m = KernelRiskRegressor("squared_error", C=1e3, kernel=Spectrum(2)).fit(words, count)
    assert_allclose(m.predict(words), count, atol=0.1)


def test_constant_targets_need_no_function():
    for m in (KernelRiskRegressor(), KernelRiskRegressor("squared_error"), KernelQuantileRegressor()):
        assert_allclose(m.fit(X, np.full(n, 3.0)).predict(grid), 3.0)


def test_a_kernel_that_is_not_positive_is_warned_of_or_refused_I6():
    k = Sigmoid(1.0, offset=-1.0)
    with pytest.warns(Indefinite):
        KernelRiskRegressor(kernel=k, C=0.01).fit(X, y)
    with pytest.raises(NotPositiveDefinite):
        KernelRiskRegressor(kernel=k, check_psd="raise").fit(X, y)


def test_limits_end_a_fit_with_a_usable_machine_and_a_warning():
    with pytest.warns(NotConverged, match=r"stopped early \(max_iter\).*relative duality gap.*Raise max_iter"):
        m = KernelRiskRegressor(Huber(0.1), C=1e4, kernel=RBF(1.0), max_iter=1).fit(X, y)
    assert not m.converged_
    assert m.predict(grid).shape == (40,)
    with pytest.warns(NotConverged, match="time_limit"):
        KernelRiskRegressor(Huber(0.1), C=1e4, kernel=RBF(1.0), time_limit=1e-9).fit(X, y)


@pytest.mark.parametrize(
    ("machine", "message"),
    [
        (KernelRiskRegressor("hinge"), "KernelRiskRegressor: loss must be one of .*'squared_error'"),
        (KernelRiskRegressor(Hinge()), "loss must be one of"),
        (KernelRiskRegressor(Huber), "loss must be one of"),
        (KernelRiskRegressor(C=0.0), "C must be a positive number"),
        (KernelRiskRegressor(tol=0.0), "tol must be a positive number"),
        (KernelRiskRegressor(max_iter=-2), "max_iter must be an integer >= -1"),
        (KernelRiskRegressor(time_limit=0.0), "time_limit must be a positive number of seconds"),
        (KernelQuantileRegressor(quantile=1.0), "quantile must be a number between 0 and 1"),
    ],
)
def test_settings_without_meaning_are_refused_I5(machine, message):
    with pytest.raises(ValueError, match=message):
        machine.fit(X, y)


def test_a_linear_machine_has_weights():
    m = KernelRiskRegressor("squared_error", kernel=Linear()).fit(X, y)
    assert_allclose(X @ m.coef_[0] + m.intercept_, m.predict(X))
