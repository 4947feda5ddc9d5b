"""Linear functions under a penalty (M12): L1 sparse, L2 dense, L0 greedy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Lasso, LogisticRegression, QuantileRegressor

from mercer.solvers.limits import Limits
from mercer.solvers.losses import (
    EpsilonInsensitive,
    Exponential,
    Hinge,
    Huber,
    Logistic,
    Pinball,
    Squared,
    SquaredHinge,
)
from mercer.testing.linear_risk import linear_risk

rng = np.random.default_rng(0)
n, d = 120, 20
X = rng.normal(size=(n, d))
true = np.zeros(d)
true[:3] = [2.0, -1.5, 1.0]
t = X @ true + 0.3 * rng.normal(size=n) + 1.0
y = np.where(X @ true + rng.normal(size=n) > 0.4, 1.0, -1.0)

LOSSES = [Hinge(), SquaredHinge(), Logistic(), Exponential(), Squared(), Huber(0.5), EpsilonInsensitive(0.1),
          Pinball(0.3)]  # fmt: skip
losses = pytest.mark.parametrize("loss", LOSSES, ids=str)


def targets(loss):
    return y if loss.margin else t


def risk(loss, w, r):
    f = X @ w + r
    return loss.value(y * f if loss.margin else t - f).sum()


@losses
def test_l1_is_sparse_and_l2_is_dense_M12(loss):
    sparse, dense = (linear_risk(X, targets(loss), loss, penalty, C=0.1) for penalty in ("l1", "l2"))
    assert 0 < np.count_nonzero(sparse.w) < d
    assert np.count_nonzero(dense.w) == d
    assert sparse.converged
    assert dense.converged


@losses
@pytest.mark.parametrize("penalty", ["l1", "l2"])
@pytest.mark.parametrize("bias", [True, False])
def test_bounds_hold_and_no_nearby_weights_are_better_M12(loss, penalty, bias):
    def objective(w, r):
        return (np.abs(w).sum() if penalty == "l1" else 0.5 * w @ w) + 0.2 * risk(loss, w, r)

    s = linear_risk(X, targets(loss), loss, penalty, C=0.2, bias=bias, limits=Limits(1e-7))
    assert_allclose(s.primal, objective(s.w, s.bias), rtol=1e-8)
    assert -1e-9 * s.primal <= s.gap <= 1e-6 * s.primal
    assert bias or s.bias == 0.0
    for seed in range(20):
        moves = np.random.default_rng(seed).normal(size=d + 1) * 10.0 ** -(seed % 4)
        assert objective(s.w + moves[1:], s.bias + (moves[0] if bias else 0.0)) >= s.dual


def test_l1_with_squares_is_the_lasso():
    s = linear_risk(X, t, Squared(), "l1", C=0.05, limits=Limits(1e-10))
    theirs = Lasso(alpha=1.0 / (0.05 * n), tol=1e-10).fit(X, t)
    assert_allclose(s.w, theirs.coef_, atol=1e-4)
    assert_allclose(s.bias, theirs.intercept_, atol=1e-4)


@pytest.mark.parametrize("tau", [0.2, 0.5])
def test_l1_with_the_pinball_loss_is_scikit_learns_quantile_regression(tau):
    s = linear_risk(X, t, Pinball(tau), "l1", C=0.5)
    theirs = QuantileRegressor(quantile=tau, alpha=1.0 / (0.5 * n)).fit(X, t)
    assert_allclose(s.w, theirs.coef_, atol=1e-7)
    assert_allclose(s.bias, theirs.intercept_, atol=1e-7)


@pytest.mark.parametrize("columns", [5, d])
def test_l2_with_the_logistic_loss_is_scikit_learns(columns):
    """More columns than items go by their Gram, fewer by themselves."""
    rows = slice(0, 15 if columns == d else n)
    s = linear_risk(X[rows, :columns], y[rows], Logistic(), C=0.7, limits=Limits(1e-12))
    theirs = LogisticRegression(C=0.7, tol=1e-10, max_iter=1000).fit(X[rows, :columns], y[rows])
    assert_allclose(s.w, theirs.coef_[0], atol=1e-5)
    assert_allclose(s.bias, theirs.intercept_[0], atol=1e-5)


@losses
def test_greedy_selection_finds_the_columns_that_matter_M12(loss):
    s = linear_risk(X, targets(loss), loss, "l0", C=1.0, n_nonzero=3)
    assert set(np.flatnonzero(s.w)) == {0, 1, 2}
    assert s.gap == np.inf
    assert s.reason == "greedy"
    alone = linear_risk(X[:, :3], targets(loss), loss, C=1.0)
    assert_allclose(s.primal, alone.primal, rtol=1e-4)
    assert s.primal >= linear_risk(X, targets(loss), loss, C=1.0).dual


def test_all_columns_chosen_greedily_are_the_dense_solution():
    greedy, dense = linear_risk(X, t, Squared(), "l0", n_nonzero=d), linear_risk(X, t, Squared())
    assert_allclose(greedy.w, dense.w, atol=1e-8)


def test_limits_are_kept():
    s = linear_risk(X, y, Logistic(), "l1", limits=Limits(1e-9, max_iter=2))
    assert (s.converged, s.reason, s.n_iter) == (False, "max_iter", 2)
    assert s.dual < s.primal
    s = linear_risk(X, y, Logistic(), "l1", limits=Limits(1e-9, time_limit=1e-9))
    assert s.reason == "time_limit"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"penalty": "l3"}, "penalty must be one of .*which grow with"),
        ({"penalty": "l0"}, "n_nonzero must be between 1 and the number of columns"),
        ({"penalty": "l0", "n_nonzero": d + 1}, "got 21"),
        ({"C": 0.0}, "C must be a positive number"),
        ({"penalty": "l1", "loss": lambda y, f: (f, f)}, "loss must be one with a conjugate"),
    ],
)
def test_settings_without_meaning_are_refused_M12(options, message):
    with pytest.raises(ValueError, match=message):
        linear_risk(X, y, **{"loss": Logistic()} | options)
