"""The witness of a search for medoids: whether any single swap lowers the loss, computed from the distances alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isnan, nan

import numpy as np

from mercer.gram.distances import Distances
from mercer.solvers.medoids.near import row_sums
from mercer.solvers.medoids.solution import MedoidSolution
from mercer.solvers.medoids.swaps import best_swap
from mercer.typing import Array

PROVED = ("fasterpam", "pam", "alternate")  # the others are made for data on which a pass over all pairs takes long
TOLERANCE = 1e-9  # of the loss: a smaller fall may be rounding of distances in single precision


@dataclass(frozen=True, kw_only=True, eq=False)
class SwapProof:
    """The loss, and the single swap that changes it most to the better.

    change         of the loss by the best swap, >= 0 where none lowers it; NaN if the swaps were not looked at
    medoid, item   that swap: the position of the medoid that would go and of the item that would come
    reason         why the search ended: "converged", "max_iter" or "interrupted"; "verified" for a proof made again
    parts          the proofs of several searches, where this is the sum of their losses and the best of their swaps
    tolerance      share of the loss that may be rounding
    """

    loss: float
    change: float
    medoid: int
    item: int
    n_iter: int
    reason: str
    method: str
    parts: tuple[SwapProof, ...] = ()
    tolerance: float = TOLERANCE

    @property
    def swap_optimal(self) -> bool:
        """Whether no single swap lowers the loss, which was looked at."""
        return self.change >= -self.tolerance * self.loss

    @property
    def converged(self) -> bool:
        """Whether the search came to its end, or the result is proved to be one that swaps end with."""
        return self.reason == "converged" or self.swap_optimal

    def __str__(self) -> str:
        ended = f"{self.method}, {self.n_iter} rounds ({self.reason}): loss {self.loss:.8g}."
        if isnan(self.change):
            return f"{ended} Not proven: swaps on all items were not looked at, which mercer.verify does."
        if self.swap_optimal:
            return f"{ended} Swap-optimal: no single swap of a medoid lowers it."
        return (f"{ended} Not swap-optimal: item {self.item} in place of medoid {self.medoid} lowers it by "
                f"{-self.change:.4g}.")  # fmt: skip


def prove(
    D: Distances, weight: Array, found: MedoidSolution, *, look: bool | None = None, tolerance: float = TOLERANCE
) -> SwapProof:
    """The proof, from one pass over all distances; a loss of 0 needs none.

    Without a word on `look`, that pass is made for methods that read all distances anyhow.
    """
    medoids, loss, change, medoid, item = found.medoids, found.loss, 0.0, -1, -1
    if loss == 0.0:
        change = 0.0
    elif not (found.method in PROVED if look is None else look):
        change = nan
    elif len(medoids) == 1:
        sums = row_sums(D, weight)
        loss, item, medoid = float(sums[medoids[0]]), int(np.argmin(sums)), int(medoids[0])
        change = float(sums[item]) - loss
    else:
        item, place, change, loss = best_swap(D, weight, medoids)
        medoid = int(medoids[place])
    return SwapProof(loss=loss, change=change, medoid=medoid, item=item, n_iter=found.n_iter, reason=found.reason,
                     method=found.method, tolerance=tolerance)  # fmt: skip


def joined(parts: Sequence[SwapProof]) -> SwapProof:
    """The proof of several searches, each of its own items."""
    worst = min(parts, key=lambda part: -inf if isnan(part.change) else part.change / (part.loss or 1.0))
    open_ones = [part.reason for part in parts if part.reason != "converged"]
    return SwapProof(loss=sum(part.loss for part in parts), change=worst.change, medoid=worst.medoid, item=worst.item,
                     n_iter=max(part.n_iter for part in parts), reason=[*open_ones, "converged"][0],
                     method=worst.method, parts=tuple(parts), tolerance=worst.tolerance)  # fmt: skip
