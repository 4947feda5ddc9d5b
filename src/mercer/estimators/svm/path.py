"""All support vector classifiers of one dataset at once: the exact path over C.

    path = mercer.svm_path(X, y, kernel=RBF(1.0))
    path.decision_function(X_new, C=[0.1, 1.0, 10.0])     any C up to C_max, without another fit
    path.C, path.events                                   the values of C at which its direction changes, and why

The coefficients are piecewise linear in 1 / C; the walk along the pieces is solvers/path.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from mercer.errors import bad
from mercer.estimators.base import KernelEstimator, positive
from mercer.estimators.training_data import Data
from mercer.solvers.path import Event, Path
from mercer.solvers.path import svm_path as walk
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class SVMPath:
    """The two-class SVC for every C; `solution` has the knots, their proofs and why the walk ended."""

    classes: Array
    solution: Path
    data: Data = field(repr=False)
    reader: KernelEstimator = field(repr=False)

    @property
    def C(self) -> Array:
        """The values of C at which the direction of the solution changes, ascending."""
        return np.asarray(1.0 / self.solution.lambdas)

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened at each of them."""
        return self.solution.events

    def coef(self, C: Any) -> tuple[Array, Array]:
        """(coefficients, intercept) of f = sum_i coef_i k(x_i, .) + intercept; a column per C when C is an array."""
        C = self._checked(C)
        lam = 1.0 / C
        return (C[..., None] * self.solution.y * self.solution.alpha(lam)).T, self.solution.intercept(lam)

    def decision_function(self, X: Any, C: Any) -> Array:
        """f(x), positive for the second class: (items,) for one C, (items, len(C)) for an array."""
        coef, intercept = self.coef(C)
        X = self.reader._checked(X, reset=False)
        return np.asarray(self.data.evaluate(X, coef) + intercept)

    def predict(self, X: Any, C: Any) -> Array:
        """The class of every item, at every C."""
        return np.asarray(self.classes[(self.decision_function(X, C) > 0.0).astype(np.intp)])

    def margin(self, C: Any) -> Array:
        """1 / |w|."""
        return self.solution.margin(1.0 / self._checked(C))

    def n_support(self, C: Any) -> Array:
        """How many coefficients are not zero."""
        return self.solution.n_support(1.0 / self._checked(C))

    @staticmethod
    def _checked(C: Any) -> Array:
        values: Array = np.asarray(C, dtype=float)
        if not (values > 0.0).all():
            raise bad("SVMPath", "C", "positive", values.min(), "The path begins at C = 0.")
        return values


def svm_path(
    X: Any,
    y: Any,
    kernel: Any = "rbf",
    *,
    gamma: Any = "scale",
    degree: int = 3,
    coef0: float = 0.0,
    C_max: float = 1e3,
    max_events: int = 100_000,
    ridge: float = 0.0,
) -> SVMPath:
    """The SVC of two classes for every C from 0 to `C_max`, exactly.

    kernel, gamma, degree and coef0 are those of SVC; labels are of any type.  The Gram is computed once and stored.
    `ridge` is added to its diagonal, for kernels that are singular on the items.  One change of direction costs
    O(n e + e^2) for e items on the margin.
    """
    reader = _Reader(kernel, gamma, degree, coef0)
    X, y = reader._checked(X, y, reset=True)
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) != 2:
        raise bad("svm_path", "y", "labels of two classes", f"{len(classes)}, {classes[:5].tolist()}",
                  "For more, follow one path per pair of classes.")  # fmt: skip
    data = reader._data(X)
    lambda_min = 1.0 / positive("svm_path", "C_max", C_max)
    found = walk(data.gram().dense(), 2.0 * codes - 1.0, lambda_min=lambda_min, max_events=max_events, ridge=ridge)
    return SVMPath(classes, found, data.keep(np.arange(len(y))), reader)


class _Reader(KernelEstimator):
    """Reads the arguments kernel, X and y as every machine does."""

    def __init__(self, kernel: Any, gamma: Any, degree: int, coef0: float) -> None:
        self.kernel, self.gamma, self.degree, self.coef0 = kernel, gamma, degree, coef0
