"""GP-LVM (M39): probabilistic PCA with the linear kernel, and more than PCA with others."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import subspace_angles
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import GPLVM
from mercer.estimators.gaussian_process.gplvm import _value_and_slope
from mercer.kernels import RBF, Fixed, Linear, Matern, Polynomial
from mercer.solvers.gplvm import ppca

rng = np.random.default_rng(0)
FLAT = rng.normal(size=(40, 2)) @ rng.normal(size=(2, 6)) + 0.3 * rng.normal(size=(40, 6)) + 5.0


@parametrize_with_checks([GPLVM(1, max_iter=20)])
def test_scikit_learns_own_checks_pass_I4(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "kernel", [1.0 * RBF((1.0, 2.0)), Matern(1.5, nu=2.5) + 0.5 * Linear(), Polynomial(2)], ids=repr
)
def test_the_slope_is_that_of_differences_M39(kernel):
    Y = rng.normal(size=(10, 4))
    x = np.concatenate([rng.normal(size=20), kernel.theta, [np.log(0.3)]])
    _, slope = _value_and_slope(x, (10, 2), kernel, Y, 4)
    for j in range(len(x)):
        h = np.zeros_like(x)
        h[j] = 1e-5
        ends = [_value_and_slope(x + sign * h, (10, 2), kernel, Y, 4)[0] for sign in (1.0, -1.0)]
        assert_allclose(slope[j], (ends[0] - ends[1]) / 2e-5, rtol=1e-5, atol=1e-6)


def test_the_linear_kernel_finds_the_principal_subspace_M39():
    model = GPLVM(2, Linear(), tol=1e-5).fit(FLAT)
    scores = PCA(2).fit_transform(FLAT)
    assert model.converged_
    assert subspace_angles(model.embedding_, scores).max() < 1e-5
    _, noise, value = ppca((FLAT - model.mean_) / model.scale_, 2)
    assert_allclose(model.log_likelihood_, value, rtol=1e-8)
    assert_allclose(model.noise_, noise, rtol=1e-4)


def test_the_linear_kernel_reconstructs_like_probabilistic_PCA_M39():
    """The mean shrinks PCA's reconstruction by l / (l + s^2) along each axis, so it is never far from it."""
    model = GPLVM(2, Linear(), tol=1e-5).fit(FLAT)
    pca = PCA(2).fit(FLAT)
    again = pca.inverse_transform(pca.transform(FLAT))
    found = model.inverse_transform(model.embedding_)
    assert_allclose(found, again, atol=0.15 * (again - again.mean(axis=0)).std())
    assert np.var(found - found.mean(axis=0)) < np.var(again - again.mean(axis=0))


def test_a_curve_needs_one_nonlinear_coordinate_M39():
    """An arc in the plane: one latent coordinate in the order of the arc, which PCA folds over."""
    t = np.linspace(0.0, 1.5 * np.pi, 60)
    arc = np.column_stack([np.cos(t), np.sin(t)]) + 0.02 * rng.normal(size=(60, 2))
    curved, flat = GPLVM(1, n_restarts=2, random_state=0).fit(arc), GPLVM(1, Linear()).fit(arc)
    assert curved.log_likelihood_ > flat.log_likelihood_ + 10.0
    left = [np.var(arc - m.inverse_transform(m.embedding_)) for m in (curved, flat)]
    assert left[0] < 0.1 * left[1]


def test_restarts_never_end_lower_and_are_reported_best_first_M39():
    one, more = GPLVM(1).fit(FLAT), GPLVM(1, n_restarts=3, random_state=0).fit(FLAT)
    values = [found.value for found in more.climbs_]
    assert len(values) == 4
    assert values == sorted(values, reverse=True)
    assert more.log_likelihood_ == values[0] >= one.log_likelihood_
    assert_array_equal(GPLVM(1, n_restarts=3, random_state=0).fit(FLAT).embedding_, more.embedding_)


def test_units_of_the_data_change_nothing_M39():
    small, large = GPLVM(2).fit(FLAT), GPLVM(2).fit(1024.0 * FLAT)
    assert_allclose(large.embedding_, small.embedding_, atol=1e-3)
    assert_allclose(large.scale_, 1024.0 * small.scale_, rtol=1e-12)


def test_more_columns_than_rows_are_welcome_M39():
    wide = rng.normal(size=(12, 2)) @ rng.normal(size=(2, 300))
    model = GPLVM(2).fit(wide)
    assert model.embedding_.shape == (12, 2)
    assert_allclose(model.inverse_transform(model.embedding_), wide, atol=0.2 * wide.std())


def test_fixed_hyper_parameters_stay_and_constant_data_do_no_harm_M39():
    model = GPLVM(1, Fixed(2.0) * RBF(Fixed(1.0))).fit(FLAT[:15])
    assert model.kernel_ == Fixed(2.0) * RBF(Fixed(1.0))
    assert np.isfinite(GPLVM(1).fit(np.ones((6, 3))).embedding_).all()


def test_clones_pickles_and_fit_transform_agree_I4():
    model = clone(GPLVM(2)).fit(FLAT)
    assert_array_equal(GPLVM(2).fit_transform(FLAT), model.embedding_)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.inverse_transform(model.embedding_[:3]), model.inverse_transform(model.embedding_[:3]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 40}, "below the number of rows"),
        ({"n_components": 1.5}, "n_components"),
        ({"kernel": "rbf"}, "kernel object"),
        ({"n_restarts": -1}, "n_restarts"),
        ({"tol": 0.0}, "tol"),
    ],
)
def test_bad_options_are_refused_with_a_cure_I5(options, message):
    with pytest.raises(ValueError, match=message):
        GPLVM(**options).fit(FLAT)


def curve(t):
    return np.column_stack([np.cos(t), np.sin(t), t / 3.0]) + 0.01 * np.random.default_rng(1).normal(size=(len(t), 3))


def test_new_rows_are_placed_where_they_are_most_probable_M39():
    model = GPLVM(1, random_state=0).fit(curve(np.linspace(0.0, 4.0, 40)))
    t = np.array([0.33, 1.71, 2.05, 3.6])
    Z = model.transform(curve(t))
    assert_allclose(model.inverse_transform(Z), curve(t), atol=0.06)
    order = np.argsort(Z[:, 0])
    assert list(order) in ([0, 1, 2, 3], [3, 2, 1, 0])
    for y, z in zip((curve(t) - model.mean_) / model.scale_, Z, strict=True):
        best, slope = model._density(y, z)
        assert np.abs(slope).max() < 10 * model.tol
        assert all(model._density(y, z + step)[0] <= best + 1e-6 for step in (-0.01, 0.01))


@pytest.mark.parametrize("kernel", [1.0 * RBF((1.0, 2.0)), 0.7 * Linear() + 0.2 * RBF(1.0)], ids=repr)
def test_the_slope_of_a_new_point_is_that_of_differences_M39(kernel):
    model = GPLVM(2, kernel, max_iter=5).fit(FLAT)
    y, z, h = rng.normal(size=6), rng.normal(size=2), 1e-5
    _, slope = model._density(y, z)
    numeric = [(model._density(y, z + h * e)[0] - model._density(y, z - h * e)[0]) / (2 * h) for e in np.eye(2)]
    assert_allclose(slope, numeric, rtol=1e-5, atol=1e-6)
    densities = model._log_densities(y)
    assert_allclose(densities[7], model._density(y, model.embedding_[7])[0], rtol=1e-6)


def test_fitted_rows_keep_their_points_M39():
    model = GPLVM(2, max_iter=30).fit(FLAT)
    assert_array_equal(model.transform(FLAT), model.embedding_)
    with pytest.raises(ValueError, match="features"):
        model.transform(FLAT[:, :3])


def test_more_components_than_columns_are_allowed_M39():
    flat = np.random.default_rng(0).normal(size=(25, 2))
    model = GPLVM(4, random_state=0).fit(flat)
    assert model.embedding_.shape == (25, 4)
    assert np.isfinite(model.log_likelihood_)
