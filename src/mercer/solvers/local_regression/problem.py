"""Local least squares: at a place z

    b(z) = argmin sum_i w_i k(x_i, z) |y_i - b' phi(x_i - z)|^2,        f(z) = b_1(z)

k is a product over columns: f(|x_j - z_j| / h_j) of a window f for numbers, and for a column of categories with a
rate r

    unordered, c categories   1 - r where they agree, r / (c - 1) where not          (Aitchison and Aitken)
    ordered                   r^|x_j - z_j|                                          (Li and Racine)

With nearest neighbours, k = f(|x - z| / h(z)), where h(z) is the distance of the k-th nearest point.  phi has the
constant, and the differences of numbers up to the degree.  f is linear in y: f(z) = sum_i l_i(z) y_i, sum_i l_i = 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mercer.solvers.bandwidth import select_bandwidth
from mercer.solvers.local_regression.small_systems import factorise
from mercer.solvers.local_regression.sums import Sums, count_terms
from mercer.typing import Array
from mercer.windows import Gaussian, PowerWindow, Window

FEW_PAIRS = 1 << 14  # of points and places: tiles would cost more than they save


@dataclass(frozen=True, eq=False)
class LocalProblem:
    """Points X (n, d) of numbers and codes (n, c) of categories with targets Y (n, q) and weights w > 0.

    levels   the number of categories of each coded column; 0 for an ordered one
    """

    X: Array
    codes: Array
    levels: tuple[int, ...]
    Y: Array
    w: Array
    window: Window
    degree: int

    def __len__(self) -> int:
        return len(self.X)

    @property
    def terms(self) -> int:
        """P."""
        return count_terms(self.X.shape[1], self.degree)

    @property
    def on_a_line(self) -> bool:
        """Whether the sums of line.py know the window."""
        one = self.X.shape[1] == 1 and self.codes.shape[1] == 0
        return one and isinstance(self.window, (Gaussian, PowerWindow))

    @cached_property
    def line(self) -> Any:
        """The points in their order on the line."""
        from mercer.solvers.local_regression.line import Line

        return Line.of(self)

    @property
    def ranges(self) -> Array:
        """Of each column of numbers, the distance of its largest value from the least."""
        return np.asarray(np.ptp(self.X, axis=0))

    @property
    def here(self) -> LocalProblem:
        """The problem with all its points."""
        return self

    def by_rule(self, rule: str) -> Array:
        """The bandwidths of one of the rules for densities."""
        return select_bandwidth(rule, self.X, self.w, self.window)

    def fit_at(self, width: Width, places: Places, gradient: bool, variance: bool) -> LocalFit:
        """What `local_fit` finds."""
        return _fitted(self, width, places, gradient, variance)

    @cached_property
    def variances(self) -> Array:
        """Of each column of y; 1 for a constant."""
        mean = self.w @ self.Y / self.w.sum()
        found = self.w @ (self.Y - mean) ** 2 / self.w.sum()
        return np.where(found > 0.0, found, 1.0)

    @cached_property
    def own(self) -> Places:
        """The points themselves as places."""
        return Places(self.X, self.codes)

    @cached_property
    def others(self) -> Places:
        """The points themselves as places, each seen by the other points only."""
        return Places(self.X, self.codes, np.arange(len(self)))


@dataclass(frozen=True, eq=False)
class Places:
    """Where local fits are made: numbers Z (m, d) and codes (m, c).

    own   the place i is the point own_i, which is left out of the fit there; None leaves nothing out
    """

    Z: Array
    codes: Array
    own: Array | None = None

    def __len__(self) -> int:
        return len(self.Z)

    @cached_property
    def order(self) -> Array:
        """The order of the places on a line."""
        return np.argsort(self.Z[:, 0], kind="stable")

    def at(self, index: Array) -> Places:
        """Some of them."""
        return Places(self.Z[index], self.codes[index], None if self.own is None else self.own[index])


@dataclass(frozen=True, eq=False)
class Width:
    """How far a place sees: bandwidths h (d,) of numbers and rates (c,) of categories.

    neighbours   how many points a place sees; h then holds the units in which distances are measured
    """

    h: Array
    rates: Array
    neighbours: int | None = None


@dataclass(frozen=True, eq=False)
class LocalFit:
    """What local least squares finds at m places.

    values     (m, q): f; NaN where no point has a weight
    coef       (P, q, m): the coefficients of all terms, differences in units of `Width.h`
    own        (m,): the first entry of A^-1; times w_i k(x_i, x_i) it is the weight of y_i at its own place
    slopes     (t, m, q): of f in log h and in the rates; own_slopes (t, m) those of `own`
    spread     (m,): sum_i l_i^2 / w_i, the variance of f for noise of variance 1 / w_i
    dropped    (m,): whether the points left a term undetermined; it was left out
    empty      (m,): whether no point has a weight
    nearest    (m, q): the targets of the nearest point at empty places; None if they have not been looked for
    """

    values: Array
    coef: Array
    own: Array
    dropped: Array
    empty: Array
    slopes: Array | None = None
    own_slopes: Array | None = None
    spread: Array | None = None
    nearest: Array | None = None


def self_weight(problem: LocalProblem, width: Width) -> tuple[float, Array]:
    """k(x, x), and its slopes in all widths."""
    unordered = np.array([levels > 0 for levels in problem.levels], dtype=bool)
    factors = np.where(unordered, 1.0 - width.rates, 1.0)
    slopes = [-np.prod(np.delete(factors, j)) if unordered[j] else 0.0 for j in range(len(factors))]
    return float(np.prod(factors)), np.array([0.0] * len(width.h) + slopes)


def local_fit(
    problem: LocalProblem, width: Width, places: Places, *, gradient: bool = False, variance: bool = False
) -> LocalFit:
    """Solve the problem at all places; with `gradient` also its slopes in the widths, with `variance` its spread."""
    return problem.fit_at(width, places, gradient, variance)


def _fitted(problem: LocalProblem, width: Width, places: Places, gradient: bool, variance: bool) -> LocalFit:
    parts, order = [], []
    for index, sums in all_sums(problem, width, places, gradient, variance):
        parts.append(solved(sums))
        order.append(index)
    back = np.empty(len(places), dtype=np.intp)
    back[np.concatenate(order)] = np.arange(len(places))

    def joined(name: str, axis: int) -> Any:
        found = [getattr(part, name) for part in parts]
        return None if found[0] is None else np.take(np.concatenate(found, axis=axis), back, axis=axis)

    return LocalFit(joined("values", 0), joined("coef", 2), joined("own", 0), joined("dropped", 0), joined("empty", 0),
                    joined("slopes", 1), joined("own_slopes", 1), joined("spread", 0))  # fmt: skip


def all_sums(
    problem: LocalProblem, width: Width, places: Places, gradient: bool, variance: bool
) -> Iterator[tuple[Array, Sums]]:
    """(positions of places, their sums) in pieces."""
    from mercer.solvers.local_regression.columns import column_sums
    from mercer.solvers.local_regression.line import line_sums
    from mercer.solvers.local_regression.rows import row_sums

    if problem.on_a_line:
        yield places.order, line_sums(problem, width, places, gradient, variance)
    elif width.neighbours is not None or len(problem) * len(places) <= FEW_PAIRS:
        yield from row_sums(problem, width, places, gradient, variance)
    else:
        for index, sums in column_sums(problem, width, places, gradient, variance):
            if sums.weak is not None:
                weak = index[sums.weak]
                for part, better in row_sums(problem, width, places.at(weak), gradient, variance):
                    sums.put(np.flatnonzero(sums.weak)[part], better)
            yield index, sums


def solved(sums: Sums) -> LocalFit:
    """The fit from its sums; the places are not sorted yet."""
    factors = factorise(sums.A)
    b, a = factors.solve(sums.B), factors.first_row()
    empty = ~factors.kept[0]
    values = np.where(empty, np.nan, b[0]).T
    slopes = own_slopes = spread = None
    if sums.A_slopes is not None and sums.B_slopes is not None:
        slopes = np.einsum("am,taqm->tmq", a, sums.B_slopes - np.einsum("tabm,bqm->taqm", sums.A_slopes, b))
        own_slopes = -np.einsum("am,tabm,bm->tm", a, sums.A_slopes, a)
    if sums.A2 is not None:
        spread = np.where(empty, np.nan, np.einsum("am,abm,bm->m", a, sums.A2, a))
    return LocalFit(values, b, a[0], factors.dropped & ~empty, empty, slopes, own_slopes, spread)
