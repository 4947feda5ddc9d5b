"""Hyper-parameters that ended at a bound: which they are, at which bound, and what to do about it.

The bounds of a kernel given by its name, and those of noise="learn", come from the data and are so wide that nothing
changes beyond them; an irrelevant column ends there by rights.  These are told in the report, not in a warning.
"""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import ConvergenceWarning

from mercer.errors import warn
from mercer.estimators.gaussian_process.model import ProcessModel, by_name
from mercer.kernels import Bounded
from mercer.parameters import Slot
from mercer.typing import Array

_NEAR = 1e-5  # of theta and beside it, as far from a bound as counts as at it


class AtBound(ConvergenceWarning):  # type: ignore[misc]
    """A hyper-parameter ended at its bound, and a better value may lie beyond it."""


def warn_at_bounds(gp: Any, model: ProcessModel) -> None:
    """Warn of the hyper-parameters that the search left at bounds which are the user's to move."""
    ends = zip(model.outer_names, model.theta, model.outer_bounds, _movable(gp, model), strict=True)
    ended = [text for name, t, bounds, how in ends if how and (text := _ended(name, t, bounds, *how))]
    if ended:
        warn(f"{type(gp).__name__}: {'; '.join(ended)}.", AtBound)


def _ended(name: str, t: float, bounds: Array, low: float, high: float, argument: str) -> str:
    """What to say of a parameter at theta = t, whose bounds the user wrote as low and high; nothing if it is inside."""
    sides = zip(bounds, ("lower", "upper"), (low, high), ("lower", "raise"), strict=True)
    for bound, side, number, cure in sides:
        if abs(t - bound) <= _NEAR * (1.0 + abs(bound)):
            return (
                f"{name} ended at its {side} bound {number:g}: {cure} it with {argument} and fit again, "
                "or fix the parameter"
            )
    return ""


Movable = tuple[float, float, str]  # lower and upper bound, and the argument that moves them


def _movable(gp: Any, model: ProcessModel) -> list[Movable | None]:
    """The bounds of every entry of the user's theta; None where they come from the data."""
    if model.foreign:
        free = [h for h in model.foreign.original.hyperparameters if not h.fixed]
        return [(float(low), float(high), f"{h.name}_bounds") for h in free for low, high in h.bounds]
    kernel = [bounds for slot in model.covariance.data.slots() for bounds in _of(slot)]
    noise = [bounds for slot in model.covariance.noise.slots for bounds in _of(slot)]
    learned = isinstance(getattr(gp, "noise", None), str)
    return [*([None] * len(kernel) if by_name(gp) else kernel), *([None] * len(noise) if learned else noise)]


def _of(slot: Slot) -> list[Movable]:
    """The bounds of one of our hyper-parameters, for each of its free entries."""
    p = slot.parameter
    low, high = (p.low, p.high) if isinstance(p, Bounded) else (slot.spec.low, slot.spec.high)
    return [(low, high, "Bounded(value, low, high)")] * int(slot.free.sum())
