"""Kernel densities against KDEpy's grid and scikit-learn's trees, at a stated relative error.

Errors are measured against sums over all pairs at some queries.  scikit-learn gets the same tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.harness import Agreement, Case, Rival
from mercer.typing import Array

CHECKED = 200  # queries at which all pairs are summed
GRID = 2**10


@dataclass(frozen=True)
class Problem:
    """Points, queries, the bandwidth, the window and the error that is allowed."""

    X: Array
    Q: Array
    h: float
    rtol: float
    kernel: str = "gaussian"


def _line(n: int) -> Problem:
    """Two bumps of different width; the queries are KDEpy's grid, which goes on beyond the points."""
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=n // 2), 3.0 + 0.5 * rng.normal(size=n - n // 2)])
    h = 0.9 * float(np.std(x)) * n**-0.2
    beyond = 0.05 * float(np.ptp(x))
    return Problem(x[:, None], np.linspace(x.min() - beyond, x.max() + beyond, GRID)[:, None], h, 1e-4)


def _normal(columns: int, queries: int, rtol: float, kernel: str = "gaussian") -> Callable[[int], Problem]:
    def make(n: int) -> Problem:
        rng = np.random.default_rng(1)
        X, few = rng.normal(size=(n, columns)), max(n * queries // 100_000, 10)
        wide = 2.0 if kernel == "epanechnikov" else 1.0  # windows of equal variance
        return Problem(X, rng.normal(size=(few, columns)), wide * n ** (-1.0 / (columns + 4)), rtol, kernel)

    return make


def _ours(problem: Problem) -> Array:
    from mercer import KernelDensity

    model = KernelDensity(bandwidth=problem.h, kernel=problem.kernel, rtol=problem.rtol)
    return model.fit(problem.X).score_samples(problem.Q)


def _sklearn(problem: Problem) -> Array:
    from sklearn.neighbors import KernelDensity

    model = KernelDensity(bandwidth=problem.h, kernel=problem.kernel, rtol=problem.rtol)
    return np.asarray(model.fit(problem.X).score_samples(problem.Q))


def _kdepy(problem: Problem) -> Array:
    from KDEpy import FFTKDE

    model = FFTKDE(bw=problem.h, kernel="gaussian").fit(problem.X[:, 0])
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(model.evaluate(problem.Q[:, 0])))


def _check(problem: Problem, ours: Array, theirs: Array) -> Agreement:
    """Our error at some queries, tails included, is within what was asked for; theirs is told."""
    from mercer import KernelDensity

    at = np.linspace(0, len(problem.Q) - 1, min(CHECKED, len(problem.Q))).astype(int)
    exact = KernelDensity(bandwidth=problem.h, kernel=problem.kernel, rtol=0.0, method="exact")
    truth = exact.fit(problem.X).score_samples(problem.Q[at])
    error = _error(ours[at], truth)
    seen = truth > truth.max() - 14.0  # densities of a millionth of the largest and more
    return Agreement(
        error <= problem.rtol + 1e-9, f"error {error:.0e}, theirs {_error(theirs[at][seen], truth[seen]):.0e}"
    )


def _error(found: Array, truth: Array) -> float:
    known = np.isfinite(truth)
    return float(np.abs(np.expm1(found[known] - truth[known])).max())


def _case(name: str, small: int, data: Any, rivals: dict[str, Rival], size: int = 100_000) -> Case:
    return Case(
        suite="smoothing", name=name, size=size, small=small, data=data, ours=_ours, rivals=rivals, check=_check
    )


def cases() -> list[Case]:
    """One column on a grid; two and five columns; a compact window."""
    sklearn = {"scikit-learn": Rival(_sklearn, "sklearn")}
    kdepy = {"KDEpy FFTKDE": Rival(_kdepy, "KDEpy")}
    return [
        _case("density on 2^10 places, rtol 1e-4, n", 2000, _line, kdepy, size=1_000_000),
        _case("density, 2 columns, n queries, rtol 1e-3, n", 1000, _normal(2, 100_000, 1e-3), sklearn),
        _case("density, 5 columns, 1000 queries, rtol 1e-2, n", 1000, _normal(5, 1_000, 1e-2), sklearn),
        _case("Epanechnikov, 2 columns, 10^4 queries, n", 1000, _normal(2, 10_000, 0.0, "epanechnikov"), sklearn),
    ]
