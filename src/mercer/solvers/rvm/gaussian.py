"""The evidence of numbers y = Phi w + noise whose noise is N(0, 1 / (beta omega_i)).

omega_i counts item i so many times.  The posterior is Gaussian and the evidence exact; beta is learned together with
the precisions of the weights unless it is given.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np

from mercer.solvers.rvm.basis import Basis
from mercer.solvers.rvm.evidence import PosteriorFactor, View
from mercer.solvers.rvm.row_cache import RowCache
from mercer.typing import Array

_LEAST_NOISE = 1e-10  # least noise variance, in units of that of the targets: beta of noise-free data would be infinite
_START = 30.0  # first beta times the variance of the targets: little noise, so that many functions are added


@dataclass(frozen=True, eq=False)
class Fit:
    """Active functions, their variances, and the posterior of their weights."""

    index: Array
    tau: Array
    beta: float
    mean: Array
    factor: PosteriorFactor
    rest: float  # sum_i omega_i (y_i - f_i)^2
    evidence: float


class Gaussian:
    """Numbers with Gaussian noise; beta is learned when it is None."""

    def __init__(self, basis: Basis, y: Array, weight: Array, beta: float | None) -> None:
        self.basis, self.y, self.weight, self.beta = basis, y, weight, beta
        self.count = float(weight.sum())
        self.target = basis.project((weight * y)[:, None])[:, 0]
        self.size = basis.squares(weight[:, None])[:, 0]
        self.cache = RowCache(self._gram, len(basis))
        self.variance = self._variance()
        self.scale = self.variance * self.count  # of |y|^2, as `size` is of |phi|^2

    def __len__(self) -> int:
        return len(self.basis)

    def _variance(self) -> float:
        """The variance of the targets, or their square if they are constant, or 1: a scale for the noise."""
        mean = float(self.weight @ self.y) / self.count
        around = float(self.weight @ (self.y - mean) ** 2) / self.count
        return around if around > 1e-20 * mean**2 and around > 0.0 else mean**2 or 1.0

    def start(self) -> Fit:
        """Nothing active yet, and less noise than expected."""
        none = np.zeros(0)
        return self._at(none.astype(np.intp), none, _START / self.variance if self.beta is None else self.beta)

    def held(self) -> Gaussian:
        """The same with beta held at its start, for a first rough ascent."""
        held = copy(self)
        held.beta = self.start().beta
        return held

    def likeness(self, j: int) -> Array:
        """How much each candidate looks like candidate j."""
        return self.basis.likeness(j)

    def trusted(self, index: Array, tau: Array) -> bool:
        """The evidence is exact."""
        return True

    # ---- the evidence at a point

    def _at(self, index: Array, tau: Array, beta: float) -> Fit:
        factor = PosteriorFactor.of(beta * self._block(index), tau)
        mean = factor.solve(beta * self.target[index])
        slope = beta * self.basis.cache.times(index, self.weight * self._residual(index, mean)) - mean / tau
        mean = mean + factor.solve(slope)  # one step of refinement: the normal equations lose digits
        rest = float(self.weight @ self._residual(index, mean) ** 2)
        fit = self.count * np.log(beta / (2.0 * np.pi)) - beta * rest - mean @ (mean / tau)
        return Fit(index, tau, beta, mean, factor, rest, float(0.5 * fit - factor.half_logdet))

    def given(self, index: Array, tau: Array, weights: Array, beta: float) -> Fit:
        """The fit at these variances and this beta; the weights follow from them."""
        return self._at(index, tau, beta)

    def _residual(self, index: Array, mean: Array) -> Array:
        return np.asarray(self.y - self.basis.cache.mix(index, mean))

    def at(self, index: Array, tau: Array, near: Fit) -> Fit:
        """The fit with these variances and, if it is learned, a better beta."""
        fit = self._at(index, tau, near.beta)
        return fit if self.beta is not None else self._better_beta(fit)

    def _better_beta(self, fit: Fit) -> Fit:
        """The fit after MacKay's step in beta, or if that lowers the evidence after EM's, which cannot."""
        gamma = fit.factor.determined()
        free = max(self.count - gamma, 1e-9 * self.count)
        for top, bottom in ((free, fit.rest), (self.count, fit.rest + gamma / fit.beta)):
            new = self._at(fit.index, fit.tau, top / max(bottom, top / self.cap))
            if new.evidence >= fit.evidence:
                return new
        return fit

    @property
    def cap(self) -> float:
        """The largest beta."""
        return 1.0 / (_LEAST_NOISE * self.variance)

    def noise(self, fit: Fit) -> float:
        """|d log evidence / d log beta|; 0 when beta is given or at its cap."""
        if self.beta is not None or fit.beta >= self.cap:
            return 0.0
        gamma = fit.factor.determined()
        return abs(0.5 * (self.count - gamma - fit.beta * fit.rest))

    # ---- what a change would gain

    def _gram(self, index: Array) -> Array:
        """Rows `index` of Phi' Omega Phi."""
        return self.basis.project(self.weight[:, None] * self.basis.cache.rows(index).T).T

    def _block(self, index: Array) -> Array:
        """Phi' Omega Phi between these functions; whole rows are computed only for those that stay active."""
        old = self.cache.has(index)
        new, G = ~old, np.empty((len(index), len(index)))
        G[old] = self.cache.block(index[old], index)
        G[np.ix_(new, old)] = G[np.ix_(old, new)].T
        Phi = self.basis.cache.rows(index[new])
        G[np.ix_(new, new)] = (Phi * self.weight) @ Phi.T
        return G

    def view(self, fit: Fit) -> View:
        """S and Q of all candidates."""
        rows, size = fit.beta * self.cache.rows(fit.index), fit.beta * self.size
        S = size - fit.factor.squares(rows)
        Q = fit.beta * self.target - fit.mean @ rows
        return View(S, Q, size, rows, fit.factor)

    def local(self, fit: Fit, chosen: Array) -> tuple[Array, Array]:
        """P and Q of some candidates, all active ones among them."""
        G = fit.beta * self._block(chosen)
        half = fit.factor.half(G[np.searchsorted(chosen, fit.index)])
        Q = self.basis.cache.times(chosen, fit.beta * self.weight * self._residual(fit.index, fit.mean))
        return G - half.T @ half, Q
