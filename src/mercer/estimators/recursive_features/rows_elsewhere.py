"""A recursive feature machine of rows on the workers of a Dask cluster: the same leaves, one task for each.

Columns are measured one at a time, and the tree is grown by passes over the rows; these then go from the blocks to the
leaves.  What comes here is one number for every row and column or split, the sample of the first metric, and the
leaves, which keep their rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mercer.distributed import Block, Rows
from mercer.distributed.columns import column
from mercer.distributed.matrix import SpreadMatrix
from mercer.distributed.routing import routed
from mercer.distributed.rows import Shared
from mercer.engine.fill import require_memory
from mercer.estimators.cells.tree import Tree
from mercer.estimators.recursive_features.columns import Columns
from mercer.estimators.recursive_features.leaf import Leaf, Sample, Settings, Trial, learn_leaf
from mercer.typing import Array


def columns_measured(X: Any, form: str) -> Columns:
    """Columns measured on all rows; those on workers a column at a time."""
    if not isinstance(X, Rows):
        return Columns.of(X, form)
    each = [Columns.of(column(X, j)[:, None], form) for j in range(X.shape[1])]
    knots = {j: columns.knots[0] for j, columns in enumerate(each) if columns.knots}
    return Columns(np.concatenate([columns.scale for columns in each]), knots)


def sampled(X: Any, Y: Array, sample: Sample) -> tuple[Array, Array, Sample]:
    """Rows and targets that a sample looks at, here, and where it finds them among these."""
    if not isinstance(X, Rows):
        return X, Y, sample
    some = np.union1d(sample.learners, sample.judges)
    return X.take(some), Y[some], _among(some, sample)


def in_columns(X: Any, columns: Columns) -> Any:
    """The rows as their columns are measured, where they are."""
    if not isinstance(X, Rows):
        return columns(X)
    return SpreadMatrix.of(X, _in_columns, Shared(columns), width=len(columns.scale))


def _in_columns(block: Block, columns: Columns) -> Array:
    return columns(np.asarray(block.X, dtype=float))


def leaves_on_workers(
    X: SpreadMatrix, Y: Array, tree: Tree, start: Array, settings: Settings, samples: list[Sample], *, held_out: bool
) -> list[tuple[Leaf, Array | None]]:
    """For every leaf what was learned; with `held_out` also what the rows that judge are predicted as by others."""
    kept = sum(map(len, tree.rows)) * X.shape[1]
    require_memory(f"A recursive feature machine keeps the rows of its leaves: {kept} numbers", 8 * kept,
                   "Lower overlap, fit a sample of the rows, or raise the budget.")  # fmt: skip
    largest = max(map(len, tree.rows))
    needs = 8 * largest * (X.shape[1] + min(largest, settings.metric_rows))
    known = Shared((Y, samples, start, settings, held_out))
    found: list[tuple[Leaf, Array | None]] = X.made.asked(
        lambda rows: routed(rows, tree.rows, _leaf, known, task="the fit of a leaf", needs=needs)
    )
    return found


def _leaf(i: int, X: Array, rows: Array, known: tuple[Any, ...]) -> tuple[Leaf, Array | None]:
    Y, samples, start, settings, held_out = known
    trial = Trial(X, Y[rows], _among(rows, samples[i]), settings.alphas)
    leaf, attempt = learn_leaf(trial, np.arange(len(rows)), start, settings)
    return replace(leaf, rows=rows), attempt.predicted if held_out else None


def _among(rows: Array, sample: Sample) -> Sample:
    """Where the rows of a sample are among some rows."""
    order = np.argsort(rows)
    learners = order[np.searchsorted(rows[order], sample.learners)]
    return Sample(learners, order[np.searchsorted(rows[order], sample.judges)] if sample.apart else learners)
