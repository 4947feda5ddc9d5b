"""What a fit of a Gaussian process reports: the course of its search, parameters at their bounds, numerical trouble.

The bounds of a kernel given by its name, and those of noise="learn", come from the data and are so wide that nothing
changes beyond them; the lengthscale of an irrelevant column is expected to end there.  The report lists such
parameters, but a warning is only given for bounds that the user chose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer.errors import warn
from mercer.estimators.gaussian_process.model import ProcessModel, at_bound, kernel_from_data
from mercer.kernels import Bounded
from mercer.parameters import Slot
from mercer.solvers.evidence_climb import EvidenceClimb
from mercer.typing import Array


class AtBound(ConvergenceWarning):  # type: ignore[misc]
    """A hyper-parameter ended at its bound, and a better value may lie beyond it."""


@dataclass(frozen=True, eq=False)
class FitReport:
    """All climbs of the search, the optimum, the names of its parameters at bounds, and remarks on the numerics.

    `theta` mostly holds logarithms; `log_marginal_likelihood` is that of the optimum on all items.
    """

    names: tuple[str, ...]
    theta: Array
    log_marginal_likelihood: float
    climbs: tuple[EvidenceClimb, ...]
    at_bounds: tuple[str, ...]
    remarks: tuple[str, ...]

    @classmethod
    def of(cls, model: ProcessModel, evidence: float, climbs: tuple[EvidenceClimb, ...], *, searched: bool) -> Self:
        """The report of a model at its optimum; without remarks, and without bounds if it was not searched."""
        names = tuple(model.covariance.names)
        ended = tuple(name for name, end in zip(names, searched & model.at_bounds, strict=True) if end)
        return cls(names, model.covariance.theta, evidence, climbs, ended, ())

    @property
    def starts(self) -> tuple[EvidenceClimb, ...]:
        """The climbs from different starts: those on the smallest subset."""
        first = min((climb.size for climb in self.climbs), default=0)
        return tuple(climb for climb in self.climbs if climb.size == first)

    def __str__(self) -> str:
        lines = [f"log marginal likelihood {self.log_marginal_likelihood:.4f}"]
        lines += [f"  {name} = {np.exp(t):.6g}" for name, t in zip(self.names, self.theta, strict=True)]
        lines += [_line(climb) for climb in self.climbs]
        lines += [f"{name} ended at its bound" for name in self.at_bounds]
        return "\n".join([*lines, *self.remarks])


def _line(climb: EvidenceClimb) -> str:
    return (
        f"on {climb.size} items: {climb.start_value:.4f} -> {climb.value:.4f} in {climb.evaluations} evaluations, "
        f"{climb.reason}, about {climb.gain:.1e} nats left to gain"
    )


@dataclass(frozen=True)
class RegressionCertificate:
    """Residual of the equations (K + noise) a = y, relative to y, and the gain (nats) still predicted by the search."""

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
            text += (
                f" The search of hyper-parameters ended ({self.reason}) with about {self.gain:.1e} nats left to gain."
            )
        if self.jitter:
            text += f" {self.jitter:.1e} was added to the diagonal."
        if self.rank < self.items:
            text += f" The covariance has rank {self.rank} of {self.items}: {self.rank} items determine the others."
        return text


def warn_at_bounds(gp: Any, model: ProcessModel) -> None:
    """Warn of the hyper-parameters that the search left at bounds which the user chose."""
    if not model.at_bounds.any():
        return
    ends = zip(model.user_names, model.user_theta, model.user_bounds, _user_chosen(gp, model), strict=True)
    ended = [text for name, t, bounds, chosen in ends if chosen and (text := _ended(name, t, bounds, *chosen))]
    if ended:
        warn(f"{type(gp).__name__}: {'; '.join(ended)}.", AtBound)


def _ended(name: str, t: float, bounds: Array, low: float, high: float, argument: str) -> str:
    """The warning for a parameter at theta = t, whose bounds the user wrote as low and high; "" if it is inside."""
    sides = zip(bounds, ("lower", "upper"), (low, high), ("lower", "raise"), strict=True)
    for bound, side, number, cure in sides:
        if at_bound(t, bound):
            return (
                f"{name} ended at its {side} bound {number:g}: {cure} it with {argument} and fit again, "
                "or fix the parameter"
            )
    return ""


Chosen = tuple[float, float, str]  # lower and upper bound, and the argument that sets them


def _user_chosen(gp: Any, model: ProcessModel) -> list[Chosen | None]:
    """The bounds of every entry of the user's theta; None where they come from the data."""
    if model.foreign:
        free = [h for h in model.foreign.original.hyperparameters if not h.fixed]
        return [(float(low), float(high), f"{h.name}_bounds") for h in free for low, high in h.bounds]
    kernel = [bounds for slot in model.covariance.data.slots() for bounds in _of(slot)]
    noise = [bounds for slot in model.covariance.noise.slots for bounds in _of(slot)]
    learned = isinstance(getattr(gp, "noise", None), str)
    return [*([None] * len(kernel) if kernel_from_data(gp) else kernel), *([None] * len(noise) if learned else noise)]


def _of(slot: Slot) -> list[Chosen]:
    """The bounds of one hyper-parameter, for each of its free entries."""
    p = slot.parameter
    low, high = (p.low, p.high) if isinstance(p, Bounded) else (slot.spec.low, slot.spec.high)
    return [(low, high, "Bounded(value, low, high)")] * int(slot.free.sum())
