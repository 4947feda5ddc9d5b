"""Epsilon-SVR and nu-SVR as machines: closed forms, the map between them, squared slacks, b^2/2."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer import SVR, NuSVR
from mercer.kernels import RBF
from mercer.testing.quadratic_program import solve_qp
from mercer.testing.svm_programs import svr_primal

TIGHT = 1e-9
rng = np.random.default_rng(0)
X = np.sort(rng.uniform(-3.0, 3.0, size=(40, 1)), axis=0)
y = np.sin(X[:, 0]) + 0.2 * rng.normal(size=40)
k = RBF(0.9)
K = k(X)


def test_two_points_are_joined_by_a_line_that_spares_epsilon_M26():
    m = SVR(kernel="linear", epsilon=0.1, C=1e3, tol=TIGHT).fit([[-1.0], [1.0]], [-1.0, 1.0])
    assert_allclose(m.coef_, [[0.9]], atol=1e-8)
    assert_allclose(m.intercept_, 0.0, atol=1e-8)
    assert_allclose(m.dual_coef_, [[-0.45, 0.45]], atol=1e-8)


def test_a_tube_wider_than_the_data_needs_no_support_vectors_M26():
    for kernel, items in ((k, X), ("linear", X), ("precomputed", K)):
        m = SVR(kernel=kernel, epsilon=10.0).fit(items, y)
        assert len(m.support_) == 0
        assert m.dual_coef_.shape == (1, 0)
        assert_allclose(m.predict(items), m.intercept_[0])
        assert abs(m.intercept_[0] - 0.5 * (y.max() + y.min())) <= 10.0 - 0.5 * np.ptp(y) + 1e-9


def test_items_inside_the_tube_have_no_coefficient_and_others_are_bounded_by_C_T23():
    m = SVR(kernel=k, C=2.0, epsilon=0.15, tol=TIGHT).fit(X, y)
    residual = np.abs(y - m.predict(X))
    outside = np.setdiff1d(np.arange(40), m.support_)
    assert (residual[outside] <= 0.15 + 1e-8).all()
    assert (residual[m.support_] >= 0.15 - 1e-8).all()
    assert np.abs(m.dual_coef_).max() <= 2.0
    assert_allclose(m.dual_coef_.sum(), 0.0, atol=1e-10)


def test_a_linear_machine_is_the_primal_quadratic_program_M26():
    primal = solve_qp(svr_primal(X, y, 2.0, 0.1))
    m = SVR(kernel="linear", C=2.0, epsilon=0.1, tol=TIGHT).fit(X, y)
    assert_allclose(np.r_[m.coef_[0], m.intercept_], primal.x[:2], atol=1e-5)
    assert_allclose(m.certificate_.primal, primal.primal, rtol=1e-6)


@pytest.mark.parametrize("nu", [0.2, 0.5, 0.7])
def test_nu_svr_finds_the_epsilon_at_which_epsilon_svr_is_the_same_M27_T25(nu):
    one = NuSVR(kernel=k, C=2.0, nu=nu, tol=TIGHT).fit(X, y)
    other = SVR(kernel=k, C=2.0, epsilon=one.epsilon_, tol=TIGHT).fit(X, y)
    assert one.epsilon_ > 0.0
    assert_allclose(one.predict(X), other.predict(X), atol=1e-6)
    assert_allclose(np.abs(other.dual_coef_).sum(), 2.0 * nu * 40, rtol=1e-5)  # sum a + a' = C nu n


def test_the_tube_narrows_as_nu_grows_T25():
    widths = [NuSVR(kernel=k, nu=nu, tol=1e-7).fit(X, y).epsilon_ for nu in np.linspace(0.1, 1.0, 7)]
    assert (np.diff(widths) <= 1e-6).all()
    assert widths[0] > widths[-1]


@pytest.mark.parametrize("nu", np.linspace(0.1, 0.9, 5))
def test_nu_lies_between_errors_and_support_vectors_T24(nu):
    m = NuSVR(kernel=k, nu=nu, C=5.0, tol=1e-8).fit(X, y)
    errors = np.mean(np.abs(y - m.predict(X)) > m.epsilon_ + 1e-6)
    assert m.epsilon_ > 0.0
    assert errors <= nu + 1e-9 <= len(m.support_) / 40 + 1e-8


def test_items_are_not_copied_for_nu_svr_on_a_precomputed_gram_I3():
    given, direct = NuSVR(kernel="precomputed", tol=TIGHT).fit(K, y), NuSVR(kernel=k, tol=TIGHT).fit(X, y)
    assert_array_equal(given.support_, direct.support_)
    assert_allclose(given.predict(K), direct.predict(X), atol=1e-7)


# ---- variants


def test_squared_slacks_without_a_tube_or_a_bias_are_kernel_ridge_M29():
    """With b^2/2 in the objective the kernel is k + 1 and there is no bias: c = (K + 1 + I / (2 C))^-1 y."""
    m = SVR(kernel=k, C=3.0, epsilon=0.0, squared=True, penalty_intercept=True, tol=TIGHT).fit(X, y)
    c = np.linalg.solve(K + 1.0 + np.eye(40) / 6.0, y)
    assert_allclose(m.dual_coef_[0], c, atol=1e-7)
    assert_allclose(m.intercept_, c.sum(), atol=1e-7)
    assert_allclose(m.predict(X), (K + 1.0) @ c, atol=1e-7)


def test_squared_slacks_without_a_tube_solve_the_bordered_system_M29():
    m = SVR(kernel=k, C=3.0, epsilon=0.0, squared=True, tol=TIGHT).fit(X, y)
    border = np.block([[np.zeros((1, 1)), np.ones((1, 40))], [np.ones((40, 1)), K + np.eye(40) / 6.0]])
    b, *c = np.linalg.solve(border, np.r_[0.0, y])
    assert_allclose(m.dual_coef_[0], c, atol=1e-6)
    assert_allclose(m.intercept_, b, atol=1e-6)
    assert len(m.support_) == 40  # no tube, no bound: every item has a coefficient


def test_a_penalised_intercept_is_the_primal_with_half_its_square_M28():
    program = svr_primal(X, y + 1.0, 2.0, 0.1)
    primal = solve_qp(replace(program, P=program.P + np.diag(np.eye(len(program.q))[1])))
    m = SVR(kernel="linear", C=2.0, epsilon=0.1, penalty_intercept=True, tol=TIGHT).fit(X, y + 1.0)
    free = SVR(kernel="linear", C=2.0, epsilon=0.1, tol=TIGHT).fit(X, y + 1.0)
    assert_allclose(np.r_[m.coef_[0], m.intercept_], primal.x[:2], atol=1e-5)
    assert_allclose(m.intercept_, m.dual_coef_.sum(), atol=1e-12)
    assert abs(m.intercept_[0]) <= abs(free.intercept_[0])


def test_a_penalised_intercept_equals_the_kernel_plus_one_given_as_a_gram_M28():
    m = SVR(kernel=k, penalty_intercept=True, tol=TIGHT).fit(X, y)
    given = SVR(kernel="precomputed", penalty_intercept=True, tol=TIGHT).fit(K, y)
    assert_allclose(m.predict(X), given.predict(K), atol=1e-8)
    assert_allclose(m.predict(X), (K[:, m.support_] + 1.0) @ m.dual_coef_[0], atol=1e-8)


# ---- weights, edges, bad input


@pytest.mark.parametrize("machine", [SVR(kernel=k, tol=1e-8), NuSVR(kernel=k, tol=1e-8)], ids=["epsilon", "nu"])
@pytest.mark.parametrize("w", [np.arange(40) % 3, np.arange(40) % 2], ids=["up to two", "one half"])
def test_weight_zero_is_absence_and_weight_two_is_repetition(machine, w):
    rows = np.repeat(np.arange(40), w)
    f = machine.fit(X, y, sample_weight=w).predict(X)
    assert set(machine.support_) <= set(np.flatnonzero(w))
    assert_allclose(f, machine.fit(X[rows], y[rows]).predict(X), atol=1e-5)


@pytest.mark.parametrize("machine", [SVR(), NuSVR()], ids=["epsilon", "nu"])
def test_constant_targets_give_a_constant_I5(machine):
    assert_allclose(machine.fit(X, np.full(40, 7.0)).predict(X), 7.0, atol=0.11)


def test_one_item_is_enough_I5():
    assert_allclose(SVR().fit([[1.0]], [3.0]).predict([[1.0], [9.0]]), 3.0, atol=0.11)


def test_refitting_the_support_vectors_alone_changes_nothing_I7():
    m = SVR(kernel=k, C=2.0, tol=TIGHT).fit(X, y)
    f = m.predict(X)
    assert len(m.support_) < 40
    assert_allclose(SVR(kernel=k, C=2.0, tol=TIGHT).fit(X[m.support_], y[m.support_]).predict(X), f, atol=1e-6)


@pytest.mark.parametrize(("machine", "fault"), [
    (SVR(epsilon=-0.1), "SVR: epsilon must be a number >= 0; got -0.1"),
    (SVR(epsilon=np.nan), "epsilon must be a number >= 0"),
    (SVR(C=0), "SVR: C must be a positive number; got 0"),
    (NuSVR(C=np.inf), "NuSVR: C must be a finite number; got inf"),
    (NuSVR(C=-1.0), "NuSVR: C must be a positive number"),
    (NuSVR(nu=0.0), "NuSVR: nu must be a number with 0 < nu <= 1"),
    (NuSVR(nu=1.01), "NuSVR: nu must be a number with 0 < nu <= 1"),
], ids=str)  # fmt: skip
def test_settings_out_of_range_are_refused_I5(machine, fault):
    with pytest.raises(ValueError, match=fault):
        machine.fit(X, y)


@pytest.mark.parametrize("target", [np.where(y > 0, y, np.nan), np.where(y > 0, y, np.inf)], ids=["nan", "inf"])
def test_targets_that_are_no_numbers_are_refused_I5(target):
    with pytest.raises(ValueError, match="Input y contains"):
        SVR().fit(X, target)
