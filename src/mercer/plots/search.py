"""The score of a search over one parameter, or over two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.errors import bad
from mercer.plots.style import INK, drawing
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def search_surface(
    search: Any,
    x: str | None = None,
    y: str | None = None,
    *,
    score: str = "mean_test_score",
    colorbar: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """The score over two parameters of a fitted search (or its cv_results_), the best setting marked.

    x and y are names of parameters that are numbers; None: those that vary.  Where other parameters vary too, the best
    score over them is shown.
    """
    results = _results("plots.search_surface", search, score)
    x, y = _names("plots.search_surface", results, (x, y))
    across, up, scores = _values(results, x), _values(results, y), np.asarray(results[score], dtype=float)
    (xs, i), (ys, j) = (np.unique(values, return_inverse=True) for values in (across, up))
    surface = np.full((len(ys), len(xs)), np.nan)
    np.fmax.at(surface, (j, i), scores)
    best = int(np.nanargmax(scores))
    with drawing(ax) as ax:
        cells = ax.pcolormesh(_edges(xs), _edges(ys), surface, cmap="cividis", edgecolors="face", linewidth=0.3)
        ax.plot(across[best], up[best], "*", color="white", markeredgecolor=INK, markersize=11, linewidth=0.0,
                label=f"best, {scores[best]:.3f}", gid="best")  # fmt: skip
        _scale(ax, "x", xs)
        _scale(ax, "y", ys)
        ax.set(xlabel=_short(x), ylabel=_short(y))
        if colorbar:
            ax.figure.colorbar(cells, ax=ax, label=_words(score)).outline.set_visible(False)
    return ax


def search_curve(
    search: Any,
    x: str | None = None,
    *,
    score: str = "mean_test_score",
    label: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The best score over all other parameters, for every value of one, +- the standard deviation over folds."""
    results = _results("plots.search_curve", search, score)
    (x,) = _names("plots.search_curve", results, (x,))
    across, scores = _values(results, x), np.asarray(results[score], dtype=float)
    order = np.lexsort((-np.nan_to_num(scores, nan=-np.inf), across))
    first = order[np.unique(across[order], return_index=True)[1]]  # the best setting of every value
    spread = np.asarray(results.get(score.replace("mean_", "std_"), np.zeros(len(scores))), dtype=float)[first]
    best = first[int(np.nanargmax(scores[first]))]
    with drawing(ax) as ax:
        (line,) = ax.plot(across[first], scores[first], "o-", label=label)
        colour = line.get_color()
        ax.fill_between(across[first], scores[first] - spread, scores[first] + spread, color=colour, alpha=0.15, lw=0.0)
        ax.plot(across[best], scores[best], "*", color=colour, markeredgecolor=INK, markersize=11, gid="best")
        _scale(ax, "x", across[first])
        ax.set(xlabel=_short(x), ylabel=_words(score))
    return ax


def _results(owner: str, search: Any, score: str) -> Mapping[str, Any]:
    found = getattr(search, "cv_results_", search)
    if not isinstance(found, Mapping) or "params" not in found:
        raise bad(owner, "search", "a fitted search or its cv_results_", type(search).__name__, "Call fit first.")
    if score not in found:
        raise bad(owner, "score", f"one of {[name for name in found if name.startswith('mean_')]}", repr(score),
                  "The usual one is 'mean_test_score'.")  # fmt: skip
    if not np.isfinite(np.asarray(found[score], dtype=float)).any():
        raise bad(owner, "search", "one in which a setting could be scored", "none", "Try one fit by hand.")
    return found


def _names(owner: str, results: Mapping[str, Any], given: tuple[str | None, ...]) -> list[str]:
    """The parameters to draw: those given, and in place of None the other parameters that vary and are numbers."""
    numeric = [name for name in _parameters(results) if _values(results, name) is not None]
    free = [name for name in numeric if name not in given and len(np.unique(_values(results, name))) > 1]
    for name in given:
        if name is not None and name not in numeric:
            raise bad(owner, "parameters", f"among the numbers {numeric}", repr(name), "Leave the 'param_' out.")
    if (missing := given.count(None)) and len(free) != missing:
        raise bad(owner, "parameters", f"named unless exactly {missing} of them vary and are numbers", free,
                  "Name those to be drawn.")  # fmt: skip
    left = iter(free)
    return [next(left) if name is None else name for name in given]


def _parameters(results: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys(name for params in results["params"] for name in params))


def _values(results: Mapping[str, Any], name: str) -> Any:
    """The values of a parameter in all settings; None if one of them is not a number."""
    try:
        return np.array([float(params[name]) for params in results["params"]])
    except (KeyError, TypeError, ValueError):
        return None


def _edges(values: Array) -> Array:
    """Edges of cells that have the values in their middle, on a linear or a log scale."""
    if len(values) == 1:
        return np.array([0.5, 2.0]) * values if values[0] > 0.0 else values + np.array([-0.5, 0.5])
    v = np.log(values) if _logarithmic(values) else values
    middle = 0.5 * (v[1:] + v[:-1])
    edges = np.concatenate([[2.0 * v[0] - middle[0]], middle, [2.0 * v[-1] - middle[-1]]])
    return np.exp(edges) if _logarithmic(values) else edges


def _scale(ax: Axes, axis: str, values: Array) -> None:
    """A log scale for positive values, in base 2 if all are powers of two."""
    if not _logarithmic(values):
        return
    set_scale = ax.set_xscale if axis == "x" else ax.set_yscale
    powers = np.log2(values)
    set_scale("log", base=2 if np.allclose(powers, np.round(powers)) else 10)


def _logarithmic(values: Array) -> bool:
    return bool((values > 0.0).all())


def _short(name: str) -> str:
    """The last part of a nested name: C of machine__C."""
    return name.rsplit("__", 1)[-1]


def _words(score: str) -> str:
    return score.replace("mean_test_", "cross-validated ").replace("_", " ")
