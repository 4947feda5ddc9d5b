"""The items of a process in panels, as their landmarks see them: Phi = K_nm L^-T with K_mm = L L'.

Features are made a panel at a time, on all threads; sums do not depend on the number of threads.  A method that makes
many passes stores them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mercer.engine.pool import run
from mercer.engine.tiles import cuts
from mercer.estimators.training_data import Data, KernelItems
from mercer.linalg import blas
from mercer.solvers.inducing import factor_of_landmarks
from mercer.solvers.landmarks import chosen
from mercer.typing import Array

PANEL = 1024  # items at a time
_STRIPES = 16  # partial sums, for any number of threads
_DIAGONAL = 32  # items at a time for derivatives of k(x, x)


def chosen_landmarks(data: Data, count: int) -> Array:
    """Positions of landmarks, by randomly pivoted Cholesky."""
    return np.sort(chosen(data.gram(), min(count, len(data)), "rpcholesky", 0))


@dataclass(frozen=True, eq=False)
class LandmarkPanels:
    """Items, prepared landmarks, and whether the features of all items are stored."""

    data: KernelItems
    landmarks: Any
    stored: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Items and landmarks."""
        return len(self.data), len(self.landmarks)

    @cached_property
    def diag(self) -> Array:
        """k(x, x)."""
        return np.asarray(self.data.kernel.diag(self.data.prepared), dtype=float)

    @cached_property
    def root(self) -> Array:
        """L with K_mm = L L'."""
        return factor_of_landmarks(np.asarray(self.data.kernel.block(self.landmarks, self.landmarks), dtype=float))

    def features(self, items: Any) -> Array:
        """Phi of some prepared items."""
        K = np.ascontiguousarray(self.data.kernel.block(items, self.landmarks), dtype=float)
        blas.solve_right(K, self.root)
        return K

    def block(self, r: slice) -> Array:
        """Some rows of Phi."""
        return self._all[r] if self.stored else self.features(self.data.prepared[r])

    @cached_property
    def _all(self) -> Array:
        """Phi."""
        out = np.empty(self.shape)
        _ = self.root  # made once, before threads ask for it

        def rows(r: slice) -> None:
            out[r] = self.features(self.data.prepared[r])

        self.each(rows)
        return out

    def each(self, work: Callable[[slice], None]) -> None:
        """`work` for every panel, in any order."""
        run(work, cuts(len(self.data), PANEL))

    def folded(self, work: Callable[[slice], tuple[Any, ...]]) -> list[Any]:
        """Sums over all panels of what `work` returns, in an order that does not depend on threads."""
        panels = cuts(len(self.data), PANEL)
        stripes = [panels[i::_STRIPES] for i in range(min(_STRIPES, len(panels)))]
        parts: list[list[Any] | None] = [None] * len(stripes)

        def stripe(i: int) -> None:
            for r in stripes[i]:
                found = list(work(r))
                before = parts[i]
                parts[i] = found if before is None else [a + b for a, b in zip(before, found, strict=True)]

        run(stripe, range(len(stripes)))
        whole = [part for part in parts if part is not None]
        return [sum(column[1:], column[0]) for column in zip(*whole, strict=True)]

    def times(self, v: Array) -> Array:
        """Phi'v."""
        (found,) = self.folded(lambda r: (self.block(r).T @ v[r],))
        return np.asarray(found)

    def spread(self, c: Array) -> Array:
        """Phi c."""
        out = np.empty((len(self.data), *c.shape[1:]))

        def rows(r: slice) -> None:
            out[r] = self.block(r) @ c

        self.each(rows)
        return out

    def slope_of_diagonal(self, weight: Array) -> Array:
        """The derivative of sum_i w_i k(x_i, x_i) in theta; one item stands for all where k(x, x) is the same."""
        kernel, prepared = self.data.kernel, self.data.prepared
        if kernel.stationary:
            return kernel.vjp(prepared[:1], prepared[:1], np.array([[float(weight.sum())]]))
        tiles = [(prepared[r], np.diag(weight[r])) for r in cuts(len(weight), _DIAGONAL)]
        return np.asarray(np.sum([kernel.vjp(items, items, W) for items, W in tiles], axis=0))
