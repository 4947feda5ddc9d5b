"""Approximate inverses of ridge systems (batched_systems.py): M^-1 (A + alpha I) is to be near the identity.

`LowRankInverse`: some columns of a Cholesky factor, K ~ L L', serve all cells.  With L_f = P S L,

    M = L_f L_f' + m I,     M^-1 = (I - L_f (L_f'L_f + m I)^-1 L_f') / m,     m = alpha + tr(K - L L') / n

m stands for alpha and for the mean eigenvalue of what L leaves of K.  A large alpha needs the first columns only.

`ShiftedFactor`: where alpha is too small for few columns, the whole matrix of a column f is factorised in single
precision, once for all alphas near a shift p:

    M = A + p I,      eigenvalues of M^-1 (A + alpha I)  between 1 and alpha / p,  up to rounding
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mercer.linalg import blas
from mercer.linalg.partial_cholesky import partial_cholesky
from mercer.native import halves, triangles
from mercer.solvers.ridge.batched_systems import Column, Systems
from mercer.typing import Array

_TRACE_LEFT = 100.0  # columns are added until tr(K - L L') <= 100 alpha
_ITEMS_PER_COLUMN = 5  # L has at most n / 5 columns
_INVERSE_MEMORY = 2.2  # entries of the inverses of all cells together, in units of the entries of K
_ROUNDING = 6e-8  # least shift in units of the trace: with less, rounding may make a float32 matrix indefinite
_NEGLIGIBLE = 1e-10  # entries below this times the shift become 0: their products would be subnormal, which is slow


@dataclass(frozen=True, eq=False)
class LowRankInverse:
    """M^-1 from columns L, one m for every alpha and one (L_f'L_f + m I)^-1 for every cell."""

    systems: Systems
    L: Array
    m: Array
    inverses: dict[int, Array] = field(default_factory=dict)

    @classmethod
    def of(cls, systems: Systems) -> LowRankInverse:
        """As many columns as the smallest alpha needs, within the limits above."""
        n = len(systems.K)
        inverses = len({id(column.s) for column in systems.columns}) * len(systems.alphas)
        most = min(n // _ITEMS_PER_COLUMN, int(n * np.sqrt(_INVERSE_MEMORY / inverses)))
        found = partial_cholesky(systems.K, most, _TRACE_LEFT * float(systems.alphas.min()))
        ranks = np.array([found.rank(_TRACE_LEFT * float(alpha)) for alpha in systems.alphas])
        made = cls(systems, found.L, systems.alphas + found.left[ranks] / n)
        if made.rank:
            made._invert(ranks)
        return made

    @property
    def rank(self) -> int:
        """The number of columns."""
        return int(self.L.shape[1])

    def _invert(self, ranks: Array) -> None:
        """Make the inverses; outputs of a fold share them."""
        columns = self.systems.columns
        base = np.asarray(np.max([column.s for column in columns], axis=0))
        whole = _gram(self.L, base)
        made: dict[int, list[Array | None]] = {}
        for f, column in enumerate(columns):
            if id(column.s) not in made:
                G = _gram_of(self.L, column, base, whole)
                made[id(column.s)] = [_inverse(G[:r, :r], m) for r, m in zip(ranks.tolist(), self.m, strict=True)]
            for l, H in enumerate(made[id(column.s)]):
                if H is not None:
                    self.inverses[f * len(self.m) + l] = H

    def __call__(self, R: Array, cells: Array) -> Array:
        """M^-1 r for rows r with P r = r."""
        m = self.m[cells % len(self.m), None]
        if not self.inverses:
            return np.asarray(R / m)
        roots = self.systems.roots(cells)
        Y = (R * roots) @ self.L
        for y, cell in zip(Y, cells.tolist(), strict=True):
            H = self.inverses.get(cell)
            r = 0 if H is None else len(H)
            if H is not None:
                y[:r] = H @ y[:r]
            y[r:] = 0.0
        return np.asarray((R - self.systems.project((Y @ self.L.T) * roots, cells)) / m)


def _gram(L: Array, s: Array) -> Array:
    """L'S^2 L."""
    scaled = L if (s == 1.0).all() else L * s[:, None]
    return np.asarray(scaled.T @ scaled)


def _gram_of(L: Array, column: Column, base: Array, whole: Array) -> Array:
    """L_f'L_f; by subtraction from that of all items where fewer are left out than train."""
    s = column.s
    out = np.flatnonzero(s != base)
    few = 2 * len(out) < len(s) and not s[out].any()
    G = whole - _gram(L[out], base[out]) if few else _gram(L, s)
    if column.intercept:
        level = (s**2 @ L) / np.linalg.norm(s)
        G = G - np.outer(level, level)
    return G


def _inverse(G: Array, m: float) -> Array | None:
    """(G + m I)^-1; None where there is none, or nothing to invert."""
    H = np.array(G, order="C")
    H.flat[:: len(H) + 1] += m
    if not len(H) or blas.cholesky(H) is not None:
        return None
    blas.invert(H)
    blas.square(H)
    triangles.mirror_lower(H)
    return H


@dataclass(frozen=True, eq=False)
class ShiftedFactor:
    """M^-1 of some columns from Cholesky factors in single precision; zero for a column without a factor."""

    systems: Systems
    factors: dict[int, tuple[Array, Array, Array]]  # by column: items, L, and M^-1 s

    @classmethod
    def of(cls, systems: Systems, columns: Sequence[int], shift: float) -> ShiftedFactor:
        """The factors of A + shift I, which the outputs of a fold share."""
        made: dict[int, tuple[Array, Array, Array] | None] = {}
        for f in columns:
            s = systems.columns[f].s
            if id(s) not in made:
                made[id(s)] = _factor(systems.K, s, shift)
        found = {f: made[id(systems.columns[f].s)] for f in columns}
        return cls(systems, {f: factor for f, factor in found.items() if factor is not None})

    def __call__(self, R: Array, cells: Array) -> Array:
        """M^-1 r; with an intercept (M^-1 - u u' / s'u) r, u = M^-1 s."""
        Y = np.zeros_like(R)
        for y, r, f in zip(Y, R, self.systems.column(cells).tolist(), strict=True):
            if f in self.factors:
                items, L, u = self.factors[f]
                solved, s = _solved(L, r[items]), self.systems.columns[f].s[items]
                y[items] = solved - u * (s @ solved / (s @ u)) if self.systems.columns[f].intercept else solved
        return Y


def _factor(K: Array, s: Array, shift: float) -> tuple[Array, Array, Array] | None:
    """The items of a column, the factor of their A + shift I, and M^-1 s; None where there is none."""
    items = np.flatnonzero(s)
    shift = max(shift, _ROUNDING * float(s**2 @ np.diagonal(K)))
    A = np.empty((len(items), len(items)), dtype=np.float32)
    halves.scaled_half(K, items, s, _NEGLIGIBLE * shift, A)
    A.flat[:: len(A) + 1] += np.float32(shift)
    return None if blas.cholesky(A) is not None else (items, A, _solved(A, s[items]))


def _solved(L: Array, r: Array) -> Array:
    """(L L')^-1 r, scaled so that single precision holds it."""
    size = float(np.abs(r).max(initial=0.0)) or 1.0
    x = (r / size).astype(np.float32)
    blas.substitute(x, L)
    blas.substitute(x, L, transposed=True)
    return np.asarray(x.astype(np.float64) * size)
