"""Kernel ridge regression: one linear system, and what leaving out each item would have given (M10).

    minimise  P(f, b) = sum_i w_i (y_i - f(x_i) - b)^2 + alpha |f|^2        over f in the RKHS, and b if asked for

The minimiser is f = sum_i a_i k(., x_i) with (K + alpha W^-1) a + b 1 = y, and 1'a = 0 where there is an intercept,
which is to centre in feature space.  With s_i = sqrt(w_i), a = s c and z = s y this is the scaled system

    M c + b s = z,     M = S K S + alpha I,      s'c = 0
    c = G z,           G = M^-1 - u u' / s'u,    u = M^-1 s               (G = M^-1 without an intercept)

and everything else is in closed form:

    leave one out      y_i - f_-i(x_i) - b_-i  =  c_i / (s_i G_ii)
    hat matrix         I - H = alpha G in scaled coordinates, so that
    GCV                n sum_i c_i^2 / (sum_i G_ii)^2                     (over the mean weight)
    dual               D(a) = alpha (2 y'a - a'(K + alpha W^-1) a) <= P
    gap                P - D = sum_i w_i rho_i^2,   rho = y - b - (K + alpha W^-1) a

With features F, K = F F' (T27): the dual system of n unknowns and the primal one of as many as there are columns have
the same solution, a = W (y - F v - b) / alpha with v the primal weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from mercer.errors import NotPositiveDefinite, bad
from mercer.solvers.cholesky import Factor, factorise
from mercer.solvers.solution import Solution
from mercer.solvers.spectrum import Spectrum
from mercer.typing import Array

_SOLVED = 1e-6  # residual of the normal equations, in units of the targets, up to which they count as solved


class Shifted(Protocol):
    """A symmetric matrix A that solves with A + alpha I for many alphas."""

    def solve(self, Z: Array, alphas: Array) -> Array:
        """(A + alpha I)^-1 Z for every alpha: (alphas, n, columns of Z)."""

    def inverse_diagonals(self, alphas: Array) -> Array:
        """The diagonals of (A + alpha I)^-1: (alphas, n)."""


@dataclass(frozen=True, eq=False)
class Targets:
    """What f is fitted to: Y (n, outputs), a positive weight for every item, and whether there is an intercept."""

    Y: Array
    weight: Array
    intercept: bool = False

    @cached_property
    def s(self) -> Array:
        """Square roots of the weights."""
        return np.sqrt(self.weight)

    @cached_property
    def Z(self) -> Array:
        """The scaled targets s y, and s itself as one more column when there is an intercept."""
        Z = self.s[:, None] * self.Y
        return np.column_stack([Z, self.s]) if self.intercept else Z

    @property
    def k(self) -> int:
        """Outputs."""
        return int(self.Y.shape[1])

    def output(self, j: int) -> Targets:
        """One output alone."""
        return Targets(self.Y[:, [j]], self.weight, self.intercept)

    def rows(self, index: Array) -> Targets:
        """Some of the items."""
        return Targets(self.Y[index], self.weight[index], self.intercept)

    def plus(self, other: Targets) -> Targets:
        """These items and then others."""
        return Targets(np.vstack([self.Y, other.Y]), np.append(self.weight, other.weight), self.intercept)

    def scale(self, K: Array) -> Array:
        """S K S in the place of K."""
        if (self.weight != 1.0).any():
            K *= self.s[:, None]
            K *= self.s
        return K

    def bordered(self, V: Array) -> tuple[Array, Array, Array]:
        """(c, b, g) from V = M^-1 Z: coefficients, intercepts, and g with G_ii = [M^-1]_ii - g_i^2."""
        if not self.intercept:
            return V, np.zeros(V.shape[1]), np.zeros(len(V))
        V, u = V[:, :-1], V[:, -1]
        size = float(self.s @ u)
        b = self.s @ V / size
        return V - np.outer(u, b), b, u / np.sqrt(size)


@dataclass(frozen=True, eq=False)
class Expansion:
    """f = sum_i a_i k(., x_i) + intercept, one column of `coef` per output."""

    coef: Array
    intercept: Array


# ---- the ways to a solution


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
        """That of [[A, B'], [B, C]]."""
        return Factored(self.factor.extend(B, C + self.alpha * np.eye(len(C))), self.alpha)

    def reduced(self, index: Array) -> Factored:
        """That of A without some rows and columns."""
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
    parts = [part.bordered(system.solve(part.Z, np.array([one]))[0]) for part, one in _by_alpha(targets, alpha)]
    C, b = np.hstack([part[0] for part in parts]), np.concatenate([part[1] for part in parts])
    return Expansion(targets.s[:, None] * C, b)


def _by_alpha(targets: Targets, alpha: Array | float) -> list[tuple[Targets, float]]:
    """The targets with the alpha that is theirs."""
    if np.ndim(alpha) == 0:
        return [(targets, float(alpha))]
    return [(targets.output(j), float(one)) for j, one in enumerate(np.asarray(alpha))]


# ---- leaving one out


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """For every alpha: the mean squared error of predicting an item from the others, and GCV's estimate of it."""

    alphas: Array
    errors: Array
    gcv: Array

    @property
    def best(self) -> int:
        """The position of the alpha with the least error."""
        return int(np.argmin(self.errors))


def leave_one_out(system: Shifted, targets: Targets, alphas: Array) -> LeaveOneOut:
    """The errors for all alphas (> 0) from one decomposition: a product of n x n by n x len(alphas)."""
    alphas = np.asarray(alphas, dtype=float)
    errors, gcv = np.empty(len(alphas)), np.empty(len(alphas))
    n, units = len(targets.Y), targets.k * float(targets.weight.sum())
    V, diagonals = system.solve(targets.Z, alphas), system.inverse_diagonals(alphas)
    for l in range(len(alphas)):
        C, _, g = targets.bordered(V[l])
        G = diagonals[l] - g * g
        errors[l] = float(np.sum((C / G[:, None]) ** 2)) / units
        gcv[l] = float(np.sum(C * C)) / units * (n / float(G.sum())) ** 2
    return LeaveOneOut(alphas, errors, gcv)


def leave_one_out_residuals(system: Shifted, targets: Targets, alpha: Array | float) -> Array:
    """y_i - f_-i(x_i) - b_-i for every item and output."""
    parts = []
    for part, one in _by_alpha(targets, alpha):
        C, _, g = part.bordered(system.solve(part.Z, np.array([one]))[0])
        G = system.inverse_diagonals(np.array([one]))[0] - g * g
        parts.append(C / (targets.s * G)[:, None])
    return np.hstack(parts)


# ---- the proof


@dataclass(frozen=True, kw_only=True)
class RidgeCertificate(Solution):
    """Bounds on the objective (summed over outputs), and the largest entry of rho in units of the largest target."""

    residual: float
    psd: bool | None = None

    def __str__(self) -> str:
        found = f"The normal equations hold to {self.residual:.1e} of the targets."
        if self.psd is False:
            return f"{found} The kernel is not positive semi-definite: that makes a stationary point, not a minimum."
        return (
            f"{found} The objective is within {max(self.relative_gap, 0.0):.1e} (relative) of the best possible: "
            f"primal {self.primal:.8g}, dual {self.dual:.8g}, gap {self.gap:.1e}."
        )


def certify_ridge(
    targets: Targets, answer: Expansion, alpha: Array | float, Ka: Array, *, psd: bool | None = None
) -> RidgeCertificate:
    """The proof of an answer from Ka = K a, whatever way both were found; alpha is one number or one per output."""
    a, w, Y = answer.coef, targets.weight[:, None], targets.Y
    r = Y - answer.intercept - Ka
    rho = r - alpha * a / w
    with np.errstate(over="ignore", invalid="ignore"):  # of a system that was not solved; its residual says so
        primal = float(np.sum(w * r * r) + np.sum(alpha * a * Ka))
        gap = float(np.sum(w * rho * rho))
    residual = float(np.abs(rho).max(initial=0.0) / max(np.abs(Y).max(initial=0.0), 1e-300))
    if targets.intercept:  # and the residuals must balance: sum_i w_i r_i = alpha sum_i a_i = 0
        unbalanced = np.abs(alpha * a.sum(axis=0)) / np.maximum(np.sum(w * np.abs(Y), axis=0), 1e-300)
        residual = max(residual, float(unbalanced.max()))
    done = residual <= _SOLVED
    return RidgeCertificate(
        primal=primal, dual=primal - gap, n_iter=1, converged=done,
        reason="converged" if done else "ill-conditioned", residual=residual, psd=psd,
    )  # fmt: skip


def checked_alphas(owner: str, alpha: object) -> Array:
    """alpha as an array of finite numbers >= 0."""
    try:
        alphas = np.atleast_1d(np.asarray(alpha, dtype=float))
    except (TypeError, ValueError):
        alphas = np.array([np.nan])
    if alphas.ndim != 1 or not alphas.size or not np.isfinite(alphas).all() or (alphas < 0.0).any():
        raise bad(owner, "alpha", "a number >= 0, or several", repr(alpha), "It multiplies |f|^2; 1.0 is the default.")
    return alphas
