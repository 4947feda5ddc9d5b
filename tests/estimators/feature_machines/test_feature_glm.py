"""Models on explicit features: cubics, kernels with a feature map, counts, and collinear features (M34)."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import LinAlgWarning
from scipy.sparse import csr_matrix
from scipy.special import ndtr
from sklearn.linear_model import LogisticRegression, PoissonRegressor

from mercer import FeatureGLMClassifier, FeatureGLMRegressor, MemoryBudgetError
from mercer.kernels import RBF, Bag, FeatureMap, Geometric, Homogeneous, Linear, Polynomial, TfIdf

rng = np.random.default_rng(0)
n = 50
X = rng.normal(size=(n, 2))
f = X[:, 0] - 0.5 * X[:, 1] ** 2
y = f + 0.1 * rng.normal(size=n)


def test_cubic_data_are_recovered_exactly_M34():
    x = np.linspace(-2.0, 2.0, 30)[:, None]
    m = FeatureGLMRegressor(3, alpha=0.0).fit(x, 2.0 - x[:, 0] + 0.5 * x[:, 0] ** 2 + 3.0 * x[:, 0] ** 3)
    assert_allclose(m.coef_, [[-1.0, 0.5, 3.0]])
    assert_allclose(m.intercept_, 2.0)
    assert_allclose(m.predict([[10.0]]), 2.0 - 10.0 + 50.0 + 3000.0)


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(3, gamma=0.7, offset=1.3), Homogeneous(2), Geometric(2),
                                    2.0 * Linear() + Homogeneous(3)], ids=repr)  # fmt: skip
@pytest.mark.parametrize("alpha", [1.0, 1e-2])
def test_the_features_of_a_kernel_are_kernel_ridge_with_it_M34(kernel, alpha):
    m = FeatureGLMRegressor(kernel, alpha=alpha, fit_intercept=False).fit(X[:40], y[:40])
    dual = np.linalg.solve(kernel(X[:40]) + alpha * np.eye(40), y[:40])
    assert_allclose(m.predict(X), kernel(X, X[:40]) @ dual, atol=1e-8)


def test_a_function_of_the_items_gives_features_M34():
    def basis(X):
        return np.column_stack([np.sin(X[:, 0]), X[:, 1] ** 2])

    m = FeatureGLMRegressor(basis, alpha=0.0).fit(X, 2.0 * np.sin(X[:, 0]) - X[:, 1] ** 2)
    assert_allclose(m.coef_, [[2.0, -1.0]])
    same = FeatureGLMRegressor(FeatureMap(basis), alpha=0.0).fit(X, 2.0 * np.sin(X[:, 0]) - X[:, 1] ** 2)
    assert_allclose(same.coef_, m.coef_)


def test_items_of_any_kind_have_features_M34():
    words = ["a b", "b c", "a", "c c", "a b b"]
    m = FeatureGLMClassifier(lambda texts: np.array([[t.count("a"), len(t)] for t in texts]), alpha=0.1)
    assert m.fit(words, [1, 0, 1, 0, 1]).score(words, [1, 0, 1, 0, 1]) == 1.0


def test_classes_are_those_of_logistic_regression_M34():
    for target in (f > 0, np.digitize(f, [-0.5, 0.5])):
        theirs = LogisticRegression(C=1.0 / 0.3, tol=1e-10, max_iter=10**5).fit(X, target)
        ours = FeatureGLMClassifier(Linear(), alpha=0.3).fit(X, target)
        assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
        assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("alpha", [1.0, 0.0])
def test_counts_have_a_log_link_M34(alpha):
    counts = rng.poisson(np.exp(0.5 + X[:, 0]))
    theirs = PoissonRegressor(alpha=alpha / n, tol=1e-12, max_iter=10**4).fit(X, counts)
    ours = FeatureGLMRegressor(family="poisson", alpha=alpha).fit(X, counts)
    assert_allclose(ours.coef_[0], theirs.coef_, atol=1e-5)
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-4)
    assert ours.converged_


def test_collinear_features_have_the_shortest_weights_and_it_is_said_M34():
    twice = np.hstack([X, X])
    with pytest.warns(LinAlgWarning, match="rank 2 for 4 features") as told:
        m = FeatureGLMRegressor(alpha=0.0).fit(twice, y)
    assert told[0].filename == __file__
    one = FeatureGLMRegressor(alpha=0.0).fit(X, y)
    assert_allclose(m.coef_, 0.5 * np.hstack([one.coef_, one.coef_]))
    assert_allclose(m.predict(twice), one.predict(X))
    labels = (f + rng.normal(size=n)) > 0
    both = FeatureGLMClassifier(alpha=0.0).fit(twice, labels)
    assert_allclose(
        both.predict_proba(twice), FeatureGLMClassifier(alpha=0.0).fit(X, labels).predict_proba(X), atol=1e-5
    )


def test_weights_of_items_and_sparse_data_M34():
    w = np.arange(n) % 3
    rows = np.repeat(np.arange(n), w)
    one = FeatureGLMRegressor(2).fit(X, y, sample_weight=w)
    assert_allclose(one.coef_, FeatureGLMRegressor(2).fit(X[rows], y[rows]).coef_, atol=1e-9)
    assert_allclose(FeatureGLMRegressor(2).fit(csr_matrix(X), y, sample_weight=w).coef_, one.coef_, atol=1e-9)
    for features in (2, Polynomial(2)):
        m = FeatureGLMRegressor(features).fit(X, y)
        assert_allclose(pickle.loads(pickle.dumps(m)).predict(X), m.predict(X))


@pytest.mark.parametrize(("machine", "fault"), [
    (FeatureGLMRegressor(0), "features must be a degree >= 1, a kernel with .* or a function; got 0"),
    (FeatureGLMRegressor("cubic"), "features must be a degree"),
    (FeatureGLMRegressor(family="gamma"), "family must be one of .* got 'gamma'"),
    (FeatureGLMRegressor(family="poisson"), "y must be counts >= 0"),
    (FeatureGLMRegressor(alpha=-1), "alpha must be a number >= 0; got -1"),
    (FeatureGLMRegressor(max_iter=0), "max_iter must be an integer >= 1"),
], ids=str)  # fmt: skip
def test_settings_out_of_range_are_refused_I5(machine, fault):
    with pytest.raises(ValueError, match=fault):
        machine.fit(X, y)


def test_features_that_do_not_exist_or_do_not_fit_are_refused_I5():
    with pytest.raises(NotImplementedError, match="no finite feature map"):
        FeatureGLMRegressor(RBF()).fit(X, y)
    with pytest.raises(MemoryBudgetError, match="explicit map"):
        FeatureGLMRegressor(12).fit(rng.normal(size=(60, 12)), np.arange(60.0))
    with pytest.raises(ValueError, match="alpha must be positive for classes that the features separate"):
        FeatureGLMClassifier(alpha=0.0).fit(X, X[:, 0] > 0)


@pytest.mark.parametrize(("features", "items"), [
    (TfIdf(), ["a b", "b c", "a a", "c d"]),
    (Bag(), ["a b", "b c", "a a", "c d"]),
    (lambda X: X - X.mean(axis=0), X[:4]),
], ids=["tf-idf", "words", "centred"])  # fmt: skip
def test_features_that_change_with_the_company_of_an_item_are_refused_M34(features, items):
    with pytest.raises(ValueError, match="features must be computed from each item alone"):
        FeatureGLMRegressor(features).fit(items, np.arange(4.0))


@pytest.mark.parametrize("link", ["probit", "cloglog"])
def test_probabilities_of_a_link_are_recovered_M34(link):
    Z = np.random.default_rng(1).normal(size=(4000, 1))
    g = 0.4 - 1.2 * Z[:, 0]
    p = ndtr(g) if link == "probit" else -np.expm1(-np.exp(g))
    t = np.random.default_rng(2).uniform(size=4000) < p
    m = FeatureGLMClassifier(link=link, alpha=0.0).fit(Z, t)
    assert_allclose([m.intercept_[0], m.coef_[0, 0]], [0.4, -1.2], atol=0.1)
    assert_allclose(m.predict_proba(Z)[:, 1], p, atol=0.03)
    assert (m.predict(Z) == (m.predict_proba(Z)[:, 1] > 0.5)).all()


def test_a_mean_that_grows_exponentially_with_even_noise_M34():
    Z = np.random.default_rng(1).uniform(size=(500, 1))
    mean = np.exp(0.5 + 2.0 * Z[:, 0])
    m = FeatureGLMRegressor(link="log", alpha=0.0).fit(Z, mean + 0.1 * np.random.default_rng(2).normal(size=500))
    assert_allclose([m.intercept_[0], m.coef_[0, 0]], [0.5, 2.0], atol=0.02)
    assert_allclose(m.predict(Z), mean, rtol=0.02)


def test_links_that_do_not_fit_are_refused_M34():
    with pytest.raises(ValueError, match="for family='poisson'"):
        FeatureGLMRegressor(family="poisson", link="identity").fit(X, np.abs(y))
    with pytest.raises(ValueError, match="for 3 classes"):
        FeatureGLMClassifier(link="probit").fit(X, np.arange(n) % 3)
    with pytest.raises(ValueError, match="positive mean"):
        FeatureGLMRegressor(link="log").fit(X, -np.ones(n))
    with pytest.raises(ValueError, match="separate"):
        FeatureGLMClassifier(link="probit", alpha=0.0).fit(X, X[:, 0] > 0.0)
