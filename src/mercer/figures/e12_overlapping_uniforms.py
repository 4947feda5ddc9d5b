"""E12: probabilities of overlapping uniforms.

One class is uniform on (0, 1), the other on (1/2, 3/2): the truth is 0, then 1/2 between 1/2 and 1, then 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mercer import plots
from mercer.figures.claim import Measured, at_least, below, near, noted
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "A sigmoid of an SVM's score cannot say 1/2 on an interval; an RVM's probabilities can, "
    "and have the lower log loss."
)
N, M, SEEDS = 200, 10_000, 4
GRID = np.linspace(0.0, 1.5, 301)
TRUTH = np.where(GRID < 0.5, 0.0, np.where(GRID > 1.0, 1.0, 0.5))
BEST = float(np.log(2.0)) / 2.0  # log loss of the true probabilities: half of the items lie where both are 1/2


@dataclass(frozen=True)
class Result:
    """The first training set, the curves P(1 | GRID) fitted to it, and log loss and error of all seeds, by method."""

    x: Array
    y: Array
    curves: dict[str, Array]
    log_loss: dict[str, list[float]]
    error: dict[str, list[float]]


def problem(seed: int) -> tuple[Array, Array]:
    """200 items to fit, then 10 000 to test."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, N + M)
    return (rng.uniform(size=N + M) + 0.5 * y)[:, None], y


def compute(seed: int = 0) -> Result:
    """Four data sets."""
    from mercer import SVC, GaussianProcessClassifier, RVMClassifier
    from mercer.comparison.calibration import log_losses
    from mercer.kernels import RBF

    k, items = RBF(0.2), [problem(s) for s in range(seed, seed + SEEDS)]
    curves: dict[str, Array] = {}
    loss: dict[str, list[float]] = {}
    error: dict[str, list[float]] = {}
    for x, y in items:
        machines = {"SVM + Platt": SVC(kernel=k, probability=True), "RVM": RVMClassifier(k),
                    "GP": GaussianProcessClassifier(1.0 * k)}  # fmt: skip
        for name, machine in machines.items():
            P = machine.fit(x[:N], y[:N]).predict_proba(x[N:])
            loss.setdefault(name, []).append(float(np.mean(log_losses(P, machine.classes_, y[N:]))))
            error.setdefault(name, []).append(float(np.mean(P.argmax(axis=1) != y[N:])))
            curves.setdefault(name, machine.predict_proba(GRID[:, None])[:, 1])
    x, y = items[0]
    return Result(x[:N, 0], y[:N], curves, loss, error)


def check(result: Result) -> list[Measured]:
    """Log losses of every seed, and the Bayes error."""
    loss = {name: np.array(values) for name, values in result.log_loss.items()}
    error = np.array([result.error[name] for name in ("RVM", "GP")])
    return [
        below("largest of (log loss of RVM - of Platt)", (loss["RVM"] - loss["SVM + Platt"]).max(), 0.0),
        noted("mean log loss of RVM", loss["RVM"].mean()),
        noted("of GP", loss["GP"].mean()),
        noted("of SVM + Platt", loss["SVM + Platt"].mean()),
        at_least("least log loss of all, above (log 2) / 2", min(map(np.min, loss.values())), BEST - 0.02),
        near("test error, mean of RVM and GP (Bayes: 1/4)", error.mean(), 0.25, 0.02),
    ]


def draw(result: Result) -> Figure:
    """What each method says at every x."""
    figure, ax = plots.figure(size=(5.6, 3.4))
    ax.plot(GRID, TRUTH, color=plots.INK, linewidth=1.0, label="truth")
    for name, curve in result.curves.items():
        loss = np.mean(result.log_loss[name])
        ax.plot(GRID, curve, label=f"{name}, log loss {loss:.3f}")
    for place in (0, 1):
        here = result.x[result.y == place]
        ax.plot(here, np.full(len(here), -0.06 + 1.12 * place), "|", color=plots.MUTED, markersize=5.0, alpha=0.6)
    ax.set(xlabel="x", ylabel="P(second class)", xlim=(0.0, 1.5))
    ax.legend(loc="center right", bbox_to_anchor=(1.0, 0.3))
    return figure
