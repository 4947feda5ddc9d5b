"""Labels of a classifier as numbers, with the weight of each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from mercer.errors import bad
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Labels:
    """codes[i] is the position of label i among the sorted `classes`; `weight` has one number per class."""

    classes: Array
    codes: Array
    weight: Array

    @classmethod
    def of(cls, owner: str, y: Array, class_weight: Any = None) -> Self:
        """Labels of two classes or more; class_weight is None, "balanced" or {label: number}, as in scikit-learn."""
        try:
            if y.ndim != 1 or y.dtype.kind not in "biuSU":  # these are labels in any case
                check_classification_targets(y)
            classes, codes = np.unique(y, return_inverse=True)
        except TypeError as error:
            raise bad(owner, "y", "labels of one type", error, "Make all of them strings.") from None
        if len(classes) < 2:
            raise bad(owner, "y", "labels of two classes or more", f"1 class, {classes.tolist()}",
                      "Of one class OneClassSVM learns the region.")  # fmt: skip
        weight = np.ones(len(classes))
        if class_weight is not None:
            weight = compute_class_weight(class_weight, classes=classes, y=y)
        if not (np.isfinite(weight).all() and (weight > 0.0).all()):
            raise bad(owner, "class_weight", "positive numbers", class_weight, "Leave it out for 1.")
        return cls(classes, codes, weight)

    def require_all(self, owner: str, used: Array, one_class_left: str = "Leave that class out.") -> None:
        """Refuse weights that leave a class without an item; `one_class_left` is the cure if a single class has one."""
        counts = np.bincount(self.codes[used], minlength=len(self.classes))
        if not counts.all():
            cure = "Leave that class out." if np.count_nonzero(counts) > 1 else one_class_left
            raise bad(owner, "sample_weight", "positive somewhere in every class",
                      f"zero for all items of class {self.classes.tolist()[int(np.argmin(counts))]!r}", cure
                      )  # fmt: skip
