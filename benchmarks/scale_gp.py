"""Gaussian processes on all rows.

gp           Root mean squared error and mean negative log density of rows that no one has seen, in units of the
             standard deviation of the targets, and the seconds to fit and to predict them; the share of these rows
             within 95 % bands is told beside it.  All have a Matern kernel of order 3/2 with a lengthscale per column;
             "auto" must be as good as each rival by both measures, "sgpr" and "neighbours" as that of their kind.
             The tables after "unseen" had no part in the making of the methods.  Rivals: GPyTorch's SGPR with 512
             inducing points in single precision, by Adam until ten steps gain less than FLAT nats per item, STEPS steps
             are made or SECONDS (MERCER_SGPR_SECONDS) have passed; GPBoost's Vecchia approximation with 20 neighbours,
             which predicts from all rows, but finds its hyper-parameters on VECCHIA of them, as its search on all takes
             many minutes.  A rival runs once for a table, whatever the methods of ours.
gp line      10^6 values of a Matern process of order 3/2 on a line: evidence and slope.  The rival is the exact process
             on the first 2000, its seconds scaled by (n / 2000)^3; what is compared is the answer on these.
gp coverage  The same process, simulated, and for monthly winds along parallels: the share of new values within their
             95 % bands, once the hyper-parameters are those of largest evidence.

Data: npz tables from --data or MERCER_DATA, else generated stand-ins.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.harness import Agreement, Case, Rival, SelfTimed
from mercer import GaussianProcessRegressor
from mercer.estimators.gaussian_process.report import AtBound
from mercer.kernels import Bounded, Matern
from mercer.typing import Array

STEPS, SECONDS, FLAT = 100, float(os.environ.get("MERCER_SGPR_SECONDS", "120")), 1e-3
INDUCING, VECCHIA, TESTED = 512, 4000, 3000
TABLES, UNSEEN = ("kin40k", "protein", "keggundirected", "argo2016"), ("jason3_wind", "bcef_canopy")
SPLIT = 1118  # the seed of the test rows
ROUNDING = 1e-3  # of errors and densities that count as equal
LINE, EXACT = 1_000_000, 2000
SAME, WITHIN, BAND = 1e-8, 0.01, 1.959964


@dataclass(frozen=True, eq=False)
class Rows:
    """Standardised rows to learn from, and rows to be judged by."""

    X: Array
    y: Array
    Z: Array
    t: Array


@dataclass(frozen=True)
class Judged:
    """How well new targets are predicted."""

    error: float
    density: float  # mean negative log density
    covered: float  # by 95 % bands
    note: str = ""

    @classmethod
    def of(cls, rows: Rows, mean: Array, std: Array, note: str = "") -> Judged:
        z = (rows.t - mean) / std
        density = 0.5 * np.mean(z**2 + 2.0 * np.log(std) + np.log(2.0 * np.pi))
        within = float(np.mean(np.abs(z) <= BAND))
        return cls(float(np.sqrt(np.mean((rows.t - mean) ** 2))), float(density), within, note)

    def __str__(self) -> str:
        return f"rmse {self.error:.4f} nll {self.density:.4f} covered {self.covered:.3f}{self.note}"


@lru_cache(maxsize=2)
def _rows(name: str, n: int) -> Rows:
    """The first target of a table; a tenth of its rows are those to be judged by."""
    path = Path(os.environ.get(data.VARIABLE, "")) / f"{name}.npz"
    rng = np.random.default_rng(SPLIT)
    if path.is_file():
        with np.load(path) as arrays:
            X, y = arrays["X"].astype(float), arrays["y"].astype(float).reshape(len(arrays["X"]), -1)[:, 0]
    else:
        X = data.gaussian(min(n, 4000), 4).X
        y = np.sin(2.0 * X[:, 0]) * X[:, 1] + 0.3 * rng.normal(size=len(X))
    test, learn = np.split(rng.permutation(len(y)), [len(y) // 10])
    test, learn = test[: min(TESTED, n)], learn[:n]
    centre, spread = X[learn].mean(axis=0), X[learn].std(axis=0)
    X = (X - centre)[:, spread > 0.0] / spread[spread > 0.0]
    y = (y - y[learn].mean()) / y[learn].std()
    return Rows(X[learn], y[learn], X[test], y[test])


def _ours(method: str, rows: Rows) -> Judged:
    columns = rows.X.shape[1]
    kernel, noise = 1.0 * Matern((float(np.sqrt(columns)),) * columns, nu=1.5), Bounded(0.1, 1e-8, 10.0)
    machine = GaussianProcessRegressor(kernel, noise=noise, mean="constant", method=method, n_inducing=INDUCING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AtBound)  # of columns that tell nothing
        machine.fit(rows.X, rows.y)
    return Judged.of(rows, *machine.predict(rows.Z, return_std=True, of="y"), f" ({machine.method_})")


def _once(task: Callable[[Rows], Judged]) -> Callable[[Rows], SelfTimed]:
    """The same task, done once for a table."""

    @lru_cache(maxsize=2)
    def timed(rows: Rows) -> SelfTimed:
        began = perf_counter()
        found = task(rows)
        return SelfTimed(perf_counter() - began, found, parts=0)

    return timed


@_once
def _sgpr(rows: Rows) -> Judged:
    import gpytorch
    import torch

    class Model(gpytorch.models.ExactGP):  # type: ignore[misc]
        def __init__(self, X: Any, y: Any, likelihood: Any) -> None:
            super().__init__(X, y, likelihood)
            self.mean_module = gpytorch.means.ConstantMean()
            base = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=1.5, ard_num_dims=X.shape[1]))
            self.covar_module = gpytorch.kernels.InducingPointKernel(base, X[:INDUCING].clone(), likelihood)

        def forward(self, x: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    X, y, Z = (torch.from_numpy(np.ascontiguousarray(a, dtype=np.float32)) for a in (rows.X, rows.y, rows.Z))
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    model = Model(X, y, likelihood)
    evidence = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    model.train()
    losses: list[float] = []
    began = perf_counter()
    steps = STEPS if len(rows.y) >= INDUCING else 2
    while len(losses) < steps and perf_counter() - began < SECONDS:
        optimizer.zero_grad()
        loss = -evidence(model(X), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if len(losses) > 10 and losses[-11] - losses[-1] < FLAT:
            break
    model.eval()
    likelihood.eval()
    with torch.no_grad():
        found = likelihood(model(Z))
        mean, std = found.mean.double().numpy(), found.variance.double().sqrt().numpy()
    return Judged.of(rows, mean, std, f" ({len(losses)} steps)")


@_once
def _vecchia(rows: Rows) -> Judged:
    import gpboost

    def model(X: Array) -> Any:
        return gpboost.GPModel(gp_coords=X, cov_function="matern_ard", cov_fct_shape=1.5, gp_approx="vecchia",
                               num_neighbors=20, likelihood="gaussian")  # fmt: skip

    few, columns = min(VECCHIA, len(rows.y)), rows.X.shape[1]
    part = model(rows.X[:few])
    start = np.array([0.1, 1.0, *[np.sqrt(columns)] * columns])  # as ours; its own fails for a column of few values
    part.fit(y=rows.y[:few], params={"init_cov_pars": start})
    theta = np.ravel(part.get_cov_pars(format_pandas=False))
    found = model(rows.X).predict(y=rows.y, gp_coords_pred=rows.Z, cov_pars=theta, predict_var=True)
    return Judged.of(rows, found["mu"], np.sqrt(found["var"]), f" (theta of {few} rows)")


def _no_worse(rows: Rows, ours: Judged, theirs: Judged) -> Agreement:
    rounding = ROUNDING if len(rows.y) >= INDUCING else np.inf  # a few rows say nothing
    better = ours.error <= theirs.error + rounding and ours.density <= theirs.density + rounding
    return Agreement(better, f"{ours}; theirs {theirs}")


# ---- a line


@dataclass(frozen=True, eq=False)
class Line:
    """Values at places of one column, and places to be judged by."""

    x: Array
    y: Array
    new: Array
    t: Array

    def few(self) -> Line:
        return Line(self.x[:EXACT], self.y[:EXACT], self.new, self.t)


@lru_cache(maxsize=1)
def _simulated(n: int) -> Line:
    """A Matern process of order 3/2, variance 1 and lengthscale 5, about ten values for each of these, noise 0.1."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0.0, n / 2.0, n + n // 10))
    rate = np.sqrt(3.0) / 5.0
    gaps = np.diff(x, prepend=x[0])
    still, moved = np.diag([1.0, rate**2]), np.empty((len(x), 2, 2))
    moved[:, 0], moved[:, 1] = (
        np.stack([1.0 + rate * gaps, gaps], 1),
        np.stack([-(rate**2) * gaps, 1.0 - rate * gaps], 1),
    )
    moved *= np.exp(-rate * gaps)[:, None, None]
    root = np.linalg.cholesky(still - moved @ still @ np.swapaxes(moved, 1, 2) + 1e-14 * np.eye(2))
    kicks = np.einsum("nij,nj->ni", root, rng.normal(size=(len(x), 2)))
    f, value, slope = np.empty(len(x)), float(rng.normal()), rate * float(rng.normal())
    for place, (((a, b), (c, d)), (e, g)) in enumerate(zip(moved.tolist(), kicks.tolist(), strict=True)):
        value, slope = a * value + b * slope + e, c * value + d * slope + g
        f[place] = value
    y = f + np.sqrt(0.1) * rng.normal(size=len(x))
    held = np.zeros(len(x), dtype=bool)
    held[rng.permutation(len(x))[: n // 10]] = True
    return Line(x[~held], y[~held], x[held], y[held])


@lru_cache(maxsize=1)
def _winds(n: int) -> Line:
    """Winds along parallels, month after month, each parallel far from the next; simulated values without the table."""
    path = Path(os.environ.get(data.VARIABLE, "")) / "navy_winds.npz"
    if not path.is_file():
        return _simulated(n)
    with np.load(path) as arrays:
        X, y = arrays["X"].astype(float), arrays["y"].astype(float)
    order = np.lexsort((np.mod(X[:, 0], 360.0), X[:, 1], X[:, 2]))
    _, row = np.unique(X[order][:, [2, 1]], axis=0, return_inverse=True)
    x = np.mod(X[order, 0], 360.0) + 1000.0 * np.ravel(row)
    x, y = x[: n + n // 10], y[order][: n + n // 10]
    held = np.zeros(len(x), dtype=bool)
    held[np.random.default_rng(0).permutation(len(x))[: len(x) // 11]] = True
    return Line(x[~held], y[~held] / y.std(), x[held], y[held] / y.std())


def _kernel() -> Any:
    return 1.0 * Matern(5.0, nu=1.5)


def _value_and_slope(method: str, line: Line) -> Array:
    machine = GaussianProcessRegressor(_kernel(), noise=0.1, mean="constant", method=method, optimizer=None)
    machine.fit(line.x[:, None], line.y)
    value, slope = machine.log_marginal_likelihood(np.append(machine.kernel_.theta, np.log(0.1)), eval_gradient=True)
    return np.append(value, slope)


def _ours_on_line(line: Line) -> SelfTimed:
    machine = GaussianProcessRegressor(_kernel(), noise=0.1, mean="constant", method="statespace", optimizer=None)
    machine.fit(line.x[:, None], line.y)
    theta = np.append(machine.kernel_.theta, np.log(0.1))
    began = perf_counter()
    machine.log_marginal_likelihood(theta, eval_gradient=True)
    seconds = perf_counter() - began
    return SelfTimed(seconds, _value_and_slope("statespace", line.few()), parts=0)


def _exact_on_line(line: Line) -> SelfTimed:
    few = line.few()
    began = perf_counter()
    found = _value_and_slope("exact", few)
    return SelfTimed((perf_counter() - began) * (len(line.y) / len(few.y)) ** 3, found, parts=0)


def _same(line: Line, ours: Array, theirs: Array) -> Agreement:
    apart = float(np.max(np.abs(ours - theirs) / np.maximum(np.abs(theirs), 1.0)))
    return Agreement(apart <= SAME, f"apart {apart:.0e}")


def _covered(line: Line) -> float:
    """The share of new values within their 95 % bands."""
    machine = GaussianProcessRegressor(_kernel(), noise=0.1, mean="constant", method="auto")
    mean, std = machine.fit(line.x[:, None], line.y).predict(line.new[:, None], return_std=True, of="y")
    return float(np.mean(np.abs(line.t - mean) <= BAND * std))


def _nominal(line: Line, ours: float, theirs: float) -> Agreement:
    return Agreement(abs(ours - theirs) <= WITHIN, f"coverage {ours:.4f}, nominal {theirs:.4f}")


def cases() -> list[Case]:
    """Tables by each method, and the line."""
    sgpr, vecchia = {"SGPR": Rival(_sgpr, "gpytorch")}, {"Vecchia": Rival(_vecchia, "gpboost")}
    methods = {"auto": sgpr | vecchia, "sgpr": sgpr, "neighbours": vecchia}
    names = {name: f"gp {name}" for name in TABLES} | {name: f"gp unseen {name}" for name in UNSEEN}
    tables = [
        Case("scale", f"{title} {method}", 60_000, 60, partial(_rows, name), partial(_ours, method), rivals, _no_worse)
        for name, title in names.items()
        for method, rivals in methods.items()
    ]
    exact = {"exact": Rival(_exact_on_line, "mercer")}
    nominal = {"nominal": Rival(lambda line: 0.95, "mercer")}
    lines = {"simulated": _simulated, "navy_winds": _winds}
    return [
        *tables,
        *(Case("scale", f"gp line {k}", LINE, 3000, v, _ours_on_line, exact, _same) for k, v in lines.items()),
        *(Case("scale", f"gp coverage {k}", LINE // 5, 3000, v, _covered, nominal, _nominal) for k, v in lines.items()),
    ]
