"""The style of pictures, and the figures that they are drawn on.

    with style(): ...                inside, matplotlib has the settings of mercer.mplstyle
    fig, ax = figure(size=(5, 3))    a figure for files and pages, which pyplot does not know and does not show
    svg(fig)                         the figure as text for a web page

A function that draws opens with `with drawing(ax) as ax`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mercer.errors import bad

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, ordered so that neighbours are easy to tell apart, and a grey; yellow is too pale on white.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555")
INK, MUTED = "#1b1f24", "#6b7280"
NORMAL_95 = 1.959964  # 95 % of a normal distribution lie within so many deviations of its mean
_STYLE = Path(__file__).with_name("mercer.mplstyle")


@contextmanager
def style() -> Iterator[None]:
    """A context in which pictures have the style of mercer."""
    import matplotlib.style

    with matplotlib.style.context(str(_STYLE)):
        yield


@contextmanager
def drawing(ax: Axes | None) -> Iterator[Axes]:
    """The axes to draw on in the style of mercer: those given, or those of a new figure of pyplot."""
    from matplotlib.axes import Axes

    if ax is not None and not isinstance(ax, Axes):
        raise bad(
            "plots", "ax", "one Axes of matplotlib", type(ax).__name__, "If it is an array of axes, pass one of them."
        )
    with style():
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.figure().add_subplot()
        yield ax


def figure(
    rows: int = 1, columns: int = 1, *, size: tuple[float, float] = (5.0, 3.6), **grid: Any
) -> tuple[Figure, Any]:
    """A figure of `size` inches with its axes (one, or an array), in the style of mercer."""
    from matplotlib.figure import Figure

    with style():
        made = Figure(figsize=size, layout="constrained")
        return made, made.subplots(rows, columns, **grid)


def svg(figure: Figure, title: str = "") -> str:
    """The figure as an <svg> that fills the width it is given; equal figures are equal text."""
    text = io.StringIO()
    with style():
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    drawn = text.getvalue()
    drawn = re.sub(r"\s*<metadata>.*?</metadata>", "", drawn[drawn.index("<svg") :], count=1, flags=re.DOTALL)
    width = figure.get_size_inches()[0] * 96
    box = f'role="img" aria-label="{escape(title)}" style="width:100%;max-width:{width:.0f}px;height:auto"'
    return re.sub(r'<svg ([^>]*?)width="[^"]*"([^>]*?)height="[^"]*"|<svg ([^>]*?)height="[^"]*"([^>]*?)width="[^"]*"',
                  lambda m: f"<svg {box} " + "".join(part or "" for part in m.groups()), drawn, count=1)  # fmt: skip


def points(owner: str, X: Any, columns: int) -> Any:
    """X as an array with so many columns, which are all that can be drawn; one column may be a flat array."""
    import numpy as np

    V = np.asarray(X, dtype=float)
    V = V[:, None] if V.ndim == 1 and columns == 1 else V
    if V.ndim != 2 or V.shape[1] != columns or not len(V):
        raise bad(owner, "X", f"items of {columns} column{'s' * (columns > 1)}", f"shape {V.shape}",
                  "Fit the machine to the columns that you want to draw.")  # fmt: skip
    return V
