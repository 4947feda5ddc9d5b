"""How good widths are: three criteria, with their slopes in log h and in the rates.

    "loo"    sum_i w_i |y_i - f_-i(x_i)|^2 / sum_i w_i, where f_-i is fitted without the point i: exact, without refits
    "gcv"    s^2 / (1 - tr L / n)^2,  s^2 = sum_i w_i |y_i - f(x_i)|^2 / sum_i w_i
    "aicc"   log s^2 + (n + tr L) / (n - tr L - 2)                               (Hurvich, Simonoff and Tsai)

L are the weights of the smoother, f(x) = L y, and tr L are its degrees of freedom.  Every column of y counts in units
of its own variance.  A point that sees no other is predicted by its nearest neighbour, or by the mean of the others.
"""

from __future__ import annotations

import numpy as np

from mercer.solvers.local_regression.problem import LocalFit, LocalProblem, Places, Width, local_fit, self_weight
from mercer.typing import Array

CRITERIA = ("loo", "gcv", "aicc")


def criterion(
    problem: LocalProblem, width: Width, kind: str, *, gaps: str = "nearest", gradient: bool = True
) -> tuple[float, Array]:  # fmt: skip
    """The value and its slopes in log h and the rates; slopes of 0 unless `gradient`."""
    places = problem.others if kind == "loo" else problem.own
    fit = local_fit(problem, width, places, gradient=gradient)
    t = len(width.h) + len(width.rates)
    slopes = np.zeros((t, *problem.Y.shape)) if fit.slopes is None else fit.slopes
    values = fill_gaps(problem, width, places, fit, gaps if gaps == "nearest" else "mean")
    slopes = np.where(fit.empty[None, :, None], 0.0, slopes)
    share = problem.w[:, None] / problem.w.sum() / problem.variances
    miss = problem.Y - values
    error = float((share * miss**2).sum())
    error_slope = -2.0 * np.einsum("iq,tiq->t", share * miss, slopes)
    if kind == "loo":
        return error, error_slope
    return _penalised(problem, width, fit, kind, error, error_slope)


def _penalised(
    problem: LocalProblem, width: Width, fit: LocalFit, kind: str, error: float, error_slope: Array
) -> tuple[float, Array]:
    """GCV or AICc of an error on the points themselves."""
    n = len(problem)
    trace, trace_slope = degrees(problem, width, fit)
    if kind == "gcv":
        rest = 1.0 - trace / n
        if rest <= 1e-8:
            return np.inf, np.zeros_like(error_slope)
        return error / rest**2, error_slope / rest**2 + 2.0 * error / rest**3 * trace_slope / n
    rest = n - trace - 2.0
    if rest <= 1e-8 * n:
        return np.inf, np.zeros_like(error_slope)
    floor = max(error, np.finfo(float).tiny)
    return float(np.log(floor) + (n + trace) / rest), error_slope / floor + trace_slope * (2.0 * n - 2.0) / rest**2


def degrees(problem: LocalProblem, width: Width, fit: LocalFit) -> tuple[float, Array]:
    """tr L and its slopes, of a fit at the points themselves."""
    k, k_slopes = self_weight(problem, width)
    trace = float((problem.w * fit.own).sum()) * k
    slopes = np.zeros(len(k_slopes)) if fit.own_slopes is None else fit.own_slopes @ problem.w * k
    return trace, slopes + k_slopes * (problem.w * fit.own).sum()


def fill_gaps(problem: LocalProblem, width: Width, places: Places, fit: LocalFit, gaps: str) -> Array:
    """The values with those at empty places replaced: "nearest" point in bandwidths, "mean" of all, or "nan"."""
    at = np.flatnonzero(fit.empty)
    if len(at) == 0 or gaps == "nan":
        return fit.values
    values = fit.values.copy()
    some = places.at(at)
    if gaps == "nearest" and len(problem) > (some.own is not None):
        near = fit.nearest
        values[at] = problem.Y[nearest_points(problem, width, some)[0]] if near is None else near[at]
        return values
    total = problem.w @ problem.Y
    if some.own is None:
        values[at] = total / problem.w.sum()
        return values
    w = problem.w[some.own][:, None]
    left = problem.w.sum() - w
    with np.errstate(divide="ignore", invalid="ignore"):
        values[at] = np.where(left > 0.0, (total - w * problem.Y[some.own]) / left, total / problem.w.sum())
    return values


def nearest_points(problem: LocalProblem, width: Width, places: Places) -> tuple[Array, Array]:
    """The point nearest to each place, and its distance in bandwidths; categories that differ are one bandwidth apart.

    A place that is a point itself counts the others, of which there must be one.
    """
    from scipy.spatial import cKDTree

    columns = np.column_stack([problem.X / width.h, problem.codes])
    at = np.column_stack([places.Z / width.h, places.codes])
    apart, found = (part.reshape(len(places), -1) for part in cKDTree(columns).query(at, k=min(2, len(columns))))
    if places.own is None:
        return found[:, 0], apart[:, 0]
    itself = found[:, 0] == places.own
    return np.where(itself, found[:, -1], found[:, 0]), np.where(itself, apart[:, -1], apart[:, 0])
