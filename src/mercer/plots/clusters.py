"""Clusters seen: items around their medoids, silhouettes of all items, and their mean over the number of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.errors import bad
from mercer.plots.decision import scatter
from mercer.plots.style import INK, MUTED, PALETTE, drawing, points

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def medoids(X: Any, labels: Any, places: Any = (), *, ax: Axes | None = None) -> Axes:
    """Items of two columns, coloured by their clusters, with rings around those at `places` (medoid_indices_)."""
    V, given, rings = points("plots.medoids", X, 2), np.asarray(labels), np.asarray(places, dtype=np.intp)
    if given.shape != (len(V),):
        raise bad("plots.medoids", "labels", f"one for each of {len(V)} items", f"shape {given.shape}", "Pass labels_.")
    with drawing(ax) as ax:
        for place, name in enumerate(np.unique(given)):
            scatter(ax, V[given == name], place, f"cluster {name}")
        ax.plot(*V[rings].T, "o", markersize=9.0, markerfacecolor="none", markeredgecolor=INK, markeredgewidth=1.4,
                label="medoids" if len(rings) else None, zorder=4, gid="medoids")  # fmt: skip
    return ax


def silhouettes(values: Any, labels: Any, *, ax: Axes | None = None) -> Axes:
    """The silhouette of every item as a bar, cluster by cluster and the longest first; the dashed line is the mean."""
    s, given = np.asarray(values, dtype=float), np.asarray(labels)
    if s.ndim != 1 or s.shape != given.shape or not len(s):
        raise bad("plots.silhouettes", "values", "one silhouette for each label", f"shapes {s.shape} and {given.shape}",
                  "Pass mercer.silhouette(X, labels) and the labels.")  # fmt: skip
    names = np.unique(given)
    gap = max(1, len(s) // 60)  # of empty lines between two clusters
    ticks, start = [], 0
    with drawing(ax) as ax:
        for place, name in enumerate(names):
            own = np.sort(s[given == name])[::-1]
            at = start + np.arange(len(own))
            ax.fill_betweenx(np.r_[at, at[-1] + 1], 0.0, np.r_[own, own[-1]], step="post", linewidth=0.0,
                             color=PALETTE[place % len(PALETTE)], gid=f"cluster {name}")  # fmt: skip
            ticks.append(start + 0.5 * len(own))
            start += len(own) + gap
        ax.axvline(s.mean(), linestyle="--", linewidth=1.0, color=MUTED, label=f"mean {s.mean():.3f}")
        ax.set(yticks=ticks, yticklabels=[str(name) for name in names], xlabel="silhouette", ylabel="cluster")
        ax.set_ylim(start - gap + 0.5, -0.5)
    return ax


def silhouette_curve(choice: Any, *, ax: Axes | None = None) -> Axes:
    """The mean medoid silhouette over the number of clusters (KMedoids.choose_k), with a star at the one chosen."""
    ks = list(getattr(choice, "ks", ()))
    if not ks:
        raise bad("plots.silhouette_curve", "choice", "what KMedoids.choose_k gives", type(choice).__name__, "Call it.")
    with drawing(ax) as ax:
        ax.plot(ks, choice.silhouettes, "o-")
        best = ks.index(choice.k)
        ax.plot(ks[best], choice.silhouettes[best], "*", color=PALETTE[0], markeredgecolor=INK, markersize=11,
                label=f"k = {choice.k}", gid="best")  # fmt: skip
        ax.set(xlabel="clusters", ylabel="mean medoid silhouette", xticks=ks)
    return ax
