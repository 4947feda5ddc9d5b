"""Suite "vjp": the gradient of sum_ij W_ij k(x_i, x_j) in 20 log-lengthscales, n = 3 000.

The kernel is RBF * Matern 5/2, each with one lengthscale per column.  Rival: scikit-learn's
`kernel(X, eval_gradient=True)`, which stores dK/dtheta as an n x n x 20 array, contracted with W.  Both order theta
as the lengthscales of the first factor, then of the second, in logarithms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks import data
from benchmarks.harness import Case, Rival, close
from mercer.gram import LazyGram
from mercer.kernels import RBF, Matern
from mercer.typing import Array

TOLERANCE = 1e-10
_FIRST = (2.0, 2.3, 2.7, 3.0, 3.3, 3.7, 4.0, 4.3, 4.7, 5.0)  # lengthscales of the two factors
_SECOND = (6.0, 5.7, 5.3, 5.0, 4.7, 4.3, 4.0, 3.7, 3.3, 3.0)


@dataclass(frozen=True)
class Problem:
    """Rows and the weights of the entries of K."""

    X: Array
    W: Array


def _problem(n: int) -> Problem:
    return Problem(data.gaussian(n, len(_FIRST)).X, np.random.default_rng(1).standard_normal((n, n)))


def _ours(problem: Problem) -> Array:
    return LazyGram(RBF(_FIRST) * Matern(_SECOND, nu=2.5), problem.X).vjp(problem.W)


def _sklearn(problem: Problem) -> Array:
    from sklearn.gaussian_process import kernels

    kernel = kernels.RBF(_FIRST) * kernels.Matern(_SECOND, nu=2.5)
    _, dK = kernel(problem.X, eval_gradient=True)
    return np.asarray(np.einsum("ij,ijk->k", problem.W, dK))


def cases() -> list[Case]:
    """Two ARD factors of ten columns."""
    return [
        Case(
            suite="vjp",
            name="ARD RBF * Matern, 20 lengthscales",
            size=3000,
            small=100,
            data=_problem,
            ours=_ours,
            rivals={"scikit-learn": Rival(_sklearn, "sklearn")},
            check=lambda problem, ours, theirs: close(ours, theirs, TOLERANCE),
            memory=True,
        )
    ]
