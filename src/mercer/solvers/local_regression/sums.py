"""The sums of local least squares, at m places with P terms and q columns of y.

With weights k_i and terms phi_i of the point i seen from a place,

    A = sum_i w_i k_i phi_i phi_i',        B = sum_i w_i k_i phi_i y_i',        A b = B

The terms are 1, the differences u to the place in each column, and for degree 2 the products of two of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.typing import Array


@dataclass(eq=False)
class Sums:
    """A (P, P, m) and B (P, q, m), the places last.

    A_slopes, B_slopes   their slopes in each of the t widths, with t in front; None if they are not asked for
    A2       A with squared weights k_i^2; None if it is not asked for
    weak     the places where rounding has taken too many digits of A and B; None if there are none
    shift    (m,): the logarithm of what all weights k_i of a place have been divided by; None if that is 0
    """

    A: Array
    B: Array
    A_slopes: Array | None = None
    B_slopes: Array | None = None
    A2: Array | None = None
    weak: Array | None = None
    shift: Array | None = None

    def put(self, at: Array, other: Sums) -> None:
        """Replace some places by those of other sums."""
        for name in ("A", "B", "A_slopes", "B_slopes", "A2"):
            mine = getattr(self, name)
            if mine is not None:
                mine[..., at] = getattr(other, name)
        if other.shift is not None:
            self.shift = np.zeros(self.A.shape[2]) if self.shift is None else self.shift
            self.shift[at] = other.shift


def terms_of(U: Array, degree: int) -> Array:
    """(..., P): the terms of differences U (..., d)."""
    one = np.ones((*U.shape[:-1], 1))
    if degree == 0:
        return one
    if degree == 1:
        return np.concatenate([one, U], axis=-1)
    i, j = np.triu_indices(U.shape[-1])
    return np.concatenate([one, U, U[..., i] * U[..., j]], axis=-1)


def count_terms(columns: int, degree: int) -> int:
    """P."""
    return (1, 1 + columns, 1 + columns + columns * (columns + 1) // 2)[degree]


def translation(V: Array, degree: int) -> Array:
    """(m, P, P): the matrices T with terms(U - v) = T terms(U), for rows v of V."""
    m, d = V.shape
    T = np.zeros((m, count_terms(d, degree), count_terms(d, degree)))
    T[:, 0, 0] = 1.0
    for j in range(d if degree > 0 else 0):
        T[:, 1 + j, 1 + j] = 1.0
        T[:, 1 + j, 0] = -V[:, j]
    if degree == 2:
        pairs = [(i, j) for i in range(d) for j in range(i, d)]
        for row, (i, j) in enumerate(pairs, start=1 + d):
            T[:, row, row] = 1.0
            T[:, row, 1 + j] -= V[:, i]
            T[:, row, 1 + i] -= V[:, j]
            T[:, row, 0] = V[:, i] * V[:, j]
    return T


def empty_sums(P: int, q: int, m: int, t: int, gradient: bool, variance: bool) -> Sums:
    """Room for sums at m places with t widths."""
    sums = Sums(np.zeros((P, P, m)), np.zeros((P, q, m)))
    if gradient:
        sums.A_slopes, sums.B_slopes = np.zeros((t, P, P, m)), np.zeros((t, P, q, m))
    if variance:
        sums.A2 = np.zeros((P, P, m))
    return sums
