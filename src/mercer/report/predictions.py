"""What the machines of a study say about the rows held out."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.comparison.methods import CLASSIFICATION
from mercer.study import Study
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Predictions:
    """`value` per row; probabilities P in the order of `classes`, or the deviation `std`, where the method has them.

    `score` ranks rows by the second of two classes.
    """

    y: Array
    value: Array
    classes: Array | None = None
    P: Array | None = None
    score: Array | None = None
    std: Array | None = None

    @property
    def stated(self) -> tuple[Array, Array] | None:
        """(probability, whether it came true): of the second of two classes, of the likeliest of more."""
        if self.P is None or self.classes is None:
            return None
        if len(self.classes) == 2:
            return np.clip(self.P[:, 1], 0.0, 1.0), self.y == self.classes[1]
        return np.clip(self.P.max(axis=1), 0.0, 1.0), self.classes[self.P.argmax(axis=1)] == self.y


def predictions(study: Study, name: str) -> Predictions:
    """The predictions of one method."""
    machine, Z, y = study.fitted[name], study.held_out(name), study.sample.y[study.sample.test]
    machine = getattr(machine, "best_estimator_", machine)
    if study.sample.task != CLASSIFICATION:
        return _numbers(machine, Z, y)
    P = machine.predict_proba(Z) if hasattr(machine, "predict_proba") else None
    score = None
    if len(machine.classes_) == 2:
        score = P[:, 1] if P is not None else machine.decision_function(Z)
    return Predictions(y, machine.predict(Z), machine.classes_, P, score)


def _numbers(machine: Any, Z: Any, y: Array) -> Predictions:
    wanted = inspect.signature(machine.predict).parameters
    if "return_std" not in wanted:
        return Predictions(y, machine.predict(Z))
    value, std = machine.predict(Z, return_std=True, **({"of": "y"} if "of" in wanted else {}))
    return Predictions(y, value, std=std if (std > 0.0).all() else None)
