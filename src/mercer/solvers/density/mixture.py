"""A mixture of windows: p(x) = sum_i w_i c_D (h_i1 ... h_iD)^-1 f(|(x - x_i) / h_i|), with weights of sum 1.

h_ij = scale_j factor_i: one scale for each column, and one factor for each point where windows adapt to the points.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from mercer.solvers.density.tree import LEAF, WIDE_LEAF, PointTree
from mercer.typing import Array
from mercer.windows import Gaussian, Window
from mercer.windows.window import log_sphere_area


@dataclass(frozen=True, eq=False)
class Mixture:
    """Points with a window around each.

    rows     (n, D), float32 or float64
    scale    (D,) bandwidths, by which columns are divided
    weight   (n,) of sum 1; None if all are equal
    factor   (n,) by which the bandwidths of a point are multiplied; None if all are 1
    form     "radial": f of the distance; "product": a product of windows, one for each column
    norm     of the distance: "euclidean", "manhattan" or "chebyshev"
    """

    rows: Array
    scale: Array
    window: Window
    weight: Array | None = None
    factor: Array | None = None
    form: str = "radial"
    norm: str = "euclidean"

    def __len__(self) -> int:
        return len(self.rows)

    def __getstate__(self) -> dict[str, Any]:
        """Without what can be computed again."""
        computed = ("scaled", "tree", "box")
        return {name: value for name, value in self.__dict__.items() if name not in computed}

    @property
    def columns(self) -> int:
        """D."""
        return int(self.rows.shape[1])

    @property
    def is_product(self) -> bool:
        """Whether the window is a product over columns: by its form, by nature, or in one column."""
        euclidean = isinstance(self.window, Gaussian) and self.norm == "euclidean"
        return self.form == "product" or euclidean or self.columns == 1

    @cached_property
    def scaled(self) -> Array:
        """The points with every column divided by its scale."""
        return np.ascontiguousarray(self.rows / self.scale, dtype=np.float64)

    @cached_property
    def tree(self) -> PointTree:
        """The points as a tree of boxes."""
        inverse = None if self.factor is None else self.factor**-2.0
        leaf = LEAF if np.isfinite(self.window.radius) else WIDE_LEAF
        return PointTree.grow(self.scaled, self.masses, inverse, leaf)

    @cached_property
    def box(self) -> tuple[Array, Array]:
        """The least and the largest value of every column."""
        return self.rows.min(axis=0).astype(np.float64), self.rows.max(axis=0).astype(np.float64)

    @property
    def weights(self) -> Array:
        """w_i, also where they are equal."""
        return np.full(len(self), 1.0 / len(self)) if self.weight is None else self.weight

    @property
    def masses(self) -> Array:
        """w_i factor_i^-D."""
        return self.weights if self.factor is None else self.weights * self.factor ** -float(self.columns)

    @property
    def log_constant(self) -> float:
        """What is added to the logarithm of a sum of profiles to make it that of a density."""
        logs = float(np.log(self.scale).sum())
        if self.form == "product":
            return -self.columns * self.window.log_mass() - logs
        return -self.window.log_mass(self.columns) - logs + self._log_ball()

    def _log_ball(self) -> float:
        """The logarithm of the volume of the Euclidean ball over that of the ball of the norm."""
        from scipy.special import gammaln

        D = self.columns
        euclidean = log_sphere_area(D) - np.log(D)
        volumes = {"manhattan": D * np.log(2.0) - gammaln(D + 1.0), "chebyshev": D * np.log(2.0)}
        return float(euclidean - volumes.get(self.norm, euclidean))

    def subset(self, index: Array) -> Mixture:
        """Some of the points, with their weights, of which the sum is not 1."""
        factor = None if self.factor is None else self.factor[index]
        return replace(self, rows=self.rows[index], weight=self._weights_of(index), factor=factor)

    def weighted(self, weight: Array) -> Mixture:
        """The same points with other weights."""
        return replace(self, weight=weight)

    def _weights_of(self, index: Array) -> Array:
        return np.full(len(index), 1.0 / len(self)) if self.weight is None else self.weight[index]

    def marginal(self, columns: Array) -> Mixture:
        """The mixture of some of the columns; of a product window, it is the marginal density."""
        return replace(self, rows=self.rows[:, columns], scale=self.scale[columns], form="product")
