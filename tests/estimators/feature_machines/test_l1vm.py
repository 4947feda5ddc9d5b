"""The L1VM: what it keeps, what it equals, how alpha is chosen, and what it refuses (M3, M4)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.linear_model import Lasso
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold

from mercer import L1VMClassifier, L1VMRegressor, NotConverged
from mercer.kernels import RBF, Sigmoid, Spectrum
from mercer.solvers.losses import Bernoulli, Gaussian, Multinomial
from mercer.solvers.sparse import lambda_max, sparse_path

rng = np.random.default_rng(0)
n = 60
X = rng.uniform(-3.0, 3.0, size=(n, 1))
y = np.sinc(X[:, 0]) + 0.1 * rng.normal(size=n)
two = np.where(y + 0.2 * rng.normal(size=n) > 0.2, "up", "down")
three = np.digitize(y, [0.0, 0.5])
k = RBF(0.8)
K = k(X)


def test_it_is_the_lasso_on_kernel_values_M3():
    m = L1VMRegressor(k, alpha=0.1, tol=1e-10).fit(X, y)
    theirs = Lasso(alpha=0.1 / n, tol=1e-10, max_iter=10**6).fit(K, y)
    assert_allclose(m.predict(X), theirs.predict(K), atol=1e-4)
    (solved,) = sparse_path(K, y, Gaussian(), [0.1], tol=1e-10)
    assert_array_equal(m.support_, solved.support)
    assert_array_equal(m.dual_coef_, solved.weights.T)
    assert m.certificate_.relative_gap <= 1e-10


def test_support_vectors_are_all_that_is_kept_M3():
    m = L1VMRegressor(k, alpha=0.1).fit(X, y)
    assert 0 < len(m.support_) < n / 2
    assert_array_equal(m.support_vectors_, X[m.support_])
    assert_allclose(m.predict(X), k(X, X[m.support_]) @ m.dual_coef_[0] + m.intercept_[0])


def test_classes_have_native_probabilities_M3():
    m = L1VMClassifier(k, alpha=0.3, tol=1e-10).fit(X, two)
    (solved,) = sparse_path(K, (two == "up").astype(int), Bernoulli(), [0.3], tol=1e-10)
    odds = (K @ solved.W)[:, 0] + solved.intercept
    assert_allclose(m.decision_function(X), odds)
    assert_allclose(m.predict_proba(X)[:, 1], 1.0 / (1.0 + np.exp(-odds)))
    assert m.classes_.tolist() == ["down", "up"]


def test_an_item_is_kept_for_all_classes_or_for_none_M4():
    m = L1VMClassifier(k, alpha=0.3, tol=1e-10).fit(X, three)
    (solved,) = sparse_path(K, three, Multinomial(3), [0.3], tol=1e-10)
    assert m.dual_coef_.shape == (3, len(m.support_))
    assert (m.dual_coef_ != 0.0).all()
    assert_allclose(m.decision_function(X), K @ solved.W + solved.intercept)
    assert_allclose(m.predict_proba(X).sum(axis=1), 1.0)


def test_all_vectors_pruned_leaves_the_intercept_M3():
    m = L1VMRegressor(k, alpha=1.01 * lambda_max(K, y, Gaussian())).fit(X, y)
    assert len(m.support_) == 0
    assert_allclose(m.predict(X[:3]), y.mean())
    c = L1VMClassifier(k, alpha=1e3).fit(X, three)
    assert len(c.support_) == 0
    assert_allclose(c.predict_proba(X[:2]), np.tile(np.bincount(three) / n, (2, 1)))


def test_constant_targets_are_predicted():
    m = L1VMRegressor(k, alpha="cv", cv=3, n_alphas=3).fit(X, np.full(n, 7.5))
    assert_array_equal(m.predict(X), 7.5)
    assert len(m.support_) == 0


def test_one_item_M3():
    m = L1VMRegressor(k).fit(X[:1], y[:1])
    assert_allclose(m.predict(X[:2]), y[0])


def test_items_that_come_twice_M3():
    again = np.vstack([X, X])
    m = L1VMRegressor(k, alpha=0.2, tol=1e-10).fit(again, np.r_[y, y])
    once = L1VMRegressor(k, alpha=0.2, tol=1e-10).fit(X, y, sample_weight=np.full(n, 2.0))
    assert_allclose(m.predict(X), once.predict(X), atol=1e-4)


@pytest.mark.parametrize("Machine", [L1VMRegressor, L1VMClassifier])
def test_weight_zero_is_absence(Machine):
    target = y if Machine is L1VMRegressor else three
    weight = np.where(np.arange(n) < 40, 1.0, 0.0)
    a = Machine(k, alpha=0.1, tol=1e-10).fit(X, target, sample_weight=weight)
    b = Machine(k, alpha=0.1, tol=1e-10).fit(X[:40], target[:40])
    assert_array_equal(a.support_, b.support_)
    assert_allclose(a.predict(X), b.predict(X))


# ---- the choice of alpha


@pytest.mark.parametrize(("Machine", "target"), [(L1VMRegressor, y), (L1VMClassifier, two), (L1VMClassifier, three)])
def test_cross_validation_is_what_refitting_the_folds_gives_M3(Machine, target):
    """alpha falls with the size of a fold, and a fold has its own items as prototypes."""
    alphas = [3.0, 1.0, 0.1, 0.03]
    kind = KFold if Machine is L1VMRegressor else StratifiedKFold
    folds = list(kind(3, shuffle=True, random_state=5).split(X, target))
    m = Machine(k, alpha=alphas, cv=3, random_state=5, tol=1e-9).fit(X, target)
    for row, (train, test) in zip(m.cv_loss_, folds, strict=True):
        for found, alpha in zip(row, alphas, strict=True):
            one = Machine(k, alpha=alpha * len(train) / n, tol=1e-9).fit(X[train], target[train])
            if Machine is L1VMRegressor:
                expected = 0.5 * np.mean((target[test] - one.predict(X[test])) ** 2)
            else:
                own = np.searchsorted(one.classes_, target[test])
                expected = -one.predict_log_proba(X[test])[np.arange(len(test)), own].mean()
            assert_allclose(found, expected, rtol=1e-3)
    assert m.alpha_ == alphas[np.argmin(m.cv_loss_.mean(axis=0))]
    assert_array_equal(m.lambda_path_, alphas)
    values = "predict" if Machine is L1VMRegressor else "predict_log_proba"
    alone = Machine(k, alpha=m.alpha_, tol=1e-9).fit(X, target)
    assert_allclose(getattr(m, values)(X), getattr(alone, values)(X), atol=1e-3)


def test_the_path_begins_where_nothing_is_kept_M3():
    m = L1VMRegressor(k, alpha="cv", n_alphas=15).fit(X, y)
    assert_allclose(m.lambda_path_[[0, -1]], lambda_max(K, y, Gaussian()) * np.array([1.0, 1e-3]))
    assert len(m.path_[0].support) == 0
    assert [one.lam for one in m.path_] == m.lambda_path_[: len(m.path_)].tolist()
    assert m.path_[-1].lam == m.alpha_
    assert m.cv_loss_.shape == (5, 15)
    assert np.mean((m.predict(X) - np.sinc(X[:, 0])) ** 2) < 0.005


def test_folds_may_be_given():
    folds = [(np.arange(40), np.arange(40, n)), (np.arange(20, n), np.arange(20))]
    m = L1VMRegressor(k, alpha=[1.0, 0.1], cv=folds).fit(X, y)
    assert m.cv_loss_.shape == (2, 2)
    assert L1VMClassifier(k, alpha=[1.0, 0.1], cv=KFold(4)).fit(X, three).cv_loss_.shape == (4, 2)


def test_a_search_over_alpha_works_like_elsewhere_I4():
    search = GridSearchCV(L1VMClassifier(), {"alpha": [0.1, 1.0]}, cv=3).fit(*load_iris(return_X_y=True))
    assert search.best_score_ > 0.9


# ---- kernels of any kind


def test_a_kernel_that_is_not_positive_semi_definite_will_do_I6():
    kernel = Sigmoid(1.0, offset=-1.0)
    assert np.linalg.eigvalsh(kernel(X)).min() < -0.1
    m = L1VMClassifier(kernel, alpha=0.1).fit(X, three)
    assert m.certificate_.converged
    assert m.score(X, three) > 0.5


def test_a_precomputed_matrix_is_the_kernel_I4():
    given, own = L1VMClassifier("precomputed", alpha=0.2).fit(K, three), L1VMClassifier(k, alpha=0.2).fit(X, three)
    assert_array_equal(given.support_, own.support_)
    assert_allclose(given.predict_proba(k(X[:5], X)), own.predict_proba(X[:5]))


def test_strings_have_a_sparse_machine_too():
    words = ["abab", "baba", "ababa", "cdcd", "dcdc", "cdcdc"]
    m = L1VMClassifier(Spectrum(2), alpha=0.1).fit(words, [0, 0, 0, 1, 1, 1])
    assert_array_equal(m.predict(["ab", "dc"]), [0, 1])
    assert set(m.support_vectors_) <= set(words)


# ---- what is refused, and what is told


@pytest.mark.parametrize("alpha", [0.0, -1.0, np.nan, np.inf, "evidence", [], [1.0, 0.0], None])
def test_alpha_must_be_positive(alpha):
    with pytest.raises(ValueError, match="alpha must be a positive number, several, or 'cv'"):
        L1VMRegressor(k, alpha=alpha).fit(X, y)


@pytest.mark.parametrize("cv", [1, 0, 61])
def test_the_number_of_folds_must_make_sense(cv):
    with pytest.raises(ValueError, match="cv must be between 2"):
        L1VMRegressor(k, alpha="cv", cv=cv).fit(X, y)


@pytest.mark.parametrize("options", [{"tol": 0.0}, {"max_iter": 0}, {"n_alphas": 0}])
def test_other_options_are_checked(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        L1VMRegressor(k, **options).fit(X, y)


def test_a_fit_that_ends_early_says_so():
    with pytest.warns(NotConverged, match=r"L1VMClassifier: stopped early \(max_iter\).*of the best possible"):
        m = L1VMClassifier(k, alpha=1e-3, max_iter=1).fit(X, two)
    assert not m.converged_
    assert m.predict(X[:3]).shape == (3,)


def test_separable_classes_have_finite_weights_M3():
    """The penalty bounds what the likelihood would let grow for ever."""
    m = L1VMClassifier(k, alpha=1e-3).fit(X, np.where(X[:, 0] > 0.0, 1, 0))
    assert m.converged_
    assert np.isfinite(m.dual_coef_).all()
    assert m.score(X, np.where(X[:, 0] > 0.0, 1, 0)) == 1.0
