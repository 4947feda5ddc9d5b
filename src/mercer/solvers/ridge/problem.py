"""Kernel ridge regression: one linear system, and everything else in closed form.

    minimise  P(f, b) = sum_i w_i (y_i - f(x_i) - b)^2 + alpha |f|^2        over f in the RKHS, and b if asked for

The minimiser is f = sum_i a_i k(., x_i) with (K + alpha W^-1) a + b 1 = y, and 1'a = 0 where there is an intercept,
which is the same as centring in feature space.  With s_i = sqrt(w_i), a = s c and z = s y this is the scaled system

    M c + b s = z,     M = S K S + alpha I,      s'c = 0
    c = G z,           G = M^-1 - u u' / s'u,    u = M^-1 s               (G = M^-1 without an intercept)

and everything else is in closed form:

    leave one out      y_i - f_-i(x_i) - b_-i  =  c_i / (s_i G_ii)
    hat matrix         I - H = alpha G in scaled coordinates, so that
    GCV                n sum_i c_i^2 / (sum_i G_ii)^2                     (over the mean weight)
    dual               D(a) = alpha (2 y'a - a'(K + alpha W^-1) a) <= P
    gap                P - D = sum_i w_i rho_i^2,   rho = y - b - (K + alpha W^-1) a

With features F, K = F F': the dual system of n unknowns and the primal one of as many as there are columns have
the same solution, a = W (y - F v - b) / alpha with v the primal weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mercer.errors import bad
from mercer.typing import Array


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

    def by_alpha(self, alpha: Array | float) -> list[tuple[Targets, float]]:
        """The targets that share an alpha, with it; alpha is one number for all outputs, or one per output."""
        if np.ndim(alpha) == 0:
            return [(self, float(alpha))]
        return [(self.output(j), float(one)) for j, one in enumerate(np.asarray(alpha))]

    def rows(self, index: Array) -> Targets:
        """Some of the items."""
        return Targets(self.Y[index], self.weight[index], self.intercept)

    def plus(self, other: Targets) -> Targets:
        """These items and then others."""
        return Targets(np.vstack([self.Y, other.Y]), np.append(self.weight, other.weight), self.intercept)

    def scale(self, K: Array) -> Array:
        """S K S, written over K."""
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


def checked_alphas(owner: str, alpha: object) -> Array:
    """alpha as an array of finite numbers >= 0."""
    try:
        alphas = np.atleast_1d(np.asarray(alpha, dtype=float))
    except (TypeError, ValueError):
        alphas = np.array([np.nan])
    if alphas.ndim != 1 or not alphas.size or not np.isfinite(alphas).all() or (alphas < 0.0).any():
        raise bad(owner, "alpha", "a number >= 0, or several", repr(alpha), "It multiplies |f|^2; 1.0 is the default.")
    return alphas
