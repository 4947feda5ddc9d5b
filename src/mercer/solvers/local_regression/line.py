"""Sums of local least squares in one column, for the Gaussian and for windows (1 - r^a)^b.

At one bandwidth for all places they are sums of powers of u in a window, or of powers times exp(-u^2 / 2), which
native/loops/line_sums.cpp makes for all places in time linear in their number; sums of a Gaussian are right to 1e-12
of the largest.  Where that is too little, and for nearest neighbours, the points in reach are added one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from mercer.native import line_sums as native
from mercer.solvers.local_regression.sums import Sums, empty_sums
from mercer.typing import Array
from mercer.windows import Gaussian

WEAK = 1e-5  # of the largest sum of weights: below it a place is computed again, point by point
FAR = 80.0  # exp(-FAR / 2): points with less of the weight of the nearest one are left out


@dataclass(frozen=True, eq=False)
class Line:
    """Points in ascending order: position in the problem, x, and columns w, w y_1, ..., w y_q."""

    order: Array
    x: Array
    V: Array
    rank: Array

    @classmethod
    def of(cls, problem: Any) -> Line:
        order = problem.own.order
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        V = problem.w[:, None] * np.column_stack([np.ones(len(order)), problem.Y])
        return cls(order, np.ascontiguousarray(problem.X[order, 0]), np.ascontiguousarray(V[order]), rank)


def line_sums(problem: Any, width: Any, places: Any, gradient: bool, variance: bool) -> Sums:
    """The sums at all places, in their order on the line."""
    line, order = problem.line, places.order
    z = np.ascontiguousarray(places.Z[order, 0])
    skip = np.full(len(z), -1, dtype=np.intp) if places.own is None else line.rank[places.own[order]].astype(np.intp)
    if width.neighbours is not None:
        h = nearest_radius(line.x, z, width.neighbours, places.own is not None)
        return _one_by_one(problem, line, z, h, skip, gradient, variance)
    h0 = float(width.h[0])
    sums, added = _together(problem, line, z, h0, gradient, variance)
    if places.own is not None:
        V = line.V[skip]
        sums.A[0, 0] -= V[:, 0]
        sums.B[0] -= V[:, 1:].T
        if sums.A2 is not None:
            sums.A2[0, 0] -= V[:, 0]
    weak = np.flatnonzero(sums.A[0, 0] <= WEAK * added)
    if len(weak):
        h = np.full(len(weak), h0)
        sums.put(weak, _one_by_one(problem, line, z[weak], h, skip[weak], gradient, variance))
    return sums


def nearest_radius(x: Array, z: Array, k: int, without_own: bool) -> Array:
    """The distance of the k-th nearest point of an ascending line; each place is a point that does not count itself."""
    k = min(k + without_own, len(x))
    low, high = np.zeros(len(z), dtype=np.intp), np.full(len(z), len(x) - k, dtype=np.intp)
    while (low < high).any():  # the first window of k points whose right end is the farther one
        middle = (low + high) // 2
        right = x[middle + k - 1] - z < z - x[middle]
        low, high = np.where(right & (low < high), middle + 1, low), np.where(right, high, middle)
    left = np.maximum(low - 1, 0)
    radius = np.minimum(np.maximum(z - x[low], x[low + k - 1] - z), np.maximum(z - x[left], x[left + k - 1] - z))
    return np.asarray(radius)


# ---- all places at once


def _together(
    problem: Any, line: Line, z: Array, h: float, gradient: bool, variance: bool
) -> tuple[Sums, Array]:  # fmt: skip
    """The sums, and for each place the size of what was added up, of which rounding is a share."""
    p = problem.degree
    if isinstance(problem.window, Gaussian):
        S = _gaussian(line, line.V, z, h, 2 * p + 2 * gradient)
        squares = None
        if variance:  # the square of the window is a Gaussian with h / sqrt(2)
            squares = _gaussian(line, line.V[:, :1], z, h / np.sqrt(2.0), 2 * p)[:, 0]
            squares = squares * np.sqrt(0.5) ** np.arange(2 * p + 1)
        largest = np.full(len(z), S[:, 0, 0].max(initial=0.0))
        return _arranged(p, S, S[:, :, 2:] if gradient else None, squares, problem), largest
    a, b = problem.window.a, problem.window.b
    raw = _halves(line, line.V, z, h, a, a * b + 2 * p)
    S = _weighed(raw, _profile(a, b), 2 * p)
    slope = None
    if gradient:  # -r f'(r) = a b ((1 - r^a)^(b - 1) - (1 - r^a)^b)
        slope = a * b * (_weighed(raw, _profile(a, b - 1), 2 * p) - S) if b else np.zeros_like(S)
    squares = None
    if variance:
        squares = _weighed(_halves(line, line.V[:, :1], z, h, a, 2 * a * b + 2 * p), _profile(a, 2 * b), 2 * p)[:, 0]
    return _arranged(p, S, slope, squares, problem), np.asarray(sum(part[:, 0, 0] for part, _ in raw))


def _gaussian(line: Line, V: Array, z: Array, h: float, K: int) -> Array:
    """(m, columns of V, K + 1)."""
    out = np.empty((len(z), V.shape[1] * (K + 1)))
    native.gaussian_powers(line.x, np.ascontiguousarray(V), z, h, out)
    return out.reshape(len(z), V.shape[1], K + 1)


def _halves(line: Line, V: Array, z: Array, h: float, a: int, K: int) -> list[tuple[Array, float]]:
    """Powers in the window, with the sign of u; in its two halves where r^a is no power of u."""
    sides = [(-h, h, False, 1.0)] if a % 2 == 0 else [(-h, 0.0, False, -1.0), (0.0, h, True, 1.0)]
    found = []
    for low, high, open_, sign in sides:
        out = np.empty((len(z), V.shape[1] * (K + 1)))
        native.window_powers(line.x, np.ascontiguousarray(V), z, low, high, h, open_, out)
        found.append((out.reshape(len(z), V.shape[1], K + 1), sign))
    return found


def _profile(a: int, b: int) -> dict[int, float]:
    """{power of r: coefficient} of (1 - r^a)^b."""
    return {a * i: (-1.0) ** i * comb(b, i) for i in range(b + 1)}


def _weighed(raw: list[tuple[Array, float]], profile: dict[int, float], K: int) -> Array:
    """Powers 0 .. K times the profile."""
    return np.asarray(sum(sign**r * c * part[:, :, r : r + K + 1] for part, sign in raw for r, c in profile.items()))


def _arranged(p: int, S: Array, slope: Array | None, squares: Array | None, problem: Any) -> Sums:
    """Powers (m, 1 + q, ...) as matrices of terms."""
    sums = empty_sums(p + 1, problem.Y.shape[1], len(S), 1, slope is not None, squares is not None)
    for a in range(p + 1):
        sums.B[a] = S[:, 1:, a].T
        if sums.B_slopes is not None and slope is not None:
            sums.B_slopes[0, a] = slope[:, 1:, a].T
        for b in range(p + 1):
            sums.A[a, b] = S[:, 0, a + b]
            if sums.A_slopes is not None and slope is not None:
                sums.A_slopes[0, a, b] = slope[:, 0, a + b]
            if sums.A2 is not None and squares is not None:
                sums.A2[a, b] = squares[:, a + b]
    return sums


# ---- place by place


def _one_by_one(
    problem: Any, line: Line, z: Array, h: Array, skip: Array, gradient: bool, variance: bool
) -> Sums:  # fmt: skip
    """The sums from the points in reach of every place, with its own bandwidth and one point left out."""
    p, gaussian = problem.degree, isinstance(problem.window, Gaussian)
    a, b = (0, 0) if gaussian else (problem.window.a, problem.window.b)
    h = np.maximum(h, np.finfo(float).tiny)
    nearest = np.minimum(_nearest(line.x, z, skip) / h, 1e150)
    shift = nearest**2 if gaussian else np.zeros(len(z))
    reach = h * np.sqrt(shift + FAR) if gaussian else h
    first = np.searchsorted(line.x, z - reach * (1.0 + 1e-9), side="left").astype(np.intp)
    last = np.searchsorted(line.x, z + reach * (1.0 + 1e-9), side="right").astype(np.intp)

    def powers(V: Array, h: Array, shift: Array, b: int, K: int) -> Array:
        out = np.empty((len(z), V.shape[1] * (K + 1)))
        native.near_powers(line.x, np.ascontiguousarray(V), z, h, shift, first, last, skip, a, b, out)
        return out.reshape(len(z), V.shape[1], K + 1)

    S = powers(line.V, h, shift, b, 2 * p + 2 * (gradient and gaussian))
    slope = squares = None
    if gradient:
        slope = S[:, :, 2:] if gaussian else np.zeros_like(S)
        if not gaussian and b:
            slope = a * b * (powers(line.V, h, shift, b - 1, 2 * p) - S)
    if variance:
        scale = np.sqrt(0.5) if gaussian else 1.0
        squares = powers(line.V[:, :1], h * scale, shift / scale**2, 2 * b, 2 * p)[:, 0]
        squares = squares * scale ** np.arange(2 * p + 1)
    sums = _arranged(p, S, slope, squares, problem)
    sums.shift = -0.5 * shift
    return sums


def _nearest(x: Array, z: Array, skip: Array) -> Array:
    """The distance of the nearest point, one point left out; inf if there is no other."""
    at = np.where(skip < 0, np.searchsorted(x, z), skip)
    left, right = at - 1, at + (skip >= 0)
    below = np.where(left >= 0, z - x[np.maximum(left, 0)], np.inf)
    above = np.where(right < len(x), x[np.minimum(right, len(x) - 1)] - z, np.inf)
    return np.asarray(np.minimum(np.abs(below), np.abs(above)))
