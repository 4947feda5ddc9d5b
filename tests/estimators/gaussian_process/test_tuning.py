"""Hyper-parameters by evidence: recovery, relevance, priors, restarts, optimizers and the report (M32)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.datasets import make_friedman1, make_friedman2, make_friedman3
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
from sklearn.gaussian_process import kernels as sk

from mercer import GaussianProcessRegressor as Gp
from mercer.estimators.gaussian_process.report import AtBound
from mercer.kernels import RBF, Bounded, Fixed, Matern

rng = np.random.default_rng(0)
X = rng.uniform(-3.0, 3.0, size=(150, 3))
y = np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 / 4.0 + 0.2 * rng.normal(size=150)


def by_scipy(objective, start, bounds):
    found = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return found.x, found.fun


def test_the_gradient_is_that_of_the_log_marginal_likelihood_M32():
    gp = Gp(1.5 * RBF((1.0, 2.0, 3.0)) + Matern(2.0), noise=0.3, mean="linear", normalize_y=True, optimizer=None)
    gp.fit(X, np.column_stack([y, X[:, 0] + y]))
    theta, h = np.r_[gp.kernel_.theta, np.log(0.3)] + 0.1, 1e-5
    value, slope = gp.log_marginal_likelihood(theta, eval_gradient=True)
    numeric = [(gp.log_marginal_likelihood(theta + h * e) - gp.log_marginal_likelihood(theta - h * e)) / (2 * h)
               for e in np.eye(len(theta))]  # fmt: skip
    assert_allclose(slope, numeric, rtol=1e-5, atol=1e-5)
    assert value == gp.log_marginal_likelihood(theta)


def test_the_slope_vanishes_at_the_optimum_or_points_out_of_the_bounds_M32():
    with pytest.warns(AtBound, match=r"RBF.lengthscale\[2\] ended at its upper bound 100000"):
        gp = Gp(1.0 * RBF((1.0, 1.0, 1.0)), noise=0.1).fit(X, y)
    theta = np.r_[gp.kernel_.theta, np.log(gp.noise_)]
    value, slope = gp.log_marginal_likelihood(theta, eval_gradient=True)
    assert_allclose(value, gp.log_marginal_likelihood_value_)
    assert (np.abs(slope) < 1e-3).all()
    assert gp.converged_


def test_irrelevant_inputs_get_long_lengthscales_M32():
    gp = Gp("rbf").fit(X, y)
    assert gp.kernel_.kernel.lengthscale.value[2] > 10.0 * max(gp.kernel_.kernel.lengthscale.value[:2])
    assert_allclose(gp.noise_, 0.04, rtol=0.4)


def test_hyper_parameters_of_the_prior_are_recovered_M32():
    """Within four standard deviations, as the information tells them."""
    points = np.random.default_rng(1).uniform(-4.0, 4.0, size=(400, 1))
    f = Gp(2.0 * RBF(0.7)).sample_y(points, 1, random_state=3)[:, 0]
    t = f + np.sqrt(0.1) * np.random.default_rng(2).normal(size=400)
    gp = Gp(1.0 * RBF(1.0), noise=1.0).fit(points, t)
    found = np.r_[gp.kernel_.theta, np.log(gp.noise_)]
    spread = np.sqrt(np.diag(np.linalg.inv(gp.fit_report_.climbs[-1].curvature)))
    assert (np.abs(found - np.log([2.0, 0.7, 0.1])) < 4.0 * spread).all()
    assert (spread < 0.6).all()


def test_subsets_lead_where_all_items_lead_M32():
    many = np.random.default_rng(1).uniform(-3.0, 3.0, size=(900, 2))
    t = np.sin(2.0 * many[:, 0]) * many[:, 1] + 0.2 * np.random.default_rng(2).normal(size=900)
    kernel = 1.0 * RBF((1.0, 1.0))
    one, other = Gp(kernel, noise=0.1).fit(many, t), Gp(kernel, noise=0.1, optimizer=by_scipy).fit(many, t)
    assert abs(one.log_marginal_likelihood_value_ - other.log_marginal_likelihood_value_) < 0.1
    report = one.fit_report_
    sizes = [climb.size for climb in report.climbs]
    assert sizes[:3] == [450, 450, 900]  # the start and a rougher one on half of the items, then what leads on all
    assert min(climb.evaluations for climb in report.climbs[2:]) <= 8
    assert_allclose(one.kernel_.theta, other.kernel_.theta, atol=0.1)


def test_units_do_not_matter_to_kernels_by_name_M32():
    one, other = Gp("matern").fit(X, y), Gp("matern").fit(1e3 * X - 5e3, 1e-2 * y + 7.0)
    new = rng.uniform(-3.0, 3.0, size=(20, 3))
    (m, s), (mean, std) = one.predict(new, return_std=True), other.predict(1e3 * new - 5e3, return_std=True)
    assert_allclose(mean, 1e-2 * m + 7.0, rtol=1e-4)
    assert_allclose(std, 1e-2 * s, rtol=1e-2)


@pytest.mark.parametrize("unit", [1e-12, 1e-5, 1e9])
def test_targets_may_be_in_any_unit_for_kernels_by_name_M32(unit):
    one, other = Gp("rbf").fit(X, y), Gp("rbf").fit(X, unit * y)
    for found, expected in zip(other.predict(X, return_std=True), one.predict(X, return_std=True), strict=True):
        assert_allclose(found / unit, expected, rtol=1e-3, atol=1e-3)


def test_one_wild_row_does_not_spoil_a_kernel_by_name_M32():
    wild = np.vstack([X, np.full((1, 3), 1e9)])
    mean = Gp("rbf").fit(wild, np.append(y, 0.0)).predict(X)
    assert_allclose(mean, Gp("rbf").fit(X, y).predict(X), atol=0.1 * y.std())


def test_fixed_hyper_parameters_stay_and_bounds_hold_M32():
    with pytest.warns(AtBound, match="noise ended at its lower bound"):
        gp = Gp(Fixed(2.0) * RBF(Bounded((1.0, 1.0, 1.0), 0.9, 1.1)), noise=Bounded(0.1, 0.09, 0.5)).fit(X, y)
    assert gp.kernel_.factor == Fixed(2.0)
    assert all(0.9 <= l <= 1.1 for l in gp.kernel_.kernel.lengthscale.value)
    assert "RBF.lengthscale[2]" in gp.fit_report_.at_bounds
    assert "ended at its bound" in str(gp.fit_report_)
    kept = Gp(1.0 * RBF(1.0), noise=0.1, optimizer=None).fit(X, y)
    assert kept.kernel_ == 1.0 * RBF(1.0)
    assert kept.noise_ == 0.1
    assert kept.fit_report_.climbs == ()


def test_a_strong_prior_keeps_hyper_parameters_at_their_start_M32():
    tight, weak, none = (Gp(1.0 * RBF(0.2), noise=0.5, prior=s).fit(X, y) for s in (1e-3, 3.0, None))
    assert_allclose(tight.kernel_.theta, [0.0, np.log(0.2)], atol=1e-2)
    assert none.log_marginal_likelihood_value_ >= weak.log_marginal_likelihood_value_ - 1e-4
    assert weak.log_marginal_likelihood_value_ > tight.log_marginal_likelihood_value_ + 10.0


def test_restarts_escape_a_poor_start_and_are_reported_M32():
    stuck = Gp(1.0 * RBF(1e-3), noise=1.0).fit(X, y)
    free = Gp(1.0 * RBF(1e-3), noise=1.0, n_restarts_optimizer=3, random_state=0).fit(X, y)
    assert free.log_marginal_likelihood_value_ > stuck.log_marginal_likelihood_value_ + 10.0
    assert len(free.fit_report_.starts) == 4
    again = Gp(1.0 * RBF(1e-3), noise=1.0, n_restarts_optimizer=3, random_state=0).fit(X, y)
    assert again.log_marginal_likelihood_value_ == free.log_marginal_likelihood_value_
    with pytest.raises(ValueError, match="finite"):
        Gp(RBF(Bounded(1.0, 0.0, np.inf)), n_restarts_optimizer=1).fit(X, y)


def test_an_optimizer_of_scikit_learns_form_is_called_in_the_users_theta():
    seen = []

    def optimizer(objective, start, bounds):
        seen.append((start, bounds))
        assert objective(start, eval_gradient=False) == objective(start)[0]
        return by_scipy(objective, start, bounds)

    kernel = sk.ConstantKernel(1.0, (1e-2, 1e2)) * sk.RBF(1.0) + sk.WhiteKernel(0.1)
    gp = Gp(kernel, optimizer=optimizer, n_restarts_optimizer=1, random_state=0).fit(X, y)
    assert_allclose(seen[0][0], kernel.theta)
    assert_allclose(seen[0][1], kernel.bounds)
    assert len(seen) == 2
    other = Gp(kernel).fit(X, y)
    assert abs(gp.log_marginal_likelihood_value_ - other.log_marginal_likelihood_value_) < 1e-2


def test_noise_is_learned_from_repeated_inputs_M32():
    points = np.repeat(np.linspace(-2.0, 2.0, 40), 5)[:, None]
    t = np.cos(points[:, 0]) + 0.3 * np.random.default_rng(0).normal(size=200)
    assert_allclose(Gp(1.0 * RBF(1.0), noise="learn").fit(points, t).noise_, 0.09, rtol=0.25)


def lbfgs(gp_options, kernel, points, t):
    return Gp(kernel, optimizer=by_scipy, **gp_options).fit(points, t).log_marginal_likelihood_value_


@pytest.mark.filterwarnings("ignore::mercer.estimators.gaussian_process.report.AtBound")
@pytest.mark.parametrize("make", [make_friedman1, make_friedman2, make_friedman3])
@pytest.mark.parametrize("draw", [0, 1])
def test_many_items_end_no_lower_than_lbfgs_on_all_of_them_M32(make, draw):
    """On real tables: tests/probes/test_process_evidence.py."""
    points, t = make(n_samples=600, noise=0.1, random_state=draw)
    points, t = (points - points.mean(axis=0)) / points.std(axis=0), (t - t.mean()) / t.std()
    kernel, options = 1.0 * RBF((1.0,) * points.shape[1]), {"noise": 0.1}
    ours = Gp(kernel, **options).fit(points, t).log_marginal_likelihood_value_
    assert ours >= lbfgs(options, kernel, points, t) - 0.1


def test_two_explanations_of_the_data_are_both_tried_on_many_items_M32():
    """A fast wave under little noise: from long lengthscales alone the search ends at a smooth function under much."""
    r = np.random.default_rng(0)
    points = r.uniform(-1.0, 1.0, size=(500, 1))
    t = np.sin(25.0 * points[:, 0]) + 0.05 * r.normal(size=500)
    gp = Gp(1.0 * RBF(1.0), noise=0.5).fit(points, t)
    assert gp.noise_ < 0.01
    assert len(gp.fit_report_.starts) == 2


def test_restarts_on_many_items_end_no_lower_than_none_and_than_lbfgs_M32():
    r = np.random.default_rng(3)
    points = r.uniform(-3.0, 3.0, size=(500, 2))
    t = np.sin(4.0 * points[:, 0]) + 0.3 * r.normal(size=500)
    kernel, options = 1.0 * RBF((0.05, 20.0)), {"noise": 1.0}
    none = Gp(kernel, **options).fit(points, t)
    some = Gp(kernel, n_restarts_optimizer=2, random_state=0, **options).fit(points, t)
    assert some.log_marginal_likelihood_value_ >= none.log_marginal_likelihood_value_ - 1e-2
    assert some.log_marginal_likelihood_value_ >= lbfgs(options, kernel, points, t) - 1e-2
    assert some.n_iter_ > none.n_iter_
    starts = np.array([climb.start for climb in some.fit_report_.starts])
    assert len(np.unique(starts, axis=0)) == len(starts) == 4  # the given one, two random ones and a hint


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_restarts_on_few_items_begin_where_scikit_learns_do_M32():
    kernel = sk.ConstantKernel(1.0, (1e-2, 1e2)) * sk.RBF([1e-2, 1e-2], (1e-3, 1e2)) + sk.WhiteKernel(0.1)
    few, t = X[:40, :2], y[:40]
    ours, theirs = (kind(kernel, n_restarts_optimizer=3, random_state=5).fit(few, t) for kind in (Gp, Theirs))
    assert_allclose(ours.log_marginal_likelihood_value_, theirs.log_marginal_likelihood_value_, atol=1e-4)
    assert_allclose(ours.kernel_.theta, theirs.kernel_.theta, atol=1e-2)
