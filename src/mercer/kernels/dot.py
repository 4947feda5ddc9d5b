"""Kernels of the inner product: k(x, y) = f(<x, y>).

A kernel of this family gives `shape` (f on a tile of inner products) and may give `slope` (f').  Inner products are
computed once for all kernels of an expression, radial ones included.
"""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
from numpy.polynomial.polynomial import polyder, polyval

from mercer import parameters
from mercer.errors import bad
from mercer.kernels import maps
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.checked_values import require_finite
from mercer.kernels.function_of_kernel import is_count
from mercer.kernels.prepared_rows import Rows, dot, own, shared_rows
from mercer.native import polynomial
from mercer.parameters import Parameter, Real, hyper, value
from mercer.typing import Array


@kernel
class Dot(Kernel):
    """k(x, y) = f(<x, y>)."""

    psd = True
    finite = True  # rows are refused if a norm overflows, hence |<x, y>| <= |x| |y|; `shape` says whether f does

    def shape(self, G: Array) -> bool:
        """Overwrite G with f(G); returns whether every result is finite."""
        raise NotImplementedError

    def slope(self, G: Array) -> Array | None:
        """f'(G), a new array; None if it is not known, and derivatives in the items then come from differences."""
        return None

    def prepare_in(self, X: Any, frame: Any, pool: Pool) -> Rows:
        return shared_rows(X, pool)

    def bound_on(self, A: Rows, B: Rows) -> float:
        """f(|x| |y|) at the longest rows, for the f of a positive kernel has a power series with coefficients >= 0."""
        if not self.psd or not len(A) or not len(B):
            return self.bound
        G = np.array([[math.sqrt(float(A.sqnorm.max())) * math.sqrt(float(B.sqnorm.max()))]])
        return float(G[0, 0]) if self.shape(G) else math.inf

    def block(self, A: Rows, B: Rows) -> Array:
        return self._shaped(own(dot(A, B)))

    def diag(self, A: Rows) -> Array:
        return self._shaped(A.sqnorm[None, :].copy())[0]  # type: ignore[no-any-return]

    def vjp(self, A: Rows, B: Rows, W: Array) -> Array:
        if A.dtype.kind == "c" and parameters.slots(self):
            raise bad(type(self).__name__, "X", "real where derivatives are wanted", "complex numbers",
                      "Fix its hyper-parameters, or use real and imaginary parts as columns.")  # fmt: skip
        return super().vjp(A, B, W)

    def input_vjp(self, A: Rows, B: Rows, W: Array, X: Array) -> Array:
        """d<a, b>/da = b."""
        slope = self.slope(dot(A, B)[0])
        return super().input_vjp(A, B, W, X) if slope is None else np.asarray((W * slope) @ B.values)

    def _shaped(self, G: Array) -> Array:
        if not self.shape(G):
            require_finite(self, G, "Scale the data down, or lower gamma or the degree.")
        return G


def check_degree(owner: str, degree: Any) -> None:
    """Refuse a degree that is not an integer >= 0."""
    if not is_count(degree):
        raise bad(owner, "degree", "an integer >= 0", degree, "Degree 0 is the constant 1.")


@kernel
class Linear(Dot):
    """k(x, y) = <x, y>; the feature map is the identity."""

    psd_reason = "the inner product itself"

    def shape(self, G: Array) -> bool:
        return True

    def slope(self, G: Array) -> Array | None:
        return np.ones_like(G)

    def feature_map(self, X: Any) -> Any:
        return self.prepare(X).values

    def dimension(self, D: int) -> int | None:
        return D

    def distance_of_rows(self, S: Array) -> Array | None:
        return S


@kernel
class Polynomial(Dot):
    """k(x, y) = (gamma <x, y> + offset)^degree; its features are all monomials up to the degree."""

    degree: float = 3
    gamma: Parameter = hyper(1.0)
    offset: Parameter = hyper(1.0, Real, low=1e-5, high=1e5)

    psd_reason = "an inner product of features: all monomials up to the degree, with binomial weights >= 0"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.degree, numbers.Real) or not 0 < self.degree < np.inf:
            raise bad("Polynomial", "degree", "a positive integer", repr(self.degree), "Degree 1 is an affine kernel.")
        if isinstance(self.degree, float) and self.degree.is_integer():
            object.__setattr__(self, "degree", int(self.degree))

    @property
    def psd(self) -> bool | None:  # type: ignore[override]
        return True if value(self.offset) >= 0.0 and is_count(self.degree) else None

    def shape(self, G: Array) -> bool:
        finite = affine_power(G, value(self.gamma), value(self.offset), self.degree)
        if not finite and not is_count(self.degree) and np.isnan(G).any():
            raise bad("Polynomial", "degree", "an integer where gamma <x, y> + offset is negative", self.degree,
                      "Other powers of a negative number are not real.")  # fmt: skip
        return finite

    def slope(self, G: Array) -> Array | None:
        return np.asarray(self.degree * value(self.gamma) * self._lowered(G))

    def parameter_gradients(self, A: Rows, B: Rows, W: Array) -> dict[str, Any]:
        G, _ = dot(A, B)
        M = self._lowered(G)
        M *= self.degree * W
        return {"gamma": float(np.vdot(M, G)), "offset": float(M.sum())}

    def _lowered(self, G: Array) -> Array:
        """(gamma G + offset)^(degree - 1), as a new array."""
        M = G.copy()
        affine_power(M, value(self.gamma), value(self.offset), self.degree - 1)
        return M

    def feature_map(self, X: Any) -> Any:
        if self.psd is None:
            return super().feature_map(X)
        M, gamma, r = int(self.degree), value(self.gamma), value(self.offset)
        weights = [maps.binomial(M, m) * r ** (M - m) * gamma**m for m in range(M + 1)]
        return maps.monomials(maps.dense(X, "Polynomial"), range(M + 1), weights)

    def dimension(self, D: int) -> int | None:
        return math.comb(D + int(self.degree), int(self.degree)) if self.psd else None


@kernel
class Homogeneous(Dot):
    """k(x, y) = <x, y>^degree; its features are all monomials of exactly that degree."""

    degree: int = 2

    psd_reason = "an inner product of features: all monomials of that degree"

    def __post_init__(self) -> None:
        check_degree("Homogeneous", self.degree)

    def shape(self, G: Array) -> bool:
        return affine_power(G, 1.0, 0.0, self.degree)

    def slope(self, G: Array) -> Array | None:
        return np.asarray(self.degree * G ** max(self.degree - 1, 0))

    def feature_map(self, X: Any) -> Array:
        return maps.monomials(maps.dense(X, "Homogeneous"), [self.degree], [1.0])

    def dimension(self, D: int) -> int | None:
        return maps.monomial_count(D, self.degree)


@kernel
class Geometric(Dot):
    """k(x, y) = sum_{m=0..degree} <x, y>^m; its features are all ordered products of up to `degree` entries."""

    degree: int = 3

    psd_reason = "a sum of powers of the inner product"

    def __post_init__(self) -> None:
        check_degree("Geometric", self.degree)

    def shape(self, G: Array) -> bool:
        return bool(polynomial.horner(G, np.ones(self.degree + 1)))

    def slope(self, G: Array) -> Array | None:
        return np.asarray(polyval(G, polyder(np.ones(self.degree + 1))))

    def feature_map(self, X: Any) -> Array:
        return maps.ordered_products(maps.dense(X, "Geometric"), self.degree)

    def dimension(self, D: int) -> int | None:
        return int(sum(D**m for m in range(self.degree + 1)))


@kernel
class Sigmoid(Dot):
    """k(x, y) = tanh(gamma <x, y> + offset).  Not positive semi-definite: a similarity, not a Mercer kernel."""

    gamma: Parameter = hyper(1.0)
    offset: Parameter = hyper(0.0, Real, low=-1e3, high=1e3)

    psd = False

    def shape(self, G: Array) -> bool:
        G *= value(self.gamma)
        G += value(self.offset)
        np.tanh(G, out=G)
        return True

    def slope(self, G: Array) -> Array | None:
        T = np.tanh(value(self.gamma) * G + value(self.offset))
        return np.asarray(value(self.gamma) * (1.0 - T * T))

    def parameter_gradients(self, A: Rows, B: Rows, W: Array) -> dict[str, Any]:
        G, _ = dot(A, B)
        M = G.copy()
        self.shape(M)
        M = W * (1.0 - M * M)
        return {"gamma": float(np.vdot(M, G)), "offset": float(M.sum())}


def affine_power(G: Array, scale: float, offset: float, degree: float) -> bool:
    """Overwrite G with (scale G + offset)^degree; returns whether every result is finite."""
    if is_count(degree) and degree > 0:
        return bool(polynomial.affine_power(G, scale, offset, degree))
    with np.errstate(invalid="ignore", over="ignore"):
        G[...] = (scale * G + offset) ** degree
    return bool(np.isfinite(G).all())
