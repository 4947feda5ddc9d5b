"""Claims of a figure as numbers: each is compared with its bound, and kept for the caption.

at_most("test error", 0.09, 0.1)          Measured, or ClaimFails: "test error is 0.12, which is not <= 0.1"
ascending("items kept", rvm=6, svm=40)    each number below the next
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise


class ClaimFails(AssertionError):
    """What was measured is not what the figure claims."""


@dataclass(frozen=True)
class Measured:
    """A number with its name and, where it must obey one, its rule."""

    name: str
    value: str
    rule: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {self.value}" + (f" ({self.rule})" if self.rule else "")


def at_most(name: str, value: float, bound: float) -> Measured:
    """value <= bound."""
    return _judged(name, value, value <= bound, f"<= {bound:.3g}")


def at_least(name: str, value: float, bound: float) -> Measured:
    """value >= bound."""
    return _judged(name, value, value >= bound, f">= {bound:.3g}")


def below(name: str, value: float, bound: float) -> Measured:
    """value < bound."""
    return _judged(name, value, value < bound, f"< {bound:.3g}")


def near(name: str, value: float, target: float, within: float) -> Measured:
    """|value - target| <= within."""
    return _judged(name, value, abs(value - target) <= within, f"{target:.3g} +- {within:.2g}")


def equal(name: str, value: int, target: int) -> Measured:
    """Whole numbers that must agree."""
    return _said(name, f"{value}", value == target, f"= {target}")


def ascending(name: str, **values: float) -> Measured:
    """Each number below the next."""
    numbers = list(values.values())
    holds = all(a < b for a, b in pairwise(numbers))
    return _said(name, ", ".join(f"{key} {value:.4g}" for key, value in values.items()), holds, "in ascending order")


def noted(name: str, value: float, unit: str = "") -> Measured:
    """A number for the caption, without a rule."""
    return Measured(name, f"{value:.3g}{unit}")


def _judged(name: str, value: float, holds: bool, rule: str) -> Measured:
    return _said(name, f"{value:.4g}", bool(holds), rule)


def _said(name: str, value: str, holds: bool, rule: str) -> Measured:
    if not holds:
        raise ClaimFails(f"{name} is {value}, which is not {rule}")
    return Measured(name, value, rule)
