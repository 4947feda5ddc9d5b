"""E4: sparse regressors.

The four machines of E3 on a noisy sinc.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer import plots
from mercer.figures._data import noisy_sinc
from mercer.figures._sparse_machines import Result, tried
from mercer.figures.claim import Measured, at_most, below
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = "On a noisy sinc the four machines have similar errors, and the RVM keeps by far the fewest items."
N, M, SEEDS = 100, 500, 5


def machines() -> dict[str, Any]:
    """The four machines, each with its own way to choose how smooth f is."""
    from mercer import SVR, KernelSearchCV, L1VMRegressor, L2VMRegressor, RVMRegressor
    from mercer.kernels import RBF

    k = RBF(2.0)
    return {
        "RVM": RVMRegressor(k),
        "L1VM": L1VMRegressor(k, alpha="cv", n_alphas=20),
        "SVM": KernelSearchCV(SVR(kernel=k), {"C": [0.3, 1.0, 10.0], "epsilon": [0.05, 0.1, 0.2]}, cv=5),
        "L2VM": L2VMRegressor(k, alpha="evidence"),
    }


def problem(seed: int) -> tuple[Array, Array, Array, Array]:
    """100 items in random order, since folds of neighbours would leave gaps, and 500 to test."""
    (X, y), (Z, t) = noisy_sinc(N, seed), noisy_sinc(M, seed + 1000)
    order = np.random.default_rng(seed).permutation(N)
    return X[order], y[order], Z, t


def compute(seed: int = 0) -> Result:
    """Five data sets."""
    return tried(machines, map(problem, range(seed, seed + SEEDS)), lambda f, t: np.mean((f - t) ** 2))


def check(result: Result) -> list[Measured]:
    """Medians over seeds."""
    kept = {name: float(np.median(counts)) for name, counts in result.kept.items()}
    error = [float(np.median(values)) for values in result.error.values()]
    others = min(count for name, count in kept.items() if name != "RVM")
    return [
        at_most("items the RVM keeps, median of five", kept["RVM"], 15.0),
        below("its share of what the next keeps", kept["RVM"] / others, 0.7),
        at_most("largest over smallest test error", max(error) / min(error), 1.25),
        at_most("largest test error, over the variance of the noise", max(error) / 0.01, 1.5),
    ]


def draw(result: Result) -> Figure:
    """The four fits with what they keep."""
    figure, axes = plots.figure(1, 4, size=(10.4, 2.6), sharey=True)
    for ax, (name, machine) in zip(axes, result.machines.items(), strict=True):
        plots.regression_tube(machine, result.X, result.y, ax=ax)
        ax.set(title=f"{name}: {result.kept[name][0]} of {N} kept", ylabel="", xlabel="")
    return figure
