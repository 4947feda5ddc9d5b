"""A machine on as many landmarks as items is the exact machine; on fewer, it is the exact machine of its features."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

import mercer
from mercer.kernels import RBF, Polynomial

rng = np.random.default_rng(0)
n = 80
X, Xnew = rng.normal(size=(n, 3)), rng.normal(size=(30, 3))
numbers = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n)
labels = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0.0, "same", "other")
classes = np.digitize(X[:, 0] + 0.3 * rng.normal(size=n), [-0.5, 0.5])
K = RBF(0.8)
weight = rng.uniform(0.5, 2.0, size=n)

machines = {
    "KernelRidge": (mercer.KernelRidge(0.1, kernel=K), numbers),
    "KernelRidge, intercept": (mercer.KernelRidge(0.1, kernel=K, fit_intercept=True), numbers),
    "KernelRidge, outputs": (mercer.KernelRidge([0.1, 1.0], kernel=K), np.column_stack([numbers, X[:, 2]])),
    "KernelRidge, candidates": (mercer.KernelRidge([0.1, 1.0, 10.0], kernel=K, fit_intercept=True), numbers),
    "KernelRidgeCV": (mercer.KernelRidgeCV([K, RBF(1.2)], [0.1, 1.0]), numbers),
    "KernelLogisticRegression": (mercer.KernelLogisticRegression(kernel=K, tol=1e-14), labels),
    "KernelLogisticRegression, classes": (mercer.KernelLogisticRegression(kernel=K, tol=1e-14), classes),
    "KernelRiskClassifier": (mercer.KernelRiskClassifier(kernel=K, tol=1e-13), labels),
    "KernelRiskRegressor": (mercer.KernelRiskRegressor(kernel=K, tol=1e-13), numbers),
    "KernelQuantileRegressor": (mercer.KernelQuantileRegressor(kernel=K, tol=1e-9), numbers),
    "SVC": (mercer.SVC(kernel=K, tol=1e-10), labels),
    "SVC, classes": (mercer.SVC(kernel=K, tol=1e-10), classes),
    "SVC, penalised intercept": (mercer.SVC(kernel=K, tol=1e-10, penalty_intercept=True), labels),
    "SVR": (mercer.SVR(kernel=K, tol=1e-10), numbers),
    "KernelPCA": (mercer.KernelPCA(3, kernel=K), None),
    "KernelKMeans": (mercer.KernelKMeans(3, kernel=K, random_state=0), None),
}


def values(machine, X):
    for name in ("decision_function", "transform", "predict"):
        if hasattr(machine, name):
            return getattr(machine, name)(X)
    raise AssertionError


@pytest.mark.parametrize(("machine", "y"), machines.values(), ids=machines)
def test_all_items_as_landmarks_are_the_exact_machine_H1(machine, y):
    exact = clone(machine).set_params(method="exact").fit(X, y)
    low = clone(machine).set_params(method="nystrom", n_landmarks=n).fit(X, y)
    assert (exact.method_, low.method_) == ("exact", "nystrom")
    assert exact.approximation_ is None
    assert low.approximation_.rank == n
    assert low.approximation_.relative_trace_error < 1e-9
    # a support vector machine is unique in f only to the square root of its gap
    assert_allclose(values(low, Xnew), values(exact, Xnew), atol=1e-8 * max(1.0, np.abs(values(exact, Xnew)).max()))


@pytest.mark.parametrize(("machine", "y"), machines.values(), ids=machines)
def test_a_machine_on_landmarks_is_that_of_its_features_H1(machine, y):
    if isinstance(machine, (mercer.KernelRidgeCV, mercer.KernelKMeans)):
        pytest.skip("other kernels, or other starts, for a matrix")
    low = clone(machine).set_params(method="nystrom", n_landmarks=25).fit(X, y)
    assert low.approximation_.rank == 25
    Z = X[mercer.KernelRidge(kernel=K, method="nystrom", n_landmarks=25).fit(X, numbers).support_]
    W = np.linalg.pinv(K(Z), hermitian=True)
    near, new = K(X, Z) @ W @ K(Z, X), K(Xnew, Z) @ W @ K(Z, X)
    given = clone(machine).set_params(method="exact", kernel="precomputed").fit(near, y)
    assert_allclose(np.abs(values(low, Xnew)), np.abs(values(given, new)), atol=2e-6 * np.abs(values(given, new)).max())
    assert_allclose(low.approximation_.trace_error, np.trace(K(X) - near), rtol=1e-6)


@pytest.mark.parametrize(("machine", "y"), machines.values(), ids=machines)
def test_certificates_hold_for_the_problem_that_was_solved_and_are_made_again_H1(machine, y):
    if isinstance(machine, mercer.KernelRidgeCV):
        machine, y = mercer.KernelRidge([0.1, 1.0], kernel=K), numbers
    low = clone(machine).set_params(method="nystrom", n_landmarks=30).fit(X, y)
    assert low.certificate_.converged
    if not isinstance(machine, mercer.KernelPCA):
        assert mercer.verify(low, X, y).converged


@pytest.mark.parametrize(("machine", "y"), machines.values(), ids=machines)
def test_model_files_on_landmarks_predict_alike_H1(machine, y, tmp_path):
    low = clone(machine).set_params(method="nystrom", n_landmarks=20).fit(X, y)
    mercer.save(low, tmp_path / "m.mercer")
    again = mercer.load(tmp_path / "m.mercer")
    assert_allclose(values(again, Xnew), values(low, Xnew), rtol=1e-10, atol=1e-12)
    assert again.approximation_ == low.approximation_
    assert again.method_ == "nystrom"


@pytest.mark.parametrize("intercept", [False, True])
def test_leave_one_out_on_landmarks_is_that_of_refits_H2(intercept):
    low = mercer.KernelRidge([0.3, 1.0], kernel=K, fit_intercept=intercept, method="nystrom", n_landmarks=20)
    low.fit(X, numbers, weight)
    Z = X[low.support_]
    W = np.linalg.pinv(K(Z), hermitian=True)
    near = K(X, Z) @ W @ K(Z, X)
    left = np.empty(n)
    for i in range(n):
        rest = np.delete(np.arange(n), i)
        one = mercer.KernelRidge(low.alpha_, kernel="precomputed", fit_intercept=intercept)
        left[i] = one.fit(near[np.ix_(rest, rest)], numbers[rest], weight[rest]).predict(near[i, rest][None])[0]
    assert_allclose(low.leave_one_out(), left, atol=1e-8)
    expected = np.sum(weight * (numbers - left) ** 2) / weight.sum()
    assert_allclose(low.loo_error_.min(), expected, rtol=1e-8)
    given = mercer.KernelRidge([0.3, 1.0], kernel="precomputed", fit_intercept=intercept).fit(near, numbers, weight)
    assert_allclose(low.loo_error_, given.loo_error_, rtol=1e-8)
    assert_allclose(low.gcv_, given.gcv_, rtol=1e-8)


@pytest.mark.parametrize("landmarks", [5, 20, 60])
@pytest.mark.parametrize("intercept", [False, True])
def test_the_exact_optimum_lies_in_the_interval_that_the_trace_error_gives_H2(landmarks, intercept):
    for alpha in (1e-2, 1.0, 100.0):
        machine = mercer.KernelRidge(alpha, kernel=K, fit_intercept=intercept)
        best = clone(machine).fit(X, numbers, weight).certificate_.primal
        low = machine.set_params(method="nystrom", n_landmarks=landmarks).fit(X, numbers, weight)
        least, most = low.certificate_.exact
        assert least * (1.0 - 1e-9) <= best <= most * (1.0 + 1e-9)


def test_a_kernel_of_finite_rank_needs_no_more_landmarks_than_that_H1():
    low = mercer.KernelRidge(0.1, kernel=Polynomial(2), method="nystrom", n_landmarks=50).fit(X, numbers)
    assert low.approximation_.rank == 10
    assert low.approximation_.relative_trace_error < 1e-10
    assert_allclose(low.predict(Xnew), mercer.KernelRidge(0.1, kernel=Polynomial(2)).fit(X, numbers).predict(Xnew))
