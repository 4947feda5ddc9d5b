"""Probabilities and parameters as the models need them, or an error that names the fault."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.typing import Array

_SUM = 1e-8  # how far from 1 the sum of probabilities may be


def numbers(owner: str, name: str, given: Any, axes: int) -> Array:
    """A finite float64 array with so many axes."""
    try:
        found = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise bad(owner, name, f"an array with {axes} axes", repr(given), "Pass numbers.") from None
    if found.ndim != axes or not np.isfinite(found).all():
        raise bad(owner, name, f"finite numbers with {axes} axes", f"shape {found.shape}", "Pass a plain array.")
    return found


def probabilities(owner: str, name: str, given: Any, axes: int = 1) -> Array:
    """Numbers >= 0 that sum to 1 along the last axis."""
    found = numbers(owner, name, given, axes)
    if not found.size or found.min() < 0.0 or np.abs(found.sum(axis=-1) - 1.0).max() > _SUM:
        raise bad(owner, name, "numbers >= 0 with sum 1", repr(given), "Divide counts by their sum.")
    return found


def count(owner: str, name: str, given: Any, least: int = 1) -> int:
    """A whole number, at least `least`."""
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or given < least:
        raise bad(owner, name, f"a whole number >= {least}", repr(given), "Pass an int.")
    return int(given)


def amount(owner: str, name: str, given: Any) -> float:
    """A finite number >= 0."""
    if isinstance(given, bool) or not isinstance(given, (int, float, np.number)) or not 0.0 <= given < np.inf:
        raise bad(owner, name, "a finite number >= 0", repr(given), "0 leaves it out.")
    return float(given)


def rows(owner: str, given: Any, least: int = 1) -> Array:
    """A float64 matrix with at least so many rows."""
    found = numbers(owner, "X", given, 2)
    if len(found) < least:
        raise bad(owner, "X", f"at least {least} rows", f"{len(found)}", "Pass more data.")
    return found


def log_or_minus_infinity(p: Array) -> Array:
    """log p, and -inf where p = 0, without a warning."""
    return np.asarray(np.log(p, where=p > 0.0, out=np.full_like(p, -np.inf)))
