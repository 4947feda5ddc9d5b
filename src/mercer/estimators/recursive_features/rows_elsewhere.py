"""A recursive feature machine of rows on the workers of a Dask cluster: the same leaves, one task for each.

The tree is grown by passes over the rows; these then go from the blocks to the leaves.  What comes here is one number
for every row and split, and the leaves, which keep their rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.distributed import Block, Rows
from mercer.distributed.matrix import SpreadMatrix
from mercer.distributed.routing import routed
from mercer.distributed.rows import Shared
from mercer.engine.fill import require_memory
from mercer.estimators.cells.tree import Tree
from mercer.estimators.recursive_features.leaf import Leaf, Settings, leaf_on
from mercer.typing import Array


def scaled(rows: Rows, scale: Array) -> SpreadMatrix:
    """The rows, divided by the scale of their columns, where they are."""
    return SpreadMatrix.of(rows, _scaled, Shared(scale), width=len(scale))


def _scaled(block: Block, scale: Array) -> Array:
    return np.asarray(np.asarray(block.X, dtype=float) / scale)


def leaves_on_workers(
    X: SpreadMatrix, Y: Array, tree: Tree, start: Array, settings: Settings, samples: list[Array], *, held_out: bool
) -> list[tuple[Leaf, Array | None]]:
    """For every leaf what was learned; with `held_out` also what each row of its sample is predicted as by others."""
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
    leaf, attempt = leaf_on(X, Y[rows], rows, samples[i], start, settings)
    return leaf, attempt.left_out if held_out else None
