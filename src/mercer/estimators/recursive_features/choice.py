"""The width of a kernel and the penalty with the least leave-one-out error on given rows.

From one pair of the two the search goes to that next to it, as long as the error falls.  A wide kernel with a small
penalty does nearly what a narrow one with a large penalty does, so it also looks along this diagonal, unless it begins
where a similar search has ended.  Each pair costs a factor of the Gram and the diagonal of its inverse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mercer.gram.lazy import LazyGram
from mercer.kernels.additive import Laplacian
from mercer.kernels.base import Kernel
from mercer.kernels.stationary import Stationary
from mercer.solvers import ridge
from mercer.solvers.ridge import Targets
from mercer.typing import Array

Steps = tuple[tuple[int, int], ...]

WIDTHS = 2.0 ** np.arange(-1, 6)  # lengthscales, as multiples of the median distance between rows
_FIRST = 2  # the position of the width with which the search begins
_STEPS: Steps = ((0, 1), (0, -1), (1, 0), (-1, 0))  # to the next alpha, or the next width
_DIAGONAL: Steps = ((1, -1), (-1, 1))
_PAIRS = 10_000  # of rows, for the median distance


@dataclass(frozen=True, eq=False)
class Choice:
    """A kernel with its width, alpha, their positions among the candidates, and what is predicted for left-out rows.

    `error` is the mean square of these predictions' residuals.
    """

    kernel: Kernel
    alpha: float
    place: tuple[int, int]
    left_out: Array
    error: float


def choose(Z: Array, Y: Array, kernel: Stationary, alphas: Array, near: tuple[int, int] | None = None) -> Choice:
    """Width and alpha from `near` on, as long as the error falls."""
    median = median_distance(Z, 1 if by_columns(kernel) else 2)
    kernels = [kernel.with_params(lengthscale=float(width * median)) for width in WIDTHS]
    search = _Search(Z, Y, kernels, alphas)
    return search.descend(near, _STEPS) if near else search.descend((_FIRST, len(alphas) // 2), _STEPS + _DIAGONAL)


def choose_alpha(Z: Array, Y: Array, kernel: Kernel, alphas: Array) -> Choice:
    """The best alpha of a kernel as it is."""
    return _Search(Z, Y, [kernel], alphas).descend((0, len(alphas) // 2), _STEPS)


class _Search:
    def __init__(self, Z: Array, Y: Array, kernels: Sequence[Kernel], alphas: Array) -> None:
        self.Z, self.kernels, self.alphas = Z, kernels, np.sort(alphas)
        self.targets = Targets(Y, np.ones(len(Y)), True)
        self.grams: dict[int, Array] = {}
        self.tried: set[tuple[int, int]] = set()

    def descend(self, place: tuple[int, int], steps: Steps) -> Choice:
        """The best pair of (kernel, alpha) among those that steps lead to."""
        best = self._at(*place)
        while (better := self._better(best, steps)) is not None:
            best = better
        return best

    def _better(self, best: Choice, steps: Steps) -> Choice | None:
        for i, j in steps:
            place = (best.place[0] + i, best.place[1] + j)
            inside = 0 <= place[0] < len(self.kernels) and 0 <= place[1] < len(self.alphas)
            if inside and place not in self.tried:
                found = self._at(*place)
                if found.error < best.error:
                    return found
        return None

    def _at(self, i: int, j: int) -> Choice:
        self.tried.add((i, j))
        if i not in self.grams:
            self.grams[i] = np.asarray(LazyGram(self.kernels[i], self.Z).dense(), dtype=float)
        alpha = float(self.alphas[j])
        system = ridge.factorised(self.grams[i].copy(), alpha)
        residuals = ridge.leave_one_out_residuals(system, self.targets, alpha)
        error = float(np.mean(residuals**2))
        return Choice(self.kernels[i], alpha, (i, j), self.targets.Y - residuals, error)


def by_columns(kernel: Kernel) -> bool:
    """Whether a kernel is a function of sum_j |x_j - z_j|, which only a diagonal T can change in steps of its own."""
    return isinstance(kernel, Laplacian)


def median_distance(Z: Array, order: int) -> float:
    """The median distance of random pairs of rows that differ, |.|_1 or |.|_2; 1 where all are equal."""
    i, j = np.random.default_rng(0).integers(0, len(Z), (2, _PAIRS))
    distances = np.linalg.norm(Z[i] - Z[j], ord=order, axis=1)
    apart = distances[distances > 0.0]
    return float(np.median(apart)) if len(apart) else 1.0
