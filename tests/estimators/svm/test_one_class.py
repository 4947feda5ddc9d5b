"""The one-class machine."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer import OneClassSVM
from mercer.kernels import RBF
from mercer.testing.quadratic_program import solve_qp
from mercer.testing.svm_programs import one_class_dual

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 2))
k = RBF(0.8)


@pytest.mark.parametrize("nu", [0.1, 0.3, 0.5, 0.8])
def test_nu_lies_between_outliers_and_support_vectors_T24(nu):
    m = OneClassSVM(kernel=k, nu=nu, tol=1e-8).fit(X)
    outside = np.mean(m.decision_function(X) < -1e-6)
    assert outside <= nu + 1e-9 <= len(m.support_) / 60 + 1e-8


def test_the_machine_is_its_quadratic_program_M36():
    nu = 0.3
    a = solve_qp(one_class_dual(k(X), nu)).x
    m = OneClassSVM(kernel=k, nu=nu, tol=1e-9).fit(X)
    f = k(X) @ a
    free = (a > 1e-4) & (a < 1.0 - 1e-4)
    assert_allclose(m.score_samples(X), f, atol=1e-4)
    assert_allclose(m.offset_, f[free].mean(), atol=1e-4)


def test_scores_and_decisions_differ_by_the_offset():
    m = OneClassSVM(nu=0.2).fit(X)
    assert_allclose(m.score_samples(X) - m.offset_, m.decision_function(X))
    assert_array_equal(m.offset_, -m.intercept_)
    assert_array_equal(m.predict(X), np.where(m.decision_function(X) > 0.0, 1, -1))
    assert_array_equal(m.predict([[50.0, 50.0]]), [-1])
    assert_array_equal(m.fit_predict(X), m.predict(X))


def test_weight_zero_is_absence_and_weight_two_is_repetition():
    w = np.arange(60) % 3
    rows = np.repeat(np.arange(60), w)
    weighted = OneClassSVM(kernel=k, tol=1e-9).fit(X, sample_weight=w).decision_function(X)
    assert_allclose(weighted, OneClassSVM(kernel=k, tol=1e-9).fit(X[rows]).decision_function(X), atol=1e-5)


@pytest.mark.parametrize("nu", [0.0, 1.1, None])
def test_a_nu_that_is_no_share_is_refused_I5(nu):
    with pytest.raises(ValueError, match="OneClassSVM: nu must be a number with 0 < nu <= 1"):
        OneClassSVM(nu=nu).fit(X)
