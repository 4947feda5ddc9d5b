"""The mean of a Gaussian process before there are data: m(x) = offset(x) + h(x)'b.

    "zero"        nothing
    "constant"    h = 1
    "linear"      h = (1, x)
    a function    offset(x), known

The coefficients b have a flat prior.  They are found, with their uncertainty, together with the posterior of the
process and from the same factorisation (Rasmussen & Williams, 2006, section 2.7).  Where h has a constant, the mean of
the targets is taken out first: b is then what is missing to it.  That changes no result but its rounding, which is
large for targets that are far from 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from mercer.distributed import Block, Rows
from mercer.distributed.columns import ColumnFacts
from mercer.distributed.rows import Shared
from mercer.engine.fill import require_memory
from mercer.errors import bad
from mercer.items import Vectors
from mercer.items.vectors import is_sparse
from mercer.typing import Array

NAMES = ("zero", "constant", "linear")


class Mean(Protocol):
    """A mean function, fitted to the training items where that is needed."""

    looks_at_items: bool  # whether it differs between items

    @property
    def level(self) -> float | Array:
        """A known constant in it, one number or one per output."""

    def offset(self, X: Any, n: int) -> Array:
        """The known part, (n, 1) or (n, q)."""

    def basis(self, X: Any, n: int) -> Array:
        """h(x), one row per item, (n, h)."""


class ZeroMean:
    """m = 0."""

    looks_at_items = False
    level: float | Array = 0.0

    def offset(self, X: Any, n: int) -> Array:
        return np.zeros((n, 1))

    def basis(self, X: Any, n: int) -> Array:
        return np.empty((n, 0))


@dataclass(frozen=True, eq=False)
class ConstantMean(ZeroMean):
    """m = level + b, an unknown constant; the level is the mean of the targets."""

    level: float | Array = 0.0

    def offset(self, X: Any, n: int) -> Array:
        return _everywhere(self.level, n)

    def basis(self, X: Any, n: int) -> Array:
        return np.ones((n, 1))


@dataclass(frozen=True, eq=False)
class LinearMean(ZeroMean):
    """m = level + b_0 + b'x of centred and scaled columns, so that b is well determined; constant ones are left out."""

    centre: Array
    scale: Array
    level: float | Array = 0.0
    looks_at_items = True

    @classmethod
    def of(cls, X: Any, level: float | Array = 0.0) -> Self:
        if isinstance(X, Rows):
            facts = ColumnFacts.of(X)
            return cls(facts.mean, facts.deviation, level)
        V = _dense(X)
        return cls(V.mean(axis=0), V.std(axis=0), level)

    def offset(self, X: Any, n: int) -> Array:
        return _everywhere(self.level, n)

    def basis(self, X: Any, n: int) -> Array:
        used = self.scale > 1e-12 * np.maximum(np.abs(self.centre), np.finfo(float).tiny)
        V = (_dense(X)[:, used] - self.centre[used]) / self.scale[used]
        return np.hstack([np.ones((n, 1)), V])


@dataclass(frozen=True, eq=False)
class KnownMean(ZeroMean):
    """m = function(X), given by the user."""

    function: Callable[[Any], Any]
    looks_at_items = True

    def offset(self, X: Any, n: int) -> Array:
        given = getattr(X, "values", X) if isinstance(X, Vectors) else X
        m = np.asarray(self.function(given), dtype=float)
        if m.ndim not in (1, 2) or len(m) != n or not np.isfinite(m).all():
            raise bad("mean", "the function", f"finite numbers for all {n} items", f"shape {m.shape}",
                      "Return one number per item, or one per item and output.")  # fmt: skip
        return m if m.ndim == 2 else m[:, None]


def mean_for(owner: str, given: Any, X: Any, *, vectors: bool, level: float | Array = 0.0) -> Mean:
    """The mean function that the argument `mean` stands for, on these items; `level` is that of the targets."""
    if isinstance(given, str) and given == "zero":
        return ZeroMean()
    if isinstance(given, str) and given == "constant":
        return ConstantMean(level)
    if isinstance(given, str) and given == "linear" and vectors:
        return LinearMean.of(X, level)
    if callable(given):
        return KnownMean(given)
    rule = f"one of {NAMES} ('linear' on vectors only) or a function of the items"
    raise bad(owner, "mean", rule, repr(given), "Use 'constant' for targets that are not centred.")


def at_training_items(mean: Mean, X: Any, n: int) -> tuple[Array, Array]:
    """offset and basis at the training items, which workers may hold: what they are is here."""
    if not (isinstance(X, Rows) and mean.looks_at_items):
        return mean.offset(X, n), mean.basis(X, n)
    size = 8 * n * (X.shape[1] + 2)
    require_memory(f"The mean at {n} items", size, "Choose mean='constant', or raise the budget.")
    offset = X.stacked(_offset, Shared(mean), task="the mean of a block")
    return np.asarray(offset), np.asarray(X.stacked(_basis, Shared(mean), task="the mean of a block"))


def _offset(block: Block, mean: Mean) -> Array:
    return mean.offset(block.X, len(block))


def _basis(block: Block, mean: Mean) -> Array:
    return mean.basis(block.X, len(block))


def _everywhere(level: float | Array, n: int) -> Array:
    return np.broadcast_to(level, (n, np.size(level)))


def _dense(X: Any) -> Array:
    V = X.values if isinstance(X, Vectors) else X
    return np.asarray(V.toarray() if is_sparse(V) else V, dtype=float)
