"""Suites "gp" and "gp-predict": hyper-parameters of Gaussian process regression, and predictions with deviations.

gp           Seconds to a log marginal likelihood within NEAR of the best that anyone found, from the same start: an ARD
             Gaussian kernel of variance 1 and lengthscales 1 on standardised columns, noise 0.1.  Ours is the time of
             a whole fit; a rival's clock stops at its first evaluation that is good enough.  In the first round a
             rival searches on to its own end, for the best may be its; a rival that ends, or has used its LIMIT
             (MERCER_GP_LIMIT, in seconds), without having got there has a lower bound for its time.
gp-predict   Mean and standard deviation of 10 000 new rows at the same hyper-parameters.  The floor is one triangular
             factor times the kernel values of the new rows, n^2 operations for each, as a plain product with half as
             many columns.

Rivals: scikit-learn, and GPyTorch in double precision by Cholesky factors; both by SciPy's L-BFGS-B.

Data: real tables from --data or MERCER_DATA; without them a generated stand-in of the same shape.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.harness import Agreement, Case, Rival, SelfTimed, close
from mercer import GaussianProcessRegressor
from mercer.kernels import RBF, Fixed
from mercer.typing import Array

NEAR = 0.1  # nats
LIMIT = float(os.environ.get("MERCER_GP_LIMIT", "300"))  # seconds for a rival
NEW, BLOCK = 10_000, 500  # rows to predict, and of one product of the floor
SIZES = (1_000, 2_000, 5_000)
TABLES = {"kin40k": 8, "protein": 9, "bike": 15, "elevators": 18}  # columns; the others of bike give the target away


@dataclass(eq=False)
class Contest:
    """Training rows, targets, new rows, and the best log marginal likelihood that anyone found so far."""

    X: Array
    y: Array
    Z: Array
    best: float = -np.inf
    found: dict[str, float] = field(default_factory=dict)

    @property
    def target(self) -> float:
        return self.best - NEAR

    def note(self, name: str, value: float) -> None:
        self.found[name] = max(value, self.found.get(name, -np.inf))
        self.best = max(self.best, value)


@lru_cache(maxsize=2)
def _contest(name: str, n: int) -> Contest:
    X, y = _loaded(name)
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    Z = np.resize(X[n:], (NEW, X.shape[1])) if len(y) > n else X[:NEW]
    return Contest(X[:n], y[:n], Z)


def _loaded(name: str) -> tuple[Array, Array]:
    path = Path(os.environ.get(data.VARIABLE, "")) / f"{name}.npz"
    if path.is_file():
        with np.load(path) as arrays:
            X, y = arrays["X"].astype(float)[:, : TABLES[name]], arrays["y"].ravel().astype(float)
    else:
        X = data.gaussian(20_000, TABLES[name]).X
        y = np.sin(X[:, 0]) * X[:, 1] + 0.3 * np.random.default_rng(0).normal(size=len(X))
    X = X[:, X.std(axis=0) > 0.0]
    return data.standardised(X), (y - y.mean()) / y.std()


# ---- searching hyper-parameters


class Watch:
    """A clock that remembers when every value was reached, and stops a search that takes too long.

    A search that was watched to its end before is stopped as soon as it is good enough.
    """

    def __init__(self, name: str, contest: Contest) -> None:
        self.name, self.contest, self.known = name, contest, name in contest.found
        self.begun, self.trace = time.perf_counter(), list[tuple[float, float]]()

    def see(self, value: float) -> None:
        seconds = time.perf_counter() - self.begun
        self.trace.append((seconds, value))
        if seconds > LIMIT or (self.known and value >= self.contest.target):
            raise TimeoutError

    def answer(self) -> SelfTimed:
        """The seconds to the target, or all there were."""
        self.contest.note(self.name, max(value for _, value in self.trace))
        reached = [seconds for seconds, value in self.trace if value >= self.contest.target]
        seconds = reached[0] if reached else self.trace[-1][0]
        return SelfTimed(seconds, self.contest.found[self.name], bound=not reached)


def _ours(contest: Contest) -> float:
    kernel = 1.0 * RBF((1.0,) * contest.X.shape[1])
    gp = GaussianProcessRegressor(kernel, noise=0.1, alpha=0.0)
    _until_done(lambda: gp.fit(contest.X, contest.y))
    contest.note("ours", gp.log_marginal_likelihood_value_)
    return float(gp.log_marginal_likelihood_value_)


def _sklearn(contest: Contest) -> SelfTimed:
    from scipy.optimize import minimize
    from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
    from sklearn.gaussian_process import kernels as sk

    watch = Watch("scikit-learn", contest)

    def optimizer(objective: Callable[..., Any], start: Array, bounds: Array) -> tuple[Array, float]:
        def watched(theta: Array) -> tuple[float, Array]:
            value, slope = objective(theta)
            watch.see(-value)
            return value, slope

        found = minimize(watched, start, jac=True, method="L-BFGS-B", bounds=bounds)
        return found.x, found.fun

    kernel = sk.ConstantKernel(1.0) * sk.RBF([1.0] * contest.X.shape[1]) + sk.WhiteKernel(0.1)
    _until_done(lambda: Theirs(kernel, alpha=0.0, optimizer=optimizer).fit(contest.X, contest.y))
    return watch.answer()


def _gpytorch(contest: Contest) -> SelfTimed:
    import gpytorch
    import torch
    from scipy.optimize import minimize
    from torch.nn.utils import parameters_to_vector, vector_to_parameters

    model, likelihood = _torch_model(contest)
    evidence = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    watch, parameters = Watch("GPyTorch", contest), list(model.parameters())
    model.train()

    def objective(theta: Array) -> tuple[float, Array]:
        vector_to_parameters(torch.from_numpy(theta), parameters)
        model.zero_grad()
        loss = -evidence(model(*model.train_inputs), model.train_targets) * len(contest.y)
        loss.backward()
        watch.see(-float(loss))
        return float(loss), parameters_to_vector([p.grad for p in parameters]).numpy()

    start = parameters_to_vector(parameters).detach().numpy()
    with gpytorch.settings.fast_computations(False, False, False):
        _until_done(lambda: minimize(objective, start, jac=True, method="L-BFGS-B"))
    return watch.answer()


def _until_done(search: Callable[[], Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of parameters at their bounds
        try:
            search()
        except (TimeoutError, RuntimeError):  # the latter from a matrix of NaN: what was found before counts
            return


def _torch_model(contest: Contest) -> tuple[Any, Any]:
    """The same model and start in GPyTorch."""
    import gpytorch
    import torch

    class Model(gpytorch.models.ExactGP):  # type: ignore[misc]
        def __init__(self, X: Any, y: Any, likelihood: Any) -> None:
            super().__init__(X, y, likelihood)
            self.mean_module = gpytorch.means.ZeroMean()
            base = gpytorch.kernels.RBFKernel(ard_num_dims=X.shape[1])
            self.covar_module = gpytorch.kernels.ScaleKernel(base)

        def forward(self, x: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    constraint = gpytorch.constraints.GreaterThan(1e-6)
    likelihood = gpytorch.likelihoods.GaussianLikelihood(noise_constraint=constraint).double()
    model = Model(torch.from_numpy(contest.X), torch.from_numpy(contest.y), likelihood).double()
    model.covar_module.outputscale, model.covar_module.base_kernel.lengthscale, likelihood.noise = 1.0, 1.0, 0.1
    return model, likelihood


def _near_the_best(contest: Contest, ours: float, theirs: float) -> Agreement:
    detail = f"log p {ours:.2f} (rival {theirs:.2f}, best {contest.best:.2f})"
    if theirs < contest.target:
        detail += "; rival not there"
    return Agreement(bool(ours >= contest.target), detail)


def _search_case(name: str, n: int) -> Case:
    return Case(
        suite="gp",
        name=f"{name} n={n}",
        size=n,
        small=120,
        data=partial(_contest, name),
        ours=_ours,
        rivals={"scikit-learn": Rival(_sklearn, "sklearn"), "GPyTorch": Rival(_gpytorch, "gpytorch")},
        check=_near_the_best,
    )


# ---- prediction


@dataclass(frozen=True, eq=False)
class Models:
    """Everybody's posterior of n rows at the same hyper-parameters, and rows to predict."""

    ours: Any
    sklearn: Any
    n: int
    Z: Array


@lru_cache(maxsize=1)
def _models(name: str, n: int) -> Models:
    from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
    from sklearn.gaussian_process import kernels as sk

    contest = _contest(name, n)
    few = GaussianProcessRegressor(1.0 * RBF((1.0,) * contest.X.shape[1]), noise=0.1)
    _until_done(lambda: few.fit(contest.X[:500], contest.y[:500]))
    variance, lengthscale = few.kernel_.factor, few.kernel_.kernel.lengthscale
    ours = GaussianProcessRegressor(few.kernel_, noise=Fixed(few.noise_), alpha=0.0, optimizer=None)
    kernel = sk.ConstantKernel(variance) * sk.RBF(lengthscale)
    theirs = Theirs(kernel, alpha=few.noise_, optimizer=None)
    return Models(ours.fit(contest.X, contest.y), theirs.fit(contest.X, contest.y), n, contest.Z[: 10 * n])


def _predicted(model: str, models: Models) -> Array:
    return np.stack(getattr(models, model).predict(models.Z, return_std=True))


def _floor(models: Models) -> None:
    K, T = np.ones((BLOCK, models.n)), np.ones((models.n, models.n // 2))
    for _ in range(0, len(models.Z), BLOCK):
        np.matmul(K, T)


def _predict_case(name: str, n: int) -> Case:
    return Case(
        suite="gp-predict",
        name=f"{name} n={n}",
        size=n,
        small=120,
        data=partial(_models, name),
        ours=partial(_predicted, "ours"),
        rivals={"scikit-learn": Rival(partial(_predicted, "sklearn"), "sklearn")},
        check=lambda models, ours, theirs: close(ours, theirs, 1e-8),
        floor=_floor,
    )


def searches() -> list[Case]:
    """Hyper-parameters on every table at every size."""
    return [_search_case(name, n) for n in SIZES for name in TABLES]


def predictions() -> list[Case]:
    """Predictions with deviations, at every size."""
    return [_predict_case(name, n) for n in SIZES for name in ("kin40k", "elevators")]
