"""Nearest neighbours: every new item is predicted from the training items nearest to it (GPnn, Allison et al., 2023).

The hyper-parameters have the largest sum of evidences on blocks of items.  Some are items drawn at random, which tell
what varies slowly.  More are the neighbours of an item, which tell the noise and short lengthscales: these decide about
predictions from neighbours, and differ from place to place.  Blocks miss rare targets that differ much from those of
equal items, so that the noise is raised as long as items held out become more likely by that.

Items held out also say how far variances are off, and one factor for signal and noise corrects that; it changes no
mean.  Few items have errors so large that they decide about this factor, so that it takes thousands to know it.  One
more item whose error is as expected keeps it away from 0 where every item held out has a twin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mercer.engine.interrupts import interrupted, until_interrupted
from mercer.engine.pool import run
from mercer.engine.tiles import cuts
from mercer.errors import bad
from mercer.estimators.gaussian_process.covariance import Covariance
from mercer.estimators.gaussian_process.means import Mean
from mercer.estimators.gaussian_process.methods.method import Method, exact_only
from mercer.estimators.gaussian_process.regression_evidence import RegressionEvidence
from mercer.estimators.training_data import KernelItems
from mercer.solvers.evidence_search import LEAST
from mercer.solvers.local_conditioning import condition_at
from mercer.typing import Array

_BLOCKS, _PLACES = 4, 12  # blocks of random items for the hyper-parameters, and of neighbours of an item
_BLOCK = 400  # items of each; half as many tell too little noise where targets have long tails
_HELD_OUT = 4000  # items by which variances are corrected
_ASKED = 1000  # items held out at every step of the noise
_RAISE, _RAISES = 8.0, 8  # the factor by which the noise is raised in one step, and the steps
_TOGETHER = 64  # new items of one task


class BlockEvidence:
    """The sum of the evidences of several blocks of items."""

    has_curvature = True
    least_gain = LEAST

    def __init__(self, blocks: Sequence[RegressionEvidence]) -> None:
        self.blocks, self.size = blocks, sum(block.size for block in blocks)

    def value_and_slope(self, theta: Array, *, at_least: float = -np.inf) -> tuple[float, Array | None]:
        """The sum; its slope if it is finite and >= at_least."""
        found = [block.value_and_slope(theta) for block in self.blocks]
        value = float(sum(one for one, _ in found))
        slopes = [slope for _, slope in found if slope is not None]
        if not np.isfinite(value) or value < at_least or len(slopes) < len(found):
            return value if np.isfinite(value) else -np.inf, None
        return value, np.sum(slopes, axis=0)

    def curvature(self, theta: Array) -> Array | None:
        """The sum of the information of the blocks."""
        found = [block.curvature(theta) for block in self.blocks]
        known = [one for one in found if one is not None]
        return np.sum(known, axis=0) if len(known) == len(found) else None


@dataclass(frozen=True, eq=False)
class NeighbourPosterior:
    """The process at new items, given the `count` training items nearest to each; `evidence` is that of the blocks."""

    covariance: Covariance
    mean: Mean
    Y: Array
    count: int
    evidence: float
    calibration: float = 1.0  # the factor of all variances

    @property
    def data(self) -> KernelItems:
        """The training items."""
        found = self.covariance.data
        assert isinstance(found, KernelItems)
        return found

    @cached_property
    def H(self) -> Array:
        """The basis of the mean at the training items."""
        items = self.data.items
        return self.mean.basis(items, len(items))

    @property
    def weights(self) -> Array:
        """There are none for all items: every new item has weights of its own."""
        return np.empty((0, self.Y.shape[1]))

    def residual(self) -> float:
        """0: each small system is solved by its factor."""
        return 0.0

    def mean_at(self, X: Any) -> Array:
        return self.moments(X, None)[0]

    def moments(self, X: Any, prior: Array | None) -> tuple[Array, Array]:
        new = self.data.kernel.prepare(X, self.data.prepared.frame)
        index, _ = self.data.cross(X).nearest(self.count)
        mean, variance = self._at(new, self.mean.basis(X, len(new)), index)
        return mean, self.calibration * variance

    def joint(self, X: Any, prior: Array | None) -> tuple[Array, Array]:
        raise exact_only("GaussianProcessRegressor", "covariances of new items", Neighbours.name)

    def held_out(self, rows: Array) -> tuple[Array, Array]:
        """Mean and variance of f at training items, from their neighbours without the item itself."""
        data = self.data
        some = data.keep(rows)
        index, _ = data.cross(some.items).nearest(min(self.count + 1, len(data)))
        index = np.array([found[found != row][: self.count] for found, row in zip(index, rows, strict=True)])
        return self._at(some.prepared, self.H[rows], index)

    def _at(self, new: Any, basis: Array, index: Array) -> tuple[Array, Array]:
        kernel, trained = self.data.kernel, self.data.prepared
        noise, H = self.covariance.alpha + self.covariance.noise.value, self.H
        mean, variance = np.empty((len(new), self.Y.shape[1])), np.asarray(kernel.diag(new), dtype=float).copy()

        def some(r: slice) -> None:
            for i in range(r.start, r.stop):
                near = index[i]
                items = trained[near]
                M = np.ascontiguousarray(kernel.block(items, trained[near]), dtype=float)
                M.flat[:: len(M) + 1] += noise[near]
                k = np.asarray(kernel.block(new[i : i + 1], items), dtype=float)[0]
                mean[i], variance[i] = condition_at(M, k, variance[i], self.Y[near], H[near], basis[i])

        run(some, cuts(len(new), _TOGETHER))
        return mean, variance


class Neighbours(Method):
    """Predictions from nearest neighbours; the hyper-parameters from blocks."""

    name = "neighbours"

    def __init__(self, count: int) -> None:
        self.count = count

    def evidences(self, covariance: Covariance, Y: Array, H: Array) -> list[BlockEvidence]:
        self._require(covariance)
        return [BlockEvidence([
            RegressionEvidence(covariance.take(block), Y[block], H[block]) for block in _blocks(covariance.data)
        ])]  # fmt: skip

    def settled(self, covariance: Covariance, mean: Mean, Y: Array, H: Array) -> Covariance:
        """With more noise, if it is free and items held out are more likely by that."""
        noise = covariance.noise
        if not noise.slots or len(Y) <= 2 * _BLOCK:
            return covariance
        found, best = covariance, -np.inf
        ceiling = float(np.exp(noise.slots[0].bounds[0, 1]))
        with until_interrupted():
            for step in range(_RAISES + 1):
                theta = covariance.theta.copy()
                theta[-1] += step * np.log(_RAISE)
                more = covariance.at(theta)
                if interrupted() or (step and more.noise.value > ceiling):
                    break
                density = self._held_out(more, mean, Y, _ASKED)[1]
                if density <= best:
                    break
                found, best = more, density
        return found

    def posterior(self, covariance: Covariance, mean: Mean, Y: Array, H: Array) -> NeighbourPosterior:
        self._require(covariance)
        value = self.evidences(covariance, Y, H)[0].value_and_slope(covariance.theta, at_least=np.inf)[0]
        most, factor = _ASKED if interrupted() else _HELD_OUT, 1.0
        if len(Y) > 2:
            with until_interrupted():
                factor = self._held_out(covariance, mean, Y, most)[0]
        return self._given(covariance, mean, Y, value, factor)

    def _given(self, covariance: Covariance, mean: Mean, Y: Array, value: float, factor: float) -> NeighbourPosterior:
        return NeighbourPosterior(covariance, mean, Y, min(self.count, len(Y)), value, factor)

    def _held_out(self, covariance: Covariance, mean: Mean, Y: Array, most: int) -> tuple[float, float]:
        """The factor of all variances by `most` items held out, and their mean log density with it."""
        rows = np.sort(np.random.default_rng(1).permutation(len(Y))[:most])
        at, variance = self._given(covariance, mean, Y, 0.0, 1.0).held_out(rows)
        whole = np.maximum(variance + covariance.alpha[rows] + covariance.noise.value, np.finfo(float).tiny)[:, None]
        square = float(np.mean((Y[rows] - at) ** 2 / whole))
        if not np.isfinite(square):
            return 1.0, -np.inf
        factor = (1.0 + len(rows) * square) / (1.0 + len(rows))
        return factor, -0.5 * (float(np.mean(np.log(factor * whole))) + square / factor)

    def _require(self, covariance: Covariance) -> None:
        if not isinstance(covariance.data, KernelItems):
            raise bad("GaussianProcessRegressor", "kernel", "computable for method='neighbours'", "'precomputed'",
                      "Pass a kernel and the items.")  # fmt: skip


def _blocks(data: Any) -> list[Array]:
    """Positions of random items, and of the neighbours of random items; all items in one block if they are few."""
    n = len(data)
    if n <= 2 * _BLOCK:
        return [np.arange(n)]
    rng = np.random.default_rng(0)
    random = [np.sort(rng.choice(n, _BLOCK, replace=False)) for _ in range(_BLOCKS)]
    centres = data.keep(np.sort(rng.choice(n, _PLACES, replace=False)))
    near, _ = data.cross(centres.items).nearest(_BLOCK)
    return [*random, *(np.sort(block) for block in near)]
