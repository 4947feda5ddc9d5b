"""Kernels of the inner product: k(x, y) = f(<x, y>).

A kernel of this family gives `shape` (f on a tile of inner products).  Inner products of one expression are
computed once, also where a radial kernel needs them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.kernels import maps
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.rows import ORIGIN, Rows, dot, shared_rows
from mercer.parameters import Parameter, Real, hyper, value
from mercer.typing import Array


@kernel
class Dot(Kernel):
    """k(x, y) = f(<x, y>)."""

    def shape(self, G: Array) -> Array:
        """f(G) as a new array, or G itself where f is the identity."""
        raise NotImplementedError

    def prepare_in(self, X: Any, frame: Any, pool: Pool) -> Rows:
        return shared_rows(X, ORIGIN, None, pool)

    def block(self, A: Rows, B: Rows) -> Array:
        G, owned = dot(A, B)
        out = self.shape(G)
        return out.copy() if out is G and not owned else out

    def diag(self, A: Rows) -> Array:
        return self.shape(A.sqnorm.copy())

    def _finite(self, out: Array) -> Array:
        if not np.isfinite(out).all():
            raise bad(type(self).__name__, "k(x, y)", "a finite number", "an overflow",
                      "Scale the data down, or lower gamma or the degree.")  # fmt: skip
        return out


@kernel
class Linear(Dot):
    """k(x, y) = <x, y>; the feature map is the identity."""

    @property
    def psd(self) -> bool | None:
        return True

    def shape(self, G: Array) -> Array:
        return G

    def feature_map(self, X: Any) -> Any:
        return self.items.check(X, "Linear").values  # type: ignore[attr-defined]


@kernel
class Polynomial(Dot):
    """k(x, y) = (gamma <x, y> + offset)^degree; its features are all monomials up to the degree."""

    degree: int = 3
    gamma: Parameter = hyper(1.0)
    offset: Parameter = hyper(1.0, Real, low=1e-5, high=1e5)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.degree > 0:
            raise bad("Polynomial", "degree", "a positive integer", self.degree, "Degree 1 is an affine kernel.")

    @property
    def psd(self) -> bool | None:
        return True if value(self.offset) >= 0.0 and self.degree == int(self.degree) else None

    def shape(self, G: Array) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            base = value(self.gamma) * G
            base += value(self.offset)
            return self._finite(power(base, self.degree))

    def slopes(self, A: Rows, B: Rows, W: Array) -> dict[str, Any]:
        G, _ = dot(A, B)
        M = W * self.degree * power(value(self.gamma) * G + value(self.offset), self.degree - 1)
        return {"gamma": float(np.vdot(M, G)), "offset": float(M.sum())}

    def feature_map(self, X: Any) -> Array:
        if self.psd is None:
            return super().feature_map(X)  # type: ignore[no-any-return]
        X = maps.dense(X, "Polynomial")
        M, gamma, r = int(self.degree), value(self.gamma), value(self.offset)
        weights = [maps.binomial(M, m) * r ** (M - m) * gamma**m for m in range(M + 1)]
        return maps.monomials(X, range(M + 1), weights)


@kernel
class Homogeneous(Dot):
    """k(x, y) = <x, y>^degree; its features are all monomials of exactly that degree."""

    degree: int = 2

    def __post_init__(self) -> None:
        if self.degree != int(self.degree) or self.degree < 0:
            raise bad("Homogeneous", "degree", "an integer >= 0", self.degree, "Degree 0 is the constant 1.")

    @property
    def psd(self) -> bool | None:
        return True

    def shape(self, G: Array) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            return self._finite(power(G, self.degree))

    def feature_map(self, X: Any) -> Array:
        return maps.monomials(maps.dense(X, "Homogeneous"), [self.degree], [1.0])


@kernel
class Geometric(Dot):
    """k(x, y) = sum_{m=0..degree} <x, y>^m; its features are all ordered products of up to `degree` entries."""

    degree: int = 3

    def __post_init__(self) -> None:
        if self.degree != int(self.degree) or self.degree < 0:
            raise bad("Geometric", "degree", "an integer >= 0", self.degree, "Degree 0 is the constant 1.")

    @property
    def psd(self) -> bool | None:
        return True

    def shape(self, G: Array) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            out = np.ones_like(G)
            for _ in range(self.degree):  # Horner: 1 + g (1 + g (1 + ...))
                out *= G
                out += 1.0
            return self._finite(out)

    def feature_map(self, X: Any) -> Array:
        return maps.ordered_products(maps.dense(X, "Geometric"), self.degree)


@kernel
class Sigmoid(Dot):
    """k(x, y) = tanh(gamma <x, y> + offset).  Not positive semi-definite: a similarity, not a Mercer kernel."""

    gamma: Parameter = hyper(1.0)
    offset: Parameter = hyper(0.0, Real, low=-1e3, high=1e3)

    @property
    def psd(self) -> bool | None:
        return False

    def shape(self, G: Array) -> Array:
        return np.asarray(np.tanh(value(self.gamma) * G + value(self.offset)))

    def slopes(self, A: Rows, B: Rows, W: Array) -> dict[str, Any]:
        G, _ = dot(A, B)
        M = W * (1.0 - self.shape(G) ** 2)
        return {"gamma": float(np.vdot(M, G)), "offset": float(M.sum())}


def power(base: Array, exponent: float) -> Array:
    """base^exponent by repeated squaring when the exponent is a small integer: exact signs, and much faster."""
    if exponent != int(exponent) or not 0 <= exponent <= 64:
        return np.asarray(base**exponent)
    exponent = int(exponent)
    out = None
    while exponent:
        if exponent & 1:
            out = base.copy() if out is None else out * base
        exponent >>= 1
        if exponent:
            base = base * base
    return np.ones_like(base) if out is None else out
