"""Landmarks: the largest lower bound of the evidence through m items, in O(n m^2), as solvers/inducing.py has it.

The search begins on a subset of the items.  Landmarks are those of solvers/landmarks.py, of which each is likely where
those before explain little; they are chosen again at the hyper-parameters that were found.  Items pass by in panels, so
that no n x m matrix is stored.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from mercer.engine.fill import require_memory
from mercer.engine.pool import run
from mercer.engine.tiles import cuts
from mercer.errors import NotFinite, bad
from mercer.estimators.gaussian_process.covariance import Covariance
from mercer.estimators.gaussian_process.means import Mean
from mercer.estimators.gaussian_process.methods.method import Method, rows_away
from mercer.estimators.gaussian_process.methods.panels import PANEL, LandmarkPanels, chosen_landmarks
from mercer.estimators.training_data import Data
from mercer.kernels import Kernel
from mercer.linalg.conjugate_gradients import conjugate_gradients
from mercer.solvers.inducing import InducingSlopes, InducingSums, panel_sums, two_sided
from mercer.typing import Array

_SUBSET, _FEW = 4000, 256  # items on which the search begins, and their landmarks, at most
_PRODUCTS = 25  # products with the whole covariance for the two-sided bound, at most
_LEAST_GAIN = 2e-4  # nats per item that a step of the search on all items must gain
_NAT = 1.0  # distance of the two bounds, from the quadratic form, at which products end


@dataclass(frozen=True, eq=False)
class Panels(LandmarkPanels):
    """The items of a process with their targets and their noise."""

    covariance: Covariance = field(kw_only=True)
    columns: Array = field(kw_only=True)  # [Y H]
    q: int = field(kw_only=True)

    @classmethod
    def of(cls, covariance: Covariance, index: Array, columns: Array, q: int) -> Self:
        """The items of a covariance, of which those at `index` are the landmarks."""
        data: Any = covariance.data
        return cls(data, data.prepared[index], covariance=covariance, columns=columns, q=q)

    @cached_property
    def noise(self) -> Array:
        """The variance of the noise of every item."""
        return self.covariance.alpha + self.covariance.noise.value

    def sums(self) -> InducingSums:
        """What all items say of the landmarks."""
        W, U, V, logs, diagonal = self.first_pass()
        return InducingSums(W, U, V, logs, diagonal, len(self.data), self.q)

    def first_pass(self) -> list[Any]:
        """What the items add to W, U, V, sum log s and sum k_ii / s_i."""
        _ = self.root, self.noise, self.diag  # made once, before threads ask for them
        return self.folded(lambda r: panel_sums(self.block(r), self.columns[r], self.noise[r], self.diag[r]))

    def slope(self, sums: InducingSums) -> Array:
        """The derivative of the bound in theta."""
        kernel, slopes = self.data.kernel, sums.slopes(self.root)
        items, noise = self.second_pass(slopes)
        whole = items + kernel.vjp(self.landmarks, self.landmarks, slopes.K)
        return np.concatenate([whole, [noise * self.covariance.noise.value] * len(self.covariance.noise.slots)])

    def second_pass(self, slopes: InducingSlopes) -> tuple[Array, float]:
        """What the items add to that derivative, by their kernel values and by their noise."""
        kernel, prepared = self.data.kernel, self.data.prepared

        def part(r: slice) -> tuple[Array, float]:
            K = np.asarray(kernel.block(prepared[r], self.landmarks), dtype=float)
            W, noise = slopes.of_panel(K, self.columns[r], self.noise[r], self.diag[r])
            return kernel.vjp(prepared[r], self.landmarks, W), noise

        cross, noise = self.folded(part)
        return np.asarray(cross + self.slope_of_diagonal(slopes.diagonal / self.noise)), noise


def panels_of(covariance: Covariance, index: Array, columns: Array, q: int) -> Panels:
    """The items of a covariance, of which those at `index` are the landmarks; here or on workers."""
    if not covariance.data.spread:
        return Panels.of(covariance, index, columns, q)
    from mercer.estimators.gaussian_process.methods.inducing_elsewhere import SpreadPanels

    return SpreadPanels.of(covariance, index, columns, q)


class InducingEvidence:
    """The lower bound of log p(Y | theta) through given landmarks."""

    has_curvature = False

    def __init__(self, covariance: Covariance, Y: Array, H: Array, landmarks: Array) -> None:
        self.covariance, self.landmarks, self.size = covariance, landmarks, len(Y)
        self.columns, self.q = np.hstack([Y, H]), Y.shape[1]

    @property
    def least_gain(self) -> float:
        """Nats: a step that gains less for each item changes no prediction that matters."""
        return _LEAST_GAIN * self.size

    def value_and_slope(self, theta: Array, *, at_least: float = -np.inf) -> tuple[float, Array | None]:
        """The bound; its slope if it is finite and >= at_least."""
        covariance = self.covariance.at(theta)
        panels = panels_of(covariance, self.landmarks, self.columns, self.q)
        try:
            sums = panels.sums()
            value = sums.bound
            if not np.isfinite(value):
                return -np.inf, None
            return value, panels.slope(sums) if value >= at_least else None
        except (np.linalg.LinAlgError, NotFinite):
            return -np.inf, None

    def curvature(self, theta: Array) -> None:
        """Not known: L-BFGS-B learns it from slopes."""


@dataclass(frozen=True, eq=False)
class InducingPosterior:
    """The process with Q in the place of K, given all targets; `bounds` compares it with the exact one.

    `kept` are the sums over items on other machines: then covariance has the landmarks alone, and Y and H no rows.
    """

    covariance: Covariance
    mean: Mean
    Y: Array
    H: Array
    index: Array  # positions of the landmarks
    kept: InducingSums | None = None

    @cached_property
    def panels(self) -> Panels:
        """All items, and the landmarks."""
        return panels_of(self.covariance, self.index, np.hstack([self.Y, self.H]), self.Y.shape[1])

    @cached_property
    def sums(self) -> InducingSums:
        """What the items say of the landmarks."""
        return self.panels.sums() if self.kept is None else self.kept

    def on_landmarks(self) -> InducingPosterior:
        """The same with its landmarks alone, which is all that predictions need."""
        alpha = self.covariance.alpha
        alike = np.full(len(self.index), alpha[0]) if np.ptp(alpha) == 0.0 else alpha[self.index]
        own = replace(self.covariance, data=self.covariance.data.keep(self.index), alpha=alike)
        return replace(self, covariance=own, Y=self.Y[:0], H=self.H[:0], index=np.arange(len(self.index)),
                       kept=self.sums)  # fmt: skip

    @property
    def evidence(self) -> float:
        """The lower bound of log p(Y)."""
        return self.sums.bound

    @property
    def weights(self) -> Array:
        return self.sums.weights

    @property
    def trace_error(self) -> float:
        """tr(K - Q) / tr K."""
        panels, sums = self.panels, self.sums
        if self.kept is not None:
            return max(sums.trace_error, 0.0) / sums.diagonal
        mean_noise = float(np.mean(panels.noise))
        return max(sums.trace_error, 0.0) * mean_noise / float(panels.diag.sum())

    def residual(self) -> float:
        """|B c - U| / |U|: how well the equations of the landmarks hold."""
        sums = self.sums
        left = sums.solved + sums.W @ sums.solved - sums.U
        return float(np.linalg.norm(left) / max(np.linalg.norm(sums.U), np.finfo(float).tiny))

    def mean_at(self, X: Any) -> Array:
        return self.moments(X, None)[0]

    def moments(self, X: Any, prior: Array | None) -> tuple[Array, Array]:
        kernel, q, new, basis = self._new(X)
        mean, variance = np.empty((len(new), q)), np.asarray(kernel.diag(new), dtype=float).copy()
        _ = self._factors  # made once, before threads ask for them

        def rows(r: slice) -> None:
            mean[r], Phi, inner, outer = self._parts(new[r], basis[r])
            variance[r] += _squares(inner) - _squares(Phi) + _squares(outer)

        run(rows, cuts(len(new), PANEL))
        return mean, variance

    def joint(self, X: Any, prior: Array | None) -> tuple[Array, Array]:
        kernel, _, new, basis = self._new(X)
        m = len(new)
        require_memory(
            f"The covariance of {m} new items", 8 * m * (2 * m + 3 * len(self.index)), "Ask for fewer at a time."
        )
        mean, Phi, inner, outer = self._parts(new, basis)
        C = np.array(kernel.block(new, new), dtype=float)
        C += inner @ inner.T - Phi @ Phi.T + outer @ outer.T
        return mean, 0.5 * (C + C.T)

    def _new(self, X: Any) -> tuple[Kernel, int, Any, Array]:
        """The kernel, the number of outputs, prepared new items and their basis."""
        data = self.panels.data
        new = data.kernel.prepare(X, self.panels.landmarks.frame)
        return data.kernel, self.Y.shape[1], new, self.mean.basis(X, len(new))

    @cached_property
    def _factors(self) -> tuple[Array, Array]:
        """The inverse of the factor of B, and the factor of H'(Q + S)^-1 H."""
        q = self.Y.shape[1]
        return np.linalg.inv(self.sums.inner), np.linalg.cholesky(self.sums.products[q:, q:])

    def _parts(self, new: Any, basis: Array) -> tuple[Array, Array, Array, Array]:
        """Means, and matrices A, B, C of as many rows: the covariance is K - A A' + B B' + C C'."""
        q, sums, (inner, root) = self.Y.shape[1], self.sums, self._factors
        Phi = self.panels.features(new)
        both = Phi @ sums.solved
        left = basis - both[:, q:]
        return both[:, :q] + left @ sums.weights, Phi, Phi @ inner.T, np.linalg.solve(root, left.T).T

    def bounds(self) -> tuple[float, float]:
        """(low, high) around log N(Y - H b; 0, K + S) of the exact process, summed over outputs.

        What the flat prior on b adds to it is that of the low rank model in both.
        """
        if self.kept is not None:
            raise rows_away("the bound of the exact evidence")
        targets = self.Y - self.H @ self.weights
        low, high = np.array([self._bounds_of(y) for y in targets.T]).sum(axis=0) + self.sums.of_mean
        return float(low), float(high)

    def _bounds_of(self, y: Array) -> tuple[float, float]:
        panels, sums, s = self.panels, self.sums, self.panels.noise
        gram = panels.data.gram()

        def solve(r: Array) -> Array:
            """(Q + S)^-1 r."""
            return np.asarray((r - panels.spread(sums.solve(panels.times(r / s)))) / s)

        def times(v: Array) -> Array:
            return np.asarray(gram @ v + s * v)

        size = float(y @ solve(y))
        v, _ = conjugate_gradients(times, y, solve=solve, tol=float(np.sqrt(_NAT / max(size, _NAT))), most=_PRODUCTS)
        image = times(v)
        return two_sided(sums, y, v, image, solve(y - image))


class Inducing(Method):
    """A lower bound of the evidence through landmarks."""

    name = "sgpr"

    def __init__(self, count: int) -> None:
        self.count = count

    def evidences(self, covariance: Covariance, Y: Array, H: Array) -> list[InducingEvidence]:
        """The bound on a subset, from few landmarks, and on all items."""
        data = self._items(covariance)
        whole = InducingEvidence(covariance, Y, H, chosen_landmarks(data, self.count))
        if len(Y) <= 2 * _SUBSET:
            return [whole]
        some = np.sort(np.random.default_rng(0).permutation(len(Y))[:_SUBSET])
        part = covariance.take(some)
        few = chosen_landmarks(data.keep(some), min(self.count, _FEW))
        return [InducingEvidence(part, Y[some], H[some], few), whole]

    def posterior(self, covariance: Covariance, mean: Mean, Y: Array, H: Array) -> InducingPosterior:
        return InducingPosterior(covariance, mean, Y, H, chosen_landmarks(self._items(covariance), self.count))

    def _items(self, covariance: Covariance) -> Data:
        if covariance.data.kernel is None:
            raise bad("GaussianProcessRegressor", "kernel", "computable for method='sgpr'", "'precomputed'",
                      "Pass a kernel and the items.")  # fmt: skip
        if (covariance.alpha + covariance.noise.value).min() <= 0.0:
            raise bad("GaussianProcessRegressor", "noise", "> 0 for method='sgpr'", "0",
                      "Use noise='learn': the bound divides by it.")  # fmt: skip
        return covariance.data


def _squares(V: Array) -> Array:
    """The squared length of every row."""
    return np.asarray(np.einsum("ij,ij->i", V, V))
