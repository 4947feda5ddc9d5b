"""One recursive feature machine: the metric is learned on some rows and judged by others, f is fitted to all of them.

Kernel, width, alpha and the number of rounds have the least leave-one-out error on rows that the metric has not seen:
on its own rows a metric of many numbers looks better than it is.  With x' = x T, T from solvers/metric_rounds.py, f is
kernel ridge regression of the rows x'.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from mercer.config import config
from mercer.estimators.recursive_features.choice import by_columns, choose
from mercer.estimators.recursive_features.columns import Columns
from mercer.estimators.ridge.kernel_ridge import KernelRidge
from mercer.kernels.input_gradient import function_gradient
from mercer.kernels.stationary import Stationary
from mercer.solvers.metric_rounds import WORTH, Rounds, learn_metric
from mercer.typing import Array

REFINED = 2  # rounds of a leaf at most: it starts from the metric of all rows
ALPHAS = 10.0 ** np.arange(-6.0, 2.0)
JUDGES = 1500  # rows at most by which kernels, widths, alphas and metrics are judged
APART = 1500  # rows from which on those that judge are not those from which the metric is learned
GRADIENT_ROWS = 2000  # at which gradients are taken
FACTOR_ROWS = 4000  # up to which f is always found from a factor of the Gram
_BREAK_EVEN = 1200.0  # beyond this over sqrt(alpha) rows, conjugate gradients are faster: 15 / sqrt(alpha) products


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
class Sample:
    """Positions of rows: `learners`, from which the metric is learned, and `judges`, by which it is judged."""

    learners: Array
    judges: Array

    @classmethod
    def of(cls, rows: Array, most: int, rng: np.random.Generator) -> Sample:
        """A third of the rows judge, at most JUDGES; `most` others learn.  Of few rows the same do both."""
        order = rows[rng.permutation(len(rows))]
        if len(rows) < APART:
            return cls(order[:most], order[:most])
        judges, others = np.split(order, [min(JUDGES, len(rows) // 3)])
        return cls(others[:most], judges)


@dataclass(frozen=True, eq=False)
class Leaf:
    """f(x) = ridge(x T), fitted to `rows` of the training data.

    `history` holds the power and the leave-one-out error of each round, `reason` why the rounds ended.
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
    """Ridge regression with one metric; `error` is that of leaving out one of the rows that judge."""

    def __init__(
        self, X: Array, Y: Array, sample: Sample, kernel: Stationary, transform: Array, alphas: Array,
        near: tuple[int, int] | None = None,
    ) -> None:  # fmt: skip
        self.X, self.Y, self.transform = X[sample.learners], Y[sample.learners], transform
        found = choose(X[sample.judges] @ transform, Y[sample.judges], kernel, alphas, near)
        self.kernel, self.alpha, self.place = found.kernel, found.alpha, found.place
        self.error, self.left_out = found.error, found.left_out

    def ridge(self, X: Array, Y: Array) -> KernelRidge:
        """The machine of the chosen kernel and alpha on rows X."""
        solver = cheaper_solver(len(X), self.alpha)
        machine = KernelRidge(self.alpha, kernel=self.kernel, fit_intercept=True, solver=solver)
        return machine.fit(X @ self.transform, Y)

    def gradients(self) -> Array:
        """grad f at some of the rows that learn, those of every output below each other."""
        machine, Z = self.ridge(self.X, self.Y), self.X @ self.transform
        coefficients = np.asarray(machine.dual_coef_).reshape(len(Z), -1)
        at = Z[:GRADIENT_ROWS]
        parts = [function_gradient(self.kernel, at, Z, column) @ self.transform.T for column in coefficients.T]
        return np.vstack(parts)


def learn_columns(X: Array, Y: Array, forms: tuple[str, ...], settings: Settings, rng: np.random.Generator) -> Columns:
    """Columns measured in the form of least error without a metric; a later form must be better by a hundredth."""
    if len(forms) == 1:
        return Columns.of(X, forms[0])
    sample = Sample.of(np.arange(len(X)), settings.metric_rows, rng)
    best, least = Columns.of(X, forms[0]), np.inf
    for form in forms:
        columns = Columns.of(X, form)
        Z, start = columns(X), start_of(columns)
        tried = [Attempt(Z, Y, sample, kernel, start, settings.alphas) for kernel in settings.kernels]
        error = min(attempt.error for attempt in tried)
        settings.tell(f"columns {form}: leave-one-out error {error:.6g}")
        if error < (1.0 - WORTH) * least:
            best, least = columns, error
    return best


def start_of(columns: Columns) -> Array:
    """The T with which the rounds begin: the identity, without constant columns."""
    return np.diag(np.isfinite(columns.scale).astype(float))


def learn_leaf(
    X: Array, Y: Array, rows: Array, start: Array, settings: Settings, rng: np.random.Generator
) -> tuple[Leaf, Attempt, Array]:
    """Learn the metric on a random sample of these rows, from that of the start, and the function on all of them.

    Also returns the best attempt at a metric, and the positions of the rows by which it was judged.
    """
    sample = Sample.of(rows, settings.metric_rows, rng)
    found = _rounds(X, Y, sample, start, settings)
    settings.tell(f"fit to {len(rows)} rows")
    leaf = Leaf(found.transform, found.fit.ridge(X[rows], Y[rows]), rows, found.history, found.reason)
    return leaf, found.fit, sample.judges


def learn_start(
    X: Array, Y: Array, start: Array, settings: Settings, rng: np.random.Generator
) -> tuple[Array, Settings]:
    """The T that is learned on a random sample of the rows, and settings with the one kernel that was best there."""
    found = _rounds(X, Y, Sample.of(np.arange(len(X)), settings.metric_rows, rng), start, settings)
    few = min(settings.rounds, REFINED)
    return found.transform, replace(settings, kernels=(found.fit.kernel,), rounds=few)


def _rounds(X: Array, Y: Array, sample: Sample, start: Array, settings: Settings) -> Rounds:
    """The rounds of the kernel whose best fit has the least error."""

    def rounds(kernel: Stationary) -> Rounds:
        near: tuple[int, int] | None = None

        def fit(transform: Array) -> Attempt:
            nonlocal near
            attempt = Attempt(X, Y, sample, kernel, transform, settings.alphas, near)
            near = attempt.place
            settings.tell(f"{attempt.kernel!r}, alpha {attempt.alpha:g}: leave-one-out error {attempt.error:.6g}")
            return attempt

        return learn_metric(fit, start, settings.rounds, settings.powers, diagonal=by_columns(kernel))

    return min((rounds(kernel) for kernel in settings.kernels), key=lambda found: float(found.fit.error))


def cheaper_solver(n: int, alpha: float) -> str:
    """A factor of the Gram, n^3 / 3 operations, or conjugate gradients, also where a factor does not fit in memory."""
    steps_pay = n > max(FACTOR_ROWS, _BREAK_EVEN / np.sqrt(alpha))
    return "iterative" if steps_pay or 8 * n * n > config().memory else "dual"
