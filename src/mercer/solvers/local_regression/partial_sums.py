"""Sums of local least squares over some of the points, which can be added to those over others.

The weights of a place may have been divided by the largest, each part by its own.  So a part also has the logarithm of
that number, and two parts are brought to the larger one before they are added.  A place that sees no point of any part
takes the value of the nearest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from mercer.solvers.local_regression.criteria import nearest_points
from mercer.solvers.local_regression.problem import LocalFit, LocalProblem, Places, Width, all_sums, solved
from mercer.solvers.local_regression.sums import Sums, empty_sums
from mercer.typing import Array


@dataclass(eq=False)
class PartialSums:
    """Sums at m places over some points.

    shift            (m,): the logarithm of what their weights were divided by; -inf where all are 0
    apart, nearest   (m,), (m, q): at places without weights, the distance of the nearest point and its targets
    """

    sums: Sums
    shift: Array
    apart: Array
    nearest: Array

    @classmethod
    def of(cls, problem: LocalProblem, width: Width, places: Places, gradient: bool, variance: bool) -> Self:
        """Over the points of a problem."""
        q, m, t = problem.Y.shape[1], len(places), len(width.h) + len(width.rates)
        sums = empty_sums(problem.terms, q, m, t, gradient, variance)
        sums.shift = np.zeros(m)
        for index, some in all_sums(problem, width, places, gradient, variance):
            sums.put(index, some)
        empty = ~(sums.A[0, 0] > 0.0)
        apart, nearest, at = np.full(m, np.inf), np.full((m, q), np.nan), np.flatnonzero(empty)
        if len(at) and len(problem) > (places.own is not None):
            found, apart[at] = nearest_points(problem, width, places.at(at))
            nearest[at] = problem.Y[found]
        return cls(sums, np.where(empty, -np.inf, sums.shift), apart, nearest)

    def merge(self, other: PartialSums) -> None:
        """Add the sums over other points at the same places."""
        top = np.maximum(self.shift, other.shift)
        safe = np.where(np.isfinite(top), top, 0.0)
        mine, theirs = np.exp(self.shift - safe), np.exp(other.shift - safe)
        for name, power in (("A", 1), ("B", 1), ("A_slopes", 1), ("B_slopes", 1), ("A2", 2)):
            own = getattr(self.sums, name)
            if own is not None:
                own *= mine**power
                own += getattr(other.sums, name) * theirs**power
        nearer = other.apart < self.apart
        self.shift, self.apart = top, np.minimum(self.apart, other.apart)
        self.nearest = np.where(nearer[:, None], other.nearest, self.nearest)

    def fit(self) -> LocalFit:
        """The fit from these sums, with the targets of the nearest point at empty places."""
        return replace(solved(self.sums), nearest=self.nearest)
