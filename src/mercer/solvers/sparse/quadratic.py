"""A quadratic with one group of weights per feature, minimised exactly however ill-conditioned it is.

    minimise over V (features, functions)   tr(V'HV)/2 - tr(C'V) + lambda sum_j |V_j|_2      H positive semi-definite

Coordinate descent needs very many sweeps when columns are similar, as kernel columns of neighbours are.  The proximal
point algorithm does not: given a centre B and numbers sigma_j, the next centre minimises the objective plus
sum_j |V_j - B_j|^2 / (2 sigma_j), and sigma grows.  With S the soft threshold of rows at sigma_j lambda, it is the V of

    V = S(X),      X = B + sigma (C - HU),      U = V,

an equation in U that semismooth Newton solves (Li, Sun & Toh, 2018).  A step costs one system over the rows with
V_j != 0, many rows enter and leave at once, and the length of the step comes from a line search on the dual, a smooth
convex function of C - HU.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mercer.solvers.sparse.hessian import Hessian
from mercer.typing import Array

FIRST = 10.0  # first sigma, in units of 1 / H_jj
_LAST = 1e9  # largest sigma: beyond, it only magnifies the rounding of C - HU
_STEPS = 30  # of Newton, at most, per centre
_POLISH = 10  # steps of one polishing, at most
_IDLE = 3  # centres without progress before giving up


class Minimum(NamedTuple):
    """The answer, the sigma at which it was found, and how many systems were solved."""

    V: Array
    sigma: float
    steps: int


def minimise(H: Hessian, Q: Array, penalty: float, V: Array, *, tol: float, sigma: float = FIRST) -> Minimum:
    """The minimiser from a start V, at which Q is the gradient of the quadratic.

    Optimality conditions hold to `tol`, or to rounding.
    """
    run = _Run(H, H.times(V) - Q, penalty, tol, V, sigma)
    run.follow()
    return Minimum(run.V, run.level, run.steps)


def lengths(V: Array) -> Array:
    """|V_j|_2 as a column."""
    return np.abs(V) if V.shape[1] == 1 else np.linalg.norm(V, axis=1, keepdims=True)


def violation(Q: Array, V: Array, penalty: float) -> Array:
    """(features, 1): how far 0 is from Q_j + lambda d|V_j|, where Q is the gradient of the smooth part."""
    size = lengths(V)
    pulled = lengths(Q + penalty * V / np.where(size > 0.0, size, 1.0))
    return np.where(size > 0.0, pulled, np.maximum(pulled - penalty, 0.0))


def _growth(steps: int) -> float:
    """The factor of the next sigma: the fewer Newton steps the last centre took, the larger."""
    if steps <= 5:
        return 10.0
    return 4.0 if steps <= 12 else 1.5


@dataclass(eq=False)
class _Run:
    """The problem, the best V so far and its error; sigma_j is level / unit_j^2."""

    H: Hessian
    C: Array
    penalty: float
    tol: float
    V: Array
    level: float
    steps: int = 0
    unit: Array = field(init=False)
    error: float = np.inf

    def __post_init__(self) -> None:
        self.unit = self.H.unit
        self._offer(self.V)

    @property
    def sigma(self) -> Array:
        return np.asarray(self.level / self.unit**2)

    def follow(self) -> None:
        """Centres until the error is at most the tolerance."""
        idle, B = 0, self.V
        while self.error > self.tol and idle < _IDLE:
            before, old = self.error, B
            B, steps = self._next(B)
            self._offer(B)
            if self.error > self.tol and self._settled(B, old):
                polished = self._on_support(B)
                B = polished if self._offer(polished) or B.shape[1] == 1 else B
            idle = 0 if self.error < 0.9 * before else idle + 1
            self.level = min(self.level * _growth(steps), _LAST)

    @staticmethod
    def _settled(new: Array, old: Array) -> bool:
        """Whether two centres have the same rows in use, and of one function the same signs."""
        if new.shape[1] == 1:
            return np.array_equal(np.sign(new), np.sign(old))
        return np.array_equal(new.any(axis=1), old.any(axis=1))

    def _offer(self, V: Array) -> bool:
        """Keep V if its error is less than that of the best so far; returns whether it is."""
        error = float(violation(self.H.times(V) - self.C, V, self.penalty).max(initial=0.0))
        better = error < self.error
        if better:
            self.V, self.error = V, error
        return better

    def _next(self, B: Array) -> tuple[Array, int]:
        """The next centre, and the Newton steps it took."""
        U, HU = B, self.H.times(B)
        fine, rough = (0.01 * (size / float(self.unit.max())) ** 2 for size in (self.tol, self.error))
        for steps in range(_STEPS + 1):
            X, V = self._response(B, HU)
            E, worth = V - U, float(((V - B) ** 2 / self.sigma).sum())
            if float((E * self.H.times(E)).sum()) <= max(min(0.01 * worth, rough), fine) or steps == _STEPS:
                break
            D = self._direction(X, V, E)
            HD = self.H.times(D)
            h = self._length(B, U, HU, D, HD)
            U, HU = U + h * D, HU + h * HD
            self.steps += 1
        return V, steps

    def _response(self, B: Array, HU: Array) -> tuple[Array, Array]:
        """X = B + sigma (C - HU), and S(X)."""
        X = B + self.sigma * (self.C - HU)
        size = lengths(X)
        return X, X * np.maximum(1.0 - self.sigma * self.penalty / np.where(size > 0.0, size, 1.0), 0.0)

    def _direction(self, X: Array, V: Array, E: Array) -> Array:
        """Newton's step for U: E where V_j = 0; on the other rows H D + J^-1 D / sigma = J^-1 E / sigma - H E_rest.

        J_j, the derivative of S, is 1 along X_j and 1 - sigma_j lambda / |X_j| across it.
        """
        A = np.flatnonzero(V.any(axis=1))
        D = E.copy()
        D[A] = 0.0
        sigma, size = self.sigma[A], lengths(X[A])
        pull = self.H.times(D)[A] if D.any() else 0.0
        along, across = X[A] / size, 1.0 / (1.0 - sigma * self.penalty / size)
        outer = along[:, :, None] * along[:, None]
        B = (outer + across[:, :, None] * (np.eye(X.shape[1]) - outer)) / sigma[:, :, None]
        D[A] = self.H.solve(A, B, np.einsum("mab,mb->ma", B, E[A]) - pull)
        return D

    def _length(self, B: Array, U: Array, HU: Array, D: Array, HD: Array) -> float:
        """How far along D: where the slope <HD, U + h D - V(h)>, which rises with h, has fallen to a tenth."""
        first = float((HD * (U - self._response(B, HU)[1])).sum())
        low, high = 0.0, np.inf
        h = 1.0
        for _ in range(40):
            V = self._response(B, HU + h * HD)[1]
            slope = float((HD * (U + h * D - V)).sum())
            if abs(slope) <= 0.1 * abs(first):
                break
            low, high = (h, high) if slope < 0.0 else (low, h)
            bend = float((HD * D).sum()) + float((self.sigma * HD**2)[V.any(axis=1)].sum())
            guess = h - slope / max(bend, 1e-300)
            safe = 0.5 * (low + high) if high < np.inf else 2.0 * h
            h = guess if low < guess < high else safe
        return h

    def _on_support(self, V: Array) -> Array:
        """Newton's method on the rows of V that are not 0, where the penalty is smooth; rows that would turn become 0.

        Of one function the penalty is linear there, and the first whole step exact.
        """
        best, F = V.copy(), V.shape[1]
        for _ in range(_POLISH):
            A = np.flatnonzero(best.any(axis=1))
            v, size = best[A], lengths(best[A])
            along = v / size
            bend = self.penalty / size[:, :, None] * (np.eye(F) - along[:, :, None] * along[:, None])
            step = self.H.solve(A, bend, (self.C - self.H.times(best))[A] - self.penalty * along)
            self.steps += 1
            inward = -(along * step).sum(axis=1, keepdims=True)
            room = np.where(inward > 0.0, size / np.where(inward > 0.0, inward, 1.0), np.inf)
            h = float(room.min(initial=1.0))
            best[A] = np.where(room > h, v + h * step, 0.0)
            if h == 1.0 and (F == 1 or float(lengths(step).max(initial=0.0)) <= 1e-9 * float(size.max(initial=0.0))):
                break
        return best
