"""How a method learns from all rows of a large table, when an exact fit would take too long.

    svm, klr, ridge     on landmarks: the kernel is replaced by its projection on the features of some rows
    l2vm, l1vm, rvm     the prototypes (the functions that are offered) are some of the rows; all rows are learned from
    gp, of numbers      every prediction from the nearest rows
    gp, of labels       the mode of the posterior on landmarks: logistic regression with the kernel of the process
    klda                discriminant analysis of the features of landmarks
    rfm                 rows are divided into leaves, each with an exact machine
    knn                 exact: it stores rows, and does nothing else

A `Large` says up to how many rows the fit is exact, and which sizes (landmarks, prototypes, rows of a leaf) there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from mercer.config import config

SIZES = (60, 125, 250, 500, 1000)
LEAVES = (500, 1000, 2000, 4000, 8000)
_MEMORY = 0.2  # of the budget, for the features of all rows
_WIDEST = 1000  # weights, over all classes, that Newton's method is used for

Enlarged = Callable[[Any, float, int], Any]  # (tuned machine, rows / rows it was tuned on, size) -> a new machine


@dataclass(frozen=True)
class Large:
    """`build` makes the machine for more rows than `exact`; `words` says what it does, with its size.

    by_class    there is a weight for every class and landmark, so that more classes get fewer landmarks
    stores      a number for each row and each unit of size is stored
    """

    exact: int
    build: Enlarged
    words: str
    sizes: tuple[int, ...] = SIZES
    by_class: bool = False
    stores: bool = True

    def usual(self, rows: int, classes: int) -> tuple[int, ...]:
        """The sizes that can be used for so many rows and classes, smallest first."""
        wide = _WIDEST // max(classes - 1, 1) if self.by_class else self.sizes[-1]
        room = int(_MEMORY * config().memory / (8 * max(rows, 1))) if self.stores else self.sizes[-1]
        most = max(min(wide, room), self.sizes[0])
        return tuple(size for size in self.sizes if size <= most)


def _landmarks(machine: Any, growth: float, size: int) -> Any:
    return clone(machine).set_params(method="nystrom", n_landmarks=size)


def _prototypes(machine: Any, growth: float, size: int) -> Any:
    return clone(machine).set_params(n_prototypes=size)


def _sparse(machine: Any, growth: float, size: int) -> Any:
    """alpha stands beside a sum of losses, and what noise puts into its slope grows with the root of the rows."""
    return clone(machine).set_params(n_prototypes=size, alpha=float(machine.alpha) * float(np.sqrt(growth)))


def _ridge(machine: Any, growth: float, size: int) -> Any:
    """The kernel that was chosen; alpha is chosen again, by leaving out each of all rows."""
    from mercer import KernelRidgeCV

    alphas = float(machine.alpha_) * np.logspace(-3.0, 1.0, 9)
    return KernelRidgeCV([machine.kernel], alphas, fit_intercept=True, screen=False, method="nystrom", n_landmarks=size)


def _process(machine: Any, growth: float, size: int) -> Any:
    return clone(machine).set_params(method="neighbours", n_neighbors=size)


def _class_process(machine: Any, growth: float, size: int) -> Any:
    from mercer import KernelLogisticRegression

    return KernelLogisticRegression(
        kernel=machine.kernel_, C=1.0, fit_intercept=False, method="nystrom", n_landmarks=size
    )


def _discriminant(machine: Any, growth: float, size: int) -> Any:
    """Shrinkage delta of K is, of covariances of features, the share delta m / n of their mean variance."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.pipeline import make_pipeline

    from mercer import Nystroem

    ratio = float(machine.shrinkage) * size / (growth * len(machine.support_))
    analysis = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=ratio / (1.0 + ratio))
    return make_pipeline(Nystroem(machine.kernel, n_components=size, random_state=0), analysis)


def _leaves(machine: Any, growth: float, size: int) -> Any:
    return clone(machine).set_params(max_leaf=size)


SVM = Large(5000, _landmarks, "{} landmarks")
LOGISTIC = Large(1000, _landmarks, "{} landmarks", by_class=True)
RIDGE = Large(2500, _ridge, "{} landmarks", stores=False)
RIDGE_WEIGHTS = Large(1000, _prototypes, "{} prototypes", by_class=True)
SPARSE_WEIGHTS = Large(1000, _sparse, "{} prototypes", by_class=True)
RELEVANCE = Large(1000, _prototypes, "{} candidates", by_class=True)
PROCESS = Large(2500, _process, "{} neighbours", sizes=(50, 100, 200), stores=False)
CLASS_PROCESS = Large(1000, _class_process, "mode on {} landmarks", by_class=True)
DISCRIMINANT = Large(2500, _discriminant, "{} landmarks")
FEATURES = Large(2500, _leaves, "leaves of {}", sizes=LEAVES, stores=False)
