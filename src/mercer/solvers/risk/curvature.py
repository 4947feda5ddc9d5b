"""The curvature of a summed loss: one small positive semi-definite matrix W_i per item, with a root W_i = S_i S_i'.

Scores, slopes and directions are (items, outputs) arrays.  With one output W_i is a number; the softmax of k outputs
with probabilities p and weight c has

    W_i = c (diag(p) - p p'),        S_i = sqrt(c) (diag(sqrt p) - p sqrt(p)')
"""

from __future__ import annotations

from typing import Protocol, Self

import numpy as np

from mercer.typing import Array


class Curvature(Protocol):
    """All W_i together, as the maps S and S' and the entries of W."""

    def root(self, U: Array) -> Array: ...

    def root_transposed(self, V: Array) -> Array: ...

    def entry(self, a: int, b: int) -> Array: ...

    def size(self) -> Array: ...

    def take(self, index: Array) -> Self: ...


class Diagonal:
    """One number d_i >= 0 per item."""

    def __init__(self, d: Array) -> None:
        self.d, self.s = d, np.sqrt(d)[:, None]

    def root(self, U: Array) -> Array:
        return np.asarray(self.s * U)

    def root_transposed(self, V: Array) -> Array:
        return np.asarray(self.s * V)

    def entry(self, a: int, b: int) -> Array:
        return self.d

    def size(self) -> Array:
        return self.d

    def take(self, index: Array) -> Diagonal:
        return Diagonal(self.d[index])


class Simplex:
    """The curvature of the softmax: probabilities P (items, classes) and weights c."""

    def __init__(self, P: Array, c: Array) -> None:
        self.P, self.c = P, c
        self.q = np.sqrt(P * c[:, None])

    def root(self, U: Array) -> Array:
        V = self.q * U
        return np.asarray(V - self.P * V.sum(axis=1, keepdims=True))

    def root_transposed(self, V: Array) -> Array:
        return np.asarray(self.q * (V - (self.P * V).sum(axis=1, keepdims=True)))

    def entry(self, a: int, b: int) -> Array:
        return np.asarray(self.c * self.P[:, a] * (float(a == b) - self.P[:, b]))

    def size(self) -> Array:
        return np.asarray(self.c * (1.0 - np.square(self.P).sum(axis=1)))

    def take(self, index: Array) -> Simplex:
        return Simplex(self.P[index], self.c[index])
