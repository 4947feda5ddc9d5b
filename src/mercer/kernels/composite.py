"""Kernels made of other kernels: how their data are prepared and their parts are walked.

The nodes themselves are in algebra.py (sums, products, scalings), function_of_kernel.py (powers, exp), normalised.py,
centred.py and pullback.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.items import Items
from mercer.kernels.base import Kernel, Pool, kernel, same_kind
from mercer.typing import Array, Index


@dataclass(eq=False)
class Parts:
    """The prepared data of several kernels.

    Kernels may share prepared data.  Slicing keeps that: parts that are one object are one object in the slice, too.
    """

    parts: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.parts[0])

    def __getitem__(self, index: Index) -> Self:
        return self.cut(index, {})

    def cut(self, index: Index, memo: dict[int, Any]) -> Self:
        for part in self.parts:
            if id(part) not in memo:
                memo[id(part)] = part.cut(index, memo) if isinstance(part, Parts) else part[index]
        return type(self)(tuple(memo[id(part)] for part in self.parts))

    @property
    def frame(self) -> tuple[Any, ...]:
        return tuple(part.frame for part in self.parts)


class Composite(Kernel):
    """A kernel made of others on the same items."""

    @property
    def items(self) -> type[Items]:  # type: ignore[override]
        return same_kind(type(self).__name__, self.children)

    @property
    def learned(self) -> bool:  # type: ignore[override]
        return any(child.learned for child in self.children)

    @property
    def stationary(self) -> bool:  # type: ignore[override]
        return all(child.stationary for child in self.children)

    @property
    def isotropic(self) -> bool:  # type: ignore[override]
        return all(child.isotropic for child in self.children)

    @property
    def costly(self) -> bool:  # type: ignore[override]
        return any(child.costly for child in self.children)

    @property
    def textual(self) -> bool:  # type: ignore[override]
        return all(child.textual for child in self.children)

    @property
    def psd(self) -> bool | None:  # type: ignore[override]
        return True if all(child.psd is True for child in self.children) else None

    def check(self, X: Any) -> Items:
        kind = self.items
        return X if isinstance(X, kind) else kind.check(X, repr(self))

    def prepare_in(self, X: Items, frame: Any, pool: Pool) -> Any:
        frames = frame or (None,) * len(self.children)
        parts = (child.prepare_in(child.check(X), f, pool) for child, f in zip(self.children, frames, strict=True))
        return Parts(tuple(parts))


@kernel
class Nary(Composite):
    """A node over any number of kernels."""

    terms: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        given = self.terms if isinstance(self.terms, (tuple, list)) else ()
        if len(given) < 2 or not all(isinstance(t, Kernel) for t in given):
            raise bad(type(self).__name__, "terms", "two kernels or more", repr(self.terms), "Pass a tuple of kernels.")
        if isinstance(given, list) or any(type(t) is type(self) for t in given):
            # (a + b) + c is a + b + c; (a + b) * c stays a product of two
            terms = tuple(t for k in given for t in (k.terms if type(k) is type(self) else (k,)))
            object.__setattr__(self, "terms", terms)
        same_kind(type(self).__name__, self.terms)

    @property
    def children(self) -> tuple[Kernel, ...]:
        return self.terms

    def with_children(self, children: tuple[Kernel, ...]) -> Self:
        return type(self)(children)

    def bounds_on(self, A: Parts, B: Parts) -> list[float]:
        return [t.bound_on(a, b) for t, a, b in zip(self.terms, A.parts, B.parts, strict=True)]

    def blocks(self, A: Parts, B: Parts) -> list[Array]:
        """The tile of every term."""
        return [t.block(a, b) for t, a, b in zip(self.terms, A.parts, B.parts, strict=True)]

    def dimensions(self, D: int) -> list[int] | None:
        """The number of features of every term; None if one of them is not known."""
        counts = [count for t in self.terms if (count := t.dimension(D)) is not None]
        return counts if len(counts) == len(self.terms) else None


class Through(Composite):
    """A node over one kernel, whose values it passes on unless a subclass says otherwise."""

    kernel: Kernel

    @property
    def children(self) -> tuple[Kernel, ...]:
        return (self.kernel,)

    def with_children(self, children: tuple[Kernel, ...]) -> Self:
        return replace(self, kernel=children[0])  # type: ignore[type-var]

    @property
    def psd(self) -> bool | None:  # type: ignore[override]
        return True if self.kernel.psd else None

    @property
    def finite(self) -> bool:  # type: ignore[override]
        return self._passes_on and self.kernel.finite

    def bound_on(self, A: Any, B: Any) -> float:
        return self.kernel.bound_on(A, B) if self._passes_on else self.bound

    @property
    def _passes_on(self) -> bool:
        """Whether a subclass leaves the values as they are."""
        return type(self).block is Through.block

    def block(self, A: Any, B: Any) -> Array:
        return self.kernel.block(A, B)

    def diag(self, A: Any) -> Array:
        return self.kernel.diag(A)

    def vjp(self, A: Any, B: Any, W: Array) -> Array:
        return self.kernel.vjp(A, B, W)


@kernel
class Unary(Through):
    """A node that is made of one kernel."""

    kernel: Kernel

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, Kernel):
            raise bad(type(self).__name__, "kernel", "a kernel", repr(self.kernel), "Pass e.g. RBF(1.0).")
        super().__post_init__()

    def prepare_in(self, X: Items, frame: Any, pool: Pool) -> Any:
        return self.kernel.prepare_in(self.kernel.check(X), frame, pool)


def dense_map(k: Kernel, X: Any) -> Array:
    """The explicit features of k on X, as a dense array."""
    phi = k.feature_map(X)
    return np.asarray(phi.toarray() if hasattr(phi, "toarray") else phi)


def atom(k: Kernel) -> str:
    """The text of k, in parentheses when it is an expression of operators."""
    return f"({k!r})" if k.infix else repr(k)
