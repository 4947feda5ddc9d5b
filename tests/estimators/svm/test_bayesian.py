"""The hinge pseudo-posterior as a classifier: its mode (M24), its draws (M25), its probabilities."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import BayesianSVC, NotConverged, StoredGram, configure
from mercer.estimators.svm.bayesian import log_odds, margin_of
from mercer.kernels import RBF, Linear, Spectrum
from mercer.solvers.dual import solve, svc

rng = np.random.default_rng(9)
X = rng.normal(size=(70, 2))
y = np.where(X[:, 0] + 0.6 * rng.normal(size=70) > 0.0, "yes", "no")
SHORT = {"n_draws": 60, "burn_in": 30, "random_state": 0}


def pseudo_likelihood(margin):
    return np.exp(-2.0 * np.maximum(1.0 - margin, 0.0))


@parametrize_with_checks(
    [BayesianSVC(n_draws=20, burn_in=20, rank=40, random_state=0), BayesianSVC(method="em", rank=40, max_iter=10**4)]
)
def test_it_keeps_the_contract_of_scikit_learn_I4(estimator, check):
    check(estimator)


@pytest.mark.parametrize("C", [0.3, 3.0])
def test_the_mode_is_the_svm_without_intercept_at_C_equal_2_over_tau_M24(C):
    machine = BayesianSVC(RBF(1.0), C=C, method="em", rank=None, tol=1e-7, max_iter=10**5, penalty_intercept=False).fit(
        X, y
    )
    K, sign = RBF(1.0)(X), np.where(y == "yes", 1.0, -1.0)
    svm = solve(StoredGram(K), svc(sign, C, bias=False), tol=1e-6)
    assert_allclose(machine.decision_function(X), K @ svm.coef, atol=2e-3)
    assert_allclose(machine.posterior_[0].primal, machine.tau_[0] * svm.primal, rtol=1e-5)
    assert_allclose(machine.tau_, 2.0 / C)


def test_the_penalised_intercept_is_the_kernel_plus_one_M28():
    with_it = BayesianSVC(Linear(), method="em", tol=1e-6).fit(X + 3.0, y)
    by_hand = BayesianSVC(Linear() + 1.0, method="em", tol=1e-6, penalty_intercept=False).fit(X + 3.0, y)
    assert_allclose(with_it.decision_function(X), by_hand.decision_function(X), atol=1e-6)
    through_origin = BayesianSVC(Linear(), method="em", tol=1e-6, penalty_intercept=False).fit(X + 3.0, y)
    assert through_origin.score(X + 3.0, y) < with_it.score(X + 3.0, y)


def test_probabilities_are_the_mean_over_draws_of_the_normalised_pseudo_likelihood_M25():
    machine = BayesianSVC(**SHORT).fit(X, y)
    f = machine.margin_samples(X)
    assert f.shape == (70, 60)
    ratio = pseudo_likelihood(f) / (pseudo_likelihood(f) + pseudo_likelihood(-f))
    assert_allclose(machine.predict_proba(X), np.column_stack([1.0 - ratio.mean(1), ratio.mean(1)]), rtol=1e-9)
    assert_array_equal(machine.predict(X), machine.classes_[machine.predict_proba(X).argmax(axis=1)])
    assert_array_equal(machine.predict(X) == "yes", machine.decision_function(X) > 0.0)


def test_the_decision_function_has_the_log_odds_of_the_probabilities():
    f = np.array([-700.0, -2.5, -1.0, -0.3, 0.0, 0.3, 1.0, 2.5, 700.0])
    assert_allclose(margin_of(log_odds(f)), f)
    assert_allclose(log_odds(f[3:6]), np.log(pseudo_likelihood(f[3:6]) / pseudo_likelihood(-f[3:6])), atol=1e-12)
    machine = BayesianSVC(method="em").fit(X, y)
    p = machine.predict_proba(X)
    assert_allclose(log_odds(machine.decision_function(X)), np.log(p[:, 1] / p[:, 0]), atol=1e-9)


def test_draws_surround_the_mode_and_spread_more_when_the_data_are_few_M25():
    mode = BayesianSVC(RBF(1.0), method="em").fit(X, y).decision_function(X)
    draws = BayesianSVC(RBF(1.0), n_draws=400, burn_in=100, random_state=1).fit(X, y).margin_samples(X)
    assert_allclose(draws.mean(axis=1), mode, atol=0.6)
    assert np.corrcoef(draws.mean(axis=1), mode)[0, 1] > 0.97
    few = BayesianSVC(RBF(1.0), n_draws=400, burn_in=100, random_state=1).fit(X[:20], y[:20]).margin_samples(X)
    assert few.std(axis=1).mean() > 1.2 * draws.std(axis=1).mean()


def test_probabilities_are_roughly_calibrated_and_better_than_those_of_the_mode_M25():
    rng = np.random.default_rng(1)
    Z = rng.uniform(-2.0, 2.0, size=(2100, 1))
    labels = rng.random(2100) < 1.0 / (1.0 + np.exp(-3.0 * Z[:, 0]))
    kernel, train, test = RBF.from_gamma(1.0), slice(0, 100), slice(100, None)
    p = BayesianSVC(kernel, random_state=0).fit(Z[train], labels[train]).predict_proba(Z[test])[:, 1]
    bins = np.minimum((5.0 * p).astype(int), 4)
    off = [abs(labels[test][bins == b].mean() - p[bins == b].mean()) * (bins == b).mean() for b in range(5)]
    assert sum(off) < 0.12
    mode = BayesianSVC(kernel, method="em").fit(Z[train], labels[train]).predict_proba(Z[test])[:, 1]
    assert log_loss(labels[test], p) < log_loss(labels[test], mode) < np.log(2.0)


def test_the_scale_follows_its_prior_or_the_data_M25():
    sure = BayesianSVC("linear", prior=(1e6, 2e5), **SHORT).fit(X, y)
    assert_allclose(sure.tau_, 5.0, rtol=0.01)
    starts = [
        BayesianSVC("linear", C=C, prior=(1.0, 1.0), n_draws=500, random_state=0).fit(X, y).tau_[0] for C in (0.1, 10.0)
    ]
    assert 0.7 < starts[0] / starts[1] < 1.4
    assert sure.posterior_[0].tau.shape == (60,)


def test_equal_seeds_give_equal_draws_on_any_number_of_threads():
    iris = load_iris()
    found = []
    for threads in (1, 2):
        with configure(threads=threads):
            found.append(BayesianSVC(**SHORT).fit(iris.data, iris.target).margin_samples(iris.data))
    assert_array_equal(found[0], found[1])
    other = BayesianSVC(**{**SHORT, "random_state": 1}).fit(iris.data, iris.target).margin_samples(iris.data)
    assert abs(other - found[0]).max() > 0.01


def test_more_classes_are_one_machine_for_each_M21():
    iris = load_iris()
    machine = BayesianSVC(**SHORT).fit(iris.data, iris.target_names[iris.target])
    assert machine.score(iris.data, iris.target_names[iris.target]) > 0.94
    P = machine.predict_proba(iris.data)
    assert_allclose(P.sum(axis=1), 1.0)
    assert machine.margin_samples(iris.data).shape == (150, 60, 3)
    assert machine.decision_function(iris.data).shape == (150, 3)
    assert_array_equal(machine.predict(iris.data), machine.classes_[P.argmax(axis=1)])
    one = BayesianSVC(**SHORT).fit(iris.data, iris.target == 0)
    assert len(one.posterior_) == 1
    assert len(machine.posterior_) == 3


@pytest.mark.parametrize("method", ["em", "gibbs"])
def test_a_precomputed_gram_gives_the_same_machine_I3(method):
    new = rng.normal(size=(9, 2))
    k = RBF(0.7)
    ours = BayesianSVC(k, method=method, **SHORT).fit(X, y)
    given = BayesianSVC("precomputed", method=method, **SHORT).fit(k(X), y)
    assert_allclose(given.predict_proba(k(new, X)), ours.predict_proba(new), rtol=1e-6)


def test_words_are_classified_and_only_the_pivots_are_kept_I7():
    words = ["abab", "abba", "baba", "aabb", "cdcd", "dccd", "ddcc", "cdcc"] * 3
    machine = BayesianSVC(Spectrum(2), rank=5, **SHORT).fit(words, [w[0] in "ab" for w in words])
    assert_array_equal(machine.predict(["abbb", "dddc"]), [True, False])
    assert len(machine._kept) == 5


def test_a_low_rank_is_nearly_as_good_and_says_what_it_leaves_out():
    full = BayesianSVC(RBF(1.0), method="em", rank=None).fit(X, y)
    low = BayesianSVC(RBF(1.0), method="em", rank=15).fit(X, y)
    assert full.residual_ < 1e-9 < low.residual_ < 0.1
    assert (full.predict(X) == low.predict(X)).mean() > 0.95


def test_it_can_be_cloned_and_pickled_I4():
    machine = clone(BayesianSVC(RBF(2.0), **SHORT)).set_params(kernel__lengthscale=1.0).fit(X, y)
    again = pickle.loads(pickle.dumps(machine))
    assert_array_equal(again.predict_proba(X), machine.predict_proba(X))


def test_a_mode_that_was_not_reached_is_reported_with_its_gap():
    with pytest.warns(NotConverged, match="gap .* after 2 iterations"):
        BayesianSVC(method="em", max_iter=2, tol=1e-9).fit(X, y)


def test_the_mode_has_no_draws_to_show():
    machine = BayesianSVC(method="em").fit(X, y)
    assert not hasattr(machine, "margin_samples")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"method": "vb"}, "'em' or 'gibbs'"),
        ({"C": 0.0}, "C must be a positive"),
        ({"n_draws": 0}, "n_draws must be an integer >= 1"),
        ({"burn_in": -1}, "burn_in must be"),
        ({"thin": 0.5}, "thin must be"),
        ({"rank": 0.5}, "rank must be"),
        ({"prior": (1.0, -1.0)}, "gamma distribution"),
        ({"tol": 0.0}, "tol must be"),
    ],
)
def test_settings_that_make_no_sense_are_refused_I5(wrong, said):
    with pytest.raises(ValueError, match=said):
        BayesianSVC(**wrong).fit(X, y)


def test_one_class_is_refused_I5():
    with pytest.raises(ValueError, match="two classes"):
        BayesianSVC().fit(X, np.zeros(70))
