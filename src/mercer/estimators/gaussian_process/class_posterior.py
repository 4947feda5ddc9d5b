"""A latent Gaussian process with labels: its problems and their posteriors.

A problem holds the labels of some items and computes the Laplace approximation from the Gram of these items.  There is
one problem for two classes or for all classes jointly, and several for one against the rest or one against one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Self

import numpy as np

from mercer.engine.tiles import cuts
from mercer.errors import bad
from mercer.estimators.training_data import Cross, Data
from mercer.solvers.label_sites import SignSites, SoftmaxSites
from mercer.solvers.laplace import Laplace, Mode
from mercer.solvers.laplace_softmax import SoftmaxLaplace, log_and_slope
from mercer.solvers.losses import Likelihood, average_softmax
from mercer.typing import Array

_NUMBERS = 2**22  # kernel values of new items, times classes, in memory at a time

Approximation = Laplace | SoftmaxLaplace


@dataclass(frozen=True, eq=False)
class Signs:
    """Labels -1 and +1 of the items `index`, and their weights."""

    index: Array
    y: Array
    weight: Array
    likelihood: Likelihood

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the coefficients."""
        return (len(self.y),)

    def some(self, at: Array) -> Signs:
        """The problem of some of its items."""
        return Signs(self.index[at], self.y[at], self.weight[at], self.likelihood)

    def log_and_slope(self, f: Array) -> tuple[float, Array]:
        """log p(y | f), and its slope in f."""
        z = self.y * f
        return -float(self.weight @ self.likelihood.value(z)), -self.weight * self.y * self.likelihood.slope(z)

    @property
    def sites(self) -> SignSites:
        """The labels as a solver through landmarks sees them."""
        return SignSites(self.y, self.weight, self.likelihood)

    def approximate(self, K: Array, start: Array | None, max_iter: int) -> Laplace:
        return Laplace.of(K, self.y, self.likelihood, weight=self.weight, start=start, max_iter=max_iter)

    def probabilities(self, mean: Array, spread: Array) -> Array:
        """P(-1) and P(+1), in two columns."""
        p = self.likelihood.average(mean, spread)
        return np.column_stack([1.0 - p, p])


@dataclass(frozen=True, eq=False)
class Codes:
    """Labels 0 ... classes - 1 of the items `index`, and their weights."""

    index: Array
    y: Array
    weight: Array
    classes: int

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the coefficients."""
        return len(self.y), self.classes

    def some(self, at: Array) -> Codes:
        """The problem of some of its items."""
        return Codes(self.index[at], self.y[at], self.weight[at], self.classes)

    def log_and_slope(self, f: Array) -> tuple[float, Array]:
        """log p(y | f), and its slope in f."""
        return log_and_slope(self.y, self.weight, f)

    @property
    def sites(self) -> SoftmaxSites:
        """The labels as a solver through landmarks sees them."""
        return SoftmaxSites(self.y, self.weight, self.classes)

    def approximate(self, K: Array, start: Array | None, max_iter: int) -> SoftmaxLaplace:
        return SoftmaxLaplace.of(K, self.y, self.classes, weight=self.weight, start=start, max_iter=max_iter)

    def probabilities(self, mean: Array, spread: Array) -> Array:
        """P(class), one column each."""
        return average_softmax(mean, spread)


LabelProblem = Signs | Codes


def jointly(codes: Array, weight: Array, classes: int) -> list[LabelProblem]:
    """One problem for all classes, by the softmax."""
    return [Codes(np.flatnonzero(weight), codes[weight > 0.0], weight[weight > 0.0], classes)]


def one_vs_rest(codes: Array, weight: Array, classes: int, likelihood: Likelihood) -> list[LabelProblem]:
    """Every class against the others; of two classes, the second against the first."""
    used = np.flatnonzero(weight)
    chosen = range(classes) if classes > 2 else [1]
    return [Signs(used, np.where(codes[used] == c, 1.0, -1.0), weight[used], likelihood) for c in chosen]


def one_vs_one(codes: Array, weight: Array, classes: int, likelihood: Likelihood) -> list[LabelProblem]:
    """Every pair of classes, the first of them +1, in the order (0, 1), (0, 2), ..."""
    found: list[LabelProblem] = []
    for i, j in combinations(range(classes), 2):
        index = np.flatnonzero(((codes == i) | (codes == j)) & (weight > 0.0))
        found.append(Signs(index, np.where(codes[index] == i, 1.0, -1.0), weight[index], likelihood))
    return found


@dataclass(frozen=True, eq=False)
class ClassPosterior:
    """A problem with its approximation, the items that prediction needs, and k(x, x) of the training items."""

    problem: LabelProblem
    data: Data
    found: Approximation
    diagonal: Array

    @classmethod
    def of(cls, problem: LabelProblem, data: Data, K: Array, start: Array | None, max_iter: int) -> Self:
        """The posterior of a problem whose items have the Gram K; `data` are those items, for prediction."""
        begin = None if start is None else start.reshape(problem.shape)
        return cls(problem, data, problem.approximate(K, begin, max_iter), np.diagonal(K).copy())

    @property
    def mode(self) -> Mode:
        """The maximum of the posterior, and its proof."""
        return self.found.mode

    @property
    def evidence(self) -> float:
        """log q(y)."""
        return float(self.found.evidence)

    @property
    def approximation(self) -> None:
        """None: the prior is that of the kernel."""
        return None

    def expansion(self) -> tuple[Array, Array]:
        """Positions among all items of the fit, and coefficients, a row for each function."""
        return self.problem.index, np.atleast_2d(self.mode.coef.T)

    def mean(self, X: Any) -> Array:
        """The mean of f at new items, one column per class where there are several functions."""
        return self.data.evaluate(X, self.mode.coef)

    def latent(self, X: Any, prior: Any) -> tuple[Array, Array]:
        """Mean and variance of f at new items; (m, C) and (m, C, C) where there are several functions."""
        cross = self.data.cross(X)
        variances = self._variances(cross, prior)
        rows = max(1, _NUMBERS // self.mode.coef.size)
        parts = [self.found.predict(_rows(cross, r), variances[r]) for r in cuts(len(variances), rows)]
        return np.concatenate([mean for mean, _ in parts]), np.concatenate([spread for _, spread in parts])

    def _variances(self, cross: Cross, prior: Any) -> Array:
        """k(x, x) of new items; for a matrix it is given, or that of the training items if they all have the same."""
        known = cross.row_diag()
        if known is not None:
            return known
        m, d = cross.shape[0], self.diagonal
        if prior is None and np.ptp(d) <= 1e-8 * abs(d).max():
            return np.full(m, d.mean())
        given = np.empty(0) if prior is None else np.asarray(prior, dtype=float)
        if given.shape != (m,):
            raise bad("precomputed kernel", "prior", f"k(x, x) of the {m} new items: training items differ in it",
                      "none" if prior is None else f"shape {given.shape}", "Pass prior=...")  # fmt: skip
        return given

    def probabilities(self, X: Any, prior: Any) -> Array:
        """The probability of every label of the problem, averaged over the posterior of f."""
        return self.problem.probabilities(*self.latent(X, prior))


def _rows(cross: Cross, r: slice) -> Array:
    """Some rows of k(new, training)."""
    return cross.rows(np.arange(r.start, r.stop)).astype(np.float64, copy=False)
