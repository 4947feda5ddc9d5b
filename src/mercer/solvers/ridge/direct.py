"""Ridge regression of one Gram: A + alpha I by a Cholesky factor for one alpha, by eigenvectors for many.

A = S K S is the Gram scaled by the roots of the weights (problem.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mercer.errors import NotPositiveDefinite
from mercer.linalg.cholesky import Factor, factorise
from mercer.linalg.spectrum import Spectrum
from mercer.solvers.ridge.problem import Expansion, Targets
from mercer.typing import Array


class Shifted(Protocol):
    """A symmetric matrix A that solves with A + alpha I for many alphas."""

    def solve(self, Z: Array, alphas: Array) -> Array:
        """(A + alpha I)^-1 Z for every alpha: (alphas, n, columns of Z)."""

    def inverse_diagonals(self, alphas: Array) -> Array:
        """The diagonals of (A + alpha I)^-1: (alphas, n)."""


@dataclass(frozen=True, eq=False)
class Factored:
    """The Cholesky factor of A + alpha I, which solves for that one alpha."""

    factor: Factor
    alpha: float

    def solve(self, Z: Array, alphas: Array) -> Array:
        """(A + alpha I)^-1 Z, as an array (1, n, columns of Z)."""
        assert np.all(alphas == self.alpha), "a factor knows one alpha"
        return self.factor.solve(Z)[None]

    def inverse_diagonals(self, alphas: Array) -> Array:
        """The diagonal of (A + alpha I)^-1: (1, n)."""
        assert np.all(alphas == self.alpha), "a factor knows one alpha"
        return self.factor.inverse_diagonal()[None]

    def extended(self, B: Array, C: Array) -> Factored:
        """The factor of [[A, B'], [B, C]]."""
        return Factored(self.factor.extend(B, C + self.alpha * np.eye(len(C))), self.alpha)

    def reduced(self, index: Array) -> Factored:
        """The factor of A without some rows and columns."""
        return Factored(self.factor.remove(index), self.alpha)

    def times(self, C: Array) -> Array:
        """A C, from the triangle of the buffer in which A is left."""
        return np.asarray(self.factor.times(C) - self.alpha * C)


def factorised(A: Array, alpha: float) -> Factored | Spectrum:
    """A + alpha I by Cholesky, in the buffer of A; by the eigenvectors of A where it is not positive definite."""
    A.flat[:: len(A) + 1] += alpha
    try:
        return Factored(factorise(A, ladder=(0.0,)), alpha)
    except NotPositiveDefinite:
        A.flat[:: len(A) + 1] -= alpha
        return Spectrum.of_matrix(A)


def solve_ridge(system: Shifted, targets: Targets, alpha: Array | float) -> Expansion:
    """The coefficients and intercepts; alpha is one number, or one per output."""
    parts = [part.bordered(system.solve(part.Z, np.array([one]))[0]) for part, one in targets.by_alpha(alpha)]
    C, b = np.hstack([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
    return Expansion(targets.s[:, None] * C, b)
