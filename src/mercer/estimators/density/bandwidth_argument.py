"""What `bandwidth` may be: a number, one number for each column, a covariance matrix, or the name of a rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import bad, warn
from mercer.estimators.base import numbers
from mercer.solvers.bandwidth import RULES, best_of, select_bandwidth
from mercer.typing import Array
from mercer.windows import Window

_CONSTANT = 1e-14  # of the size of a column: a spread that is rounding


@dataclass(frozen=True, eq=False)
class Bandwidth:
    """`used`: columns of the density; `scale`: their bandwidths; `whiten`: a map of rows for a matrix, else None."""

    used: Array
    scale: Array
    whiten: Array | None = None


def bandwidth_of(
    owner: str, given: Any, X: Array, weight: Array | None, window: Window, candidates: Array | None = None
) -> Bandwidth:
    """The bandwidths for these rows; `candidates` are those from which the rule "lcv" chooses."""
    if isinstance(given, str):
        return _by_rule(owner, given, X, weight, window, candidates)
    return given_bandwidth(owner, given, X.shape[1])


def given_bandwidth(owner: str, given: Any, D: int) -> Bandwidth:
    """Bandwidths that are numbers, for D columns."""
    h = numbers(owner, "bandwidth", given)
    if h.shape == (D, D) and h.ndim == 2 and D > 1:
        return _by_matrix(owner, h, D)
    if h.ndim > 1 or h.size not in (1, D):
        raise bad(owner, "bandwidth", f"a number, {D} numbers, a {D} x {D} matrix or one of {', '.join(RULES)}",
                  f"an array of shape {h.shape}", "Pass one number for each column.")  # fmt: skip
    if not ((h > 0.0) & np.isfinite(h)).all():
        raise bad(owner, "bandwidth", "positive and finite", given, "It is the width of the window.")
    return Bandwidth(np.arange(D), np.broadcast_to(h.ravel() if h.ndim else h, (D,)).copy())


def _by_rule(
    owner: str, rule: str, X: Array, weight: Array | None, window: Window, candidates: Array | None
) -> Bandwidth:
    """By a rule, for the columns that vary; the others are known without error."""
    used = varying_columns(owner, rule, X.min(axis=0), X.max(axis=0), len(X))
    rows = np.ascontiguousarray(X[:, used], dtype=np.float64)
    if candidates is not None:
        return Bandwidth(used, np.full(len(used), best_of(rows, candidates, weight, window)))
    return Bandwidth(used, np.asarray(select_bandwidth(rule, rows, weight, window)))


def varying_columns(owner: str, rule: str, low: Array, high: Array, n: int) -> Array:
    """The columns, of n rows between `low` and `high`, that a rule has a bandwidth for; of others a warning tells."""
    if rule not in RULES:
        raise bad(owner, "bandwidth", f"a number or one of {', '.join(RULES)}", repr(rule),
                  "'isj' suits one column of any shape, 'scott' several.")  # fmt: skip
    low, high = low.astype(np.float64), high.astype(np.float64)
    used = np.flatnonzero(high - low > _CONSTANT * np.maximum(np.abs(low), np.abs(high)))
    if not len(used):
        raise bad(owner, "X", f"two different rows or more for bandwidth={rule!r}", f"{n} equal rows",
                  "Pass a number as bandwidth: a rule needs a spread.")  # fmt: skip
    if len(used) < len(low):
        constant = sorted(set(range(len(low))) - set(used.tolist()))
        warn(f"{owner}: columns {constant} are constant, and bandwidth={rule!r} needs a spread. The density is that of "
             "the other columns; it is 0 where these have other values.", UserWarning)  # fmt: skip
    return used


def _by_matrix(owner: str, H: Array, D: int) -> Bandwidth:
    """H is the covariance of the Gaussian window: a number h stands for h^2 I."""
    try:
        if not np.allclose(H, H.T, rtol=1e-8, atol=0.0) or not np.isfinite(H).all():
            raise np.linalg.LinAlgError
        root = np.linalg.cholesky(H)
    except np.linalg.LinAlgError:
        raise bad(owner, "bandwidth", "a symmetric positive definite matrix", f"{H.tolist()}",
                  "It is the covariance of the window: h^2 I for a number h.") from None  # fmt: skip
    return Bandwidth(np.arange(D), np.ones(D), np.linalg.inv(root).T)
