"""E26: gradient descent with a kernel and without.

Both are the same iteration, on n coefficients or on p = 1 + d + d^2 + d^3 weights of a cubic map.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mercer import plots
from mercer.figures.claim import Measured, at_least, at_most, equal
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "Gradient descent on n kernel coefficients makes the predictions of gradient descent on p features; "
    "it is the faster one when p >> n, and the slower when n >> p."
)
N, STEPS, DIMENSIONS = 200, 40, (1, 2, 4, 8, 12, 16, 20, 25, 30)
TURNS = 3


@dataclass(frozen=True)
class Result:
    """For every d the number of features, seconds of both ways, and how far their predictions are apart."""

    features: Array
    kernel: Array
    primal: Array
    apart: Array


def compute(seed: int = 0) -> Result:
    """200 items of every dimension; the best of three turns, without making the Gram or the map."""
    return Result(*map(np.array, zip(*(one(d, seed) for d in DIMENSIONS), strict=True)))


def one(d: int, seed: int) -> tuple[int, float, float, float]:
    """(p, seconds of the kernel's descent, seconds of the map's, distance of predictions)."""
    from mercer.kernels import Polynomial
    from mercer.kernels.maps import ordered_products
    from mercer.solvers.gradient_descent import descend, largest_eigenvalue

    rng = np.random.default_rng(seed)
    X, Z = rng.normal(size=(N, d)) / np.sqrt(d), rng.normal(size=(20, d)) / np.sqrt(d)
    y = rng.normal(size=(N, 1))
    k = Polynomial(1, offset=0.0)
    K, cross = (sum(k(A, X) ** m for m in range(4)) for A in (X, Z))
    alpha, Phi = 1.0 / largest_eigenvalue(K), ordered_products(X, 3)
    kernel, beta = _timed(lambda: descend(K, y, alpha=alpha, max_iter=STEPS, tol=0.0).beta)
    primal, theta = _timed(lambda: _descent(Phi, y, alpha))
    predicted = cross @ beta
    return (
        Phi.shape[1],
        kernel,
        primal,
        float(np.abs(predicted - ordered_products(Z, 3) @ theta).max() / np.abs(y).max()),
    )


def _descent(Phi: Array, y: Array, alpha: float) -> Array:
    theta = np.zeros((Phi.shape[1], 1))
    for _ in range(STEPS):
        theta += alpha * (Phi.T @ (y - Phi @ theta))
    return theta


def _timed(task: Callable[[], Array]) -> tuple[float, Array]:
    best = np.inf
    for _ in range(TURNS):
        start = time.perf_counter()
        found = task()
        best = min(best, time.perf_counter() - start)
    return best, found


def check(result: Result) -> list[Measured]:
    """Equal predictions; who is faster at both ends."""
    d = np.array(DIMENSIONS)
    ratio = result.primal / result.kernel
    return [
        at_most("largest difference of predictions, of |y|", result.apart.max(), 1e-9),
        equal("features at d = 30", int(result.features[-1]), 1 + 30 + 30**2 + 30**3),
        at_most("time of primal over kernel at p = 4, n = 200", ratio[0], 1.0),
        at_least("time of primal over kernel at p = 27931, n = 200", ratio[-1], 3.0),
        at_most("|slope of log p in log d - 3| at the end", abs(_slope(d, result.features) - 3.0), 0.1),
    ]


def _slope(d: Array, p: Array) -> float:
    return float(np.log(p[-1] / p[-3]) / np.log(d[-1] / d[-3]))


def draw(result: Result) -> Figure:
    """Seconds of both over the number of features."""
    figure, ax = plots.figure(size=(5.2, 3.3))
    ax.loglog(result.features, 1e3 * result.kernel, "o-", label=f"n = {N} coefficients")
    ax.loglog(result.features, 1e3 * result.primal, "D--", label="p weights")
    ax.axvline(N, color=plots.MUTED, linewidth=1.0, linestyle=":")
    ax.annotate("p = n", (N, 0.97), xycoords=("data", "axes fraction"), xytext=(4, 0), textcoords="offset points",
                va="top", color=plots.MUTED)  # fmt: skip
    ax.set(xlabel="features p of the cubic map", ylabel=f"ms for {STEPS} steps")
    ax.legend(loc="upper left")
    return figure
