"""Sums of Gaussian windows over all other rows, sum_{j != i} w_j exp(-c |x_i - x_j|^2), for many c in one pass.

Rows are sorted into boxes of near rows.  Pairs of boxes so far apart that exp(-c s) < exp(-60) are left out, for each c
by itself.  All other pairs are computed, each once for both of its rows.  What was left out is below 1e-12 of the sum
of a row; rows for which that is not certain, because they have no near neighbour, are done again with all pairs and
relative to the nearest one, so that their logarithms are finite also where the sum underflows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mercer.engine.pool import run
from mercer.native import pair_sums
from mercer.typing import Array

CUT = 60.0
_SURE = 1e12 * np.exp(-CUT)  # sums from here on have lost less than 1e-12 of themselves
_BOX = 128  # rows of a box, at most
_PARTS = 8  # sums that are made side by side; a fixed number, so that they do not depend on the number of threads
_SQUARINGS = 4  # of the same exponential, in a row: each doubles its rounding
_SAME = 1e-15  # relative difference of rates that rounding explains
_BYTES = 2**26  # of all sums of one pass


@dataclass(frozen=True, eq=False)
class LogSums:
    """logs[k, i] = log sum_{j != i} w_j exp(-c_k s_ij); means[k, i] = the mean of s_ij under these weights.

    d logs / d c = -means; `means` is empty unless it was asked for.
    """

    logs: Array
    means: Array


def log_sums(columns: Array, weight: Array, rates: Array, *, means: bool = False) -> LogSums:
    """Of the rows of a table given by its columns (D, n), with weights >= 0 of sum 1, for the rates c > 0."""
    sums, moments = plain_sums(columns, weight, rates, moments=means)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = LogSums(np.log(sums), moments / sums if means else moments)
    _again(columns, weight, rates, sums, found)
    return found


def plain_sums(columns: Array, weight: Array, rates: Array, *, moments: bool = False) -> tuple[Array, Array]:
    """(sums, moments): sum_{j != i} w_j exp(-c_k s_ij), and the same of s_ij exp(-c_k s_ij) if asked for.

    Their absolute error is below exp(-60).
    """
    order, edges = boxes(columns)
    Xt, w = np.ascontiguousarray(columns[:, order]), np.ascontiguousarray(weight[order])
    sums = np.empty((len(rates), len(w)))
    firsts = np.empty((len(rates) if moments else 0, len(w)))
    ascending = np.argsort(rates, kind="stable")
    most = max(1, _BYTES // (8 * len(w) * _PARTS * (2 if moments else 1)))
    for start in range(0, len(rates), most):
        some = ascending[start : start + most]
        total, first = _pass(Xt, w, edges, np.ascontiguousarray(rates[some]), moments)
        sums[some[:, None], order] = total
        if moments:
            firsts[some[:, None], order] = first
    return sums, firsts


def boxes(columns: Array) -> tuple[Array, Array]:
    """(order, edges): rows halved at the median of their widest column until boxes are small, and where these begin."""
    done: list[Array] = []
    todo = [np.arange(columns.shape[1])]
    while todo:
        rows = todo.pop()
        if len(rows) <= _BOX:
            done.append(rows)
            continue
        part = columns[:, rows]
        widest = int(np.argmax(part.max(axis=1) - part.min(axis=1)))
        half = len(rows) // 2
        split = np.argpartition(part[widest], half)
        todo += [rows[split[half:]], rows[split[:half]]]
    return np.concatenate(done), np.cumsum([0] + [len(rows) for rows in done])


def _pass(Xt: Array, w: Array, edges: Array, rates: Array, with_moments: bool) -> tuple[Array, Array]:
    low = np.array([Xt[:, a:b].min(axis=1) for a, b in pairwise(edges)])
    high = np.array([Xt[:, a:b].max(axis=1) for a, b in pairwise(edges)])
    roots = _roots(rates)
    sums = np.zeros((_PARTS, len(rates), len(w)))
    moments = np.zeros((_PARTS, len(rates) if with_moments else 0, len(w)))

    def work(part: int) -> None:
        pair_sums.gaussian(Xt, w, edges, low, high, rates, roots, CUT, part, _PARTS, sums[part], moments[part])

    run(work, range(_PARTS))
    return sums.sum(axis=0), moments.sum(axis=0)


def _roots(rates: Array) -> Array:
    """The place of the rate half as large, whose exponentials are squared; -1 where they must be computed."""
    roots, squarings = np.full(len(rates), -1), np.zeros(len(rates), dtype=int)
    for k in range(1, len(rates)):
        j = int(np.argmin(abs(rates[:k] - rates[k] / 2.0)))
        if abs(2.0 * rates[j] - rates[k]) <= _SAME * rates[k] and squarings[j] < _SQUARINGS:
            roots[k], squarings[k] = j, squarings[j] + 1
    return roots


def _again(columns: Array, weight: Array, rates: Array, sums: Array, found: LogSums) -> None:
    """Replace the entries whose sums are too small to be sure of."""
    k, rows = (np.ascontiguousarray(index) for index in np.nonzero(sums < _SURE))
    c = np.ascontiguousarray(rates[k])
    nearest, total, first = (np.empty(len(rows)) for _ in range(3))

    def work(part: int) -> None:
        cut = slice(len(rows) * part // _PARTS, len(rows) * (part + 1) // _PARTS)
        pair_sums.above_nearest(columns, weight, rows[cut], c[cut], nearest[cut], total[cut], first[cut])

    if len(rows):
        run(work, range(_PARTS))
        found.logs[k, rows] = np.log(total) - c * nearest
    if len(rows) and len(found.means):
        found.means[k, rows] = first / total
