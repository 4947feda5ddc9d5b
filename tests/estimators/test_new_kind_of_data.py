"""Every machine fits to a third kind of training data, which has only the four members of the protocol (I3, I7)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

import mercer
from mercer.estimators.training_data import Data, GivenGram
from mercer.gram import FeatureGram, StoredGram

rng = np.random.default_rng(0)
X, Xnew = rng.normal(size=(60, 2)), rng.normal(size=(40, 2))
labels = np.where(X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=60) > 0.0, "same", "other")
numbers = np.sin(X[:, 0]) + X[:, 1]


def phi(X):
    """Features of which no kernel object is known."""
    return np.column_stack([X, X**2, X[:, 0] * X[:, 1], np.tanh(X)])


class Features(Data):
    """Explicit features: k(x, y) = <phi(x), phi(y)>."""

    def __init__(self, Z):
        self.Z = Z

    def __len__(self):
        return len(self.Z)

    def gram(self):
        return FeatureGram(self.Z)

    def keep(self, index):
        return Features(self.Z[index])

    def cross(self, X):
        return FeatureGram(phi(X), self.Z)


def on_features(machine, kind=Features):
    """A machine of the same class and parameters whose training data are features."""
    cls = type(machine)
    other = type(cls.__name__, (cls,), {"_data": lambda self, X: kind(phi(X))})
    return other(**machine.get_params(deep=False))


machines = {
    "SVC": (mercer.SVC(C=2.0), labels),
    "SVC, penalised intercept": (mercer.SVC(C=2.0, penalty_intercept=True), labels),
    "NuSVC": (mercer.NuSVC(nu=0.3), labels),
    "SVR": (mercer.SVR(epsilon=0.2), numbers),
    "OneClassSVM": (mercer.OneClassSVM(nu=0.2), None),
    "KernelRidge": (mercer.KernelRidge(0.1, fit_intercept=True), numbers),
    "KernelRidge, several alphas": (mercer.KernelRidge([0.1, 1.0]), numbers),
    "KernelLogisticRegression": (mercer.KernelLogisticRegression(), labels),
    "KernelQuantileRegressor": (mercer.KernelQuantileRegressor(quantile=0.3), numbers),
    "KernelGradientDescent": (mercer.KernelGradientDescent(max_iter=20), numbers),
    "L2VM": (mercer.L2VMRegressor(), numbers),
    "RVM": (mercer.RVMRegressor(), numbers),
    "RBFNetwork": (mercer.RBFNetworkClassifier(prototypes=[3, 1, 4]), labels),
}


@pytest.mark.parametrize(("machine", "y"), machines.values(), ids=machines)
def test_every_machine_fits_to_a_new_kind_of_data_as_it_does_to_its_matrix(machine, y):
    own = on_features(machine).fit(X, y)
    given = clone(machine).set_params(kernel="precomputed").fit(phi(X) @ phi(X).T, y)
    values = "decision_function" if hasattr(machine, "decision_function") else "predict"
    found, expected = getattr(own, values)(Xnew), getattr(given, values)(phi(Xnew) @ phi(X).T)
    assert_allclose(found, expected, atol=2e-3 * np.ptp(expected))  # the tolerance of support vector machines


class Dense(Features):
    """The same without a word on its features."""

    def gram(self):
        return StoredGram.of(self.Z @ self.Z.T)

    def keep(self, index):
        return Dense(self.Z[index])


@pytest.mark.parametrize("n", [60, 700])  # from 500 on, linear machines are solved on their features
def test_features_are_found_by_the_solver_behind_any_data(n):
    X = rng.normal(size=(n, 2))
    y = X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0.0
    machine = mercer.SVC(C=2.0, tol=1e-6)
    model, other = (on_features(machine, kind).fit(X, y) for kind in (Features, Dense))
    assert model.certificate_.relative_gap < 1e-5
    assert_allclose(model.decision_function(Xnew), other.decision_function(Xnew), atol=1e-4)


def test_a_kind_without_kernel_or_items_says_so():
    data = Features(phi(X))
    assert (data.kernel, data.psd, data.linear, data.features()) == (None, None, False, None)
    assert data.slots() == data.jvp_products(np.ones((60, 1))) == []
    assert data.items.shape == (60, 0)
    assert data.as_passed().shape == (0, 0)
    with pytest.raises(ValueError, match="cannot grow"):
        data.extended(Xnew)


@pytest.mark.parametrize("data", [Features(phi(X)), GivenGram.of(phi(X) @ phi(X).T)], ids=["features", "matrix"])
def test_items_that_are_taken_are_training_data_of_their_own(data):
    some = np.array([5, 0, 17])
    assert_allclose(data.take(some).gram().dense(), phi(X[some]) @ phi(X[some]).T)
    assert_allclose(data.plus_one().gram().dense(), phi(X) @ phi(X).T + 1.0)
