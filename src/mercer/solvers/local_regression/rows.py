"""Sums of local least squares from the weights of all points at every place, in a few rows at a time.

Weights are made from their logarithms, and those of a place are divided by the largest: a Gaussian has no place so far
from all points that its weights underflow.  Fits do not change when all weights are multiplied by a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.engine.tiles import cuts
from mercer.solvers.local_regression.sums import Sums, empty_sums, terms_of
from mercer.typing import Array

NUMBERS = 1 << 21  # in one array
LEAST_LOG = -300.0  # up to here weights are as they are; below, the largest of a place is 1


@dataclass(frozen=True, eq=False)
class Rows:
    """At m places: differences U (m, n, d) in units of h, logarithms of k (m, n) without their largest, `shift` (m,).

    rates   d log k / d rate of every column of categories, (c, m, n)
    """

    U: Array
    log: Array
    shift: Array
    rates: list[Array]


def rows_of(problem: Any, width: Any, places: Any) -> Rows:
    """The weights of all points at all places."""
    U = (problem.X[None] - places.Z[:, None]) / width.h
    with np.errstate(divide="ignore"):
        log = np.zeros(U.shape[:2])
        if width.neighbours is not None:
            log += problem.window.log_profile(_by_neighbours(U, width.neighbours, places.own))
        else:
            for j in range(U.shape[2]):
                log += problem.window.log_profile(np.abs(U[:, :, j]))
        rates = []
        for j, levels in enumerate(problem.levels):
            factor, slope = category_factor(problem.codes[:, j], places.codes[:, j], width.rates[j], levels)
            log += np.log(factor)
            rates.append(np.divide(slope, factor, out=np.zeros_like(slope), where=factor > 0.0))
    if places.own is not None:
        log[np.arange(len(log)), places.own] = -np.inf
    top = log.max(axis=1, initial=-np.inf)
    shift = np.where(np.isfinite(top), top, 0.0)
    return Rows(U, log - shift[:, None], shift, rates)


def _by_neighbours(U: Array, k: int, own: Array | None) -> Array:
    """Distances divided by that of the k-th nearest point."""
    D = np.sqrt((U**2).sum(axis=2))
    reach = D
    if own is not None:
        reach = D.copy()
        reach[np.arange(len(D)), own] = np.inf
    k = min(k, D.shape[1] - (own is not None))
    if k < 1:
        return np.full_like(D, np.inf)
    h = np.partition(reach, k - 1, axis=1)[:, k - 1 : k]
    return np.asarray(D / np.maximum(h, np.finfo(float).tiny))


def category_factor(codes: Array, at: Array, rate: float, levels: int) -> tuple[Array, Array]:
    """(m, n): the factor of a column of categories in k, and its slope in the rate."""
    apart = np.abs(codes[None] - at[:, None])
    if levels:
        same, other = apart == 0.0, 1.0 / max(levels - 1, 1)
        return np.where(same, 1.0 - rate, rate * other), np.where(same, -1.0, other)
    power = rate**apart  # 0^0 = 1
    return power, apart * rate ** np.maximum(apart - 1.0, 0.0)


def row_sums(
    problem: Any, width: Any, places: Any, gradient: bool, variance: bool
) -> Iterator[tuple[Array, Sums]]:  # fmt: skip
    """(positions of places, their sums), some places at a time."""
    n, d = problem.X.shape
    step = max(1, NUMBERS // max(1, n * (problem.terms + d)))
    for piece in cuts(len(places), step):
        index = np.arange(len(places))[piece]
        yield index, _sums(problem, rows_of(problem, width, places.at(index)), gradient, variance)


def _sums(problem: Any, rows: Rows, gradient: bool, variance: bool) -> Sums:
    d, t = rows.U.shape[2], rows.U.shape[2] + len(rows.rates)
    low = rows.shift <= LEAST_LOG
    k = np.exp(rows.log + np.where(low, 0.0, rows.shift)[:, None])
    F = terms_of(rows.U, problem.degree)
    sums = empty_sums(F.shape[2], problem.Y.shape[1], len(k), t, gradient, variance)
    sums.shift = np.where(low, rows.shift, 0.0)
    sums.A[:], sums.B[:] = _moments(F, problem.Y, k * problem.w)
    if sums.A2 is not None:
        sums.A2[:] = _moments(F, problem.Y, k**2 * problem.w)[0]
    if sums.A_slopes is not None and sums.B_slopes is not None:
        for j in range(t):
            ratio = _stretch(problem.window, np.abs(rows.U[:, :, j])) if j < d else rows.rates[j - d]
            sums.A_slopes[j], sums.B_slopes[j] = _moments(F, problem.Y, k * problem.w * ratio)
    return sums


def _moments(F: Array, Y: Array, k: Array) -> tuple[Array, Array]:
    """(P, P, m) and (P, q, m)."""
    G = np.swapaxes(F * k[:, :, None], 1, 2)
    return np.moveaxis(G @ F, 0, 2), np.moveaxis(G @ Y, 0, 2)


def _stretch(window: Any, r: Array) -> Array:
    """-r f'(r) / f(r); 0 where the window is 0."""
    f = window.profile(r)
    slope = window.stretch(r)
    return np.where(f > 0.0, slope / np.where(f > 0.0, f, 1.0), _tail(window, r))


def _tail(window: Any, r: Array) -> Array:
    """-d log f / d log r where f underflows: by differences of log f."""
    if np.isfinite(window.radius):
        return np.zeros_like(r)
    step = 1e-6
    return np.asarray((window.log_profile(r * (1.0 - step)) - window.log_profile(r * (1.0 + step))) / (2.0 * step))
