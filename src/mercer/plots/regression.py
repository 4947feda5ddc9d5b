"""Regression in one column: the curve with its tube, and the residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.errors import bad
from mercer.plots.style import INK, MUTED, NORMAL_95, PALETTE, drawing, points
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS = 400  # points of a curve


def regression_tube(machine: Any, X: Any, y: Any, *, support: bool = True, ax: Axes | None = None) -> Axes:
    """The prediction of a fitted machine, its tube of +-epsilon if it has one, and rings around the items it keeps."""
    V, y = points("plots.regression_tube", X, 1), _targets("plots.regression_tube", X, y)
    x = np.linspace(V.min(), V.max(), _POINTS)
    f, epsilon = np.asarray(machine.predict(x[:, None])), tube_of(machine)
    with drawing(ax) as ax:
        if epsilon is not None:
            ax.fill_between(x, f - epsilon, f + epsilon, color=PALETTE[0], alpha=0.15, linewidth=0.0,
                            label=f"tube, epsilon = {epsilon:.3g}")  # fmt: skip
        ax.plot(V[:, 0], y, "o", color=MUTED, markersize=3.5, alpha=0.8, linewidth=0.0)
        ax.plot(x, f, color=PALETTE[0], label="f")
        if support and hasattr(machine, "support_"):
            ringed(ax, V[machine.support_, 0], y[machine.support_], f"{len(machine.support_)} of {len(y)} kept")
        ax.set(xlabel="x", ylabel="y")
    return ax


def tube_of(machine: Any) -> float | None:
    """Half the width of the tube: epsilon_ of nu-SVR, epsilon of SVR, None for other machines."""
    found = getattr(machine, "epsilon_", getattr(machine, "epsilon", None))
    return None if found is None else float(found)


def ringed(ax: Axes, x: Array, y: Array, label: str) -> None:
    """Circles around the items a machine keeps."""
    ax.scatter(x, y, s=48, facecolors="none", edgecolors=INK, linewidths=0.9, label=label, gid="support", zorder=4)


def residuals(y: Any, predicted: Any, *, std: Any = None, ax: Axes | None = None) -> Axes:
    """y - f over f; with `std`, residuals of more than 1.96 std have another colour."""
    predicted = np.asarray(predicted, dtype=float)
    y = _targets("plots.residuals", predicted, y)
    rest = y - predicted
    far = np.zeros(len(y), dtype=bool) if std is None else np.abs(rest) > NORMAL_95 * np.broadcast_to(std, y.shape)
    size = 14.0 if len(y) <= 1000 else 5.0
    with drawing(ax) as ax:
        ax.axhline(0.0, color=MUTED, linewidth=1.0)
        label = None if std is None else f"within 1.96 std ({np.mean(~far):.1%})"
        ax.scatter(predicted[~far], rest[~far], s=size, color=PALETTE[0], alpha=0.6, linewidths=0.0, label=label)
        if far.any():
            ax.scatter(predicted[far], rest[far], s=size, color=PALETTE[1], marker="D", linewidths=0.0, label="beyond")
        ax.set(xlabel="predicted", ylabel="y - predicted")
    return ax


def _targets(owner: str, X: Any, y: Any) -> Array:
    values: Array = np.asarray(y, dtype=float)
    if values.shape != (len(X),) or not len(X):
        raise bad(owner, "y", f"one number for each of {len(X)} items", f"shape {values.shape}", "Pass the targets.")
    return values
