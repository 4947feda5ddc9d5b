"""Kernels without free parameters, parameters at their bounds, and what scikit-learn's users expect of both (M32)."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessClassifier as TheirClassifier
from sklearn.gaussian_process import GaussianProcessRegressor as TheirRegressor
from sklearn.gaussian_process import kernels as sk

from mercer import GaussianProcessClassifier, GaussianProcessRegressor
from mercer.estimators.gaussian_process.report import AtBound
from mercer.kernels import RBF, Bounded, Fixed

rng = np.random.default_rng(0)
X = rng.uniform(-3.0, 3.0, size=(40, 2))
y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.normal(size=40)
labels = (y > 0.0).astype(int)
NEW = rng.uniform(-4.0, 4.0, size=(15, 2))
FIXED = [
    sk.RBF(1.0, "fixed"),
    sk.ConstantKernel(2.0, "fixed") * sk.Matern(1.5, "fixed") + sk.WhiteKernel(0.1, "fixed"),
    sk.DotProduct(0.7, "fixed") ** 2,
]


@pytest.mark.parametrize("kernel", FIXED, ids=repr)
def test_a_kernel_of_scikit_learn_may_be_all_fixed_M32(kernel):
    ours, theirs = (kind(kernel, alpha=0.05) for kind in (GaussianProcessRegressor, TheirRegressor))
    for a, b in zip(ours.predict(NEW, return_std=True), theirs.predict(NEW, return_std=True), strict=True):
        assert_allclose(a, b, atol=1e-10)
    ours.fit(X, y), theirs.fit(X, y)
    for a, b in zip(ours.predict(NEW, return_std=True), theirs.predict(NEW, return_std=True), strict=True):
        assert_allclose(a, b, atol=1e-8)
    assert_allclose(ours.log_marginal_likelihood(np.empty(0)), theirs.log_marginal_likelihood_value_, rtol=1e-9)
    assert ours.kernel_ == kernel


def test_the_classifier_takes_a_fixed_kernel_of_scikit_learn_M38():
    ours, theirs = (kind(FIXED[1]).fit(X, labels) for kind in (GaussianProcessClassifier, TheirClassifier))
    assert_allclose(ours.log_marginal_likelihood_value_, theirs.log_marginal_likelihood_value_, rtol=1e-8)
    assert_allclose(ours.predict_proba(NEW), theirs.predict_proba(NEW), atol=3e-4)


def test_the_default_kernel_of_the_classifier_is_fixed_as_in_scikit_learn_M38():
    ours, theirs = (kind().fit(X, labels) for kind in (GaussianProcessClassifier, TheirClassifier))
    assert ours.kernel_ == Fixed(1.0) * RBF(Fixed(1.0))
    assert_allclose(ours.log_marginal_likelihood_value_, theirs.log_marginal_likelihood_value_, rtol=1e-8)
    assert_allclose(ours.predict_proba(NEW), theirs.predict_proba(NEW), atol=3e-4)  # theirs are approximate


def test_the_default_kernel_of_the_regressor_is_tuned_to_where_scikit_learn_ends_M32():
    ours, theirs = (kind(alpha=0.01).fit(X, y) for kind in (GaussianProcessRegressor, TheirRegressor))
    assert_allclose(ours.kernel_.theta, theirs.kernel_.theta, atol=1e-3)
    assert_allclose(ours.predict(NEW), theirs.predict(NEW), atol=1e-4)


def test_a_stack_of_kernels_is_refused_with_the_argument_named():
    stack = sk.CompoundKernel([sk.RBF(), sk.Matern()])
    for machine, t in ((GaussianProcessRegressor(stack), y), (GaussianProcessClassifier(stack), labels)):
        with pytest.raises(ValueError, match=r"kernel must be a single kernel; got a CompoundKernel"):
            machine.fit(X, t)


def test_a_generic_kernel_of_scikit_learn_gets_arrays_where_arrays_were_given():
    class FirstColumn(sk.ConstantKernel):
        def diag(self, X):
            return X[:, 0] ** 2 + 1.0

    gp = GaussianProcessRegressor(FirstColumn(1.0, "fixed"), alpha=0.5).fit(X, y)
    assert gp.predict(NEW, return_std=True)[1].shape == (15,)


# ---- theta


def test_a_likelihood_without_a_clone_leaves_kernel_at_theta_M32():
    kernel = sk.ConstantKernel(1.0) * sk.RBF(1.0)
    machines = (
        GaussianProcessRegressor(kernel, alpha=0.1).fit(X, y), GaussianProcessClassifier(kernel).fit(X, labels),
        GaussianProcessRegressor(1.0 * RBF(1.0), alpha=0.1).fit(X, y),
    )  # fmt: skip
    for machine in machines:
        before, found = machine.predict(NEW), machine.kernel_.theta.copy()
        value = machine.log_marginal_likelihood(np.array([0.3, -0.2]), clone_kernel=True)
        assert_array_equal(machine.kernel_.theta, found)
        assert machine.log_marginal_likelihood(np.array([0.3, -0.2]), clone_kernel=False) == value
        assert_allclose(machine.kernel_.theta, [0.3, -0.2], atol=1e-12)
        assert_array_equal(machine.predict(NEW), before)


def test_a_likelihood_is_a_double_of_numpy_so_that_single_precision_beside_it_does_not_win():
    for machine, t in ((GaussianProcessRegressor(alpha=0.1), y), (GaussianProcessClassifier(), labels)):
        value = machine.fit(X, t).log_marginal_likelihood()
        assert (value - np.float32(0.0)).dtype == np.float64


# ---- bounds

TIGHT = sk.ConstantKernel(1.0, (0.9, 1.1)) * sk.RBF([1.0, 1.0], (0.9, 1.1)) + sk.WhiteKernel(0.5, (0.4, 0.6))


def test_parameters_at_their_bounds_are_told_with_the_bound_and_the_cure_M32():
    with pytest.warns(AtBound) as record:
        gp = GaussianProcessRegressor(TIGHT).fit(X, y)
    (told,) = record
    assert issubclass(told.category, ConvergenceWarning)
    assert told.filename == __file__
    text = str(told.message)
    assert "k1__k2__length_scale[1] ended at its upper bound 1.1: raise it with k1__k2__length_scale_bounds" in text
    assert "k2__noise_level ended at its lower bound 0.4: lower it with k2__noise_level_bounds" in text
    ended = gp.kernel_.theta[:, None] == gp.kernel_.bounds
    assert ended.any(axis=1).sum() == text.count("ended at")


def test_our_parameters_at_their_bounds_are_told_too_M32():
    kernel = Fixed(1.0) * RBF(Bounded((1.0, 1.0), 0.9, 1.1))
    with pytest.warns(AtBound, match=r"RBF.lengthscale\[1\] ended at its upper bound 1.1: raise it with Bounded"):
        GaussianProcessRegressor(kernel, noise=0.1).fit(X, y)
    with pytest.warns(AtBound, match=r"noise ended at its lower bound 0.5: lower it with Bounded"):
        GaussianProcessRegressor(1.0 * RBF(1.0), noise=Bounded(0.6, 0.5, 0.7)).fit(X, y)
    with pytest.warns(AtBound, match="GaussianProcessClassifier: RBF.lengthscale ended at its upper bound 0.5"):
        GaussianProcessClassifier(RBF(Bounded(0.4, 0.3, 0.5))).fit(X, labels)


def test_nothing_ends_at_a_bound_that_is_infinite_M32():
    free = Bounded(1.0, 0.0, np.inf)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gp = GaussianProcessRegressor(free * RBF(free), noise=Bounded(0.1, 0.0, np.inf)).fit(X, y)
    assert gp.fit_report_.at_bounds == ()


def test_an_optimizer_of_the_user_is_told_of_bounds_M32():
    def to_the_end(objective, theta, bounds):
        return bounds[:, 1], objective(bounds[:, 1], eval_gradient=False)

    with pytest.warns(AtBound, match="upper bound 3"):
        GaussianProcessRegressor(sk.RBF(1.0, (0.1, 3.0)), alpha=0.1, optimizer=to_the_end).fit(X, y)


def test_bounds_that_come_from_the_data_are_only_reported_M32():
    """The third column is irrelevant: its lengthscale goes as far as it may."""
    wide = np.column_stack([X, rng.normal(size=40)])
    gp = GaussianProcessRegressor("rbf").fit(wide, np.sin(X[:, 0]))
    assert gp.fit_report_.at_bounds
    assert GaussianProcessRegressor(1.0 * RBF(1.0), noise="learn").fit(X, y).converged_
