"""Errors and warnings.  Every message gives the fault, the value and the cure."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, Self

_HERE = str(Path(__file__).parent)


def bad(owner: str, name: str, rule: str, got: object, cure: str) -> ValueError:
    """A ValueError in the house form: `owner: name must be rule; got value. Cure.`"""
    return ValueError(f"{owner}: {name} must be {rule}; got {got}. {cure}")


def wrong_kind(owner: str, rule: str, got: object, cure: str) -> TypeError:
    """A TypeError in the house form, for data of a kind that `owner` does not understand."""
    return TypeError(f"{owner}: the data must be {rule}; got {got}. {cure}")


def warn(text: str, category: type[Warning]) -> None:
    """A warning at the line of the user's program that called this library."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _is_ours(frame):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def _is_ours(frame: FrameType) -> bool:
    return frame.f_globals.get("__name__") == "contextlib" or frame.f_code.co_filename.startswith(_HERE)


class MemoryBudgetError(MemoryError):
    """A result would not fit the byte budget; raised before anything is allocated."""


class NotPositiveDefinite(ValueError):
    """A matrix that must be positive semi-definite is not; the message names the smallest eigenvalue."""


class NotFinite(ValueError):
    """A kernel value is NaN or infinite; the message names the kernel, the value and the pair of items."""

    def __init__(self, owner: str, value: Any, pair: tuple[int, int], cure: str) -> None:
        super().__init__(owner, value, pair, cure)
        self.owner, self.value, self.pair, self.cure = owner, value, pair, cure

    def at(self, where: Callable[[int, int], tuple[int, int]] | None) -> Self:
        """The same fault, with the pair counted as `where` says."""
        return self if where is None else type(self)(self.owner, self.value, where(*self.pair), self.cure)

    def __str__(self) -> str:
        i, j = self.pair
        return f"{self.owner}: k must be finite; got {self.value} for items {i} and {j}. {self.cure}"


class NotConverged(UserWarning):
    """A solver stopped before its certificate reached the tolerance asked for."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a fit early, and the estimator keeps what had been found as its fitted state."""


class ModelFileError(ValueError):
    """A model that cannot be saved, or a file that holds none: damaged, of a newer version, or not one of ours."""


class TableError(ValueError):
    """A file that holds no table: the message names the file, the line and the column of the fault."""
