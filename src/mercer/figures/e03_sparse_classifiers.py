"""E3: sparse classifiers.

Four machines with the same Gaussian kernel on two overlapping classes: their errors are alike, the numbers of items
they keep are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer import plots
from mercer.figures._axes import regions
from mercer.figures._data import clusters
from mercer.figures._sparse_machines import Result, tried
from mercer.figures.claim import Measured, ascending, at_least, at_most, noted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "With one kernel and test errors within noise of each other, the RVM keeps fewest items, the L1VM more, "
    "the SVM more still, and the L2VM all of them."
)
N, M, SEEDS = 200, 1000, 5


def machines() -> dict[str, Any]:
    """The four machines; C of the SVM is chosen by five folds."""
    from mercer import SVC, KernelSearchCV, L1VMClassifier, L2VMClassifier, RVMClassifier
    from mercer.kernels import RBF

    k = RBF(0.3)
    return {
        "RVM": RVMClassifier(k),
        "L1VM": L1VMClassifier(k, alpha=1.0),
        "SVM": KernelSearchCV(SVC(kernel=k), {"C": np.logspace(-2, 3, 6)}, cv=5),
        "L2VM": L2VMClassifier(k, alpha=5.0),
    }


def compute(seed: int = 0) -> Result:
    """200 items to fit and 1000 to test, five times."""
    drawn = (clusters(N + M, s) for s in range(seed, seed + SEEDS))
    return tried(machines, ((X[:N], y[:N], X[N:], y[N:]) for X, y in drawn), lambda f, t: np.mean(f != t))


def check(result: Result) -> list[Measured]:
    """Medians over seeds in order; errors within three deviations of a difference of two shares."""
    kept = {name: float(np.median(counts)) for name, counts in result.kept.items()}
    errors = np.array(list(result.error.values()))
    spread, p = np.ptp(errors, axis=0), errors.mean(axis=0)
    took = {name: float(np.min(seconds)) for name, seconds in result.seconds.items()}
    return [
        ascending("items kept, median of five", **kept),
        at_least("items the L2VM keeps", kept["L2VM"], float(len(result.y))),
        at_most("spread of test errors, in deviations", (spread / np.sqrt(2.0 * p * (1.0 - p) / M)).max(), 3.0),
        at_most("mean test error", p.mean(), 0.15),
        noted("time of SVM + CV over time of RVM", took["SVM"] / took["RVM"]),
    ]


def draw(result: Result) -> Figure:
    """The four machines on the first data set."""
    figure, axes = plots.figure(1, 4, size=(10.4, 2.9))
    for ax, (name, machine) in zip(axes, result.machines.items(), strict=True):
        title = f"{name}: {result.kept[name][0]} kept, error {result.error[name][0]:.1%}"
        regions(ax, machine, result.X, result.y, title, margins=False)
    return figure
