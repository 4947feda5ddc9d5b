"""Local regression on points that stay in blocks on the workers of a Dask cluster.

A local fit at a place needs a few sums over all points.  Each block of points adds its own, merged in the order of the
blocks, and the small systems are solved where the sums end.  On a worker a block is a `LocalProblem` like any other.
Targets and weights come here, a few numbers for each row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Self

import numpy as np

from mercer.distributed import Block, Rows
from mercer.distributed import pairs as spread
from mercer.distributed.deviations import Deviations
from mercer.distributed.rows import Shared
from mercer.engine.fill import require_memory
from mercer.engine.tiles import cuts
from mercer.errors import bad
from mercer.estimators.base import targets, weights
from mercer.estimators.regressor import columns_of
from mercer.estimators.rows_elsewhere import with_names
from mercer.estimators.smoothing.mixed_columns import Extent, MixedColumns, checked, learned
from mercer.solvers.bandwidth import BY_DEVIATIONS, from_deviations
from mercer.solvers.local_regression import LocalFit, LocalProblem, PartialSums, Places, Width
from mercer.typing import Array
from mercer.windows import Window

_PLACES = 1 << 14  # that are sent to all workers at a time


@dataclass(frozen=True, eq=False)
class Recipe:
    """How the rows of a block become a local problem; `machine` knows columns and options, and has no points."""

    machine: Any
    weight: Array
    window: Window

    @property
    def columns(self) -> MixedColumns:
        """What the rows of all blocks have shown of their columns."""
        found: MixedColumns = self.machine._columns
        return found

    def problem(self, block: Block) -> LocalProblem | None:
        """The points of a block; None if all have weight 0."""
        w = self._weights(block)
        used = np.flatnonzero(w)
        if not len(used):
            return None
        Z, codes = self._split(block, used)
        Y = columns_of(np.asarray(block.y, dtype=np.float64))[used]
        return LocalProblem(Z, codes, self.columns.levels, Y, w[used], self.window, self.machine._degree)

    def places(self, block: Block) -> Places:
        """The points of a block as places."""
        return Places(*self._split(block, np.flatnonzero(self._weights(block))))

    def _weights(self, block: Block) -> Array:
        return self.weight[block.start : block.start + len(block)]

    def _split(self, block: Block, used: Array) -> tuple[Array, Array]:
        V = checked(self.machine, with_names(self.machine, block.X), reset=False)
        return self.columns.split(type(self.machine).__name__, V[used])


@dataclass(frozen=True, eq=False)
class SpreadProblem(LocalProblem):
    """A local problem whose X and codes have no rows here: they are on workers."""

    rows: Rows
    recipe: Recipe

    @classmethod
    def of(cls, machine: Any, X: Any, y: Any, sample_weight: Any, window: Window) -> Self:
        """The problem of a machine and a Dask collection; sets what the machine knows of the columns."""
        owner = type(machine).__name__
        if y is None:
            raise ValueError(f"{owner} requires y to be passed, but the target y is None.")
        rows = Rows.of(owner, X, y)
        t = targets(owner, rows.targets())
        first = rows.take(np.zeros(1, dtype=np.intp))
        named = hasattr(X, "columns") and isinstance(first, np.ndarray)
        checked(machine, type(X._meta)(first, columns=X._meta.columns) if named else first, t[:1], reset=True)
        machine._flat = t.ndim == 1
        w = weights(owner, None if sample_weight is None else np.asarray(sample_weight), len(rows))
        light = _without_points(machine)
        extent = rows.total(_extent, Shared((light, w)), task="the ranges of columns")
        machine._columns = light._columns = columns = learned(machine, extent)
        used, none = w > 0.0, np.empty((0, len(columns.numeric)))
        return cls(none, np.empty((0, len(columns.coded))), columns.levels, columns_of(t)[used], w[used], window,
                   machine._degree, rows, Recipe(light, w, window))  # fmt: skip

    def __len__(self) -> int:
        return len(self.Y)

    # ---- what a problem must know

    @property
    def ranges(self) -> Array:
        """Columns are measured in units of their range."""
        return np.ones(self.X.shape[1])

    @cached_property
    def own(self) -> Places:
        """All points as places; where they are, only workers know."""
        nowhere = np.empty((len(self), 0))
        return Places(nowhere, nowhere)

    @cached_property
    def others(self) -> Places:
        """The same, each seen by the other points only."""
        nowhere = np.empty((len(self), 0))
        return Places(nowhere, nowhere, np.arange(len(self)))

    @cached_property
    def here(self) -> LocalProblem:
        """The problem with all points here."""
        n, D = len(self.rows), self.rows.shape[1]
        require_memory(f"{n} points of {D} numbers", 8 * n * D, "Fit a sample of them, or raise the budget.")
        y = np.asarray(self.rows.targets(), dtype=np.float64)
        found = self.recipe.problem(Block(self.rows.take(np.arange(n)), y, 0))
        assert found is not None
        return found

    def by_rule(self, rule: str) -> Array:
        """Bandwidths from the deviations of columns where the rule needs no more; else from all points, here."""
        if rule not in BY_DEVIATIONS:
            return self.here.by_rule(rule)
        found = self.rows.total(_deviations, self._shared, task="the deviations of columns")
        size = float(self.w.sum() ** 2 / (self.w @ self.w))
        return from_deviations(rule, found.at_size(size), size, self.window)

    # ---- fits

    @cached_property
    def _shared(self) -> Shared:
        return Shared(self.recipe)

    def fit_at(self, width: Width, places: Places, gradient: bool, variance: bool) -> LocalFit:
        """What `local_fit` finds: at the points themselves, or at places that are here."""
        q, t = self.Y.shape[1], len(width.h) + len(width.rates)
        if places is self.own or places is self.others:
            one, task = np.zeros((1, len(_columns(q, t, gradient, variance)))), "local fits of a block"
            found = spread.own_answers(self.rows, _own_sums, _packed, one, self._shared, width, places is self.others,
                                       gradient, variance, task=task, needs=self._bytes)  # fmt: skip
            return _unpacked(found, q, t, gradient, variance)
        parts = [self._at(width, places.at(np.arange(len(places))[part]), gradient, variance)
                 for part in cuts(len(places), _PLACES)]  # fmt: skip
        return _unpacked(np.concatenate(parts), q, t, gradient, variance)

    def _at(self, width: Width, places: Places, gradient: bool, variance: bool) -> Array:
        found = self.rows.total(_sums_here, self._shared, Shared((width, places, gradient, variance)),
                                task="local fits of a block", needs=self._bytes)  # fmt: skip
        return _packed(found, None, width, False, gradient, variance)

    def lazily(self, machine: Any, X: Any, return_se: bool = False) -> Any:
        """Predictions of a Dask collection as Dask arrays; places without support bring no warning."""
        flat, width, total = machine._flat, machine._width, self.w @ self.Y / self.w.sum()
        one = np.zeros(1) if flat else np.zeros((1, self.Y.shape[1]))

        def answer(finish: Callable[..., Array], variance: bool) -> Any:
            return spread.answers(spread.Places.of(X), self.rows, _sums, finish, one, self._shared, width, variance)

        values = answer(partial(_values, flat, machine.gaps, total), False)
        if not return_se:
            return values
        if not np.isfinite(np.asarray(machine.sigma_)).all():
            raise bad(type(machine).__name__, "residual_df_", "1 or more for standard errors",
                      f"{machine.residual_df_:.3g}",
                      "The fit goes through the points: choose a wider bandwidth.")  # fmt: skip
        return values, answer(partial(_errors, flat, machine.sigma_), True)

    @property
    def _bytes(self) -> int:
        """About how many bytes a task holds: rows, and weights of a tile of places and points."""
        numbers = int(self.rows.counts.max()) * (self.rows.shape[1] + int(self.Y.shape[1]))
        return 16 * numbers + (1 << 25)


# ---- tasks


def _extent(block: Block, shared: tuple[Any, Array]) -> Extent | None:
    machine, weight = shared
    used = np.flatnonzero(weight[block.start : block.start + len(block)])
    if not len(used):
        return None
    return Extent.of(machine, checked(machine, with_names(machine, block.X), reset=False)[used])


def _deviations(block: Block, recipe: Recipe) -> Deviations | None:
    problem = recipe.problem(block)
    return None if problem is None else Deviations.of(problem.X, problem.w)


def _own_sums(
    places: Block, block: Block, recipe: Recipe, width: Width, others: bool, gradient: bool, variance: bool
) -> PartialSums | None:
    """What a block adds at the points of another, or at its own."""
    problem, at = recipe.problem(block), recipe.places(places)
    if problem is None:
        return None
    if others and places.start == block.start:
        at = Places(at.Z, at.codes, np.arange(len(at)))
    return PartialSums.of(problem, width, at, gradient, variance)


def _sums_here(block: Block, recipe: Recipe, shared: tuple[Width, Places, bool, bool]) -> PartialSums | None:
    problem = recipe.problem(block)
    return None if problem is None else PartialSums.of(problem, *shared)


def _sums(places: Block, block: Block, recipe: Recipe, width: Width, variance: bool) -> PartialSums | None:
    """What a block adds at new places."""
    problem = recipe.problem(block)
    at, _ = recipe.machine._places(places.X)
    return None if problem is None else PartialSums.of(problem, width, at, False, variance)


def _values(flat: bool, gaps: str, mean: Array, total: PartialSums, *shared: Any) -> Array:
    """f at places; in gaps the targets of the nearest point, their mean, or NaN."""
    fit = total.fit()
    fill: Any = {"nearest": fit.nearest, "mean": mean, "nan": np.nan}[gaps]
    values = np.where(fit.empty[:, None], fill, fit.values)
    return values[:, 0] if flat else values


def _errors(flat: bool, sigma: Any, total: PartialSums, *shared: Any) -> Array:
    spread = np.sqrt(np.asarray(total.fit().spread))
    return np.asarray(spread * sigma if flat else spread[:, None] * sigma)


# ---- a fit as one array of numbers, with a row for each place


def _columns(q: int, t: int, gradient: bool, variance: bool) -> list[str]:
    """What the columns of the array hold."""
    names = ["values"] * q + ["nearest"] * q + ["own", "dropped", "empty"]
    names += ["slopes"] * (t * q) + ["own_slopes"] * t if gradient else []
    return names + ["spread"] * variance


def _packed(total: PartialSums, recipe: Any, width: Width, others: bool, gradient: bool, variance: bool) -> Array:
    fit = total.fit()
    m = len(fit.values)
    parts = [fit.values, fit.nearest, fit.own[:, None], fit.dropped[:, None], fit.empty[:, None]]
    if gradient:
        parts += [np.moveaxis(np.asarray(fit.slopes), 1, 0).reshape(m, -1), np.asarray(fit.own_slopes).T]
    return np.concatenate([*parts, *([np.asarray(fit.spread)[:, None]] if variance else [])], axis=1)


def _unpacked(found: Array, q: int, t: int, gradient: bool, variance: bool) -> LocalFit:
    names = np.array(_columns(q, t, gradient, variance))
    part = {name: found[:, names == name] for name in np.unique(names)}
    slopes = np.moveaxis(part["slopes"].reshape(len(found), t, q), 0, 1) if gradient else None
    return LocalFit(part["values"], np.empty((0, q, len(found))), part["own"][:, 0], part["dropped"][:, 0] > 0.0,
                    part["empty"][:, 0] > 0.0, slopes, part["own_slopes"].T if gradient else None,
                    part["spread"][:, 0] if variance else None, part["nearest"])  # fmt: skip


def _without_points(machine: Any) -> Any:
    """A copy of a machine that knows its columns and options only, for workers."""
    light = object.__new__(type(machine))
    kept = {name: value for name, value in vars(machine).items() if name in ("n_features_in_", "feature_names_in_")}
    light.__dict__.update({**machine.get_params(deep=False), **kept})
    return light
