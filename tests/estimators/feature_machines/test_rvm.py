"""Relevance vector machines as estimators: formulas, edge cases, and the experiments E4 and E12 (M5, M6)."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit, softmax
from tests.solvers.rvm.relevance_data import classes, sinc

from mercer import SVC, SVR, NotConverged, RVMClassifier, RVMRegressor, configure
from mercer.estimators.feature_machines.rvm import halves
from mercer.kernels import RBF, Linear, Sigmoid, Spectrum
from mercer.solvers.rvm.evidence import log_evidence

k = RBF(2.0)
X, y = sinc(100)
Z = np.linspace(-9.0, 9.0, 400)[:, None]
X2, two = classes(120)
X3, three = classes(120, edges=(0.2, 1.0))


def design(machine, items):
    """[k(x, kept), 1 if the intercept is kept] and the weights in the same order."""
    Phi, w = k(items, machine.support_vectors_), machine.dual_coef_[0]
    if len(machine.sigma_) > len(w):
        Phi, w = np.column_stack([Phi, np.ones(len(Phi))]), np.append(w, machine.intercept_)
    return Phi, w


# ---- numbers


@pytest.mark.parametrize("method", ["greedy", "mackay"])
def test_the_posterior_is_the_closed_form_M5(method):
    m = RVMRegressor(k, method=method).fit(X, y)
    Phi, w = design(m, X)
    S = np.linalg.inv(np.diag(m.alpha_) + m.beta_ * Phi.T @ Phi)
    assert_allclose(m.sigma_, S, rtol=1e-3, atol=1e-6 * S.max())
    assert_allclose(w, m.beta_ * S @ Phi.T @ y, rtol=1e-4)
    assert_allclose(log_evidence(Phi, y, m.alpha_, m.beta_), m.log_evidence_)


def test_the_predictive_variance_is_that_of_noise_and_weights_M5():
    m = RVMRegressor(k).fit(X, y)
    mean, std = m.predict(Z, return_std=True)
    Phi, w = design(m, Z)
    assert_allclose(mean, Phi @ w, rtol=1e-9)
    assert_array_equal(mean, m.predict(Z))
    assert_allclose(std**2, 1.0 / m.beta_ + np.einsum("ij,jk,ik->i", Phi, m.sigma_, Phi), rtol=1e-9)


def test_the_noise_is_found_and_the_intervals_cover_M5():
    m = RVMRegressor(k).fit(*sinc(400, seed=1))
    assert_allclose(m.beta_, 100.0, rtol=0.2)
    Xnew, ynew = sinc(2000, seed=2)
    mean, std = m.predict(Xnew, return_std=True)
    assert_allclose(np.mean(np.abs(ynew - mean) < 1.96 * std), 0.95, atol=0.02)


def test_greedy_and_EM_agree_on_noisy_sinc_M5():
    """Evidence within 1 %, mean squared error on new items within 5 %."""
    Xnew, ynew = sinc(2000, seed=1)
    one, two = (RVMRegressor(k, method=method).fit(X, y) for method in ("greedy", "em"))
    assert_allclose(one.log_evidence_, two.log_evidence_, rtol=0.01)
    errors = [np.mean((m.predict(Xnew) - ynew) ** 2) for m in (one, two)]
    assert_allclose(errors[0], errors[1], rtol=0.05)
    for m in (one, two):
        assert (np.diff(m.evidence_trace_) >= -1e-9).all()


def test_a_given_beta_is_kept_M5():
    m = RVMRegressor(k, beta=4.0).fit(X, y)
    assert m.beta_ == 4.0
    assert len(m.support_) < len(RVMRegressor(k, beta=400.0).fit(X, y).support_)


def test_a_constant_is_explained_by_the_intercept_alone_M5():
    m = RVMRegressor(k).fit(X, np.full(100, 3.0))
    assert len(m.support_) == 0
    assert_allclose(m.predict(Z), 3.0)
    assert_array_equal(RVMRegressor(k).fit(X, np.zeros(100)).predict(Z), 0.0)


def test_all_kernel_functions_pruned_leave_the_intercept_or_nothing_M5():
    """Targets that flicker between neighbours: no smooth function explains any of it."""
    flicker = np.where(np.arange(100) % 2, 1.0, -1.0)
    for shift in (0.0, 5.0):
        m = RVMRegressor(k).fit(X, flicker + shift)
        assert len(m.support_) == 0
        mean, std = m.predict(Z, return_std=True)
        assert np.ptp(mean) == 0.0
        assert_allclose(mean, shift, atol=0.01)
        assert_allclose(std, 1.0, rtol=0.02)


def test_without_noise_beta_stays_finite_M5():
    exact = np.sinc(X[:, 0] / np.pi)
    m = RVMRegressor(k).fit(X, exact)
    assert m.beta_ <= 1e10 / exact.var()
    assert np.abs(m.predict(X) - exact).max() < 1e-3


def test_the_units_of_the_targets_do_not_matter_M5():
    m = RVMRegressor(k).fit(X, y)
    for unit in (1e-9, 1e9):
        scaled = RVMRegressor(k).fit(X, unit * y)
        assert_array_equal(scaled.support_, m.support_)
        assert_allclose(scaled.predict(Z) / unit, m.predict(Z), rtol=1e-4, atol=1e-5)


def test_a_weight_counts_an_item_and_zero_is_absence_M5():
    weight = np.ones(100)
    weight[::4] = 0.0
    m, rest = RVMRegressor(k).fit(X, y, sample_weight=weight), RVMRegressor(k).fit(X[weight > 0], y[weight > 0])
    assert_allclose(m.predict(Z), rest.predict(Z))
    assert not np.isin(m.support_, np.arange(0, 100, 4)).any()
    assert_allclose(m.log_evidence_, rest.log_evidence_)


def test_RVM_is_sparser_than_SVR_at_equal_error_E4():
    """Median over seeds of the kept items, SVR's C and epsilon by cross-validation from a grid."""
    kept, errors = [], []
    for seed in range(3):
        (Xs, ys), (Xnew, ynew) = sinc(100, seed=seed), sinc(500, seed=seed + 50)
        grid = [SVR(kernel=k, C=C, epsilon=e).fit(Xs[::2], ys[::2]) for C in (1.0, 10.0) for e in (0.05, 0.1)]
        best = min(grid, key=lambda m: np.mean((m.predict(Xs[1::2]) - ys[1::2]) ** 2))
        machines = RVMRegressor(k).fit(Xs, ys), SVR(kernel=k, C=best.C, epsilon=best.epsilon).fit(Xs, ys)
        kept.append([len(m.support_) for m in machines])
        errors.append([np.mean((m.predict(Xnew) - ynew) ** 2) for m in machines])
    few, many = np.median(kept, axis=0)
    assert few < many / 3
    rvm, svr = np.median(errors, axis=0)
    assert rvm < 1.1 * svr


# ---- labels


def test_probabilities_are_those_of_the_posterior_of_f_M6():
    m = RVMClassifier(k).fit(X2, two)
    Phi, w = design(m, X2)
    f, v = Phi @ w, np.einsum("ij,jk,ik->i", Phi, m.sigma_, Phi)
    assert_allclose(m.decision_function(X2), f / np.sqrt(1.0 + np.pi * v / 8.0), atol=1e-9)
    assert_allclose(m.predict_proba(X2)[:, 1], expit(m.decision_function(X2)))
    plain = RVMClassifier(k, moderated=False).fit(X2, two)
    assert_allclose(plain.decision_function(X2), f, atol=1e-9)
    assert_allclose(plain.predict_proba(X2)[:, 1], expit(f), atol=1e-9)


def test_averaging_is_what_moderated_approximates_M6():
    """The average of softmax over draws of the weights, within a few hundredths, and nearer than the plain value."""
    m, plain = (RVMClassifier(k, moderated=yes).fit(X3, three) for yes in (True, False))
    H = halves(m, X3)
    draws = np.random.default_rng(0).normal(size=(2000, H.shape[2]))
    f = plain.decision_function(X3)
    average = softmax(f[:, :, None] + H @ draws.T, axis=1).mean(axis=2)
    errors = [np.abs(machine.predict_proba(X3) - average).mean() for machine in (m, plain)]
    assert errors[0] < 0.02
    assert errors[0] < errors[1]


@pytest.mark.parametrize(("items", "labels"), [(X2, two), (X3, three)])
def test_the_most_probable_class_is_predicted_and_the_order_of_labels_is_kept_M6(items, labels):
    names = np.array(["z", "a", "m"])[labels]
    m = RVMClassifier(k).fit(items, names)
    assert m.classes_.tolist() == sorted(set(names))
    P = m.predict_proba(items)
    assert_allclose(P.sum(axis=1), 1.0)
    assert_array_equal(m.predict(items), m.classes_[P.argmax(axis=1)])
    assert m.score(items, names) > 0.7
    assert m.dual_coef_.shape == (1 if len(m.classes_) == 2 else 3, len(m.support_))


def test_three_classes_have_one_softmax_not_three_machines_M6():
    m = RVMClassifier(k, moderated=False).fit(X3, three)
    assert_allclose(m.predict_proba(X3), softmax(m.decision_function(X3), axis=1))
    assert len(m.alpha_) == len(m.sigma_) == len(m._position)
    assert len(m.support_) < 40


def test_separable_data_keep_every_precision_finite_M6():
    separable = (X[:, 0] > 0.0).astype(int)
    m = RVMClassifier(k).fit(X, separable)
    assert m.score(X, separable) == 1.0
    assert m.converged_
    assert (m.alpha_ > 1e-8).all()
    assert m.predict_proba(Z).min() > 0.0


def test_class_weights_shift_the_probabilities_M6():
    shares = [RVMClassifier(k, class_weight=w).fit(X2, two).predict_proba(X2)[:, 1].mean() for w in (None, {0: 5.0})]
    assert shares[1] < shares[0] - 0.1


def uniforms(n, rng):
    """E12: U(0, 1) and U(0.5, 1.5), whose log odds are -inf, 0 and inf."""
    codes = np.arange(n) % 2
    return (rng.random(n) + 0.5 * codes)[:, None], codes


def test_RVM_is_better_calibrated_than_a_platt_SVM_on_overlapping_uniforms_E12():
    kernel, losses, errors = RBF(0.3), [], []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        items, codes = uniforms(200, rng)
        new, truth = uniforms(10_000, rng)
        rvm = RVMClassifier(kernel).fit(items, codes)
        svm = SVC(kernel=kernel, probability=True).fit(items, codes)
        losses.append([-np.log(m.predict_proba(new)[np.arange(10_000), truth]).mean() for m in (rvm, svm)])
        errors.append(1.0 - rvm.score(new, truth))
    assert all(ours < platt for ours, platt in losses)
    assert np.mean(errors) < 0.25 + 0.03  # Bayes error 0.25


# ---- both


def test_indefinite_kernels_are_welcome_I6():
    assert RVMRegressor(Sigmoid(0.1, offset=-1.0)).fit(X, y).converged_
    assert RVMClassifier(Sigmoid(0.5, offset=-1.0)).fit(X2, two).score(X2, two) > 0.6


def test_a_given_matrix_is_as_good_as_its_kernel_I4():
    m, given = RVMRegressor(k).fit(X, y), RVMRegressor("precomputed").fit(k(X), y)
    assert_array_equal(m.support_, given.support_)
    assert_allclose(given.predict(k(Z, X)), m.predict(Z))
    assert_allclose(given.predict(k(Z, X), return_std=True)[1], m.predict(Z, return_std=True)[1])


def test_strings_are_items_like_others_I2():
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("ab" if i % 2 else "bc"), size=8)) for i in range(60)]
    m = RVMClassifier(Spectrum(2)).fit(words, np.arange(60) % 2)
    assert m.score(words, np.arange(60) % 2) > 0.9
    assert m.predict_proba(words[:3]).shape == (3, 2)


def test_a_linear_kernel_has_coefficients():
    m = RVMRegressor(Linear()).fit(X2, X2 @ [1.0, -2.0] + 0.01 * np.sin(np.arange(120)))
    assert_allclose(m.coef_, [[1.0, -2.0]], atol=0.01)


def test_memory_decides_how_not_what_is_found():
    with configure(memory=2**19):
        streamed = RVMRegressor(k).fit(*sinc(200))
    assert_array_equal(streamed.support_, RVMRegressor(k).fit(*sinc(200)).support_)


def test_restarts_are_repeatable_I7():
    one, same = (RVMRegressor(k, n_restarts=4, random_state=3).fit(X, y) for _ in range(2))
    assert_array_equal(one.predict(Z), same.predict(Z))
    assert_array_equal(pickle.loads(pickle.dumps(one)).predict(Z), one.predict(Z))


def test_an_ascent_that_was_cut_short_says_so():
    with pytest.warns(NotConverged, match=r"RVMRegressor: stopped early \(max_iter\).*No change of one precision"):
        m = RVMRegressor(k, max_iter=1, n_restarts=0).fit(X, y)
    assert not m.converged_


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"method": "gibbs"}, "method must be one of"),
        ({"tol": 0.0}, "tol must be a positive number"),
        ({"max_iter": 0}, "max_iter must be a whole number >= 1"),
        ({"n_restarts": -1}, "n_restarts must be a whole number >= 0"),
        ({"beta": -1.0}, "beta must be a positive number"),
    ],
)
def test_settings_without_sense_are_refused(wrong, told):
    with pytest.raises(ValueError, match=f"RVMRegressor: {told}"):
        RVMRegressor(k, **wrong).fit(X, y)
