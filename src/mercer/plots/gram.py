"""Pictures of a Gram matrix: its entries, and its eigenvalues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.errors import bad
from mercer.plots.style import MUTED, PALETTE, drawing
from mercer.theory.spectrum import rounding
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 400  # rows of a heat map; a picture has no pixels for more


def gram_heatmap(K: Any, *, groups: Any = None, colorbar: bool = True, ax: Axes | None = None) -> Axes:
    """The entries of a square matrix as colours, the items in the order of their groups (labels, for instance).

    Of more than 400 items 400 are shown, evenly spaced in that order.
    """
    K = K if hasattr(K, "sub") else square("plots.gram_heatmap", K)
    n = len(K)
    groups = None if groups is None else np.asarray(groups)
    if groups is not None and groups.shape != (n,):
        raise bad(
            "plots.gram_heatmap", "groups", f"one label for each of {n} items", f"shape {groups.shape}", "Pass y."
        )
    order = np.arange(n) if groups is None else np.argsort(groups, kind="stable")
    shown = order[np.linspace(0, n - 1, min(n, MOST)).astype(np.intp)]
    values = square("plots.gram_heatmap", K.sub(shown) if hasattr(K, "sub") else K[np.ix_(shown, shown)])
    with drawing(ax) as ax:
        image = ax.imshow(values, interpolation="nearest", **_colours(values))
        for side in ax.spines.values():
            side.set_visible(False)
        if groups is None:
            ax.set(xlabel="item", ylabel="item")
        else:
            _boundaries(ax, groups[shown])
        if colorbar:
            ax.figure.colorbar(image, ax=ax, shrink=0.85, pad=0.03).outline.set_visible(False)
    return ax


def _colours(values: Array) -> dict[str, Any]:
    """One hue from 0 (or the least value) to the largest; two hues with 0 between them where signs differ."""
    low, high = float(values.min()), float(values.max())
    if low < -1e-9 * abs(high):
        size = max(-low, high)
        return {"cmap": "PuOr_r", "vmin": -size, "vmax": size}
    return {"cmap": "cividis", "vmin": min(low, 0.0), "vmax": high if high > low else low + 1.0}


def _boundaries(ax: Axes, groups: Array) -> None:
    """Lines between groups and their names at the middle of each."""
    names, first, counts = np.unique(groups, return_index=True, return_counts=True)
    for edge in first[1:]:
        ax.axhline(edge - 0.5, color="white", linewidth=0.8)
        ax.axvline(edge - 0.5, color="white", linewidth=0.8)
    middle = first + 0.5 * (counts - 1)
    ax.set_xticks(middle, [str(name) for name in names])
    ax.set_yticks(middle, [str(name) for name in names])
    ax.tick_params(length=0.0)


def spectrum(K: Any, *, label: str | None = None, ax: Axes | None = None) -> Axes:
    """Eigenvalues in falling order on a log scale: negative ones by their size; a dotted line at the rounding error."""
    K = K.dense() if hasattr(K, "dense") else np.asarray(K)
    values = np.sort(K.astype(float) if K.ndim == 1 else np.linalg.eigvalsh(square("plots.spectrum", K)))[::-1]
    largest = float(np.abs(values).max(initial=0.0))
    if not 0.0 < largest < np.inf:
        raise bad("plots.spectrum", "K", "a matrix with eigenvalues that are finite and not all 0", largest,
                  "Look at K itself first.")  # fmt: skip
    noise = rounding(len(values), largest, values.dtype)
    rank = np.arange(1, len(values) + 1)
    real, below = values > noise, values < -noise
    marker = {"marker": "o", "markersize": 2.5} if len(values) <= 100 else {}
    with drawing(ax) as ax:
        ax.semilogy(rank[real], values[real], label=label, **marker)
        if below.any():
            ax.semilogy(rank[below], -values[below], "v", color=PALETTE[1], markersize=3.5,
                        label=f"{below.sum()} negative, by size")  # fmt: skip
        if not real.all():
            ax.axhline(noise, color=MUTED, linewidth=0.8, linestyle=":")
        ax.set(xlabel="rank", ylabel="eigenvalue", xlim=(0.0, len(values) + 1.0))
    return ax


def square(owner: str, K: Any) -> Array:
    """K as a square matrix of finite numbers."""
    values: Array = np.asarray(K.dense() if hasattr(K, "dense") else K)
    n = len(values) if values.ndim else 0
    if values.shape != (n, n) or not n or not np.isfinite(values).all():
        raise bad(owner, "K", "a square matrix of finite numbers", f"shape {values.shape}", "Pass k(X).")
    return values
