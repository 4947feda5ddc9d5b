"""Platt probabilities: folds, refits, columns, and what happens when they cannot be had (M20)."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss

from mercer import SVC, NotConverged, NuSVC, configure
from mercer.estimators.svm.probability import calibrate, held_out
from mercer.gram import LazyGram, StoredGram
from mercer.kernels import RBF
from mercer.solvers.dual import solve, svc
from mercer.solvers.limits import Limits
from mercer.solvers.platt import platt

X, y = make_classification(400, 5, n_informative=3, flip_y=0.1, random_state=0)
sign = np.where(y == 1, 1.0, -1.0)
k = RBF(2.0)


# ---- folds


def test_folds_are_stratified_and_cover_every_item_once_M20():
    held = held_out(sign)
    assert held.shape == (400, 5)
    assert (held.sum(axis=1) == 1).all()
    for side in (1.0, -1.0):
        assert np.ptp(held[sign == side].sum(axis=0)) <= 1


@pytest.mark.parametrize(("rare", "folds"), [(2, 2), (3, 3), (5, 5), (40, 5)])
def test_a_small_class_has_as_many_folds_as_items_M20(rare, folds):
    held = held_out(np.r_[np.ones(rare), -np.ones(60)])
    assert held.shape[1] == folds
    assert held[:rare].sum(axis=0).min() >= 1
    assert (~held[:rare]).sum(axis=0).min() >= 1  # in every refit some items of the class are left


@pytest.mark.parametrize(("n", "folds"), [(1000, 5), (2000, 3), (6000, 1)])
def test_of_many_items_enough_are_held_out_and_not_more_M20(n, folds):
    held = held_out(np.tile([1.0, -1.0], n))
    assert held.shape[1] == folds
    assert held.sum() // 2 >= 1000


# ---- the sigmoid


def test_the_sigmoid_is_that_of_exact_refits_M20():
    m = SVC(kernel=k, probability=True).fit(X, y)
    held = held_out(sign)
    scores = np.zeros(400)
    for out in held.T:
        scores[out] = SVC(kernel=k, tol=1e-6).fit(X[~out], y[~out]).decision_function(X[out])
    exact = platt(scores, sign)
    assert_allclose([-m.probA_[0], m.probB_[0]], [exact.A, exact.B], atol=0.03)


@pytest.mark.parametrize("gram", [LazyGram(k, X), StoredGram.of(k(X))], ids=["lazy", "stored"])
def test_the_sigmoid_of_one_machine_or_none_when_time_is_up_M20(gram):
    problem = svc(sign, 1.0)
    full = solve(gram, problem, tol=1e-6)
    found = calibrate(gram, sign, np.ones(400), problem, full, Limits())
    m = SVC(kernel=k, probability=True).fit(X, y)
    assert_allclose([found.A, found.B], [-m.probA_[0], m.probB_[0]], atol=0.03)
    assert calibrate(LazyGram(k, X), sign, np.ones(400), problem, full, Limits(time_limit=0.0)) is None


# ---- machines


@pytest.mark.parametrize("machine", [SVC(probability=True), NuSVC(probability=True)], ids=["C", "nu"])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_probabilities_follow_the_classes_and_add_up_to_one_M20(machine, classes):
    Z, t = make_classification(200, 6, n_informative=5, n_redundant=0, n_classes=classes, class_sep=2.0, random_state=1)
    names = np.array(["ash", "beech", "cedar", "elm", "fir"])[t]
    P = machine.fit(Z, names).predict_proba(Z)
    assert P.shape == (200, classes)
    assert_allclose(P.sum(axis=1), 1.0)
    assert (P >= 0.0).all()
    assert (machine.classes_[P.argmax(axis=1)] == machine.predict(Z)).mean() > 0.95
    assert log_loss(names, P, labels=machine.classes_) < 0.7 * np.log(classes)
    assert_array_equal(machine.predict_log_proba(Z), np.log(P))


def test_of_two_classes_the_probability_rises_with_f_M20():
    m = SVC(probability=True).fit(X, y)
    order = np.argsort(m.decision_function(X))
    assert (np.diff(m.predict_proba(X)[order, 1]) >= 0.0).all()
    assert m.probA_.shape == m.probB_.shape == (1,)
    assert_allclose(m.predict_proba(X)[:, 0],
                    1.0 / (1.0 + np.exp(-m.probA_ * m.decision_function(X) + m.probB_)))  # fmt: skip


def test_probabilities_are_the_same_every_time_and_leave_the_machine_as_it_is_M20():
    a, b = (SVC(probability=True, random_state=seed).fit(X, y) for seed in (0, 1))
    with configure(threads=1):
        c = SVC(probability=True).fit(X, y)
    assert_array_equal(a.predict_proba(X), b.predict_proba(X))
    assert_array_equal(a.predict_proba(X), c.predict_proba(X))
    assert_array_equal(a.decision_function(X), SVC().fit(X, y).decision_function(X))


def test_probabilities_on_a_gram_and_on_items_agree_M20_I3():
    given, direct = SVC(kernel="precomputed", probability=True).fit(k(X), y), SVC(kernel=k, probability=True).fit(X, y)
    assert_allclose(given.predict_proba(k(X)), direct.predict_proba(X), atol=0.01)


def test_a_weight_counts_in_the_sigmoid_but_its_unit_does_not_M20():
    w = np.random.default_rng(0).uniform(0.5, 2.0, 400)
    one, alike, other = (SVC(C=C, kernel=k, probability=True) for C in (1.0, 1.0, 0.25))
    one.fit(X, y, sample_weight=w), other.fit(X, y, sample_weight=4.0 * w), alike.fit(X, y)
    assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-9)
    assert np.abs(one.predict_proba(X) - alike.predict_proba(X)).max() > 1e-3


# ---- without probabilities


def test_probabilities_have_to_be_asked_for():
    assert not hasattr(SVC(), "predict_proba")
    assert not hasattr(SVC(probability="deprecated"), "predict_proba")
    assert hasattr(SVC(probability=True), "predict_proba")
    m = SVC().fit(X, y).set_params(probability=True)
    with pytest.raises(NotFittedError, match="fitted with probability=False"):
        m.predict_proba(X)


def test_asking_for_probabilities_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SVC(probability=True).fit(X, y)


@pytest.mark.parametrize("y", [[1.0, -1.0], [-1.0, 1.0, 1.0], [-1.0] * 30 + [1.0]])
def test_the_only_item_of_a_class_has_a_fold_and_no_fold_is_everything_M20(y):
    held = held_out(np.array(y))
    assert (held.sum(axis=1) == 1).all()
    assert held.any(axis=0).all()
    assert not held.all(axis=0).any()


@pytest.mark.parametrize("machine", [SVC, partial(NuSVC, nu=0.1)])
@pytest.mark.parametrize("labels", [list("aaaaaaaab"), list("baaaaaaac"), list("aaaaaaabb")])
def test_probabilities_with_a_single_item_in_a_class_M20(machine, labels):
    """Without it the other class has all scores, as in LIBSVM: the sigmoid says hardly more than how rare it is."""
    p = machine(probability=True).fit(X[:9], labels).predict_proba(X)
    assert_allclose(p.sum(axis=1), 1.0)
    assert np.isfinite(p).all()
    assert (p.mean(axis=0) < [1.0, 0.5, 0.5][: p.shape[1]]).all()


def test_scores_of_a_fold_without_a_class_are_those_of_the_other_class_M20():
    """Each of two items is scored without it: by -1 where -1 is left, by +1 where +1 is."""
    m = SVC(probability=True).fit(X[:2], ["a", "b"])
    exact = platt(np.array([1.0, -1.0]), np.array([-1.0, 1.0]), tol=1e-6)
    assert_allclose([-m.probA_[0], m.probB_[0]], [exact.A, exact.B], atol=1e-6)


def test_time_that_ran_out_is_told_and_the_machine_predicts_without_probabilities():
    rng = np.random.default_rng(0)
    Z, t = rng.normal(size=(3000, 2)), rng.integers(0, 2, 3000)
    with pytest.warns(NotConverged, match="time_limit"):
        m = SVC(C=1e6, probability=True, time_limit=0.05).fit(Z, t)
    assert m.predict(Z).shape == t.shape
    with pytest.raises(NotFittedError, match="not stopped early"):
        m.predict_proba(Z)
