"""The method that `method=` and the data stand for."""

from __future__ import annotations

from typing import Any

from mercer.errors import bad
from mercer.estimators.gaussian_process.covariance import Covariance
from mercer.estimators.gaussian_process.methods.exact import Exact
from mercer.estimators.gaussian_process.methods.grid import KroneckerGrid
from mercer.estimators.gaussian_process.methods.inducing import Inducing
from mercer.estimators.gaussian_process.methods.method import Method
from mercer.estimators.gaussian_process.methods.neighbours import Neighbours
from mercer.estimators.gaussian_process.methods.state_space import StateSpace

NAMES = ("exact", "sgpr", "statespace", "grid", "neighbours", "auto")
_EXACT = 15_000  # items up to which "auto" factors the whole covariance


def chosen_method(gp: Any, covariance: Covariance) -> Method:
    """The method of a regressor on its items; "auto" is exact wherever that is cheap."""
    name = gp.method
    if not isinstance(name, str) or name not in NAMES:
        raise bad(type(gp).__name__, "method", f"one of {NAMES}", repr(name), "'exact' is the default.")
    if name == "auto":
        name = "statespace" if StateSpace.fits(covariance) else "grid" if KroneckerGrid.fits(covariance) else name
    if name == "auto":
        name = "exact" if len(covariance) <= _EXACT else "neighbours"
    if name == "sgpr":
        return Inducing(gp.n_inducing)
    if name == "neighbours":
        return Neighbours(gp.n_neighbors)
    if name == "grid":
        return KroneckerGrid()
    return StateSpace() if name == "statespace" else Exact()
