"""The method that `method=` and the data stand for."""

from __future__ import annotations

from typing import Any

from mercer.config import config
from mercer.errors import bad
from mercer.estimators.gaussian_process.covariance import Covariance
from mercer.estimators.gaussian_process.methods.exact import Exact
from mercer.estimators.gaussian_process.methods.grid import KroneckerGrid
from mercer.estimators.gaussian_process.methods.inducing import Inducing
from mercer.estimators.gaussian_process.methods.many_items import ManyItems
from mercer.estimators.gaussian_process.methods.method import Method
from mercer.estimators.gaussian_process.methods.neighbours import Neighbours
from mercer.estimators.gaussian_process.methods.state_space import StateSpace
from mercer.estimators.training_data import KernelItems

NAMES = ("exact", "sgpr", "statespace", "grid", "neighbours", "auto")
_EXACT = 15_000  # items up to which "auto" factors the whole covariance


def chosen_method(gp: Any, covariance: Covariance, name: Any = None) -> Method:
    """The method of this name, by default that of a regressor, on its items; "auto" is exact wherever that is cheap."""
    name = gp.method if name is None else name
    if not isinstance(name, str) or name not in NAMES:
        raise bad(type(gp).__name__, "method", f"one of {NAMES}", repr(name), "'exact' is the default.")
    if name == "auto":
        return _fitting(gp, covariance)
    if name == "sgpr":
        return Inducing(gp.n_inducing)
    if name == "neighbours":
        return Neighbours(gp.n_neighbors)
    if name == "grid":
        return KroneckerGrid()
    return StateSpace() if name == "statespace" else Exact()


def _fitting(gp: Any, covariance: Covariance) -> Method:
    """Exact in O(n) where that exists, exact while one matrix is cheap, and an approximation for more items."""
    if StateSpace.fits(covariance):
        return StateSpace()
    if KroneckerGrid.fits(covariance):
        return KroneckerGrid()
    n = len(covariance)
    if (n <= _EXACT and 8 * n * n <= config().memory) or not isinstance(covariance.data, KernelItems):
        return Exact()
    return ManyItems(gp.n_inducing, gp.n_neighbors)
