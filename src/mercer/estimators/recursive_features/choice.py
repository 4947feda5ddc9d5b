"""The width of a kernel and the penalty with the least leave-one-out error on given rows.

The two are correlated: a wide kernel with a small penalty does nearly what a narrow one with a large penalty does.  So
every width is judged by its best penalty, found by steps from that of the last width.  Each pair costs a factor of the
Gram and the diagonal of its inverse.
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

WIDTHS = 2.0 ** np.arange(-1, 6)  # lengthscales, as multiples of the median distance between rows
_FIRST = 2  # the position of the width with which the search begins
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
    """Widths and alphas are tried from `near` on, as long as the error falls."""
    median = median_distance(Z, 1 if by_columns(kernel) else 2)
    search = _Search(Z, Y, [kernel.with_params(lengthscale=float(width * median)) for width in WIDTHS], alphas)
    best = search.along_alphas(*(near or (_FIRST, len(alphas) // 2)))
    for step in (1, -1):
        while 0 <= best.place[0] + step < len(WIDTHS):
            found = search.along_alphas(best.place[0] + step, best.place[1])
            if found.error >= best.error:
                break
            best = found
    return best


def choose_alpha(Z: Array, Y: Array, kernel: Kernel, alphas: Array) -> Choice:
    """The best alpha of a kernel as it is."""
    return _Search(Z, Y, [kernel], alphas).along_alphas(0, len(alphas) // 2)


class _Search:
    def __init__(self, Z: Array, Y: Array, kernels: Sequence[Kernel], alphas: Array) -> None:
        self.Z, self.kernels, self.alphas = Z, kernels, np.sort(alphas)
        self.targets = Targets(Y, np.ones(len(Y)), True)

    def along_alphas(self, i: int, j: int) -> Choice:
        """The best alpha of kernel i, by steps from the j-th until the error rises."""
        K = np.asarray(LazyGram(self.kernels[i], self.Z).dense(), dtype=float)
        best = self._at(K, i, j)
        for step in (1, -1):
            while 0 <= best.place[1] + step < len(self.alphas):
                found = self._at(K, i, best.place[1] + step)
                if found.error >= best.error:
                    break
                best = found
            if best.place[1] != j:  # the error falls in this direction: it rises in the other
                break
        return best

    def _at(self, K: Array, i: int, j: int) -> Choice:
        alpha = float(self.alphas[j])
        residuals = ridge.leave_one_out_residuals(ridge.factorised(K.copy(), alpha), self.targets, alpha)
        error = float(np.mean(residuals**2))
        return Choice(self.kernels[i], alpha, (i, j), self.targets.Y - residuals, error)


def by_columns(kernel: Stationary) -> bool:
    """Whether a kernel is a function of sum_j |x_j - z_j|, which only a diagonal T can change in steps of its own."""
    return isinstance(kernel, Laplacian)


def median_distance(Z: Array, order: int) -> float:
    """The median distance of random pairs of rows that differ, |.|_1 or |.|_2; 1 where all are equal."""
    i, j = np.random.default_rng(0).integers(0, len(Z), (2, _PAIRS))
    distances = np.linalg.norm(Z[i] - Z[j], ord=order, axis=1)
    apart = distances[distances > 0.0]
    return float(np.median(apart)) if len(apart) else 1.0
