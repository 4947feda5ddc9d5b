"""The fit in cells.

A tree halves the items until a cell has at most `cell_rows` of them (tree.py); each cell also learns from some items
across its borders.  Then

    numbers   f = common + own:  the machine on landmarks is fitted to all items, and an exact machine of each cell to
              what it leaves over; splits are along the direction of largest covariance with the targets
    labels    an exact machine for each cell; splits are along the widest direction

Items that fit into one cell are fitted exactly, without a common part.  Rows on the workers of a Dask cluster go from
there to the cells, each of which is one task (distributed/routing.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from numbers import Integral
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone, is_classifier

from mercer.distributed import Block, Rows
from mercer.distributed.routing import routed
from mercer.distributed.rows import Shared
from mercer.engine.interrupts import interrupted, until_interrupted
from mercer.engine.pool import run
from mercer.errors import Interrupted, bad
from mercer.estimators.base import interruptible, weights
from mercer.estimators.cells.coordinates import Coordinates
from mercer.estimators.cells.model import CellApproximation, Cells
from mercer.estimators.cells.tree import Tree, grow
from mercer.estimators.labels import Labels
from mercer.estimators.low_rank import CELLS
from mercer.estimators.sklearn_private import safe_indexing
from mercer.typing import Array

OVERLAP = 0.1  # share of the rows of a part that both halves learn from, on each side of a split
_LEAST = 10  # rows of a cell
_OF_OTHER_METHODS = ("_factor", "_kept", "_left_out", "_platts", "_record", "_targets")  # private parts of a fit

C = TypeVar("C", bound=type)


def takes_cells(cls: C) -> C:
    """A decorator of machines with the arguments method and cell_rows."""
    changed: Any = cls
    plain, proof = changed.fit, getattr(cls, "certificate_", None)

    @wraps(plain)
    def fit(self: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if not (isinstance(self.method, str) and self.method == CELLS):
            self.__dict__.pop("cells_", None)
            return plain(self, X, y, sample_weight)
        fit_cells(self, X, y, sample_weight)
        return self

    changed.fit = interruptible(fit)
    if isinstance(proof, property):
        changed.certificate_ = property(lambda self: _proof(self, proof), doc=proof.__doc__)
    return cls


def _proof(machine: Any, plain: property) -> Any:
    assert plain.fget is not None
    return machine.cells_.certificate if "cells_" in vars(machine) else plain.fget(machine)


@dataclass(frozen=True, eq=False)
class _Task:
    """Checked items with targets and positive weights, and the machine that a cell gets."""

    X: Any
    y: Array
    weight: Array
    leaf: Any
    labels: Labels | None


def fit_cells(machine: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Fit the machine in cells; its other fitted attributes are those of the leaves, in cells_."""
    _check_options(machine)
    task = _posed(machine, X, y, sample_weight)
    coordinates = Coordinates.of(task.leaf.kernel, task.X)
    tree = _grown(task, coordinates, int(machine.cell_rows))
    common = _common(task) if task.labels is None and len(tree.rows) > 1 else None
    machines, constant = _leaves(task, tree, _rest(task, common))
    missed = CellApproximation(CELLS, len(tree.rows), max(map(len, tree.rows)), getattr(common, "approximation_", None))
    classes = None if task.labels is None else task.labels.classes
    _keep(machine, Cells(tree.root, coordinates, machines, constant, common, classes, missed))


def _check_options(machine: Any) -> None:
    owner, size = type(machine).__name__, machine.cell_rows
    if not isinstance(size, Integral) or isinstance(size, bool) or size < _LEAST:
        raise bad(owner, "cell_rows", f"a whole number >= {_LEAST}", repr(size), "2000 is the default.")
    if machine._precomputed:
        raise bad(owner, "method", "another one for kernel='precomputed'", "'cells', which splits items",
                  "Pass the items and a kernel.")  # fmt: skip
    if getattr(machine, "decision_function_shape", "ovr") == "ovo":
        raise bad(owner, "decision_function_shape", "'ovr' for method='cells'", "'ovo'",
                  "Not every cell has all classes.")  # fmt: skip


def _posed(machine: Any, X: Any, y: Any, sample_weight: Any) -> _Task:
    owner, labelled = type(machine).__name__, is_classifier(machine)
    outputs = not labelled and machine.__sklearn_tags__().target_tags.multi_output
    X, y = machine._checked(X, y, reset=True, numeric=not labelled, outputs=outputs)
    weight = weights(owner, sample_weight, len(y), negative_is_absent=labelled)
    leaf = clone(machine).set_params(method="exact", kernel=machine.kernel_on(X))
    used = np.flatnonzero(weight)
    labels = Labels.of(owner, y, machine.class_weight) if labelled else None
    if labels is not None:
        labels.require_all(owner, used)
    if len(used) < len(y):
        X = X.chosen(used) if isinstance(X, Rows) else safe_indexing(X, used)
        y, weight = y[used], weight[used]
        labels = None if labels is None else replace(labels, codes=labels.codes[used])
    if labels is None:
        return _Task(X, y, weight, leaf, None)
    return _Task(X, y, weight * labels.weight[labels.codes], leaf.set_params(class_weight=None), labels)


def _grown(task: _Task, coordinates: Coordinates, most: int) -> Tree:
    """The tree of the items."""
    place = coordinates(task.X)
    return grow(place, np.eye(place.shape[1]), most, OVERLAP, _told(task))


def _common(task: _Task) -> Any:
    """The machine on landmarks that all leaves share; after Ctrl-C what it had found, and leaves add nothing to it."""
    machine = clone(task.leaf).set_params(method="nystrom")
    try:
        machine.fit(task.X, task.y, task.weight)
    except Interrupted:
        with until_interrupted():
            raise
    return machine


def _rest(task: _Task, common: Any) -> Array:
    """What the leaves learn."""
    if common is None:
        return task.y
    spread = isinstance(task.X, Rows)
    f = task.X.stacked(_predicted, Shared(common)) if spread else common.predict(task.X)
    return np.asarray(task.y - f)


def _items_here(X: Any, rows: Array) -> Any:
    """Some of the items, in memory."""
    return X.take(rows) if isinstance(X, Rows) else safe_indexing(X, rows)


def _predicted(block: Block, machine: Any) -> Array:
    return np.asarray(machine.predict(block.X))


def _told(task: _Task) -> Array | None:
    """Targets as columns of one size, which direct the splits; None for labels: a split between classes helps none."""
    if task.labels is not None:
        return None
    Y = task.y.reshape(len(task.y), -1)
    return np.asarray(Y / np.maximum(Y.std(axis=0), 1e-300))


def _leaves(task: _Task, tree: Tree, rest: Array) -> tuple[list[Any], list[Any]]:
    """A machine for each leaf, and a constant for those without: of one class, or not reached before Ctrl-C."""
    machines: list[Any] = [None] * len(tree.rows)
    constant = [_constant(task, rows[:own]) for rows, own in zip(tree.rows, tree.own, strict=True)]
    learns = [i for i, rows in enumerate(tree.rows)
              if task.labels is None or len(np.unique(task.labels.codes[rows])) > 1]  # fmt: skip
    if isinstance(task.X, Rows):
        needs = 8 * max(map(len, tree.rows)) ** 2
        found = routed(task.X, [tree.rows[i] for i in learns], _cell, Shared((task.leaf, rest, task.weight)),
                       task="the fit of a cell", needs=needs)  # fmt: skip
        for i, machine in zip(learns, found, strict=True):
            machines[i] = machine
        return machines, constant

    def learn(i: int) -> None:
        if interrupted():
            return
        rows, machine = tree.rows[i], clone(task.leaf)
        try:
            _learned(machine, safe_indexing(task.X, rows), rows, rest, task.weight)
        except Interrupted:
            machines[i] = machine  # which has what it had found
            raise
        machines[i] = machine

    with until_interrupted():
        run(learn, sorted(learns, key=lambda i: -len(tree.rows[i])))
    return machines, constant


def _cell(i: int, X: Any, rows: Array, known: tuple[Any, Array, Array]) -> Any:
    leaf, rest, weight = known
    return _learned(clone(leaf), X, rows, rest, weight)


def _learned(machine: Any, X: Any, rows: Array, rest: Array, weight: Array) -> Any:
    """The machine after its fit to the items X of one cell, which are at the positions `rows`."""
    return machine.fit(X, rest[rows], weight[rows])


def _constant(task: _Task, own: Array) -> Any:
    """The most frequent class of a leaf; nothing beside the common part."""
    if task.labels is None:
        return 0.0
    return int(np.bincount(task.labels.codes[own], weights=task.weight[own]).argmax())


def _keep(machine: Any, cells: Cells) -> None:
    """Set cells_ and what is known of the whole; what an earlier fit left is forgotten."""
    stay = {*machine.get_params(deep=False), "n_features_in_", "feature_names_in_"}
    for name in [name for name in vars(machine) if name.endswith("_") and name not in stay]:
        del machine.__dict__[name]
    for name in _OF_OTHER_METHODS:
        machine.__dict__.pop(name, None)
    machine.cells_ = cells
    if cells.classes is not None:
        machine.classes_ = cells.classes
    if not isinstance(getattr(type(machine), "certificate_", None), property):
        machine.certificate_ = cells.certificate
    solved = [leaf for leaf in cells.machines if leaf is not None]
    machine.n_iter_ = max((int(np.max(leaf.n_iter_)) for leaf in solved), default=0)


def verify_cells(model: Any, X: Any, y: Any, sample_weight: Any, verify: Callable[..., Any]) -> Any:
    """The proof of the worst leaf, made again from the data: the tree is grown anew, and `verify` proves each leaf."""
    task, cells = _posed(clone(model), X, y, sample_weight), model.cells_
    tree = _grown(task, cells.coordinates, int(model.cell_rows))
    if len(tree.rows) != len(cells.machines):
        raise bad("verify", "X", "the items of the fit", f"{len(tree.rows)} cells instead of {len(cells.machines)}",
                  "Pass the training data in their order.")  # fmt: skip
    rest = _rest(task, cells.common)
    proofs = [
        verify(leaf, _items_here(task.X, rows), rest[rows], task.weight[rows])
        for leaf, rows in zip(cells.machines, tree.rows, strict=True)
        if leaf is not None
    ]
    return max(proofs, key=lambda proof: proof.relative_gap) if proofs else cells.certificate
