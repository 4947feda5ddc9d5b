"""Ridge problems with one K that differ in alpha and in the items that train, as linear systems.

    (A_f + alpha I) c = z_f,     A_f = P S K S P          one cell for every alpha and every column f: a fold, an output

S = diag(s) holds the square roots of the weights, zero for items that do not train.  P removes the direction s where
there is an intercept.  So one K serves all cells.  Cell number = column * number of alphas + alpha.  Vectors are rows,
one for each cell in question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Column:
    """One target, with roots of weights s; the outputs of a fold share the array s."""

    s: Array
    target: Array
    intercept: bool = False

    @property
    def z(self) -> Array:
        """The scaled target."""
        return np.asarray(self.project((self.s * self.target)[None])[0])

    def project(self, W: Array) -> Array:
        """Rows without their part along s, where there is an intercept."""
        return W - np.outer(W @ self.s, self.s / (self.s @ self.s)) if self.intercept else W


@dataclass(frozen=True, eq=False)
class Systems:
    """All cells of a Gram."""

    K: Array
    columns: Sequence[Column]
    alphas: Array

    def __len__(self) -> int:
        return len(self.columns) * len(self.alphas)

    def column(self, cells: Array) -> Array:
        """The positions of their columns."""
        return cells // len(self.alphas)

    def alpha(self, cells: Array) -> Array:
        """Their alphas."""
        return np.asarray(self.alphas[cells % len(self.alphas)])

    def roots(self, cells: Array) -> Array:
        """The rows s."""
        return np.stack([self.columns[f].s for f in self.column(cells).tolist()])

    def project(self, W: Array, cells: Array) -> Array:
        """P w, written over every row w."""
        for f in np.unique(self.column(cells)).tolist():
            if self.columns[f].intercept:
                rows = self.column(cells) == f
                W[rows] = self.columns[f].project(W[rows])
        return W

    def multiply(self, D: Array, cells: Array) -> tuple[Array, Array]:
        """K S d and (A + alpha I) d for rows d with P d = d."""
        roots = self.roots(cells)
        V = (D * roots) @ self.K
        return V, self.project(V * roots, cells) + self.alpha(cells)[:, None] * D
