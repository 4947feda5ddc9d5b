"""The reproducing kernel Hilbert space (RKHS) of a kernel.

Its elements are sums of sections, f = sum_j a_j k(x_j, .), with

    <f, g> = sum_jk a_j conj(b_k) k(x_j, y_k),     f(x) = <f, k_x>,     |f(x)|^2 <= <f, f> k(x, x).

The points are any items the kernel understands.  A function has many expansions (repeated or dependent points);
values and inner products are the same for all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import NotPositiveDefinite, bad
from mercer.gram import LazyGram
from mercer.items import Items
from mercer.kernels.base import Kernel
from mercer.theory.spectrum import rounding
from mercer.typing import Array

Part = tuple[Items, Array]


class RKHSFunction:
    """f = sum_j a_j k(x_j, .), stored as parts (points, coefficients): adding functions does not join their points."""

    def __init__(self, kernel: Kernel, points: Any, coefficients: Any) -> None:
        if kernel.learned:
            raise bad("RKHSFunction", "kernel", "the same on all data", repr(kernel), "Use k.fit(X).")
        items, a = kernel.check(points), np.asarray(coefficients)
        if a.shape != (len(items),) or a.dtype.kind not in "fiubc":
            raise bad("RKHSFunction", "coefficients", f"one number per point ({len(items)})", f"shape {a.shape}",
                      "Give as many coefficients as points.")  # fmt: skip
        self.kernel = kernel
        self.parts: tuple[Part, ...] = ((items, a),)

    def _with(self, parts: tuple[Part, ...]) -> RKHSFunction:
        new = object.__new__(RKHSFunction)
        new.kernel, new.parts = self.kernel, parts
        return new

    def __call__(self, X: Any) -> Array:
        """f(x) for every item: sum_j a_j k(x_j, x)."""
        X = self.kernel.check(X)
        # the streamed product has k(x, x_j), of which k(x_j, x) is the conjugate
        terms = [np.conj(LazyGram(self.kernel, X, points) @ np.conj(a)) for points, a in self.parts]
        return np.asarray(np.sum(terms, axis=0))

    def inner(self, other: RKHSFunction) -> Any:
        """<f, g> = sum_jk a_j conj(b_k) k(x_j, y_k)."""
        self._same_space(other)
        pairs = ((p, q) for p in self.parts for q in other.parts)
        return sum(a @ (LazyGram(self.kernel, x, y) @ np.conj(b)) for (x, a), (y, b) in pairs)

    def _same_space(self, other: RKHSFunction) -> None:
        if other.kernel != self.kernel:
            raise bad("RKHSFunction", "both functions", "of one kernel", f"{self.kernel!r} and {other.kernel!r}",
                      "Each kernel has a space of its own.")  # fmt: skip

    def norm(self) -> float:
        """sqrt(<f, f>); a kernel under which <f, f> is negative raises `NotPositiveDefinite`."""
        square = float(np.real(self.inner(self)))
        if square < -self._rounding():
            raise NotPositiveDefinite(
                f"RKHSFunction: <f, f> must be at least 0; got {square:.6g}. "
                f"{self.kernel!r} is not positive semi-definite; see mercer.theory.certify."
            )
        return float(np.sqrt(max(square, 0.0)))

    def _rounding(self) -> float:
        """What rounding can do to <f, f>, from |<f, f>| <= (sum_j |a_j| sqrt k(x_j, x_j))^2."""
        grams = [(LazyGram(self.kernel, points), a) for points, a in self.parts]
        bound = sum(float(np.abs(a) @ np.sqrt(np.abs(gram.diag()))) for gram, a in grams)
        return rounding(sum(len(a) for _, a in self.parts), bound**2, grams[0][0].dtype)

    def __add__(self, other: RKHSFunction) -> RKHSFunction:
        if not isinstance(other, RKHSFunction):
            return NotImplemented
        self._same_space(other)
        return self._with(self.parts + other.parts)

    def __mul__(self, scalar: complex) -> RKHSFunction:
        if not np.isscalar(scalar):
            return NotImplemented
        return self._with(tuple((points, a * scalar) for points, a in self.parts))

    __rmul__ = __mul__

    def __neg__(self) -> RKHSFunction:
        return self * -1.0

    def __sub__(self, other: RKHSFunction) -> RKHSFunction:
        return self + -other

    def __repr__(self) -> str:
        return f"RKHSFunction({self.kernel!r}, {sum(len(a) for _, a in self.parts)} points)"


def section(kernel: Kernel, x: Any) -> RKHSFunction:
    """k_x = k(x, .), the element that evaluates: <f, k_x> = f(x)."""
    return RKHSFunction(kernel, [x], [1.0])
