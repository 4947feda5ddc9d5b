"""Changing the import line changes nothing but the speed: the regressors of scikit-learn and GPyTorch (M31, M32)."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
from sklearn.gaussian_process import kernels as sk

from mercer import GaussianProcessRegressor as Ours
from mercer.kernels import RBF

rng = np.random.default_rng(0)
X, Z = rng.normal(size=(70, 3)), rng.normal(size=(30, 3))
y = np.sin(X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=70)
Y = np.column_stack([y, 3.0 * X[:, 2] + 10.0])
C = sk.ConstantKernel
KERNELS = [
    None,
    C(1.5) * sk.RBF([1.0, 2.0, 3.0]) + sk.WhiteKernel(0.1),
    C(1.0) * sk.RationalQuadratic(1.0, 2.0) + sk.WhiteKernel(0.2),
    sk.DotProduct(0.5) + sk.WhiteKernel(0.1) + sk.Matern([1.0, 2.0, 3.0], nu=2.5) * C(2.0),
    sk.RBF(2.0) + sk.WhiteKernel(0.5, noise_level_bounds="fixed"),
]
kernels = pytest.mark.parametrize("kernel", KERNELS, ids=str)


def test_arguments_are_those_of_scikit_learn():
    theirs, ours = (inspect.signature(cls).parameters for cls in (Theirs, Ours))
    assert {name: ours[name].default for name in theirs} == {name: p.default for name, p in theirs.items()}


@kernels
@pytest.mark.parametrize("t", [y, Y], ids=["one", "two"])
@pytest.mark.parametrize("normalize_y", [False, True])
def test_fixed_hyper_parameters_give_the_same_posterior(kernel, t, normalize_y):
    a, b = (cls(kernel, alpha=1e-3, normalize_y=normalize_y, optimizer=None).fit(X, t) for cls in (Theirs, Ours))
    for options in ({}, {"return_std": True}, {"return_cov": True}):
        theirs, ours = a.predict(Z, **options), b.predict(Z, **options)
        for one, other in zip(*(v if isinstance(v, tuple) else (v,) for v in (theirs, ours)), strict=True):
            assert one.shape == other.shape
            assert_allclose(other, one, atol=1e-8)
    assert_allclose(b.log_marginal_likelihood_value_, a.log_marginal_likelihood_value_, rtol=1e-9)
    for name in ("alpha_", "L_", "X_train_", "y_train_"):
        assert_allclose(getattr(b, name), getattr(a, name), atol=1e-8)
    assert b.sample_y(Z, 3).shape == a.sample_y(Z, 3).shape


@kernels
def test_the_prior_is_the_same(kernel):
    for n_targets in (None, 2):
        a, b = (cls(kernel, n_targets=n_targets) for cls in (Theirs, Ours))
        for options in ({"return_std": True}, {"return_cov": True}):
            for one, other in zip(a.predict(Z, **options), b.predict(Z, **options), strict=True):
                assert one.shape == other.shape
                assert_allclose(other, one, atol=1e-12)


@kernels
@pytest.mark.parametrize("t", [y, Y], ids=["one", "two"])
def test_log_marginal_likelihood_and_gradient_are_the_same_in_their_theta(kernel, t):
    a, b = (cls(kernel, alpha=1e-2, optimizer=None).fit(X, t) for cls in (Theirs, Ours))
    theta = a.kernel_.theta + 0.2
    for one, other in zip(*(m.log_marginal_likelihood(theta, eval_gradient=True) for m in (a, b)), strict=True):
        assert_allclose(other, one, rtol=1e-8, atol=1e-8)


@pytest.mark.filterwarnings("ignore:.*ended at its:sklearn.exceptions.ConvergenceWarning")
@kernels
def test_the_same_optimum_is_found(kernel):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # theirs is told of parameters at their bounds
        a = Theirs(kernel, alpha=1e-2).fit(X, y)
    b = Ours(kernel, alpha=1e-2).fit(X, y)
    assert b.log_marginal_likelihood_value_ > a.log_marginal_likelihood_value_ - 1e-3
    assert type(b.kernel_) is type(a.kernel_) or kernel is None
    if b.log_marginal_likelihood_value_ < a.log_marginal_likelihood_value_ + 1e-3:
        assert_allclose(b.predict(Z), a.predict(Z), atol=1e-2)


def test_parameters_of_their_kernel_are_parameters_of_the_machine():
    gp = Ours(C(1.0) * sk.RBF(2.0))
    assert gp.get_params()["kernel__k2__length_scale"] == 2.0
    gp.set_params(kernel__k2__length_scale=3.0, alpha=0.1)
    assert gp.kernel.k2.length_scale == 3.0
    with pytest.raises(ValueError, match="WhiteKernel"):
        Ours(C(1.0) * sk.RBF(2.0), noise="learn").fit(X, y)


def test_gpytorch_has_the_same_posterior_M31():
    gpytorch, torch = pytest.importorskip("gpytorch"), pytest.importorskip("torch")

    class Model(gpytorch.models.ExactGP):
        def __init__(self, X, y, likelihood):
            super().__init__(X, y, likelihood)
            self.mean_module = gpytorch.means.ZeroMean()
            self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=3))

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
    model = Model(*map(torch.from_numpy, (X, y)), likelihood).double()
    model.covar_module.outputscale = 1.7
    model.covar_module.base_kernel.lengthscale = torch.tensor([[0.5, 1.0, 2.0]], dtype=torch.float64)
    likelihood.noise = 0.07
    model.eval()
    with torch.no_grad(), gpytorch.settings.fast_computations(False, False, False):
        theirs = model(torch.from_numpy(Z))
    gp = Ours(1.7 * RBF((0.5, 1.0, 2.0)), alpha=0.07, optimizer=None).fit(X, y)
    mean, std = gp.predict(Z, return_std=True)
    assert_allclose(mean, theirs.mean.numpy(), atol=1e-8)
    assert_allclose(std**2, theirs.variance.numpy(), atol=1e-8)
