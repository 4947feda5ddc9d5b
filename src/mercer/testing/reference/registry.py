"""Where the formulas are found: by the name of the kernel's class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Function = Callable[[Any, Any], Any]  # all that a kernel is in this package
Formula = Callable[..., Function]

FORMULAS: dict[str, Formula] = {}
LEARNED: dict[str, Formula] = {}  # those that also need the training items, as their first argument


def formula(name: str) -> Callable[[Formula], Formula]:
    """Register the formula of the kernel class `name`."""
    return lambda f: FORMULAS.setdefault(name, f)


def learned(name: str) -> Callable[[Formula], Formula]:
    """Register the formula of the kernel class `name`, which learns."""
    return lambda f: LEARNED.setdefault(name, f)
