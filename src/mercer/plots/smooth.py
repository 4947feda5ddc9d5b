"""A smooth through a scatterplot, with its pointwise band."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.plots.style import INK, MUTED, PALETTE, drawing, points
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PLACES = 400  # of the curve


def smooth(machine: Any, X: Any, y: Any = None, *, level: float = 0.95, ax: Axes | None = None) -> Axes:
    """The curve of a fitted smoother in one column, its band at `level`, and the points; gaps have a mark below.

    The band holds f at each place by itself with this probability, apart from the bias of smoothing.
    """
    V = points("plots.smooth", X, 1)
    x = np.linspace(V.min(), V.max(), _PLACES)
    low, f, high, empty = band(machine, x[:, None], level)
    with drawing(ax) as ax:
        if y is not None:
            ax.plot(V[:, 0], np.asarray(y, dtype=float), "o", color=MUTED, markersize=3.0, alpha=0.6, linewidth=0.0)
        if low is not None:
            ax.fill_between(x, low, high, color=PALETTE[0], alpha=0.2, linewidth=0.0, label=f"{level:.0%} band")
        ax.plot(x, f, color=PALETTE[0], label="f")
        if empty.any():
            ax.plot(x[empty], np.full(int(empty.sum()), np.nanmin(f)), "|", color=INK, label="gap")
        ax.set(xlabel="x", ylabel="y")
    return ax


def band(machine: Any, X: Array, level: float) -> tuple[Any, Array, Any, Array]:
    """(low, f, high, in a gap) at rows X inside of the data; without a band (None) if the noise is not known."""
    import warnings

    from mercer.estimators.smoothing.local_smoother import Unsupported

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Unsupported)  # gaps are marked
        f = np.asarray(machine.predict(X))
        known = np.isfinite(getattr(machine, "sigma_", np.nan)) and hasattr(machine, "interval")
        low, high = machine.interval(X, level) if known else (None, None)
    empty = machine.flags(X).empty if hasattr(machine, "flags") else np.zeros(len(X), dtype=bool)
    return low, f, high, empty
