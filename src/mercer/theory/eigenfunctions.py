"""Mercer's theorem: a kernel as a sum over the eigenfunctions of its integral operator.

    integral k(x, y) psi_i(y) dmu(y) = lambda_i psi_i(x),     k(x, y) = sum_i lambda_i psi_i(x) conj(psi_i(y))

for a continuous kernel on a compact domain with a finite measure, psi_i orthonormal under mu.  With the measure given
by nodes and weights the operator becomes the matrix W^(1/2) K W^(1/2); its eigenvectors are the eigenfunctions at
the nodes, and Nystrom's formula psi(x) = 1/lambda sum_j w_j k(x, x_j) psi(x_j) gives them everywhere else.

The functions sqrt(lambda_i) psi_i are an orthonormal basis of the kernel's Hilbert space, in which k(x, .) has the
coordinates sqrt(lambda_i) psi_i(x).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.gram import LazyGram
from mercer.kernels.base import Kernel
from mercer.theory.spectrum import positive_part
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Eigensystem:
    """Positive eigenvalues, largest first, and `functions(X)`: the (m, r) values of their eigenfunctions."""

    values: Array
    functions: Callable[[Any], Array]

    def __len__(self) -> int:
        return len(self.values)

    def expansion(self, X: Any, Y: Any = None, terms: int | None = None) -> Array:
        """sum_i lambda_i psi_i(x) conj(psi_i(y)) over the first `terms`."""
        F = self.coordinates(X)[:, :terms]
        G = F if Y is None else self.coordinates(Y)[:, :terms]
        return F @ G.conj().T

    def coordinates(self, X: Any) -> Array:
        """(m, r): sqrt(lambda_i) psi_i(x), the coordinates of k(x, .) in the kernel's Hilbert space."""
        return np.asarray(self.functions(X) * np.sqrt(self.values))

    def function(self, coordinates: Any) -> Callable[[Any], Array]:
        """The function with the given coordinates; <f, g> is the inner product of coordinates, and f(x) = <f, k_x>."""
        f = np.asarray(coordinates)
        if f.shape != self.values.shape:
            raise bad("Eigensystem", "coordinates", f"{len(self)} numbers", f"shape {f.shape}",
                      "Give one per eigenvalue; an eigenvalue 0 has none.")  # fmt: skip
        return lambda X: self.coordinates(X).conj() @ f


def integral_operator(kernel: Kernel, nodes: Any, weights: Any) -> Array:
    """W^(1/2) K W^(1/2): the integral operator of k on a measure given by nodes and weights."""
    root = np.sqrt(_measure(weights))
    gram = LazyGram(kernel, column(nodes))
    if gram.shape[0] != len(root):
        raise bad("integral_operator", "weights", f"one per node ({gram.shape[0]})", f"{len(root)}", "See midpoint.")
    return np.asarray(root[:, None] * gram.dense() * root)


def eigenfunctions(kernel: Kernel, nodes: Any, weights: Any, rank: int | None = None) -> Eigensystem:
    """At most `rank` eigenpairs by Nystrom's method; eigenvalues that are zero to rounding are left out."""
    values, V = positive_part(integral_operator(kernel, nodes, weights), "eigenfunctions")
    values, V = values[:rank], V[:, :rank]
    A = kernel.prepare(column(nodes))
    extension = np.sqrt(_measure(weights))[:, None] * V / values

    def functions(X: Any) -> Array:
        return LazyGram.of(kernel, kernel.prepare(column(X), A.frame), A) @ extension

    return Eigensystem(values, functions)


def column(X: Any) -> Any:
    """A 1-d array of numbers as points on the line; anything else as it is."""
    numbers = isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype.kind in "fiuc"
    return X[:, None] if numbers else X


def _measure(weights: Any) -> Array:
    w = np.asarray(weights, dtype=float)
    if w.ndim != 1 or not (np.isfinite(w).all() and (w > 0.0).all()):
        raise bad("integral_operator", "weights", "positive and finite", "others",
                  "Only a finite measure has a discrete spectrum.")  # fmt: skip
    return w
