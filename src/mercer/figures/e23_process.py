"""E23: prior and posterior of a Gaussian process.

Functions before any data and after some, and how often the 95 % band holds a new measurement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mercer import plots
from mercer.figures.claim import Measured, ascending, near
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "The posterior of a Gaussian process is narrow near the data and widens away from them, and its 95 % band holds "
    "95 % of new measurements."
)
NOISE, N, M, DRAWS = 0.1, 40, 200, 20
GRID = np.linspace(-6.0, 6.0, 241)


@dataclass(frozen=True)
class Result:
    """Prior and posterior with the data of the latter; mean, std and y of held-out measurements of many draws."""

    prior: Any
    posterior: Any
    x: Array
    y: Array
    mean: Array
    std: Array
    held_out: Array


def compute(seed: int = 0) -> Result:
    """Functions drawn from the prior, measured with noise; 40 measurements are seen and 200 are not."""
    from mercer import GaussianProcessRegressor
    from mercer.kernels import RBF

    rng = np.random.default_rng(seed)
    prior = GaussianProcessRegressor(1.0 * RBF(0.8), noise=NOISE, optimizer=None)
    found = []
    for _ in range(DRAWS):
        x = rng.uniform(-3.0, 3.0, N + M)
        f = prior.sample_y(x[:, None], 1, random_state=int(rng.integers(2**31)))[:, 0]
        y = f + np.sqrt(NOISE) * rng.normal(size=N + M)
        posterior = GaussianProcessRegressor(1.0 * RBF(0.8), noise=NOISE, optimizer=None).fit(x[:N, None], y[:N])
        found.append((*posterior.predict(x[N:, None], return_std=True, of="y"), y[N:]))
    return Result(prior, posterior, x[:N], y[:N], *map(np.concatenate, zip(*found, strict=True)))


def check(result: Result) -> list[Measured]:
    """Coverage, and the deviation of f ever farther from the data."""
    inside = np.mean(np.abs(result.held_out - result.mean) < 1.959964 * result.std)
    edge = float(result.x.max())
    far = result.posterior.predict(np.array([[0.0], [edge + 0.5], [edge + 1.5]]), return_std=True, of="f")[1]
    return [
        near("share of new measurements in the 95 % band", inside, 0.95, 0.03),
        ascending("std of f", **{"amid the data": far[0], "0.5 beyond them": far[1], "1.5 beyond": far[2]}),
    ]


def draw(result: Result) -> Figure:
    """Prior, posterior, coverage."""
    figure, (left, middle, right) = plots.figure(1, 3, size=(10.2, 3.1), width_ratios=[1.3, 1.3, 1.0])
    plots.process_band(result.prior, GRID, samples=5, ax=left)
    left.set_title("prior")
    plots.process_band(result.posterior, GRID, samples=5, data=(result.x, result.y), ax=middle)
    middle.set(title=f"posterior after {N} measurements", ylim=left.get_ylim(), ylabel="")
    left.legend(loc="lower right", ncols=2)
    plots.coverage(result.mean, result.std, result.held_out, label="this process", ax=right)
    right.set_title("intervals hold what they promise")
    right.legend()
    return figure
