"""The proof of a loess surface: at every vertex, value and gradient are those of the best local polynomial.

    primal    the least weighted sum of squares of a polynomial with the value and gradient that the model has there
    dual      that of any polynomial, by a QR factorisation of the weighted terms

summed over vertices.  They are equal only if no polynomial fits better.  `interpolation` says how far the surface is
from local fits made at the points themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from mercer.errors import bad
from mercer.estimators.base import targets, weights
from mercer.solvers.loess.fit import LoessSurface
from mercer.solvers.loess.local_fits import Centres, Points, local_weights, polynomial_terms
from mercer.solvers.solution import Solution
from mercer.typing import Array

PROVED = 64  # vertices, and points at which the surface is compared with a local fit
TOLERANCE = 1e-8  # of the sum of squares


@dataclass(frozen=True, kw_only=True)
class LoessProof(Solution):
    """`vertices`: how many were looked at; `interpolation`: the largest distance from a direct fit, per sigma_."""

    vertices: int
    interpolation: float

    def __str__(self) -> str:
        what = f"at {self.vertices} vertices no polynomial fits better, by {self.gap:.1e} of {self.primal:.3g}"
        return (
            f"{what}; the surface is within {self.interpolation:.1e} noise deviations of direct fits ({self.reason})."
        )


def prove(surface: LoessSurface) -> LoessProof:
    """The sums of squares at up to 64 vertices, and the surface against direct fits at up to 64 points."""
    points = replace(surface.points, weight=surface.points.weight * surface.robust)
    Z = surface.points.Xt.T
    at = Z if surface.boxes is None else surface.boxes.vertices
    some = np.unique(np.linspace(0, len(at) - 1, PROVED).astype(np.intp))
    centres = Centres.of(points, np.ascontiguousarray(at[some]))
    squares = [_squares(points, surface.y, q, rho, numbers)
               for q, rho, numbers in zip(centres.at, centres.rho, surface.numbers[some], strict=True)]  # fmt: skip
    primal, dual = np.sum(squares, axis=0)
    rows = np.unique(np.linspace(0, len(Z) - 1, PROVED).astype(np.intp))
    apart = np.abs(surface.local(np.ascontiguousarray(Z[rows])) - surface.fitted[rows]).max()
    size = float(np.sum(points.weight * surface.y**2)) * len(some)
    done = bool(primal - dual <= TOLERANCE * max(primal, np.finfo(float).eps * size))
    return LoessProof(
        primal=float(primal),
        dual=float(dual),
        n_iter=surface.n_iter,
        converged=done and surface.reason == "converged",
        reason=surface.reason if done else "a better polynomial exists",
        vertices=len(some),
        interpolation=float(apart / surface.scale) if surface.scale > 0.0 else float(apart > 0.0),
    )


def _squares(points: Points, y: Array, q: Array, rho: float, numbers: Array) -> tuple[float, float]:
    """The weighted sum of squares with value and gradient given, and the least one."""
    w = local_weights(points, q, rho)
    some = w > 0.0
    root = np.sqrt(w[some])
    T = polynomial_terms((points.Xt[:, some].T - q) / np.sqrt(rho), points.degree) * root[:, None]
    t, held = root * y[some], min(len(q) + 1, T.shape[1])
    coef = np.r_[numbers[:1], numbers[1:] * np.sqrt(rho)][:held]
    return _least(T[:, held:], t - T[:, :held] @ coef), _least(T, t)


def _least(T: Array, t: Array) -> float:
    """min over c of |t - T c|^2."""
    if T.shape[1]:
        t = t - T @ np.linalg.lstsq(T, t, rcond=None)[0]
    return float(t @ t)


def verify(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> LoessProof:
    """The proof of a fitted Loess, from the data it was fitted on and its numbers at the vertices."""
    check_is_fitted(model)
    if y is None:
        raise bad("verify", "y", "the targets of the fit", "None", "Pass them.")
    Z = model._checked(X)
    check_consistent_length(Z, y)
    if len(Z) != len(model.fitted_values_):
        raise bad("verify", "X", f"the {len(model.fitted_values_)} samples the model was fitted on",
                  f"{len(Z)} samples", "Pass the training data in their order.")  # fmt: skip
    rows, t, v = model._order, targets("verify", y), weights("verify", sample_weight, len(Z))
    points = replace(model._surface.points, Xt=np.ascontiguousarray(Z[rows].T), weight=v[rows])
    return prove(replace(model._surface, points=points, y=t[rows]))
