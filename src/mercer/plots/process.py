"""A Gaussian process in one column: its mean, its band, and draws from it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.errors import bad
from mercer.plots.style import INK, NORMAL_95, PALETTE, drawing, points
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def process_band(
    machine: Any,
    x: Any,
    *,
    data: tuple[Any, Any] | None = None,
    samples: int = 0,
    of: str = "f",
    random_state: Any = 0,
    ax: Axes | None = None,
) -> Axes:
    """The mean and mean +- 1.96 std of a machine with `predict(x, return_std=True)`, fitted or a prior.

    of          "f": the function;  "y": a measurement of it with noise, if the machine has both
    data        (X, y) to draw as points
    samples     how many functions to draw from the process (sample_y)
    """
    X = points("plots.process_band", x, 1)
    X = X[np.argsort(X[:, 0], kind="stable")]
    mean, std = _predicted(machine, X, of)
    with drawing(ax) as ax:
        half = NORMAL_95 * std
        ax.fill_between(X[:, 0], mean - half, mean + half, color=PALETTE[0], alpha=0.15, linewidth=0.0, label="95 %")
        if samples:
            draws = machine.sample_y(X, samples, random_state=random_state)
            ax.plot(X[:, 0], draws, color=PALETTE[1], linewidth=0.8, alpha=0.7, gid="samples")
        ax.plot(X[:, 0], mean, color=PALETTE[0], label="mean")
        if data is not None:
            ax.plot(points("plots.process_band", data[0], 1)[:, 0], data[1], "o", color=INK, markersize=3.0)
        ax.set(xlabel="x", ylabel=of)
    return ax


def _predicted(machine: Any, X: Array, of: str) -> tuple[Array, Array]:
    wanted = inspect.signature(machine.predict).parameters
    if "return_std" not in wanted:
        raise bad("plots.process_band", "machine", "one that predicts with return_std", type(machine).__name__,
                  "GaussianProcessRegressor and RVMRegressor do.")  # fmt: skip
    mean, std = machine.predict(X, return_std=True, **({"of": of} if "of" in wanted else {}))
    return np.asarray(mean), np.asarray(std)
