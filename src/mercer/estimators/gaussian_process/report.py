"""What a fit of a Gaussian process reports: where the search went, where it ended, and what was in the way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.solvers.evidence_search import Climb
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class FitReport:
    """Every climb of the search, the optimum with its parameters at bounds, and remarks on the numerics.

    Values are those of theta (logarithms, mostly); `log_marginal_likelihood` is that of the optimum on all items.
    """

    names: tuple[str, ...]
    theta: Array
    log_marginal_likelihood: float
    climbs: tuple[Climb, ...]
    at_bounds: tuple[str, ...]
    remarks: tuple[str, ...]

    @property
    def starts(self) -> tuple[Climb, ...]:
        """The climbs from different starts: those on the smallest subset."""
        first = min((climb.size for climb in self.climbs), default=0)
        return tuple(climb for climb in self.climbs if climb.size == first)

    def __str__(self) -> str:
        lines = [f"log marginal likelihood {self.log_marginal_likelihood:.4f}"]
        lines += [f"  {name} = {np.exp(t):.6g}" for name, t in zip(self.names, self.theta, strict=True)]
        lines += [_line(climb) for climb in self.climbs]
        lines += [f"{name} ended at its bound" for name in self.at_bounds]
        return "\n".join([*lines, *self.remarks])


def _line(climb: Climb) -> str:
    return (
        f"on {climb.size} items: {climb.start_value:.4f} -> {climb.value:.4f} in {climb.evaluations} evaluations, "
        f"{climb.reason}, about {climb.gain:.1e} nats left to gain"
    )


@dataclass(frozen=True)
class Certificate:
    """Residual of the equations (K + noise) a = y, relative to y, and the nats the search still promised at its end."""

    residual: float
    gain: float
    jitter: float
    rank: int
    items: int
    reason: str

    @property
    def converged(self) -> bool:
        return self.reason in ("converged", "fixed")

    def __str__(self) -> str:
        text = f"The equations of the mean hold to {self.residual:.1e} of the targets."
        if self.reason != "fixed":
            text += f" The search of hyper-parameters ended ({self.reason}) with about {self.gain:.1e} nats to gain."
        if self.jitter:
            text += f" {self.jitter:.1e} was added to the diagonal."
        if self.rank < self.items:
            text += f" The covariance has rank {self.rank} of {self.items}: the others follow from {self.rank} items."
        return text


def at_bounds(names: list[str], theta: Array, bounds: Array) -> tuple[str, ...]:
    """The names of the parameters that ended at a bound."""
    low, high = bounds.T
    ended = (theta <= low + 1e-9) | (theta >= high - 1e-9)
    return tuple(name for name, end in zip(names, ended, strict=True) if end)
