"""Preconditioned conjugate gradients: A x = b for a symmetric positive definite A, from products with A alone.

    aim     z = M^-1 r,    size = <r, z>,          p = z + (size / size before) p
    step    h = size / <p, A p>,                   x += h p,    r -= h A p

M^-1 is the preconditioner: the nearer to A^-1, the fewer steps.  `conjugate_gradients` solves one system to a
tolerance.  `Iteration` is one aim and one step, for solvers that have a rule of their own for when to stop, solve many
systems at once, or want linear images of x (K x, say) without another product.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.typing import Array


def inner(A: Array, B: Array) -> Any:
    """<A, B> over all entries: one system."""
    return np.vdot(A, B)


def row_inner(A: Array, B: Array) -> Array:
    """<a, b> of every row, as a column: one system per row."""
    return np.asarray(np.einsum("ij,ij->i", A, B))[:, None]


class Iteration:
    """The residual R, the direction P, <R, M^-1 R> as `size`, and `sums` that move as x does (x itself, or images)."""

    def __init__(self, R: Array, *sums: Array, dot: Callable[[Array, Array], Any] = inner) -> None:
        self.R, self.sums, self.dot = np.array(R), sums, dot
        self.P = np.zeros_like(self.R)
        self.size: Any = np.inf

    def aim(self, Z: Array) -> Any:
        """Set the direction from the preconditioned residual Z = M^-1 R; <R, Z>."""
        size = self.dot(self.R, Z)
        self.P *= size / self.size
        self.P += Z
        self.size = size
        return size

    def step(self, image: Array, *parts: Array) -> Any:
        """Move along P; `image` is A P, `parts` are what P adds to each of the sums.

        Whether there was a step: there is none where rounding, or an A that is not positive, leaves no descent.
        """
        curved = self.dot(self.P, image)
        good = (self.size > 0.0) & (curved > 0.0)
        h = np.divide(self.size, curved, out=np.zeros_like(curved), where=good)
        for total, part in zip(self.sums, parts, strict=True):
            total += h * part
        self.R -= h * image
        return good

    def keep(self, rows: Array) -> None:
        """Go on with these systems only."""
        self.R, self.P = self.R[rows], self.P[rows]
        self.size = self.size[rows]
        self.sums = tuple(total[rows] for total in self.sums)


def conjugate_gradients(
    times: Callable[[Array], Array], right: Array, *, solve: Callable[[Array], Array], tol: float, most: int
) -> tuple[Array, int]:
    """X with times(X) = right, and the number of products; arrays of any shape.

    `solve` is the preconditioner M^-1.  Ends when the residual in the norm of M^-1 is `tol` of what it was at X = 0, or
    after `most` products.
    """
    state = Iteration(right, np.zeros_like(right))
    size = state.aim(solve(state.R))
    goal, products = tol**2 * size, 0
    while size > goal and products < most and state.step(times(state.P), state.P):
        size = state.aim(solve(state.R))
        products += 1
    return state.sums[0], products
