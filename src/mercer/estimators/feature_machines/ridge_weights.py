"""The weights of feature machines with a ridge: alpha/2 |w|^2 beside the likelihood, the intercept free."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from mercer.errors import bad, warn
from mercer.estimators.base import positive
from mercer.estimators.feature_machines.design import Design, Weights
from mercer.solvers.fisher_scoring import solve_by_scoring
from mercer.solvers.glm import SEPARATED, GLMSolution, solve_glm
from mercer.solvers.least_squares import LeastSquares, solve_least_squares
from mercer.solvers.losses import Bernoulli, Family, Multinomial


def check_alpha(owner: str, alpha: Any) -> float:
    """A ridge >= 0."""
    if not isinstance(alpha, Real) or not 0.0 <= float(alpha) < np.inf:
        raise bad(owner, "alpha", "a number >= 0", repr(alpha), "It multiplies |w|^2 / 2.")
    return float(alpha)


def check_effort(owner: str, tol: Any, max_iter: Any) -> None:
    """A tolerance > 0 and a limit of steps >= 1."""
    positive(owner, "tol", tol)
    check_count(owner, "max_iter", max_iter, 1)


def check_count(owner: str, name: str, given: Any, least: int) -> None:
    """An integer >= `least`."""
    if not isinstance(given, Integral) or isinstance(given, bool) or int(given) < least:
        raise bad(owner, name, f"an integer >= {least}", repr(given), "Leave it out for the default.")


def regression(owner: str, design: Design, alpha: float, *, fit_intercept: bool) -> LeastSquares:
    """Least squares on the design; if the optimum is not unique (alpha = 0, dependent columns), of least norm."""
    found = solve_least_squares(
        design.Phi, design.target, alpha=alpha, weight=design.weight, fit_intercept=fit_intercept
    )
    if alpha == 0.0 and found.rank is not None and found.rank < design.Phi.shape[1]:
        warn_singular(owner, found.rank, design.Phi.shape[1])
    return found


def warn_singular(owner: str, rank: int, features: int) -> None:
    """Warn that the data do not determine the weights."""
    from scipy.linalg import LinAlgWarning

    warn(
        f"{owner}: with alpha=0 the weights are not determined: the design matrix (less its mean) has rank {rank} for "
        f"{features} features. The weights of least norm were taken. Choose alpha > 0.",
        LinAlgWarning,
    )  # fmt: skip


def family_of(classes: int) -> Family:
    """Bernoulli for two classes, multinomial for more."""
    return Bernoulli() if classes == 2 else Multinomial(classes)


def likelihood(
    owner: str, design: Design, family: Family | Any, alpha: float, *, fit_intercept: bool, tol: float, max_iter: int
) -> GLMSolution:
    """Newton's method on the design; refuses classes that need infinite weights."""
    solve: Any = solve_glm if hasattr(family, "statistic") else solve_by_scoring
    found: GLMSolution = solve(
        design.Phi, design.target, family, alpha=alpha, weight=design.weight, fit_intercept=fit_intercept, tol=tol,
        max_iter=max_iter,
    )  # fmt: skip
    if found.reason in SEPARATED:
        all_but = "" if found.reason == "separable" else " except for items on the border (they are quasi-separable)"
        raise bad(owner, "alpha", f"positive for classes that the features separate{all_but}", alpha,
                  "Without a penalty the likelihood grows without bound as the weights grow.")  # fmt: skip
    return found


def from_least_squares(found: LeastSquares) -> Weights:
    """The answer of a regression."""
    return Weights(found.w[:, None], np.array([found.intercept]), found)


def from_likelihood(found: GLMSolution) -> Weights:
    """The answer of a classification."""
    return Weights(found.W, found.intercept, found)
