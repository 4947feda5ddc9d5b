"""One recursive feature machine: the metric is learned on a sample of the rows, the function on all of them.

Kernel, width and alpha have the least leave-one-out error on the sample.  With x' = x T, T from
solvers/metric_rounds.py, f is kernel ridge regression of the rows x'.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from mercer.config import config
from mercer.distributed import Rows
from mercer.distributed.columns import ColumnFacts
from mercer.estimators.ridge.kernel_ridge import KernelRidge
from mercer.estimators.ridge.kernel_ridge_cv import KernelRidgeCV
from mercer.gram.tall import as_array
from mercer.kernels.additive import Laplacian
from mercer.kernels.input_gradient import function_gradient
from mercer.kernels.stationary import Stationary
from mercer.solvers.metric_rounds import Rounds, learn_metric
from mercer.typing import Array

WIDTHS = 2.0 ** np.arange(-1, 5)  # lengthscales, as multiples of the median distance between rows
REFINED = 2  # rounds of a leaf at most: it starts from the metric of all rows
ALPHAS = 10.0 ** np.arange(-6.0, 2.0)
CHOICE_ROWS = 1000  # on which width and alpha are chosen: a decomposition of each Gram takes a tenth of a second
GRADIENT_ROWS = 2000  # at which gradients are taken
FACTOR_ROWS = 4000  # up to which f is always found from a factor of the Gram
_BREAK_EVEN = (
    1500.0  # beyond this over sqrt(alpha) rows, conjugate gradients are faster: they take 15 / sqrt(alpha) steps
)
_PAIRS = 10_000  # of rows, for the median distance
_ROUNDING = 1e-12  # deviation of a column, relative to its largest entry, below which it is constant


@dataclass(frozen=True, eq=False)
class Settings:
    """What a leaf is told: the kernels among which it chooses, how long it learns a metric, and whom to tell of it."""

    kernels: tuple[Stationary, ...]
    rounds: int
    powers: tuple[float, ...]
    metric_rows: int
    alphas: Array
    tell: Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Leaf:
    """f(x) = ridge(x T), fitted to `rows` of the training data.

    `history` holds the power and the leave-one-out error of each round on the sample, `reason` why the rounds ended.
    """

    transform: Array
    ridge: KernelRidge
    rows: Array
    history: list[tuple[float, float]]
    reason: str

    @property
    def metric(self) -> Array:
        """T T': |x - z|^2 is measured as (x - z)' T T' (x - z)."""
        return np.asarray(self.transform @ self.transform.T)

    @property
    def outputs(self) -> int:
        """How many functions there are."""
        return int(np.size(self.ridge.intercept_))

    def values(self, X: Array) -> Array:
        """f at rows X, a column per output."""
        return np.asarray(self.ridge.predict(X @ self.transform))


class Attempt:
    """Ridge regression of the sample with one metric; `error` is that of leaving one row out."""

    def __init__(self, X: Array, Y: Array, kernel: Stationary, transform: Array, alphas: Array) -> None:
        self.X, self.Y, self.transform = X, Y, transform
        Z = X[:CHOICE_ROWS] @ transform
        median = median_distance(Z, 1 if by_columns(kernel) else 2)
        kernels = [kernel.with_params(lengthscale=float(width * median)) for width in WIDTHS]
        chosen = KernelRidgeCV(kernels, alphas, fit_intercept=True).fit(Z, Y[:CHOICE_ROWS])
        self.kernel, self.alpha = chosen.kernel_, chosen.alpha_
        self.error = float(chosen.best_estimator_.loo_error_.min())

    def ridge(self, X: Array, Y: Array) -> KernelRidge:
        """The machine of the chosen kernel and alpha on rows X."""
        solver = cheaper_solver(len(X), self.alpha)
        machine = KernelRidge(self.alpha, kernel=self.kernel, fit_intercept=True, solver=solver)
        return machine.fit(X @ self.transform, Y)

    @cached_property
    def left_out(self) -> Array:
        """What is predicted for every row of the sample from the others."""
        return self.ridge(self.X, self.Y).leave_one_out().reshape(self.Y.shape)

    @property
    def sample_error(self) -> float:
        """The leave-one-out error on the whole sample."""
        return float(np.mean((self.left_out - self.Y) ** 2))

    def gradients(self) -> Array:
        """grad f at some rows of the sample, those of every output below each other."""
        machine, Z = self.ridge(self.X, self.Y), self.X @ self.transform
        coefficients = np.asarray(machine.dual_coef_).reshape(len(Z), -1)
        at = Z[:GRADIENT_ROWS]
        parts = [function_gradient(self.kernel, at, Z, column) @ self.transform.T for column in coefficients.T]
        return np.vstack(parts)


def leaf_on(X: Array, Y: Array, rows: Array, sample: Array, start: Array, settings: Settings) -> tuple[Leaf, Attempt]:
    """The leaf of rows X, whose positions are `rows`, and the fit to the `sample` among them."""
    found = _rounds(X[sample], Y[sample], start, settings)
    settings.tell(f"fit to {len(X)} rows")
    return Leaf(found.transform, found.fit.ridge(X, Y), rows, found.history, found.reason), found.fit


def learn_start(X: Any, Y: Array, start: Array, settings: Settings, rng: np.random.Generator) -> tuple[Array, Settings]:
    """The T that is learned on a random sample of the rows, and settings with the one kernel that was best there."""
    some = rng.permutation(len(X))[: settings.metric_rows]
    found = _rounds(as_array(X[some]), Y[some], start, settings)
    few = min(settings.rounds, REFINED)
    return found.transform, replace(settings, kernels=(found.fit.kernel,), rounds=few)


def _rounds(X: Array, Y: Array, start: Array, settings: Settings) -> Rounds:
    """The rounds of the kernel whose best fit has the least error."""

    def rounds(kernel: Stationary) -> Rounds:
        def fit(transform: Array) -> Attempt:
            attempt = Attempt(X, Y, kernel, transform, settings.alphas)
            settings.tell(f"{attempt.kernel!r}, alpha {attempt.alpha:g}: leave-one-out error {attempt.error:.6g}")
            return attempt

        return learn_metric(fit, start, settings.rounds, settings.powers, diagonal=by_columns(kernel))

    tried = [rounds(kernel) for kernel in settings.kernels]
    return min(tried, key=lambda found: found.fit.sample_error) if len(tried) > 1 else tried[0]


def cheaper_solver(n: int, alpha: float) -> str:
    """A factor of the Gram, n^3 / 3 operations, or conjugate gradients, also where a factor does not fit in memory."""
    steps_pay = n > max(FACTOR_ROWS, _BREAK_EVEN / np.sqrt(alpha))
    return "iterative" if steps_pay or 8 * n * n > config().memory else "dual"


def by_columns(kernel: Stationary) -> bool:
    """Whether a kernel is a function of sum_j |x_j - z_j|, which only a diagonal T can change in steps of its own."""
    return isinstance(kernel, Laplacian)


def median_distance(Z: Array, order: int) -> float:
    """The median distance of random pairs of rows that differ, |.|_1 or |.|_2; 1 where all are equal."""
    i, j = np.random.default_rng(0).integers(0, len(Z), (2, _PAIRS))
    distances = np.linalg.norm(Z[i] - Z[j], ord=order, axis=1)
    apart = distances[distances > 0.0]
    return float(np.median(apart)) if len(apart) else 1.0


def deviations(X: Any) -> Array:
    """The standard deviation of every column, also of huge and tiny numbers; infinite for a constant column."""
    if isinstance(X, Rows):
        facts = ColumnFacts.of(X)
        return np.where(facts.deviation > _ROUNDING * facts.largest, facts.deviation, np.inf)
    largest = np.abs(X).max(axis=0)
    shares = X / np.where(largest > 0.0, largest, 1.0)
    spread = shares.std(axis=0)
    return np.where(spread > _ROUNDING, spread * largest, np.inf)
