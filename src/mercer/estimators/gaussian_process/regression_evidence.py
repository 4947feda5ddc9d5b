"""The evidence of Gaussian process regression on some of the items: what solvers/evidence_search.py climbs.

One n x n buffer serves every evaluation: the covariance is filled into it, factored there, and for a slope inverted
there; the weights of the slope are made of it tile by tile while the kernel's derivatives are folded.
"""

from __future__ import annotations

import numpy as np

from mercer.engine.fill import require_memory
from mercer.engine.pool import one_blas_thread
from mercer.errors import NotFinite, NotPositiveDefinite
from mercer.estimators.gaussian_process.covariance import Covariance
from mercer.linalg.cholesky import factorise
from mercer.solvers.gaussian_process import Conditioned, condition, information, inverse_in_place, slope_tile
from mercer.typing import Array

_DIRECT = 450  # items up to which a search needs no subsets
_FIRST = 250  # items of the smallest subset, at least
_ENOUGH = 450  # the same where there are subsets between: fewer items lead to other maxima too often


class EvidenceOn:
    """log p(Y | theta) for items under a covariance, targets Y and a basis H."""

    def __init__(self, covariance: Covariance, Y: Array, H: Array) -> None:
        self.covariance, self.Y, self.H = covariance, Y, H
        self._buffer: Array | None = None
        self._here: tuple[Covariance, Conditioned] | None = None
        self._theta = np.empty(0)
        self._inverse: Array | None = None  # the buffer, once it holds the inverse of the covariance `here`

    @property
    def size(self) -> int:
        return len(self.covariance)

    @property
    def informed(self) -> bool:
        """Whether it knows its curvature."""
        return True

    def buffer(self) -> Array:
        """The one n x n array, made when it is first needed."""
        if self._buffer is None:
            n = self.size
            require_memory(f"The covariance of {n} items", 8 * n * n, "Fit a sample of them, or raise the budget.")
            self._buffer = np.empty((n, n))
        return self._buffer

    def at(self, theta: Array) -> Conditioned:
        """The posterior at theta; its factor is the buffer, and good until the next call."""
        covariance, M = self.covariance.at(theta), self.buffer()
        self._here = self._inverse = None
        covariance.fill(M)
        found = condition(factorise(M), self.Y, self.H)
        self._here, self._theta = (covariance, found), np.array(theta)
        return found

    @one_blas_thread()
    def value(self, theta: Array) -> float:
        """The evidence, or -inf where the covariance is not finite or has no factor."""
        try:
            value = self.at(theta).evidence
        except (NotPositiveDefinite, NotFinite, np.linalg.LinAlgError):
            return -np.inf
        return value if np.isfinite(value) else -np.inf

    @one_blas_thread()
    def slope(self) -> Array:
        """Its derivative where it was last asked for."""
        assert self._here is not None, "ask for a value first"
        covariance, found = self._here
        U, q, inverse = found.outer, self.Y.shape[1], self._inverted(found)
        trace = 0.5 * float(np.vdot(U, U) - q * np.trace(inverse))
        return covariance.slope(lambda r, c: slope_tile(U, inverse, q, r, c), trace)

    def _inverted(self, found: Conditioned) -> Array:
        """M^-1, in the place of the factor."""
        if self._inverse is None:
            self._inverse = inverse_in_place(found.factor)
        return self._inverse

    @one_blas_thread()
    def curvature(self, theta: Array) -> Array | None:
        """The average information 1/2 a' dM_i P dM_j a: half way between minus the second derivatives and their mean.

        (Gilmour, Thompson & Cullis, 1995).  It needs products of dM_j with vectors only, and no further factor.
        """
        elsewhere = self._here is None or not np.array_equal(self._theta, theta)
        if elsewhere and not np.isfinite(self.value(theta)):
            return None
        assert self._here is not None
        covariance, found = self._here
        return information(found, self._inverted(found), covariance.moved_products(found.coef))


def levels(covariance: Covariance, Y: Array, H: Array) -> list[EvidenceOn]:
    """The same problem on ever more items, twice as many each time, drawn once; the last is on all of them."""
    n = len(covariance)
    order = np.random.default_rng(0).permutation(n)
    sizes = [n // 2, n] if n > _DIRECT and n // 2 >= _FIRST else [n]
    while len(sizes) > 1 and sizes[0] // 2 >= _ENOUGH:
        sizes.insert(0, sizes[0] // 2)
    found = []
    for size in sizes[:-1]:
        index = np.sort(order[:size])
        found.append(EvidenceOn(covariance.take(index), Y[index], H[index]))
    return [*found, EvidenceOn(covariance, Y, H)]
