"""How a method learns from all rows of a large table, when an exact fit would take too long.

    svm, klr, ridge     on landmarks: the kernel is replaced by its projection on the features of some rows; or in
                        cells: an exact machine for each part of the rows.  Rows that are held out decide
    l2vm, l1vm, rvm     the prototypes (the functions that are offered) are some of the rows; all rows are learned from
    gp, of numbers      on landmarks, or every prediction from the nearest rows; rows that are held out decide
    gp, of labels       on landmarks, with the kernel that was learned on a sample
    klda                discriminant analysis of the features of landmarks
    rfm                 rows are divided into leaves, each with an exact machine
    knn                 exact: it stores rows, and does nothing else

A `Large` says up to how many rows the fit is exact, and which ways there are for more.  A `Way` has sizes (landmarks,
prototypes, rows of a cell or leaf): the first is quick, and larger ones are fitted as long as there is time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from mercer.config import config

SIZES = (125, 250, 500, 1000, 2000)
FEW = (60, *SIZES)  # where every class has weights of its own
CELLS = (1000, 2000, 4000, 8000)
SMALL_CELLS = (250, 500, 1000, 2000)
LEAVES = (2000, 4000, 8000, 20_000)
_MEMORY = 0.2  # of the budget, for the features of all rows
_NATS = 1e-3  # of log evidence for each row, that a change may still gain
_CLOSE = 1e-4  # relative duality gap of a fit on landmarks or prototypes: their own error is larger


class Rows(NamedTuple):
    """How many there are, and how many a machine was tuned on."""

    total: int
    tuned: int


Enlarged = Callable[[Any, Rows, int], Any]  # (tuned machine, rows, size) -> a new machine


@dataclass(frozen=True)
class Way:
    """`build` makes the machine of a size, and `words` say what it does.

    stores    a number for each row and each unit of size is stored
    power     the seconds of a fit grow at most with this power of the size
    narrows   with more rows, shorter lengthscales than those of the search may be better, and are tried
    classes   at most so many: with more it would be slow
    """

    build: Enlarged
    words: str
    sizes: tuple[int, ...] = SIZES
    stores: bool = True
    power: float = 2.0
    narrows: bool = False
    classes: int | None = None

    def usual(self, rows: int) -> tuple[int, ...]:
        """The sizes that can be used for so many rows, smallest first."""
        room = int(_MEMORY * config().memory / (8 * max(rows, 1))) if self.stores else rows
        most = max(min(room, rows // 2), self.sizes[0])
        return tuple(size for size in self.sizes if size <= most)


@dataclass(frozen=True)
class Large:
    """An exact fit up to so many rows; of more, by one of these ways, the quickest first.

    costed    the machine says what an exact fit costs: that is the last size, if there is time
    """

    exact: int
    ways: tuple[Way, ...]
    costed: bool = False

    def usual(self, classes: int) -> tuple[Way, ...]:
        """The ways for so many classes."""
        return tuple(way for way in self.ways if way.classes is None or classes <= way.classes)


def exactly(machine: Any) -> Any:
    """An exact machine; one that chose among alphas keeps its choice, which would take a decomposition of all rows."""
    several = np.size(getattr(machine, "alpha", 0.0)) > 1
    return clone(machine).set_params(alpha=float(machine.alpha_)) if several else clone(machine)


def _landmarks(machine: Any, rows: Rows, size: int) -> Any:
    return clone(machine).set_params(method="nystrom", n_landmarks=size)


def _few_steps(machine: Any, rows: Rows, size: int) -> Any:
    return _landmarks(machine, rows, size).set_params(tol=_CLOSE)


def _cells(machine: Any, rows: Rows, size: int) -> Any:
    return clone(machine).set_params(method="cells", cell_rows=size)


def _small_cells(machine: Any, rows: Rows, size: int) -> Any:
    return _cells(machine, rows, size).set_params(tol=_CLOSE)


def _prototypes(machine: Any, rows: Rows, size: int) -> Any:
    return clone(machine).set_params(n_prototypes=size)


def _candidates(machine: Any, rows: Rows, size: int) -> Any:
    """Of labels, with a tolerance for the evidence of all rows, which is a sum."""
    return _prototypes(machine, rows, size).set_params(tol=_NATS * rows.total)


def _given_ridge(machine: Any, rows: Rows, size: int) -> Any:
    """Of more than two classes the alpha of largest evidence on the sample: to find it again takes too many fits."""
    larger = _prototypes(machine, rows, size)
    return larger if len(machine.classes_) == 2 else larger.set_params(alpha=float(machine.alpha_), tol=_CLOSE)


def _sparse(machine: Any, rows: Rows, size: int) -> Any:
    """alpha stands beside a sum of losses, and what noise puts into its slope grows with the root of the rows."""
    return clone(machine).set_params(n_prototypes=size, alpha=float(machine.alpha) * (rows.total / rows.tuned) ** 0.5)


def _ridge(machine: Any, rows: Rows, size: int) -> Any:
    """The kernel that was chosen; alpha is chosen again, by leaving out each of all rows."""
    from mercer import KernelRidgeCV

    alphas = _alphas(machine)
    return KernelRidgeCV([machine.kernel], alphas, fit_intercept=True, screen=False, method="nystrom", n_landmarks=size)


def _ridge_cells(machine: Any, rows: Rows, size: int) -> Any:
    """The same with alphas chosen for the landmarks, and in every cell."""
    return clone(machine).set_params(alpha=_alphas(machine), method="cells", cell_rows=size)


def _alphas(machine: Any) -> Any:
    return float(machine.alpha_) * np.logspace(-3.0, 1.0, 9)


def _near(machine: Any, rows: Rows, size: int) -> Any:
    return clone(machine).set_params(method="neighbours", n_neighbors=size)


def _inducing(machine: Any, rows: Rows, size: int) -> Any:
    return clone(machine).set_params(method="sgpr", n_inducing=size)


def _class_process(machine: Any, rows: Rows, size: int) -> Any:
    """The hyper-parameters of largest evidence on the sample."""
    return clone(machine).set_params(kernel=machine.kernel_, optimizer=None, method="inducing", n_inducing=size)


def _discriminant(machine: Any, rows: Rows, size: int) -> Any:
    """Shrinkage delta of K is, of covariances of features, the share delta m / n of their mean variance."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.pipeline import make_pipeline

    from mercer import Nystroem

    ratio = float(machine.shrinkage) * size / rows.total
    analysis = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=ratio / (1.0 + ratio))
    return make_pipeline(Nystroem(machine.kernel, n_components=size, random_state=0), analysis)


def _leaves(machine: Any, rows: Rows, size: int) -> Any:
    """The smallest leaves change little of the metric that was learned on a sample."""
    quick = size <= LEAVES[0]
    return clone(machine).set_params(
        max_leaf=size,
        rounds=1 if quick else machine.rounds,
        powers=machine.powers[:1] if quick else machine.powers,
        metric_rows=min(int(machine.metric_rows), size // 4 if quick else size),
    )


def _in_cells(build: Enlarged, sizes: tuple[int, ...] = CELLS, classes: int | None = None) -> Way:
    return Way(build, "cells of {}", sizes, stores=False, power=1.5, narrows=True, classes=classes)


SVM = Large(5000, (_in_cells(_cells), Way(_landmarks, "{} landmarks")), costed=True)
LOGISTIC = Large(1000, (Way(_few_steps, "{} landmarks", FEW), _in_cells(_small_cells, SMALL_CELLS, 2)), costed=True)
RIDGE = Large(2500, (Way(_ridge, "{} landmarks", stores=False), _in_cells(_ridge_cells, SMALL_CELLS)), costed=True)
RIDGE_WEIGHTS = Large(1000, (Way(_prototypes, "{} prototypes"),))
RIDGE_LABELS = Large(1000, (Way(_given_ridge, "{} prototypes", FEW),))
SPARSE_WEIGHTS = Large(1000, (Way(_sparse, "{} prototypes", FEW),))
RELEVANCE = Large(1000, (Way(_prototypes, "{} candidates"),))
RELEVANT_LABELS = Large(1000, (Way(_candidates, "{} candidates", FEW),))
PROCESS = Large(2500, (
    Way(_near, "{} neighbours", (50, 100, 200, 400), stores=False), Way(_inducing, "{} inducing points", stores=False),
))  # fmt: skip
CLASS_PROCESS = Large(1000, (Way(_class_process, "{} inducing points", FEW),))
DISCRIMINANT = Large(2500, (Way(_discriminant, "{} landmarks"),))
FEATURES = Large(2500, (Way(_leaves, "leaves of {}", LEAVES, stores=False),))
