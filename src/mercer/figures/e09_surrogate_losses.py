"""E9: losses that stand for 0/1.

Convex losses of the margin that support vector machines, boosting and logistic regression minimise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mercer import plots
from mercer.figures.claim import Measured, at_least, near
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "Hinge, exponential and logistic loss in bits are upper bounds of the 0/1 loss and meet it at margin zero; "
    "the logistic loss in nats does not bound it."
)


@dataclass(frozen=True)
class Result:
    """Margins and the losses of each, by name."""

    z: Array
    losses: dict[str, Array]


def compute(seed: int = 0) -> Result:
    """Values at evenly spaced margins; nothing is random."""
    from mercer.solvers.losses import Exponential, Hinge, Logistic, zero_one

    z = np.linspace(-2.0, 2.5, 901)
    losses = {"hinge": Hinge().value, "exponential": Exponential().value, "logistic, bits": Logistic(bits=True).value,
              "logistic, nats": Logistic().value, "0/1": zero_one}  # fmt: skip
    return Result(z, {name: loss(z) for name, loss in losses.items()})


def check(result: Result) -> list[Measured]:
    """The values at zero, and which are bounds."""
    at_zero = {name: float(np.interp(0.0, result.z, values)) for name, values in result.losses.items()}
    step = result.losses["0/1"]
    bounds = [name for name in result.losses if name not in ("0/1", "logistic, nats")]
    return [
        *(near(f"{name} at 0", at_zero[name], 1.0, 1e-12) for name in bounds),
        near("logistic in nats at 0", at_zero["logistic, nats"], 0.6931, 5e-5),
        at_least(
            "least of (loss - 0/1) of the bounds", min((result.losses[name] - step).min() for name in bounds), 0.0
        ),
    ]


def draw(result: Result) -> Figure:
    """All of them, to a height at which they can be told apart."""
    figure, ax = plots.figure(size=(4.8, 3.2))
    plots.losses({name: lambda _, v=values: v for name, values in result.losses.items()}, result.z, ax=ax)
    ax.lines[-1].set(color=plots.INK, linestyle="-")
    ax.set(xlabel="margin y f", ylim=(-0.1, 4.0))
    ax.legend()
    return figure
