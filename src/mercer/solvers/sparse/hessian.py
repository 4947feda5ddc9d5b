"""The second derivative of a sum of losses in the weights of a working set, the intercept eliminated.

    times(V)              H V
    solve(A, B, right)    (H_AA + B)^-1 right over rows A of V, B one (functions, functions) block per row
    unit                  a column of scales that make the rows of V comparable

V is (features, functions).  `DenseHessian` stores H as a matrix, which grows with the square of the functions too.  For
many functions `FactoredHessian` stores the columns and the curvatures of the items, and solves by conjugate gradients.
Their preconditioner gives every item its largest curvature in all directions: one matrix for all functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from mercer.linalg.conjugate_gradients import conjugate_gradients
from mercer.linalg.damped_cholesky import DampedCholesky
from mercer.typing import Array

_EPS = float(np.finfo(float).eps)
_CG_TOLERANCE, _CG_PRODUCTS = 1e-4, 300  # of conjugate gradients: relative residual, most products


class Hessian(Protocol):
    """What the minimiser of a quadratic asks of H."""

    @property
    def unit(self) -> Array: ...

    def times(self, V: Array) -> Array: ...

    def solve(self, A: Array, B: Array, right: Array) -> Array: ...


def largest(C: Array) -> Array:
    """An upper bound on the largest eigenvalue of every matrix of a stack, exact for 1 x 1."""
    return np.asarray(np.abs(C).sum(axis=2).max(axis=1))


def units(diagonal: Array) -> Array:
    """Square roots as a column; 1 for rows of zeros."""
    unit = np.sqrt(np.maximum(diagonal, 0.0))[:, None]
    return np.where(unit > _EPS * unit.max(initial=0.0), unit, 1.0)


@dataclass(frozen=True, eq=False)
class DenseHessian:
    """H as a matrix, (features * functions) squared."""

    H: Array
    functions: int = 1

    @classmethod
    def of(cls, Z: Array, C: Array, *, intercept: bool) -> Self:
        """sum_i C_i z_ij z_ik with the intercept eliminated, for columns Z (features, items)."""
        m, F = len(Z), C.shape[1]
        if F == 1:
            D = C[:, 0, 0]
            centre = Z @ D / max(D.sum(), 1e-300) if intercept else np.zeros(m)
            Y = (Z - centre[:, None]) * np.sqrt(D)
            return cls(Y @ Y.T)
        blocks = np.empty((m, F, m, F))
        for a in range(F):
            for b in range(a + 1):
                blocks[:, a, :, b] = (Z * C[:, a, b]) @ Z.T
                blocks[:, b, :, a] = blocks[:, a, :, b]
        H = blocks.reshape(m * F, m * F)
        if intercept:
            cross = np.einsum("mn,nab->mab", Z, C).reshape(m * F, F)
            H -= cross @ np.linalg.pinv(C.sum(axis=0), hermitian=True) @ cross.T
        return cls(H, F)

    @property
    def unit(self) -> Array:
        return units(np.diagonal(self.H).reshape(-1, self.functions).mean(axis=1))

    def times(self, V: Array) -> Array:
        return np.asarray(self.H @ V.ravel()).reshape(V.shape)

    def solve(self, A: Array, B: Array, right: Array) -> Array:
        F = self.functions
        places = (A[:, None] * F + np.arange(F)).ravel()
        M, every = self.H[np.ix_(places, places)], np.arange(len(A))
        M.reshape(len(A), F, len(A), F)[every, :, every] += B
        return DampedCholesky(M).solve(right.ravel()).reshape(right.shape)


@dataclass(frozen=True, eq=False)
class FactoredHessian:
    """H in factors: columns Z (features, items) and curvatures C (items, functions, functions)."""

    Z: Array
    C: Array
    level: Array  # the inverse of the curvature in the intercept; 0 without one

    @classmethod
    def of(cls, Z: Array, C: Array, *, intercept: bool) -> Self:
        total = C.sum(axis=0)
        return cls(Z, C, np.linalg.pinv(total, hermitian=True) if intercept else np.zeros_like(total))

    @property
    def unit(self) -> Array:
        return units(np.square(self.Z) @ largest(self.C))

    def times(self, V: Array) -> Array:
        some = np.flatnonzero(V.any(axis=1))
        g = np.einsum("nab,nb->na", self.C, self.Z[some].T @ V[some])
        g -= self.C @ (self.level @ g.sum(axis=0))
        return np.asarray(self.Z @ g)

    def solve(self, A: Array, B: Array, right: Array) -> Array:
        part, every = FactoredHessian(self.Z[A], self.C, self.level), np.arange(len(A))
        M = (part.Z * largest(self.C)) @ part.Z.T
        M[every, every] += np.trace(B, axis1=1, axis2=2) / B.shape[1]
        factor = DampedCholesky(M)

        def times(V: Array) -> Array:
            return np.asarray(part.times(V) + np.einsum("mab,mb->ma", B, V))

        return conjugate_gradients(times, right, solve=factor.solve, tol=_CG_TOLERANCE, most=_CG_PRODUCTS)[0]
