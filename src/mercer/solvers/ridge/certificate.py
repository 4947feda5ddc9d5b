"""The proof that a ridge regression is solved, from its coefficients a and K a, however they were found.

gap  =  P - D  =  sum_i w_i rho_i^2,     rho = y - b - (K + alpha W^-1) a
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.solvers.ridge.problem import Expansion, Targets
from mercer.solvers.solution import Solution
from mercer.typing import Array

_SOLVED = 1e-6  # residual of the normal equations, in units of the targets, up to which they count as solved


@dataclass(frozen=True, kw_only=True)
class RidgeCertificate(Solution):
    """Bounds on the objective (summed over outputs), and the largest entry of rho in units of the largest target."""

    residual: float
    psd: bool | None = None

    def __str__(self) -> str:
        found = f"The normal equations hold to {self.residual:.1e} of the targets."
        if self.psd is False:
            return f"{found} The kernel is not positive semi-definite: that makes a stationary point, not a minimum."
        return (
            f"{found} The objective is within {self.relative_gap:.1e} (relative) of the best possible: "
            f"primal {self.primal:.8g}, dual {self.dual:.8g}, gap {self.gap:.1e}."
        )


def certify_ridge(
    targets: Targets, answer: Expansion, alpha: Array | float, Ka: Array, *, psd: bool | None = None
) -> RidgeCertificate:
    """The proof of an answer from Ka = K a, however both were found; alpha is one number or one per output."""
    a, w, Y = answer.coef, targets.weight[:, None], targets.Y
    r = Y - answer.intercept - Ka
    rho = r - alpha * a / w
    with np.errstate(over="ignore", invalid="ignore"):  # if the system was not solved; the residual shows it
        primal = float(np.sum(w * r * r) + np.sum(alpha * a * Ka))
        gap = float(np.sum(w * rho * rho))
    residual = float(np.abs(rho).max(initial=0.0) / max(np.abs(Y).max(initial=0.0), 1e-300))
    if targets.intercept:  # and the residuals must balance: sum_i w_i r_i = alpha sum_i a_i = 0
        unbalanced = np.abs(alpha * a.sum(axis=0)) / np.maximum(np.sum(w * np.abs(Y), axis=0), 1e-300)
        residual = max(residual, float(unbalanced.max()))
    done = residual <= _SOLVED
    return RidgeCertificate(
        primal=primal, dual=primal - gap, n_iter=1, converged=done,
        reason="converged" if done else "ill-conditioned", residual=residual, psd=psd,
    )  # fmt: skip
