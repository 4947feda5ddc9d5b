"""lowess: the smoothed values of a scatterplot, with the arguments of statsmodels and R; see solvers/lowess.py."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from mercer.errors import bad, warn
from mercer.estimators.base import numbers
from mercer.solvers.lowess import Scatter, lines, neighbours, smooth
from mercer.typing import Array

MISSING = ("drop", "none", "raise")


class NoLocalFit(UserWarning):
    """At some points no local line exists: fewer than two of the nearest points have a weight."""


def lowess(
    y: Any,
    x: Any,
    frac: float = 2.0 / 3.0,
    it: int = 3,
    delta: float = 0.0,
    xvals: Any = None,
    is_sorted: bool = False,
    missing: str = "drop",
    return_sorted: bool = True,
) -> Array:
    """Smooth y over x by local lines, each through the share `frac` of the points that are nearest.

    y, x           n numbers each
    frac           0 < frac <= 1: the share of points, rounded down, that each line is fitted to; two at least
    it             passes after the first, in which points far from the curve get less weight
    delta          lines are fitted at points up to this distance apart, and values between are interpolated;
                   1 % of the range of x is a good choice for many points
    xvals          where to smooth; None: at the points themselves.  delta then speeds up the passes only
    is_sorted      whether x (and xvals) ascend already
    missing        "drop" leaves out pairs with a NaN or infinite number, "raise" refuses them, "none" does not look
    return_sorted  (n, 2) numbers, x in ascending order and the values; False: the values in the order of x, NaN where a
                   pair was dropped.  With xvals: always the values in the order of xvals

    The answer is that of statsmodels up to rounding, but in two places; R follows the same definition.
    If all nearest points have the same x, the value is their mean, as in R.  The spread of x below which a line
    becomes a level is relative to the window, so that units of x do not matter.

    At a point of the data at which no line exists, because all others of the window have weight 0, the value is its y.
    At such a place of xvals it is NaN, with a warning.
    """
    _require_options(frac, it, delta, missing)
    t, s = _vector("y", y), _vector("x", x)
    if len(t) != len(s):
        raise bad("lowess", "y", f"as long as x ({len(s)} numbers)", f"{len(t)} numbers", "Pass a y for every x.")
    kept = _known(missing, "y and x", np.isfinite(t) & np.isfinite(s))
    points, order = _scatter(s[kept], t[kept], float(frac), is_sorted)
    if xvals is not None:
        return _at(_vector("xvals", xvals), points, int(it), float(delta), is_sorted, missing)
    fitted, _ = smooth(points, int(it), float(delta))
    return np.column_stack([points.x, fitted]) if return_sorted else _spread(fitted, order, kept)


def _require_options(frac: Any, it: Any, delta: Any, missing: Any) -> None:
    if not isinstance(frac, Real) or not 0.0 < float(frac) <= 1.0:
        raise bad("lowess", "frac", "a number with 0 < frac <= 1", repr(frac), "2/3 is the default.")
    if not isinstance(it, Integral) or isinstance(it, bool) or int(it) < 0:
        raise bad("lowess", "it", "an integer >= 0", repr(it), "3 is the default.")
    if not isinstance(delta, Real) or not 0.0 <= float(delta) < np.inf:
        raise bad("lowess", "delta", "a finite number >= 0", repr(delta), "0 fits a line at every point.")
    if missing not in MISSING:
        raise bad("lowess", "missing", f"one of {MISSING}", repr(missing), "'drop' is the default.")


def _vector(name: str, given: Any) -> Array:
    values = np.ascontiguousarray(numbers("lowess", name, given))
    if np.ndim(given) != 1:
        raise bad("lowess", name, "one-dimensional", f"an array of shape {np.shape(given)}", "Pass one column.")
    return values


def _known(missing: str, name: str, finite: Array) -> Any:
    """The positions that are used: a slice if all are."""
    if missing == "none" or finite.all():
        return slice(None)
    if missing == "raise":
        raise bad("lowess", name, "finite", f"a NaN or infinite number at position {int(np.argmin(finite))}",
                  "missing='drop' leaves such pairs out.")  # fmt: skip
    return finite


def _scatter(x: Array, y: Array, frac: float, is_sorted: bool) -> tuple[Scatter, Array | None]:
    """The points in ascending order, and that order; None if they were in it."""
    if len(x) < 2:
        raise bad("lowess", "x", "two points or more without missing numbers", f"{len(x)}", "A line needs two.")
    count = neighbours(len(x), frac)
    if is_sorted or bool((x[1:] >= x[:-1]).all()):
        return Scatter(x, y, count), None
    order = np.argsort(x, kind="stable")
    return Scatter(x[order], y[order], count), order


def _spread(fitted: Array, order: Array | None, kept: Any) -> Array:
    """Values in the order in which the points were passed, NaN for those that were dropped."""
    back = fitted
    if order is not None:
        back = np.empty_like(fitted)
        back[order] = fitted
    if isinstance(kept, slice):
        return back
    out = np.full(len(kept), np.nan)
    out[kept] = back
    return out


def _at(places: Array, points: Scatter, it: int, delta: float, is_sorted: bool, missing: str) -> Array:
    """Values at given places, by the weights that the passes over the points leave."""
    kept = _known(missing, "xvals", np.isfinite(places))
    at = places[kept]
    order = None if is_sorted else np.argsort(at, kind="stable")
    weight = smooth(points, it, delta)[1] if it > 0 else np.ones(len(points.x))
    ascending = at if order is None else at[order]
    values, none = lines(points, weight, np.ascontiguousarray(ascending), np.full(len(at), np.nan))
    if none:
        warn(f"lowess: {none} of {len(at)} values are NaN, as fewer than two of the nearest points have a weight. "
             "Raise frac, or lower it.", NoLocalFit)  # fmt: skip
    return _spread(values, order, kept)
