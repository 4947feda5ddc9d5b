"""Suite "matvec": K @ v for a Gram matrix too big to store, n = 50 000 (20 GB if it were).

Rival: scikit-learn's rbf_kernel on chunks of rows, each multiplied by v.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks import data
from benchmarks.harness import Case, Rival, close
from mercer.gram import LazyGram
from mercer.kernels import RBF
from mercer.typing import Array

CHUNK = 500
TOLERANCE = 1e-12
_COLUMNS = 8
_SCALE = _COLUMNS**0.5


@dataclass(frozen=True)
class Problem:
    """Rows and a vector."""

    X: Array
    v: Array


def _problem(n: int) -> Problem:
    return Problem(data.gaussian(n, _COLUMNS).X, np.random.default_rng(1).standard_normal(n))


def _ours(problem: Problem) -> Array:
    return LazyGram(RBF(_SCALE), problem.X) @ problem.v


def _sklearn(problem: Problem) -> Array:
    from sklearn.metrics.pairwise import rbf_kernel
    from sklearn.utils import gen_batches

    X, v = problem.X, problem.v
    parts = [rbf_kernel(X[rows], X, gamma=0.5 / _SCALE**2) @ v for rows in gen_batches(len(X), CHUNK)]
    return np.concatenate(parts)


def cases() -> list[Case]:
    """The Gaussian kernel in 8 dimensions."""
    return [
        Case(
            suite="matvec",
            name="RBF, d = 8, float64",
            size=50_000,
            small=800,
            data=_problem,
            ours=_ours,
            rivals={"scikit-learn": Rival(_sklearn, "sklearn")},
            check=lambda problem, ours, theirs: close(ours, theirs, TOLERANCE),
            memory=True,
        )
    ]
