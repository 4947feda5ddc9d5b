"""One recursive feature machine: the metric is learned on some rows and judged by others, f is fitted to all of them.

Width and alpha have the least leave-one-out error on some of the rows that judge.  Kernel, power and number of rounds
have the least error of predicting those that judge from those that learn: on its own rows a metric of many numbers
looks better than it is, and what is best for few rows need not be best for many.  With x' = x T, T from
solvers/metric_rounds.py, f is kernel ridge regression of the rows x'.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest

import numpy as np

from mercer.config import config
from mercer.engine.interrupts import interrupted
from mercer.estimators.recursive_features.choice import Choice, by_columns, choose, choose_alpha
from mercer.estimators.recursive_features.columns import Columns
from mercer.estimators.ridge.kernel_ridge import KernelRidge
from mercer.kernels.base import Kernel
from mercer.kernels.input_gradient import function_gradient
from mercer.kernels.stationary import Stationary
from mercer.kernels.tables import On
from mercer.solvers.metric_rounds import Rounds, learn_metric
from mercer.typing import Array

REFINED = 2  # rounds of a leaf at most: it starts from the metric of all rows
ALPHAS = 10.0 ** np.arange(-6.0, 2.0)
JUDGES = 4000  # rows at most by which kernels and metrics are judged
WIDTH_ROWS = 1500  # of these, with which width and alpha are chosen
APART = 1500  # rows from which on those that judge are not those from which the metric is learned
GRADIENT_ROWS = 2000  # at which gradients are taken; half of them for a diagonal T, which has fewer numbers to learn
_BEHIND = 1.25  # a kernel with a diagonal T begins no rounds with so many times the error of one that has ended them
FACTOR_ROWS = 4000  # up to which f is always found from a factor of the Gram
_BREAK_EVEN = 1200.0  # beyond this over sqrt(alpha) rows, conjugate gradients are faster: 15 / sqrt(alpha) products


@dataclass(frozen=True, eq=False)
class Settings:
    """What a leaf is told: the kernels among which it chooses, how long it learns a metric, and whom to tell of it."""

    kernels: tuple[Kernel, ...]
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
            same = order[:most]
            return cls(same, same)
        judges, others = np.split(order, [min(JUDGES, len(rows) // 3)])
        return cls(others[:most], judges)

    @property
    def apart(self) -> bool:
        """Whether no row does both."""
        return self.learners is not self.judges


@dataclass(frozen=True, eq=False)
class Leaf:
    """f(x) = ridge(x T), fitted to `rows` of the training data.

    `history` holds the power and the error of each round, and nan for the power of what is no round: the start, and the
    mean of two kernels.  `reason` says why the rounds ended.
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
    def rounds(self) -> int:
        """How many there were."""
        return int(np.isfinite([power for power, _ in self.history]).sum())

    @property
    def outputs(self) -> int:
        """How many functions there are."""
        return int(np.size(self.ridge.intercept_))

    def values(self, X: Array) -> Array:
        """f at rows X, a column per output."""
        return np.asarray(self.ridge.predict(X @ self.transform))


class Attempt:
    """Ridge regression with one metric.  `predicted` are the rows that judge from others, `error` their mean square."""

    def __init__(self, trial: Trial, transform: Array, chosen: Choice) -> None:
        self.X, self.Y = trial.X[trial.sample.learners], trial.Y[trial.sample.learners]
        self.transform, self.chosen = transform, chosen
        self.predicted, self.error = chosen.left_out, chosen.error
        if trial.sample.apart:
            judges = trial.sample.judges
            values = self.machine.predict(trial.X[judges] @ transform)
            self.predicted = np.asarray(values).reshape(len(judges), -1)
            self.error = float(np.mean((self.predicted - trial.Y[judges]) ** 2))

    @cached_property
    def machine(self) -> KernelRidge:
        """That of the rows that learn."""
        return self.ridge(self.X, self.Y)

    def ridge(self, X: Array, Y: Array) -> KernelRidge:
        """The machine of the chosen kernel and alpha on rows X."""
        kernel, alpha = self.chosen.kernel, self.chosen.alpha
        machine = KernelRidge(alpha, kernel=kernel, fit_intercept=True, solver=cheaper_solver(len(X), alpha))
        return machine.fit(X @ self.transform, Y)

    def gradients(self) -> Array:
        """grad f at some of the rows that learn, those of every output below each other."""
        Z = self.X @ self.transform
        coefficients = np.asarray(self.machine.dual_coef_).reshape(len(Z), -1)
        at = Z[: GRADIENT_ROWS // 2 if by_columns(self.chosen.kernel) else GRADIENT_ROWS]
        parts = [function_gradient(self.chosen.kernel, at, Z, column) @ self.transform.T for column in coefficients.T]
        return np.vstack(parts)


@dataclass(frozen=True, eq=False)
class Trial:
    """Data, the rows of them that learn and judge, and candidates for alpha: what attempts have in common."""

    X: Array
    Y: Array
    sample: Sample
    alphas: Array

    def of(self, kernel: Kernel, transform: Array, near: tuple[int, int] | None = None) -> Attempt:
        """A kernel with this metric, width and alpha looked for from `near` on; a mean of kernels has its widths."""
        some = self.sample.judges[:WIDTH_ROWS] if self.sample.apart else self.sample.judges
        Z, Y = self.X[some] @ transform, self.Y[some]
        if isinstance(kernel, Stationary):
            chosen = choose(Z, Y, kernel, self.alphas, near)
        else:
            chosen = choose_alpha(Z, Y, kernel, self.alphas)
        return Attempt(self, transform, chosen)

    def of_both(self, first: Attempt, second: Attempt) -> Attempt:
        """The mean of two kernels, each of rows that its own metric has moved."""
        d = first.transform.shape[1]
        left, right = On(tuple(range(d)), first.chosen.kernel), On(tuple(range(d, 2 * d)), second.chosen.kernel)
        return self.of(0.5 * left + 0.5 * right, np.hstack([first.transform, second.transform]))


def learn_columns(
    X: Array,
    Y: Array,
    sample: Sample,
    forms: tuple[str, ...],
    settings: Settings,
    measured: Callable[[str], Columns],
) -> tuple[Columns, list[Attempt]]:
    """Columns `measured` on all rows in the form of least error without a metric, in the mean over the kernels.

    Also returns the attempts of that form, one per kernel; none where there is no choice.
    """
    if len(forms) == 1:
        return measured(forms[0]), []
    found = []
    for form in forms:
        columns = measured(form)
        trial = Trial(columns(X), Y, sample, settings.alphas)
        found.append((columns, [trial.of(kernel, start_of(columns)) for kernel in settings.kernels]))
        settings.tell(f"columns {form}: error {_mean_error(found[-1][1]):.6g}")
    return min(found, key=lambda each: _mean_error(each[1]))


def _mean_error(attempts: list[Attempt]) -> float:
    return float(np.mean([attempt.error for attempt in attempts]))


def start_of(columns: Columns) -> Array:
    """The T with which the rounds begin: the identity, without constant columns."""
    return np.diag(np.isfinite(columns.scale).astype(float))


def learn_leaf(
    trial: Trial, rows: Array, start: Array, settings: Settings, first: Sequence[Attempt] = ()
) -> tuple[Leaf, Attempt]:
    """The metric from the sample, and the function from all of these rows; also the best attempt at a metric."""
    found = learn_rounds(trial, start, settings, first)
    settings.tell(f"fit to {len(rows)} rows")
    ridge = found.fit.ridge(trial.X[rows], trial.Y[rows])
    return Leaf(found.transform, ridge, rows, found.history, found.reason), found.fit


def of_parts(found: Rounds, settings: Settings) -> Settings:
    """What the parts of all rows are told: they begin with the T of all, and refine it with the kernel of all."""
    return replace(settings, kernels=(found.fit.chosen.kernel,), rounds=min(settings.rounds, REFINED))


def learn_rounds(trial: Trial, start: Array, settings: Settings, first: Sequence[Attempt] = ()) -> Rounds:
    """The rounds of the kernel whose best fit has the least error, or both kernels together with their metrics.

    `first` are the attempts of the kernels with the metric of the start, where these are known.
    """
    tried: list[Rounds] = []
    for kernel, attempt in zip_longest(settings.kernels, first):
        least = min((rounds.fit.error for rounds in tried), default=np.inf)
        if attempt is None or not by_columns(kernel) or attempt.error <= _BEHIND * least:
            tried.append(_rounds_of(kernel, trial, start, settings, attempt))
    best = min(tried, key=lambda rounds: float(rounds.fit.error))
    if len(tried) != 2 or interrupted():
        return best
    both = _told(trial.of_both(tried[0].fit, tried[1].fit), settings)
    if both.error >= best.fit.error:
        return best
    return replace(best, fit=both, transform=both.transform, history=[*best.history, (np.nan, both.error)])


def _rounds_of(kernel: Kernel, trial: Trial, start: Array, settings: Settings, first: Attempt | None) -> Rounds:
    near = None if first is None else first.chosen.place

    def fitted(transform: Array) -> Attempt:
        nonlocal near
        known = first if transform is start else None
        attempt = _told(known or trial.of(kernel, transform, near), settings)
        near = attempt.chosen.place
        return attempt

    rounds = settings.rounds if isinstance(kernel, Stationary) else 0  # a mean of kernels keeps the metrics that it has
    return learn_metric(fitted, start, rounds, settings.powers, diagonal=by_columns(kernel))


def _told(attempt: Attempt, settings: Settings) -> Attempt:
    chosen = attempt.chosen
    name = repr(chosen.kernel) if isinstance(chosen.kernel, Stationary) else "mean of both kernels"
    settings.tell(f"{name}, alpha {chosen.alpha:g}: error {attempt.error:.6g}")
    return attempt


def cheaper_solver(n: int, alpha: float) -> str:
    """A factor of the Gram, n^3 / 3 operations, or conjugate gradients, also where a factor does not fit in memory."""
    steps_pay = n > max(FACTOR_ROWS, _BREAK_EVEN / np.sqrt(alpha))
    return "iterative" if steps_pay or 8 * n * n > config().memory else "dual"
