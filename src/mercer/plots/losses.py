"""Curves of losses over the margin or the residual."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.errors import bad
from mercer.plots.style import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DASHES = ("-", "--", "-.", ":")
_NAMES = {(True,): "margin y f", (False,): "residual y - f"}


def losses(losses: Mapping[str, Any], z: Any = None, *, ax: Axes | None = None) -> Axes:
    """Every loss, an object of solvers/losses.py or a function, over the margin or the residual z."""
    if not isinstance(losses, Mapping) or not losses:
        raise bad("plots.losses", "losses", "named losses", losses, "e.g. {'hinge': Hinge()}.")
    z = np.linspace(-3.0, 3.0, 601) if z is None else np.asarray(z, dtype=float)
    of_margins = {loss.margin for loss in losses.values() if hasattr(loss, "margin")}
    with drawing(ax) as ax:
        for place, (name, loss) in enumerate(losses.items()):
            ax.plot(z, getattr(loss, "value", loss)(z), _DASHES[place % 4], label=name)
        ax.set(xlabel=_NAMES.get(tuple(of_margins), "z"), ylabel="loss")
    return ax
