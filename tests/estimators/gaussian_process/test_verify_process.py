"""`verify` on Gaussian processes: the equations, the evidence and its slope made again, lies found out (C2, M32)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.gaussian_process import GaussianProcessClassifier as TheirClassifier
from sklearn.gaussian_process import GaussianProcessRegressor as TheirRegressor
from sklearn.gaussian_process import kernels as sk

import mercer
from mercer import GaussianProcessClassifier, GaussianProcessRegressor
from mercer.estimators.gaussian_process.report import AtBound
from mercer.kernels import RBF, Bounded, Matern

rng = np.random.default_rng(0)
X = rng.normal(size=(50, 2))
y = np.sin(2.0 * X[:, 0]) + 0.2 * rng.normal(size=50)
labels = np.digitize(y, [-0.4, 0.4])
WHITE = 1.0 * sk.RBF() + sk.WhiteKernel()
REGRESSORS = [
    GaussianProcessRegressor("rbf"),
    GaussianProcessRegressor(1.0 * Matern(1.0), noise=0.1, mean="linear", normalize_y=True),
    GaussianProcessRegressor(1.0 * RBF(1.0), noise=0.1, mean=lambda X: X[:, 0]),
    GaussianProcessRegressor(WHITE, normalize_y=True),
    GaussianProcessRegressor(sk.RBF(1.0, "fixed"), alpha=np.linspace(0.1, 0.2, 50)),
    TheirRegressor(WHITE, normalize_y=True),
]
CLASSIFIERS = [
    GaussianProcessClassifier("rbf"),
    GaussianProcessClassifier(1.0 * RBF(1.0), multi_class="one_vs_rest", likelihood="probit"),
    GaussianProcessClassifier(1.0 * sk.RBF(), multi_class="one_vs_one"),
    GaussianProcessClassifier(class_weight="balanced"),
]


@pytest.mark.parametrize("model", REGRESSORS, ids=range(len(REGRESSORS)))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_posterior_of_a_regressor_is_proved_C2(model):
    found = mercer.verify(model.fit(X, y), X, y)
    assert found.converged
    assert found.residual < 1e-9
    assert found.gap <= 1e-9 * (1.0 + abs(found.primal))
    assert_allclose(found.evidence, model.log_marginal_likelihood_value_, rtol=1e-8)
    assert np.abs(found.slope).max(initial=0.0) < 1e-2
    assert f"{found.evidence:.6f}" in str(found)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=range(len(CLASSIFIERS)))
def test_the_posterior_of_a_classifier_is_proved_C2(model):
    found = mercer.verify(model.fit(X, labels), X, labels)
    assert found.converged
    assert found.gap < 1e-8
    assert_allclose(found.evidence, model.log_marginal_likelihood_value_, rtol=1e-8)


def test_the_slope_is_that_of_the_likelihood_and_none_where_a_bound_holds_C2():
    gp = GaussianProcessRegressor(1.0 * RBF(1.0), noise=0.1, optimizer=None).fit(X, y)
    _, slope = gp.log_marginal_likelihood(np.r_[gp.kernel_.theta, np.log(0.1)], eval_gradient=True)
    found = mercer.verify(gp, X, y)
    assert_allclose(found.slope, slope, rtol=1e-4)
    assert found.names == ("Scaled.factor", "RBF.lengthscale", "noise")
    with pytest.warns(AtBound):
        held = GaussianProcessRegressor(RBF(Bounded(3.0, 2.0, 4.0)), noise=0.1).fit(X, y)
    assert mercer.verify(held, X, y).slope[0] == 0.0


def test_a_precomputed_matrix_is_proved_C2():
    K = RBF(1.0)(X)
    assert mercer.verify(GaussianProcessRegressor("precomputed", noise=0.1).fit(K, y), K, y).converged
    assert mercer.verify(GaussianProcessClassifier("precomputed").fit(K, labels), K, labels).converged


def test_lies_are_found_out_C2():
    gp = GaussianProcessRegressor("rbf").fit(X, y)
    gp.alpha_ = gp.alpha_ + 1e-3
    assert mercer.verify(gp, X, y).reason == "residual"
    gp = GaussianProcessRegressor("rbf").fit(X, y)
    gp.log_marginal_likelihood_value_ += 0.1
    assert mercer.verify(gp, X, y).reason == "evidence"
    gc = GaussianProcessClassifier().fit(X, labels)
    gc.dual_coef_ = 0.9 * gc.dual_coef_
    assert mercer.verify(gc, X, labels).reason == "residual"


def test_what_cannot_be_verified_is_refused():
    gp, gc = GaussianProcessRegressor("rbf").fit(X, y), TheirClassifier().fit(X, labels > 0)
    for model, args, text in (
        (gp, (X,), "y must be the targets"), (gp, (X[:9], y[:9]), "the 50 samples"), (gp, (X, y, y), "sample_weight"),
        (gc, (X, labels > 0), "one of our"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=text):
            mercer.verify(model, *args)


@pytest.mark.parametrize("mean", ["zero", "linear"])
def test_processes_without_a_factor_are_proved_by_their_predictions_C2(mean):
    levels = np.stack(np.meshgrid(np.arange(8.0), np.arange(6.0)), axis=-1).reshape(-1, 2)
    target = np.sin(levels[:, 0]) + 0.1 * levels[:, 1] + 0.1 * rng.normal(size=48)
    options = {"noise": 0.05, "mean": mean, "optimizer": None}
    grid = GaussianProcessRegressor(1.0 * RBF((2.0, 3.0)), method="grid", **options).fit(levels, target)
    assert mercer.verify(grid, levels, target).converged
    line = GaussianProcessRegressor(1.0 * Matern(2.0, nu=1.5), method="statespace", **options).fit(X[:, :1], y)
    assert mercer.verify(line, X[:, :1], y).converged
    line.log_marginal_likelihood_value_ += 1.0
    assert mercer.verify(line, X[:, :1], y).reason == "evidence"


@pytest.mark.parametrize("method", ["sgpr", "neighbours"])
def test_approximations_are_not_proved_I5(method):
    model = GaussianProcessRegressor(RBF(1.0), noise=0.1, method=method, n_inducing=10, optimizer=None).fit(X, y)
    with pytest.raises(ValueError, match=r"'exact', 'statespace' or 'grid'.*bound_"):
        mercer.verify(model, X, y)
