"""Errors and warnings.  Every message gives the fault, the value and the cure."""

from __future__ import annotations


def bad(owner: str, name: str, rule: str, got: object, cure: str) -> ValueError:
    """A ValueError in the house form: `owner: name must be rule; got value. Cure.`"""
    return ValueError(f"{owner}: {name} must be {rule}; got {got}. {cure}")


def wrong_kind(owner: str, rule: str, got: object, cure: str) -> TypeError:
    """A TypeError in the house form, for data of a kind that `owner` does not understand."""
    return TypeError(f"{owner}: the data must be {rule}; got {got}. {cure}")


class MemoryBudgetError(MemoryError):
    """A result would not fit the byte budget; raised before anything is allocated."""


class NotPositiveDefinite(ValueError):
    """A matrix that must be positive semi-definite is not; the message names the smallest eigenvalue."""


class NotConverged(UserWarning):
    """A solver stopped before its certificate reached the tolerance asked for."""


class ModelFileError(ValueError):
    """A model that cannot be saved, or a file that holds none: damaged, of a newer version, or not one of ours."""


class TableError(ValueError):
    """A file that holds no table: the message names the file, the line and the column of the fault."""
