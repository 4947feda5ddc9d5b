"""The unitary representation behind a kernel on a finite group (Gelfand and Raikov).

A function p of positive type is p(s) = <U(s) x0, x0> for unitary matrices U(s) with U(s t) = U(s) U(t).  They act on
the space of functions of the kernel k(s, t) = p(t^-1 s) by translation, U(g) phi(s) = phi(g s), and x0 = phi(e).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.kernels.positive_type import PositiveType
from mercer.theory.spectrum import positive_part
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Representation:
    """U(s) for every element of a finite group, with x0, and how far each of its three laws is from true."""

    elements: tuple[Any, ...]
    U: Array  # (|G|, r, r)
    x0: Array  # (r,)
    unitarity: float  # max |U(s)* U(s) - I|
    homomorphism: float  # max |U(s) U(t) - U(s t)|
    reproduction: float  # max |<U(s) x0, x0> - p(s)|

    @property
    def dimension(self) -> int:
        return len(self.x0)


def unitary_representation(kernel: PositiveType) -> Representation:
    """The representation of the group on the functions of the kernel, with its laws checked on all elements."""
    K, group = kernel.matrix, kernel._group
    elements = group.elements or ()
    eigenvalues, V = positive_part(K, "unitary_representation")
    Phi = V * np.sqrt(eigenvalues)
    moved = np.array([[group.places[group.multiply(g, s)] for s in elements] for g in elements])
    U = np.array([Phi[at].T @ (Phi.conj() / eigenvalues) for at in moved])
    x0, unit = Phi[group.places[group.identity]], np.eye(len(eigenvalues))
    products = np.einsum("aij,bjk->abik", U, U)
    return Representation(
        elements,
        U,
        x0,
        unitarity=float(abs(np.einsum("aji,ajk->aik", U.conj(), U) - unit).max()),
        homomorphism=float(abs(products - U[moved]).max()),
        reproduction=float(abs(U @ x0 @ x0.conj() - kernel.p.values).max()),
    )
