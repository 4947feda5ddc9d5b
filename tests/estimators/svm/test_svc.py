"""C-SVC and nu-SVC as machines: hard margins, the nu-C map, the variants with b^2/2 and squared slacks."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix

import mercer
from mercer import SVC, NotConverged, NuSVC, configure
from mercer.kernels import RBF, Linear, Polynomial, Sigmoid
from mercer.testing.quadratic_program import solve_qp
from mercer.testing.svm_programs import svc_primal

TIGHT = 1e-9
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 2))
y = np.where(X[:, 0] + 0.7 * rng.normal(size=60) > 0.0, 1, -1)


# ---- hard margin


def test_three_points_have_the_textbook_margin_M15_T21():
    m = SVC(C=np.inf, kernel="linear", tol=TIGHT).fit([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, -1])
    assert_allclose(m.coef_, [[0.5, 0.5]], atol=1e-7)
    assert_allclose(m.intercept_, [-2.0], atol=1e-7)
    assert_array_equal(m.support_, [2, 0])
    assert_allclose(m.dual_coef_, [[-0.25, 0.25]], atol=1e-7)


def test_xor_is_separated_by_a_quadratic_kernel_M15_T21():
    corners = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    m = SVC(C=np.inf, kernel=Polynomial(2, gamma=1.0, offset=1.0), tol=TIGHT).fit(corners, [-1, 1, 1, -1])
    assert_allclose(np.abs(m.dual_coef_), 0.125, atol=1e-8)
    assert_allclose(m.intercept_, 0.0, atol=1e-8)
    assert_allclose(m.certificate_.dual, 0.25, atol=1e-8)
    assert_allclose(1.0 / np.sqrt(np.abs(m.dual_coef_).sum()), np.sqrt(2.0))  # 1 / |w| with |w|^2 = sum a


def test_moving_an_item_outside_the_margin_changes_nothing_M15():
    A, t = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), [1, 1, -1]
    far = A.copy()
    far[1] = [40.0, 30.0]
    one, other = (SVC(C=np.inf, kernel="linear", tol=TIGHT).fit(items, t) for items in (A, far))
    assert_allclose(one.coef_, other.coef_, atol=1e-7)


def test_a_hard_margin_is_the_limit_of_a_large_C_M15_T22():
    A = np.vstack([X[:20] + 3.0, X[20:40] - 3.0])
    t = np.repeat([1, -1], 20)
    hard, soft = (SVC(C=C, kernel="linear", tol=1e-8).fit(A, t) for C in (np.inf, 1e6))
    assert_allclose(hard.decision_function(A), soft.decision_function(A), atol=1e-5)


@pytest.mark.parametrize(("items", "t"), [
    (np.vstack([X, X]), np.repeat([0, 1], 60)),
    (np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0])),
], ids=["equal items", "one between two"])  # fmt: skip
def test_data_that_no_hard_margin_separates_are_named_as_such_M15(items, t):
    with pytest.raises(ValueError, match="not separable: choose a finite C"):
        SVC(C=np.inf, kernel="linear").fit(items, t)


# ---- soft margin


def test_a_linear_machine_is_the_primal_quadratic_program_M16():
    C = 2.0
    primal = solve_qp(svc_primal(X, y, C))
    m = SVC(C=C, kernel="linear", tol=TIGHT).fit(X, y)
    assert_allclose(m.coef_[0], primal.x[:2], atol=1e-5)
    assert_allclose(m.intercept_[0], primal.x[2], atol=1e-5)
    assert_allclose(m.certificate_.primal, primal.primal, rtol=1e-6)


def test_the_certificate_bounds_the_objective_T18():
    loose, tight = (SVC(C=10.0, tol=tol).fit(X, y).certificate_ for tol in (1e-1, TIGHT))
    assert loose.dual <= tight.primal + 1e-9
    assert tight.dual <= loose.primal + 1e-9
    assert 0.0 <= tight.relative_gap + 1e-12 < 1e-7
    assert tight.kkt <= TIGHT


def test_refitting_the_support_vectors_alone_changes_nothing_I7():
    m = SVC(C=5.0, gamma=0.5, tol=TIGHT).fit(X, y)
    again = SVC(C=5.0, gamma=0.5, tol=TIGHT).fit(X[m.support_], y[m.support_])
    assert len(m.support_) < len(X)
    assert_allclose(again.decision_function(X), m.decision_function(X), atol=1e-6)


def test_weight_zero_is_absence_and_weight_two_is_repetition():
    w = np.arange(60) % 3
    weighted = SVC(gamma=0.5, tol=TIGHT).fit(X, y, sample_weight=w)
    rows = np.repeat(np.arange(60), w)
    repeated = SVC(gamma=0.5, tol=TIGHT).fit(X[rows], y[rows])
    assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-6)
    assert set(weighted.support_) <= set(np.flatnonzero(w))


def test_class_weights_are_sample_weights_by_class():
    weights = {-1: 0.3, 1: 5.0}
    by_class = SVC(tol=TIGHT, class_weight=weights).fit(X, y)
    by_sample = SVC(tol=TIGHT).fit(X, y, sample_weight=[weights[c] for c in y])
    assert_allclose(by_class.decision_function(X), by_sample.decision_function(X), atol=1e-7)


# ---- variants


def test_a_penalised_intercept_is_the_kernel_plus_one_without_a_bias_M28():
    """b = sum of the coefficients: the minimiser of 1/2 |w|^2 + b^2/2 + C sum xi, here as a quadratic program."""
    C = 2.0
    program = svc_primal(X, y, C)
    primal = solve_qp(replace(program, P=program.P + np.diag(np.eye(len(program.q))[2])))
    m = SVC(C=C, kernel="linear", penalty_intercept=True, tol=TIGHT).fit(X, y)
    assert_allclose(np.r_[m.coef_[0], m.intercept_], primal.x[:3], atol=1e-5)
    assert_allclose(m.intercept_[0], m.dual_coef_.sum(), atol=1e-12)
    assert abs(m.intercept_[0]) <= abs(SVC(C=C, kernel="linear", tol=TIGHT).fit(X, y).intercept_[0]) + 1e-7


def test_squared_slacks_are_a_hard_margin_under_a_ridge_M29():
    C, K = 2.0, RBF(0.8)(X)
    m = SVC(C=C, kernel=RBF(0.8), squared=True, tol=TIGHT).fit(X, y)
    ridged = SVC(C=np.inf, kernel="precomputed", tol=TIGHT).fit(K + np.eye(60) / (2.0 * C), y)
    assert_array_equal(m.support_, ridged.support_)
    assert_allclose(m.dual_coef_, ridged.dual_coef_, atol=1e-6)
    assert_allclose(m.intercept_, ridged.intercept_, atol=1e-6)


def test_both_variants_together_work_on_a_precomputed_gram_M28_M29():
    K = RBF(0.8)(X)
    settings = {"penalty_intercept": True, "squared": True, "tol": TIGHT}
    given, direct = SVC(kernel="precomputed", **settings).fit(K, y), SVC(kernel=RBF(0.8), **settings).fit(X, y)
    assert_allclose(given.decision_function(K), direct.decision_function(X), atol=1e-7)


# ---- nu


@pytest.mark.parametrize("nu", [0.2, 0.4, 0.6])
def test_nu_and_C_name_the_same_machines_M19(nu):
    """With the problem scaled by n the map reads C = 1 / rho, and back nu = sum a / (n C)."""
    one = NuSVC(nu=nu, gamma=0.5, tol=TIGHT).fit(X, y)
    C = 1.0 / one.solution_.margin
    other = SVC(C=C, gamma=0.5, tol=TIGHT).fit(X, y)
    assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-6, rtol=1e-6)
    assert_allclose(np.abs(other.dual_coef_).sum() / (len(y) * C), nu, rtol=1e-6)


@pytest.mark.parametrize("nu", np.linspace(0.1, 0.8, 8))
def test_nu_lies_between_margin_errors_and_support_vectors_T24(nu):
    m = NuSVC(nu=nu, gamma=0.5, tol=1e-8).fit(X, y)
    errors = np.mean(y * m.decision_function(X) < 1.0 - 1e-7 / m.solution_.margin)
    assert errors <= nu + 1e-9
    assert nu <= len(m.support_) / len(y) + 1e-9


def test_an_infeasible_nu_is_refused_with_its_bound_M19():
    t = np.repeat([0, 1], [35, 25])
    NuSVC(nu=0.8333).fit(X, t)
    with pytest.raises(ValueError, match=r"nu must be at most 2 min\(n\+, n-\) / n = 0.8333"):
        NuSVC(nu=0.84).fit(X, t)


# ---- limits


def test_an_early_end_leaves_a_usable_machine_and_says_how_far_it_is():
    with pytest.warns(NotConverged, match=r"stopped early \(max_iter\).*asked 1.0e-03.*gap.*Raise max_iter"):
        m = SVC(C=1e4, max_iter=5).fit(X, y)
    assert m.fit_status_ == 1
    assert m.predict(X).shape == y.shape
    assert m.certificate_.gap > 0.0
    assert np.isfinite(m.certificate_.gap)


def hopeless(n, classes):
    """Rows and labels that have nothing to do with each other: at a large C minutes of work."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 8)), rng.integers(0, classes, n)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("n", [900, 8000], ids=["stored", "growing"])
def test_time_that_ran_out_leaves_a_usable_machine(n, classes):
    Z, t = hopeless(n, classes)
    started = time.perf_counter()
    with pytest.warns(NotConverged, match=r"stopped early \(time_limit\).*Raise time_limit"):
        m = SVC(C=1e6, tol=1e-9, time_limit=0.1).fit(Z, t)
    assert time.perf_counter() - started < 5.0
    assert m.predict(Z[:10]).shape == (10,)
    assert m.certificate_.reason == "time_limit"
    assert np.isfinite(m.certificate_.dual)
    assert np.isfinite(m.intercept_).all()


@pytest.mark.parametrize("classes", [2, 3])
def test_an_interrupt_leaves_a_usable_machine(classes):
    Z, t = hopeless(8000, classes)
    sent = []
    timer = threading.Timer(0.3, lambda: (sent.append(time.perf_counter()), os.kill(os.getpid(), signal.SIGINT)))
    timer.start()
    m = SVC(C=1e6)
    with pytest.raises(KeyboardInterrupt, match="SVC was interrupted and keeps what it had found"):
        m.fit(Z, t)
    assert time.perf_counter() - sent[0] < 3.0
    assert m.predict(Z[:10]).shape == (10,)
    assert m.certificate_.reason == "interrupted"


def test_programs_that_filter_scikit_learns_warning_filter_ours():
    from sklearn.exceptions import ConvergenceWarning

    with pytest.warns(ConvergenceWarning):
        SVC(C=1e4, max_iter=5).fit(X, y)


def test_verbose_tells_violation_and_dual(capsys):
    SVC(verbose=True).fit(X, y)
    assert "violation" in capsys.readouterr().out
    SVC().fit(X, y)
    assert capsys.readouterr().out == ""


def test_threads_do_not_change_the_machine():
    t = rng.integers(0, 4, 60)
    with configure(threads=1):
        one = SVC().fit(X, t)
    with configure(threads=3):
        three = SVC().fit(X, t)
    assert_array_equal(one.dual_coef_, three.dual_coef_)
    assert_array_equal(one.decision_function(X), three.decision_function(X))


# ---- bad input


@pytest.mark.parametrize(("settings", "fault"), [
    ({"C": 0.0}, "C must be a positive number; got 0.0"),
    ({"C": -1}, "C must be a positive number; got -1"),
    ({"C": "large"}, "C must be a positive number; got 'large'"),
    ({"C": float("nan")}, "C must be a positive number; got nan"),
    ({"tol": 0.0}, "tol must be a positive number"),
    ({"max_iter": -2}, "max_iter must be an integer >= -1"),
    ({"time_limit": 0.0}, "time_limit must be a positive number of seconds"),
    ({"kernel": "rbff"}, r"kernel must be one of \['linear', 'poly', 'rbf', 'sigmoid', .*'precomputed'\]"),
    ({"gamma": -1.0}, "gamma must be 'scale', 'auto' or a positive number; got -1.0"),
    ({"gamma": "Scale"}, "gamma must be 'scale', 'auto' or a positive number"),
    ({"kernel": "poly", "degree": -1}, "SVC: degree must be an integer >= 0; got -1"),
    ({"probability": "yes"}, "probability must be True or False"),
    ({"decision_function_shape": "ova"}, "decision_function_shape must be 'ovr' or 'ovo'"),
    ({"class_weight": {1: -2.0}}, "class_weight must be positive numbers"),
    ({"check_psd": "maybe"}, r"check_psd must be one of \('off', 'warn', 'raise'\)"),
], ids=str)  # fmt: skip
def test_settings_out_of_range_are_refused_I5(settings, fault):
    with pytest.raises(ValueError, match=fault):
        SVC(**settings).fit(X, y)


@pytest.mark.parametrize("nu", [0.0, -0.1, 1.5, "half"])
def test_a_nu_that_is_no_share_is_refused_I5(nu):
    with pytest.raises(ValueError, match="nu must be a number with 0 < nu <= 1"):
        NuSVC(nu=nu).fit(X, y)


@pytest.mark.parametrize(("labels", "fault"), [
    (np.ones(60), r"y must be labels of two classes or more; got 1 class, \[1.0\]"),
    (np.where(y > 0, 1.0, np.nan), "NaN"),
    (X[:, 0], "continuous"),
    (np.array(["a", 1] * 30, dtype=object), "y must be labels of one type"),
    (np.array([None, "a"] * 30, dtype=object), "Unknown label type"),
    (X, "1d array"),
    (y[:50], "inconsistent numbers of samples"),
    (None, "requires y to be passed"),
], ids=["one class", "nan", "numbers", "mixed", "none", "two columns", "too few", "no labels"])  # fmt: skip
def test_labels_of_odd_kinds_are_refused_I5(labels, fault):
    with pytest.raises((ValueError, TypeError), match=fault):
        SVC().fit(X, labels)


@pytest.mark.parametrize("labels", [y > 0, y.astype(float), np.where(y > 0, "ja", "nein"),
                                    np.where(y > 0, "ja", "nein").astype(object), y[:, None] > 0, list(y)],
                         ids=["bool", "float", "str", "object", "column", "list"])  # fmt: skip
@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
def test_labels_of_many_types_are_returned_as_they_came(labels):
    m = SVC().fit(X, labels)
    assert_array_equal(np.unique(labels), m.classes_)
    assert set(m.predict(X).tolist()) <= set(m.classes_.tolist())


@pytest.mark.parametrize(("w", "fault"), [
    (-np.ones(60), "sample_weight must be positive for some of the items; got none above 0"),
    (np.zeros(60), "sample_weight must be positive for some of the items; got none above 0"),
    (np.ones(59), r"sample_weight must be 60 numbers, one for each item; got an array of shape \(59,\)"),
    (np.ones((60, 1)), r"sample_weight must be 60 numbers, one for each item; got an array of shape \(60, 1\)"),
    (np.r_[np.ones(2), np.nan, np.ones(57)], "sample_weight must be finite; got nan for item 2"),
    (np.r_[np.inf, np.ones(59)], "sample_weight must be finite; got inf for item 0"),
    (["heavy"] * 60, "sample_weight must be numbers; got values such as 'heavy'"),
    ((y > 0).astype(float), "sample_weight must be positive somewhere in every class; got zero for all.*class -1"),
], ids=["negative", "zero", "length", "columns", "nan", "inf", "words", "a class"])  # fmt: skip
def test_bad_weights_are_refused_I5(w, fault):
    with pytest.raises(ValueError, match=fault):
        SVC().fit(X, y, sample_weight=w)


def test_precomputed_matrices_of_the_wrong_size_are_refused_I3():
    K = RBF()(X)
    with pytest.raises(ValueError, match=r"square matrix; got shape \(60, 50\)"):
        SVC(kernel="precomputed").fit(K[:, :50], y)
    m = SVC(kernel="precomputed").fit(K, y)
    with pytest.raises(ValueError, match=r"59 features.*expecting 60"):
        m.predict(K[:, :59])
    with pytest.raises(ValueError, match="symmetric"):
        SVC(kernel="precomputed").fit(K + np.triu(K, 1), y)
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        SVC(kernel="precomputed").fit(csr_matrix(K), y)


def test_breaking_ties_needs_votes_by_class():
    m = SVC(break_ties=True, decision_function_shape="ovo").fit(X, y)
    with pytest.raises(ValueError, match="break_ties must be False when decision_function_shape is 'ovo'"):
        m.predict(X)


def test_coef_is_there_for_linear_kernels_only():
    assert SVC(kernel=Linear()).fit(X, y).coef_.shape == (1, 2)
    with pytest.raises(AttributeError, match="linear kernel"):
        _ = SVC().fit(X, y).coef_
    for name in ("coef_", "support_vectors_", "probA_"):
        assert not hasattr(SVC(kernel="linear"), name)


# ---- the Mercer policy


def test_an_indefinite_gram_is_met_by_the_policy_I6():
    K = RBF()(X) - 0.5 * np.ones((60, 60)) - 2.0 * np.outer(X[:, 0], X[:, 0])
    with pytest.warns(UserWarning, match=r"SVC: the kernel is not positive semi-definite.*eigenvalue -.*mercer.repair"):
        m = SVC(kernel="precomputed", max_iter=1000).fit(K, y)
    assert m.predict(K).shape == y.shape
    with pytest.raises(mercer.NotPositiveDefinite, match="smallest eigenvalue -"):
        SVC(kernel="precomputed", check_psd="raise").fit(K, y)
    SVC(kernel="precomputed", check_psd="off", max_iter=-1).fit(mercer.repair(K).K, y)


def test_a_kernel_known_not_to_be_positive_is_met_by_the_policy_unless_named_I6():
    k = Sigmoid(2.0, offset=-1.0)
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        SVC(kernel=k, max_iter=1000).fit(X, y)
    SVC(kernel="sigmoid", gamma=0.1).fit(X, y)
    with pytest.raises(mercer.NotPositiveDefinite):
        SVC(kernel="sigmoid", gamma=2.0, coef0=-1.0, check_psd="raise").fit(X, y)
    SVC(check_psd="raise").fit(X, y)


def test_a_function_is_tried_only_when_asked_for_I6():
    def distance(A, B):
        return np.abs(A[:, None, 0] - B[None, :, 0])

    with pytest.raises(mercer.NotPositiveDefinite):
        SVC(kernel=distance, check_psd="raise").fit(X, y)
