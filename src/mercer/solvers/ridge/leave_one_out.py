"""Leaving out one item at a time without refits.

    y_i - f_-i(x_i) - b_-i  =  c_i / (s_i G_ii)        GCV:  n sum_i c_i^2 / (sum_i G_ii)^2

with c, s and G as in problem.py; one decomposition serves all alphas.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.solvers.ridge.direct import Shifted
from mercer.solvers.ridge.problem import Targets
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """For every alpha: the mean squared error of predicting an item from the others, and GCV's estimate of it."""

    alphas: Array
    errors: Array
    gcv: Array

    @property
    def best(self) -> int:
        """The position of the alpha with the least error."""
        return int(np.argmin(self.errors))


def leave_one_out(system: Shifted, targets: Targets, alphas: Array) -> LeaveOneOut:
    """The errors for all alphas (> 0) from one decomposition: a product of n x n by n x len(alphas)."""
    alphas = np.asarray(alphas, dtype=float)
    errors, gcv = np.empty(len(alphas)), np.empty(len(alphas))
    n, units = len(targets.Y), targets.k * float(targets.weight.sum())
    V, diagonals = system.solve(targets.Z, alphas), system.inverse_diagonals(alphas)
    for l in range(len(alphas)):
        C, _, g = targets.bordered(V[l])
        G = diagonals[l] - g * g
        errors[l] = float(np.sum((C / G[:, None]) ** 2)) / units
        gcv[l] = float(np.sum(C * C)) / units * (n / float(G.sum())) ** 2
    return LeaveOneOut(alphas, errors, gcv)


def leave_one_out_residuals(system: Shifted, targets: Targets, alpha: Array | float) -> Array:
    """y_i - f_-i(x_i) - b_-i for every item and output."""
    parts = []
    for part, one in targets.by_alpha(alpha):
        C, _, g = part.bordered(system.solve(part.Z, np.array([one]))[0])
        G = system.inverse_diagonals(np.array([one]))[0] - g * g
        parts.append(C / (targets.s * G)[:, None])
    return np.hstack(parts)
