"""The weights l_i(z) of the points at a place, and a proof of local fits by their normal equations.

l_i(z) = w_i k(x_i, z) a' phi(x_i - z),        A a = (1, 0, ..., 0),        f(z) = sum_i l_i(z) y_i
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.engine.tiles import cuts
from mercer.solvers.local_regression.problem import LocalProblem, Places, Width
from mercer.solvers.local_regression.rows import NUMBERS, rows_of
from mercer.solvers.local_regression.small_systems import factorise
from mercer.solvers.local_regression.sums import terms_of
from mercer.typing import Array


def smoother_rows(problem: LocalProblem, width: Width, places: Places) -> Array:
    """(m, n): the weights of all points at every place; NaN where no point has one."""
    out = np.empty((len(places), len(problem)))
    for piece in cuts(len(places), max(1, NUMBERS // max(1, len(problem) * problem.terms))):
        rows = rows_of(problem, width, places.at(np.arange(len(places))[piece]))
        F, k = terms_of(rows.U, problem.degree), np.exp(rows.log) * problem.w
        A = np.moveaxis(np.swapaxes(F * k[:, :, None], 1, 2) @ F, 0, 2)
        factors = factorise(A)
        out[piece] = k * np.einsum("mna,am->mn", F, factors.first_row())
        out[piece][~factors.kept[0]] = np.nan
    return out


@dataclass(frozen=True)
class NormalEquations:
    """How far fits are from the best local polynomials, at some places.

    residual    the largest |phi' W (y - Phi b)| over its largest possible size |phi|' W |y|, b solved anew and f put
                in its place
    weights     the largest |sum_i l_i - 1|
    spread      the largest difference from sum_i l_i y_i, over the largest |y|
    places      how many places were looked at
    """

    residual: float
    weights: float
    spread: float
    places: int
    tol: float = 1e-8

    @property
    def converged(self) -> bool:
        """Whether all three are rounding."""
        return max(self.residual, self.weights, self.spread) <= self.tol

    def __str__(self) -> str:
        verdict = "hold" if self.converged else "do not hold"
        return (
            f"the normal equations of {self.places} local fits {verdict}: residual {self.residual:.1e}, "
            f"weights sum to 1 within {self.weights:.1e}, values within {self.spread:.1e} of their weighted sums"
        )


def prove(problem: LocalProblem, width: Width, places: Places, values: Array) -> NormalEquations:
    """Compare values (m, q) with local fits that are made anew from all points, one place after the other."""
    worst = np.zeros(3)
    used = 0
    scale = float(np.abs(problem.Y).max(initial=0.0)) or 1.0
    for i in range(len(places)):
        one = places.at(np.array([i]))
        rows = rows_of(problem, width, one)
        F, k = terms_of(rows.U[0], problem.degree), np.exp(rows.log[0]) * problem.w
        factors = factorise((F.T @ (F * k[:, None]))[:, :, None])
        if not factors.kept[0, 0]:
            continue
        used += 1
        kept = factors.kept[:, 0]
        b = factors.solve((F.T @ (k[:, None] * problem.Y))[:, :, None])[:, :, 0]
        b[0] = values[i]
        gap = F[:, kept].T @ (k[:, None] * (problem.Y - F @ b))
        size = np.abs(F[:, kept]).T @ (k[:, None] * (np.abs(problem.Y) + np.abs(F) @ np.abs(b)))
        l = k * (F @ factors.first_row()[:, 0])
        found = [np.abs(gap / np.where(size > 0.0, size, 1.0)).max(), abs(l.sum() - 1.0),
                 np.abs(l @ problem.Y - values[i]).max() / scale]  # fmt: skip
        worst = np.maximum(worst, found)
    return NormalEquations(float(worst[0]), float(worst[1]), float(worst[2]), used)
