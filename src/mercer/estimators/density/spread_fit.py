"""A kernel density of a Dask collection, whose rows stay where they are.

Two passes look at the rows: one for ranges and bounds, one for the deviations from which "scott" and "silverman" make
their bandwidths.  Other rules need all values of a column at once (quantiles, a fine grid): the columns come here, 8
bytes a number, if they fit the memory budget, and the bandwidth is that of the same rows in memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from mercer.distributed import Block, Rows
from mercer.distributed.deviations import Deviations
from mercer.distributed.rows import Shared
from mercer.engine.fill import require_memory
from mercer.errors import bad
from mercer.estimators.base import weights
from mercer.estimators.density.bandwidth_argument import Bandwidth, given_bandwidth, varying_columns
from mercer.estimators.density.spread_points import Recipe, SpreadPoints
from mercer.estimators.density.support_argument import inside, sides_of
from mercer.estimators.rows_elsewhere import see_columns
from mercer.solvers.bandwidth import BY_DEVIATIONS, best_of, from_deviations, select_bandwidth
from mercer.solvers.density import Mixture, abramson
from mercer.solvers.density.boundary import Side
from mercer.typing import Array
from mercer.windows import Window, window_of


def fit_spread(machine: Any, X: Any, sample_weight: Any) -> None:
    """Set all that KernelDensity.fit sets, with points on workers."""
    owner = type(machine).__name__
    rows = Rows.of(owner, X)
    if rows.columns is not None:
        raise bad(owner, "X", "a collection of numbers", "columns of other kinds", "Choose columns: X[['a', 'b']].")
    n, width = rows.shape
    see_columns(machine, X, width, reset=True)
    norm, window = machine._check_options(width), window_of(machine.kernel, owner)
    w = None if sample_weight is None else weights(owner, np.asarray(sample_weight), n)
    share = None if w is None else w / w.sum()
    sides = sides_of(owner, machine.support, width)
    shared = Shared(Used(sides, w))
    extent = rows.total(Extent.of, shared, task="the ranges of columns")
    h = _bandwidth(owner, machine, rows, extent, shared, window, norm)
    machine._require_columns(h, sides)
    machine._keep_columns(h, sides, extent.first)
    machine.n_effective_ = float(n) if share is None else float(1.0 / (share @ share))
    machine.bandwidth_ = machine._shown(h.scale)
    empty = Mixture(np.empty((0, len(h.used))), h.scale, window, form=machine.form, norm=norm)
    recipe = Recipe(empty, h.used, h.whiten, machine._sides, n, share)
    machine._on_workers = SpreadPoints(rows, recipe)
    power = machine._power
    if power > 0.0:
        logs, w = machine._on_workers.pilot(machine, machine._accuracy), np.full(n, 1.0 / n) if share is None else share
        factor = np.ones(n)
        factor[w > 0.0] = abramson(logs[w > 0.0], w[w > 0.0], power)
        machine._on_workers = SpreadPoints(rows, replace(recipe, factor=factor))
    machine._integral, machine.method_ = 1.0, machine.method


@dataclass(frozen=True, eq=False)
class Used:
    """The rows of positive weight, inside of the support of the columns."""

    sides: list[Side]
    weight: Array | None

    def of(self, block: Block) -> tuple[Array, Array]:
        """Those of a block, with their weights."""
        w = np.ones(len(block)) if self.weight is None else self.weight[block.start : block.start + len(block)]
        X = np.asarray(block.X, dtype=np.float64)
        return inside("KernelDensity", X[w > 0.0], self.sides, block.start), w[w > 0.0]


@dataclass(eq=False)
class Extent:
    """The first row, and the least and the largest value of every column, of rows of positive weight."""

    first: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, block: Block, used: Used) -> Self | None:
        """Of one block."""
        X, _ = used.of(block)
        return cls(X[0], X.min(axis=0), X.max(axis=0)) if len(X) else None

    def merge(self, other: Extent) -> None:
        """Add the rows of the next blocks."""
        self.low, self.high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)


def _bandwidth(
    owner: str, machine: Any, rows: Rows, extent: Extent, shared: Shared, window: Window, norm: str
) -> Bandwidth:
    """The bandwidths for these rows, equal to those of `bandwidth_of` up to rounding."""
    candidates, rule, w = machine._candidates(window, norm), machine.bandwidth, shared.value.weight
    if not isinstance(rule, str):
        return given_bandwidth(owner, rule, rows.shape[1])
    count = len(rows) if w is None else int((w > 0.0).sum())
    used = varying_columns(owner, rule, extent.low, extent.high, count)
    if rule in BY_DEVIATIONS:
        return Bandwidth(used, _by_deviations(rule, rows, used, extent, shared, window))
    needs = 8 * len(rows) * len(used)
    require_memory(f"{owner} with bandwidth={rule!r} needs all values of {len(used)} columns", needs,
                   "Use 'scott' or 'silverman', which need their deviations only.")  # fmt: skip
    values = np.asarray(rows.stacked(_values, shared, used, task="columns of a block"))
    positive = None if w is None else w[w > 0.0]
    if candidates is not None:
        return Bandwidth(used, np.full(len(used), best_of(values, candidates, positive, window)))
    return Bandwidth(used, np.asarray(select_bandwidth(rule, values, positive, window)))


def _by_deviations(rule: str, rows: Rows, used: Array, extent: Extent, shared: Shared, window: Window | None) -> Array:
    """The bandwidths of one of BY_DEVIATIONS for some columns, from one pass over the rows."""
    low, high, w = extent.low[used], extent.high[used], shared.value.weight
    unit, centre = high / 2.0 - low / 2.0, high / 2.0 + low / 2.0
    found = rows.total(_deviations, shared, used, unit, centre, task="the deviations of columns")
    equal = w is None or bool((w[w > 0.0] == w.max()).all())
    size = float(found.count) if equal else float(w.sum() ** 2 / (w @ w))
    return from_deviations(rule, found.at_size(size), size, window) * unit


def _deviations(block: Block, used: Used, columns: Array, unit: Array, centre: Array) -> Deviations | None:
    """Of some columns, brought to [-1, 1]."""
    X, w = used.of(block)
    return Deviations.of((X[:, columns] - centre) / unit, w)


def _values(block: Block, used: Used, columns: Array) -> Array:
    return used.of(block)[0][:, columns]
