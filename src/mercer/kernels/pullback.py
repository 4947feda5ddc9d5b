"""Kernels through a function of the items: k(psi(x), psi(y)), and f(x) k(x, y) f(y)*.

The functions come from the user; they take the whole dataset and return one result per item.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.items import Anything, Items
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.composite import Unary
from mercer.typing import Array, Index


def applied(owner: str, function: Callable[[Any], Any], X: Items) -> Any:
    """function(X) on the user's own data, one result per item."""
    result = function(getattr(X, "values", X))
    sized = hasattr(result, "__len__")  # a sparse matrix has it too, but it raises: use the shape first
    shape = result.shape if hasattr(result, "shape") else (len(result),) if sized else ()
    if shape[:1] != (len(X),):
        raise bad(owner, "the function", f"one result per item ({len(X)})", f"{type(result).__name__} of shape {shape}",
                  "It gets the whole dataset and must keep its length.")  # fmt: skip
    return result


@kernel
class Pullback(Unary):
    """k(psi(x), psi(y)) for a function psi from any items to items that k understands."""

    psi: Callable[[Any], Any] = lambda X: X

    textual = False
    psd_reason = "a kernel of psi(x): its Gram is the inner kernel's Gram of the mapped items"

    @property
    def items(self) -> type[Items]:  # type: ignore[override]
        return Anything

    @property
    def stationary(self) -> bool:  # type: ignore[override]
        return False

    isotropic = stationary

    def prepare_in(self, X: Items, frame: Any, pool: Pool) -> Any:
        mapped = self.kernel.check(applied("Pullback", self.psi, X))
        return self.kernel.prepare_in(mapped, frame, pool)

    def feature_map(self, X: Any) -> Any:
        return self.kernel.feature_map(applied("Pullback", self.psi, self.check(X)))


@dataclass(eq=False)
class WithFactors:
    """Prepared data and the number f(x) of every item."""

    inner: Any
    factors: Array

    def __len__(self) -> int:
        return len(self.factors)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(self.inner[index], self.factors[index])

    @property
    def frame(self) -> Any:
        return self.inner.frame


@kernel
class Modulated(Unary):
    """f(x) k(x, y) f(y)* for a real or complex function f; with k = 1 it is the rank-one kernel f(x) f(y)*."""

    f: Callable[[Any], Any] = lambda X: np.ones(len(X))

    textual = False
    psd_reason = "f(x) k(x, y) f(y)*: features times f(x)"

    @property
    def stationary(self) -> bool:  # type: ignore[override]
        return False

    isotropic = stationary

    def prepare_in(self, X: Items, frame: Any, pool: Pool) -> WithFactors:
        factors = np.asarray(applied("Modulated", self.f, X))
        if factors.shape != (len(X),) or factors.dtype.kind not in "fiubc":
            raise bad("Modulated", "f", "one number per item", f"{factors.dtype} of shape {factors.shape}",
                      "Return a 1-d array.")  # fmt: skip
        if not np.isfinite(factors).all():
            raise bad("Modulated", "f", "finite", f"{factors[~np.isfinite(factors)][0]}", "Mend f, or drop such items.")
        return WithFactors(super().prepare_in(X, frame, pool), factors)

    def block(self, A: WithFactors, B: WithFactors) -> Array:
        return np.asarray(A.factors[:, None] * self.kernel.block(A.inner, B.inner) * B.factors.conj())

    def diag(self, A: WithFactors) -> Array:
        return np.asarray(abs(A.factors) ** 2 * self.kernel.diag(A.inner))

    def vjp(self, A: WithFactors, B: WithFactors, W: Array) -> Array:
        return self.kernel.vjp(A.inner, B.inner, A.factors[:, None] * W * B.factors.conj())

    def feature_map(self, X: Any) -> Any:
        phi = self.kernel.feature_map(X)
        factors = self.prepare(X).factors[:, None]
        return phi.multiply(factors).tocsr() if hasattr(phi, "tocsr") else factors * phi


def rank_one(f: Callable[[Any], Any]) -> Kernel:
    """The kernel f(x) f(y)*."""
    from mercer.kernels.constant import Constant
    from mercer.parameters import Fixed

    return Modulated(Constant(Fixed(1.0)), f)
