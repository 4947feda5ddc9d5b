"""What is kept of a fit in cells: the tree, a machine for each leaf, and the fit on landmarks that all leaves share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.estimators.cells.coordinates import Coordinates
from mercer.estimators.cells.tree import Split, routed
from mercer.estimators.sklearn_private import safe_indexing
from mercer.estimators.training_data import Approximation
from mercer.typing import Array


@dataclass(frozen=True)
class CellApproximation:
    """What cells leave out of the problem: items of different cells are not compared, but by the landmarks.

    kind      "cells"
    cells     how many
    rows      items that the largest cell learns from, the overlap with its neighbours included
    common    rank and trace error of the landmarks of the common part; None where there is none
    """

    kind: str
    cells: int
    rows: int
    common: Approximation | None

    def __str__(self) -> str:
        part = "" if self.common is None else f" The common part is {self.common}"
        return f"{self.kind}: {self.cells} exact machines on at most {self.rows} items each.{part}"


@dataclass(frozen=True, eq=False)
class Cells:
    """Leaf i answers by machines[i], or by constant[i] where it has none: a class code, or what is added to common."""

    root: Split | int
    coordinates: Coordinates
    machines: list[Any]
    constant: list[Any]
    common: Any
    classes: Array | None
    approximation: CellApproximation

    @property
    def certificate(self) -> Any:
        """That of the leaf with the largest relative gap."""
        proofs = [machine.certificate_ for machine in self.machines if machine is not None]
        if not proofs:
            return None if self.common is None else self.common.certificate_
        return max(proofs, key=lambda proof: proof.relative_gap)

    def answer(self, name: str, X: Any) -> Array:
        """The method `name` of every leaf, on the checked items that it answers for."""
        if self.classes is None:
            return self._values(X)
        if name == "predict_log_proba":
            with np.errstate(divide="ignore"):  # classes that a cell has not seen
                return np.asarray(np.log(self.answer("predict_proba", X)))
        parts = [(rows, self._of_leaf(leaf, name, safe_indexing(X, rows))) for leaf, rows in self._routed(X)]
        out = np.empty((sum(len(rows) for rows, _ in parts), *parts[0][1].shape[1:]), dtype=parts[0][1].dtype)
        for rows, values in parts:
            out[rows] = values
        return out

    def _routed(self, X: Any) -> Iterator[tuple[int, Array]]:
        return routed(self.root, self.coordinates(X))

    def _values(self, X: Any) -> Array:
        """The common part, and what the leaves add."""
        parts = [(leaf, rows) for leaf, rows in self._routed(X)]
        out = None if self.common is None else np.asarray(self.common.predict(X))
        for leaf, rows in parts:
            machine = self.machines[leaf]
            own = self.constant[leaf] if machine is None else machine.predict(safe_indexing(X, rows))
            if out is None:
                out = np.zeros((sum(len(r) for _, r in parts), *np.shape(own)[1:]))
            out[rows] += own
        assert out is not None
        return out

    def _of_leaf(self, leaf: int, name: str, X: Any) -> Array:
        """The answer of one leaf of a classifier, in terms of all classes."""
        assert self.classes is not None
        machine, count = self.machines[leaf], len(self.classes)
        codes = np.array([self.constant[leaf]]) if machine is None else np.searchsorted(self.classes, machine.classes_)
        rows = X.shape[0] if hasattr(X, "shape") else len(X)
        if name == "predict":
            return np.asarray(np.repeat(self.classes[codes], rows) if machine is None else machine.predict(X))
        values = np.ones((rows, 1)) if machine is None else _columns(getattr(machine, name)(X))
        if name == "decision_function" and count == 2:
            return values[:, -1] if len(codes) == 2 else np.full(rows, 1.0 if codes[0] else -1.0)
        absent = 0.0 if name == "predict_proba" else values.min(axis=1, keepdims=True) - 1.0
        out = np.broadcast_to(absent, (rows, count)).astype(float)
        out[:, codes] = values
        return out


def _columns(values: Array) -> Array:
    """A column for each class; of two classes f stands for (-f, f)."""
    return np.column_stack([-values, values]) if values.ndim == 1 else values
