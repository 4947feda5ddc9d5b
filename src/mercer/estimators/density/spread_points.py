"""Points of a density that stay in blocks on the workers of a Dask cluster.

The density is a sum over points, so that each block adds the logarithm of its own sum, and these are merged in the
order of the blocks by log(exp(a) + exp(b)).  On a worker a block is a `Mixture` like any other.  What needs all points
in one place (modes, samples, leave-one-out densities) brings them here, if they fit the memory budget.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from mercer.distributed import Block, Rows
from mercer.distributed.pairs import Places, answers, own_answers
from mercer.distributed.rows import Shared
from mercer.engine.fill import require_memory
from mercer.engine.tiles import cuts
from mercer.estimators.density.support_argument import inside
from mercer.estimators.rows_elsewhere import with_names
from mercer.solvers.density import Accuracy, Mixture, log_sums
from mercer.solvers.density.boundary import Side, reflected
from mercer.typing import Array

_QUERIES = 1 << 16  # that are sent to all workers at a time


@dataclass(frozen=True, eq=False)
class Recipe:
    """How the rows of a block become points.

    empty     a mixture without points: its scales, window, form and norm
    columns   of the rows, which are the points after the map `whiten`, if there is one
    sides     the support of these columns
    share     weights of sum 1 of all rows, of which those of weight 0 are left out; None if all are equal to 1 / n
    factor    of all rows; None if windows are equally wide
    """

    empty: Mixture
    columns: Array
    whiten: Array | None
    sides: list[Side]
    n: int
    share: Array | None = None
    factor: Array | None = None

    def points(self, block: Block) -> Mixture | None:
        """The points of a block; None if all have weight 0."""
        rows = slice(block.start, block.start + len(block))
        share = np.full(len(block), 1.0 / self.n) if self.share is None else self.share[rows]
        used = np.flatnonzero(share)
        if not len(used):
            return None
        X = np.asarray(block.X, dtype=np.float64)[np.ix_(used, self.columns)]
        X = inside("KernelDensity", X, self.sides, block.start)
        X = X if self.whiten is None else X @ self.whiten
        factor = None if self.factor is None else self.factor[rows][used]
        return replace(self.empty, rows=np.ascontiguousarray(X), weight=share[used], factor=factor)

    def with_images(self, block: Block) -> Mixture | None:
        """The same, with images beyond bounds."""
        found = self.points(block)
        bounded = any(side.bounded for side in self.sides)
        return reflected(found, self.sides)[0] if found is not None and bounded else found


@dataclass(frozen=True, eq=False)
class SpreadPoints:
    """The points of a density on workers."""

    rows: Rows
    recipe: Recipe
    kept: dict[Any, Shared] = field(default_factory=dict)  # sent to workers already

    @property
    def log_constant(self) -> float:
        """That of the mixture of all points."""
        return self.recipe.empty.log_constant

    @cached_property
    def here(self) -> Mixture:
        """All points, here."""
        n, D = len(self.rows), len(self.recipe.columns)
        require_memory(f"{n} points of {D} numbers", 8 * n * D, "Fit a sample of them, or raise the budget.")
        found = self.recipe.points(Block(self.rows.take(np.arange(n)), None, 0))
        assert found is not None
        return found if self.recipe.share is not None else replace(found, weight=None)

    def log_sums(self, Q: Array, accuracy: Accuracy, method: str) -> Array:
        """The logarithms of sums over all points at rows Q, which are here."""
        out = np.empty(len(Q))
        for part in cuts(len(Q), _QUERIES):
            shared = Shared((self.recipe, np.ascontiguousarray(Q[part]), accuracy, method))
            found = self.rows.total(_sums_here, shared, task="densities of a block", needs=self._bytes)
            out[part] = found.logs
        return out

    def pilot(self, machine: Any, accuracy: Accuracy) -> Array:
        """The logarithms of sums over all points, at the points themselves."""
        shared = Shared((_without_points(machine), self.recipe, accuracy, "auto"))
        return own_answers(self.rows, _sums, _sums_only, np.zeros(1), shared, task="densities of a block",
                           needs=self._bytes)  # fmt: skip

    def left_out(self, accuracy: Accuracy, method: str) -> Array:
        """The logarithms of sums over all other points, at every point of positive weight."""
        return own_answers(self.rows, _others, _sums_only, np.zeros(1), Shared((self.recipe, accuracy, method)),
                           task="densities of a block", needs=self._bytes)  # fmt: skip

    @property
    def weights(self) -> Array:
        """Of the points of positive weight."""
        share, n = self.recipe.share, len(self.rows)
        return np.full(n, 1.0 / n) if share is None else share[share > 0.0]

    def lazily(self, machine: Any, X: Any) -> Any:
        """log p of a Dask collection, as a Dask array."""
        asked = machine._accuracy, machine.method
        shared = self.kept.setdefault(asked, Shared((_without_points(machine), self.recipe, *asked)))
        return answers(Places.of(X), self.rows, _sums, _densities, np.zeros(1), shared)

    @property
    def _bytes(self) -> int:
        """About how many bytes a task holds: rows, points, and a tree or a grid of them."""
        return 32 * int(self.rows.counts.max()) * (self.rows.shape[1] + 2)


@dataclass(eq=False)
class LogSums:
    """log sum_i v_i f(|q - x_i|) over the points of consecutive blocks, for every query."""

    logs: Array

    @classmethod
    def of(
        cls, mixture: Mixture | None, Q: Array, known: Array, accuracy: Accuracy, method: str, skip: Array | None = None
    ) -> Self | None:
        """Of one block; -inf at queries that are not `known`.  Query i leaves out the point skip_i."""
        if mixture is None:
            return None
        share = Accuracy(accuracy.rtol, accuracy.atol * float(mixture.weights.sum()))
        logs = np.full(len(Q), -np.inf)
        if known.any():
            logs[known] = log_sums(mixture, Q[known], share, method, skip)[0]
        return cls(logs)

    def merge(self, other: LogSums) -> None:
        """Add the points of the next blocks."""
        self.logs = np.logaddexp(self.logs, other.logs)


def _sums_here(block: Block, shared: tuple[Recipe, Array, Accuracy, str]) -> LogSums | None:
    recipe, Q, accuracy, method = shared
    return LogSums.of(recipe.with_images(block), Q, np.full(len(Q), True), accuracy, method)


def _sums(places: Block, block: Block, shared: tuple[Any, Recipe, Accuracy, str]) -> LogSums | None:
    machine, recipe, accuracy, method = shared
    own = places.start >= 0
    Q, known = machine._queries(with_names(machine, places.X) if own else places.X)
    return LogSums.of(recipe.with_images(block), Q, known, accuracy, method)


def _others(places: Block, block: Block, shared: tuple[Recipe, Accuracy, str]) -> LogSums | None:
    """Sums at the points of a block, each without itself."""
    recipe, accuracy, method = shared
    at = recipe.points(places)
    if at is None:
        return None
    own = np.arange(len(at)) if places.start == block.start else None
    return LogSums.of(recipe.points(block), at.rows, np.full(len(at), True), accuracy, method, own)


def _sums_only(total: LogSums, shared: Any) -> Array:
    return total.logs


def _densities(total: LogSums, shared: tuple[Any, Recipe, Accuracy, str]) -> Array:
    return np.asarray(total.logs + shared[0]._log_constant)


def _without_points(machine: Any) -> Any:
    """A copy of a fitted density that knows its columns and bounds only, for workers."""
    light = object.__new__(type(machine))
    left = ("_on_workers", "_points", "_origin")
    light.__dict__.update({name: value for name, value in vars(machine).items() if name not in left})
    light._mixture = machine._on_workers.recipe.empty
    return light
