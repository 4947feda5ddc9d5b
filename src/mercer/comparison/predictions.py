"""What a method predicts for the held-out items: values, and how sure it is of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.comparison.calibration import central_levels, log_losses, normal_losses
from mercer.comparison.methods import CLASSIFICATION
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Predictions:
    """`value` per item; probabilities P in the order of `classes`, or the deviation `std`, where the method has them.

    `ranking` orders items by how much they look like the second of two classes.
    """

    y: Array
    value: Array
    classes: Array | None = None
    P: Array | None = None
    ranking: Array | None = None
    std: Array | None = None

    @property
    def losses(self) -> Array:
        """-log p(y) of every item; empty for a method without probabilities."""
        if self.P is not None and self.classes is not None:
            return log_losses(self.P, self.classes, self.y)
        return np.empty(0) if self.std is None else normal_losses(self.value, self.std, self.y)

    @property
    def stated(self) -> tuple[Array, ...]:
        """For calibration: (largest probability, whether it came true), or (level of the interval that ends at y,)."""
        if self.P is not None and self.classes is not None:
            return np.clip(self.P.max(axis=1), 0.0, 1.0), self.classes[self.P.argmax(axis=1)] == self.y
        return () if self.std is None else (central_levels(self.value, self.std, self.y),)

    @property
    def reliability(self) -> tuple[Array, ...]:
        """What is drawn: `stated`, but of two classes the probability of the second."""
        if self.P is not None and self.classes is not None and len(self.classes) == 2:
            return np.clip(self.P[:, 1], 0.0, 1.0), self.y == self.classes[1]
        return self.stated


def predictions_of(estimator: Any, Z: Any, y: Array, value: Array, task: str, known: dict[str, Any]) -> Predictions:
    """The predictions of items Z with targets y; `value` are the predicted labels or numbers, computed already.

    `known` are arguments for those methods that have them.
    """
    estimator = getattr(estimator, "best_estimator_", estimator)  # a search does not pass `return_std` on
    if task == CLASSIFICATION:
        P = np.asarray(_asked(estimator.predict_proba, Z, known)) if hasattr(estimator, "predict_proba") else None
        classes = getattr(estimator, "classes_", None)
        return Predictions(y, value, classes, P, _ranking(estimator, Z, classes, P))
    if "return_std" not in inspect.signature(estimator.predict).parameters:
        return Predictions(y, value)
    _, std = _asked(estimator.predict, Z, known)
    return Predictions(y, value, std=std if (std > 0.0).all() else None)


def _ranking(estimator: Any, Z: Any, classes: Array | None, P: Array | None) -> Array | None:
    if classes is None or len(classes) != 2:
        return None
    if P is not None:
        return np.asarray(P[:, 1])
    return np.asarray(estimator.decision_function(Z)) if hasattr(estimator, "decision_function") else None


def _asked(method: Callable[..., Any], Z: Any, known: dict[str, Any]) -> Any:
    """method(Z), with those of the known arguments that it has."""
    wanted = inspect.signature(method).parameters
    return method(Z, **{name: value for name, value in known.items() if name in wanted})
