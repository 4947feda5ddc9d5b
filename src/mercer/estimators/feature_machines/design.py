"""The design matrix of a feature machine, Phi_ij = k(x_i, mu_j), and the weights that a method finds for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mercer.engine import fill
from mercer.errors import bad
from mercer.estimators.training_data import Data
from mercer.typing import Array

_LARGEST = 1e150  # largest |feature| that is accepted: its square is finite


@dataclass(frozen=True, eq=False)
class Design:
    """One row per item of positive weight, one column per prototype: column j is item places[j] of `centres`.

    `used` are the positions of the rows among the items, where prototypes are some of these.
    `target` are the numbers or the codes of the classes, and `weight` the weights, of the rows.  Features that are
    not kernel values have no centres.
    """

    Phi: Array
    target: Array
    weight: Array
    centres: Data | None
    places: Array
    used: Array | None = field(default=None, kw_only=True)


@dataclass(frozen=True, eq=False)
class Weights:
    """W is (prototypes, functions), `intercept` has one number per function; `certificate` is the proof.

    A certificate has n_iter, converged, reason and str(); a Solution is one.
    """

    W: Array
    intercept: Array
    certificate: Any


def require_squares(owner: str, Phi: Array) -> None:
    """Refuse features whose squares would overflow."""
    largest = max(float(Phi.max(initial=0.0)), -float(Phi.min(initial=0.0)))
    if not largest <= _LARGEST:
        raise bad(owner, "X", f"items whose features are finite and below {_LARGEST:.0e}",
                  f"a feature of {largest:.1e}", "Scale the columns of X.")  # fmt: skip


def design_matrix(data: Data, used: Array, centres: Data, places: Array) -> Array:
    """Phi_ij = k(item used[i] of data, item places[j] of centres), in float64; callers must not write into it."""
    cure = "Use fewer prototypes, or raise it with mercer.configure(memory=...)."
    fill.require_memory("The design matrix", 8 * len(used) * len(places), cure)
    return np.asarray(data.between(used, centres, places).dense(), dtype=np.float64)
