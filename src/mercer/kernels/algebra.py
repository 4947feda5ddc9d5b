"""Composed kernels: sums, products, scalings, powers and functions of kernels.

Each node passes `block`, `diag` and `vjp` on to its children and combines the answers; derivatives are reverse
mode, so no gradient tensor exists.  The closure rules of positive semi-definite kernels set `psd`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.errors import bad, wrong_kind
from mercer.items import Items
from mercer.kernels import maps
from mercer.kernels.base import Kernel, Pool, kernel, same_kind
from mercer.kernels.constant import Constant
from mercer.kernels.dot import power
from mercer.parameters import Bounded, Fixed, LogOrZero, Parameter, hyper, value
from mercer.typing import Array, Index


@dataclass(eq=False)
class Parts:
    """The prepared data of several kernels; parts that are one object stay one object when sliced."""

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
    def psd(self) -> bool | None:
        return True if all(child.psd is True for child in self.children) else None

    def check(self, X: Any) -> Items:
        return self.items.check(X, repr(self))

    def prepare_in(self, X: Items, frame: Any, pool: Pool) -> Any:
        frames = frame or (None,) * len(self.children)
        parts = (child.prepare_in(child.check(X), f, pool) for child, f in zip(self.children, frames, strict=True))
        return Parts(tuple(parts))


@kernel
class Nary(Composite):
    """A node over any number of kernels."""

    terms: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        if not self.terms or not all(isinstance(t, Kernel) for t in self.terms):
            raise bad(type(self).__name__, "terms", "a tuple of kernels", repr(self.terms), "Pass at least one kernel.")
        same_kind(type(self).__name__, self.terms)

    @property
    def children(self) -> tuple[Kernel, ...]:
        return self.terms

    def with_children(self, children: tuple[Kernel, ...]) -> Self:
        return type(self)(children)

    def blocks(self, A: Parts, B: Parts) -> list[Array]:
        return [t.block(a, b) for t, a, b in zip(self.terms, A.parts, B.parts, strict=True)]


@kernel
class Sum(Nary):
    """(k1 + k2)(x, y) = k1(x, y) + k2(x, y); its feature map is (phi1, phi2)."""

    def block(self, A: Parts, B: Parts) -> Array:
        return _folded(np.add, self.blocks(A, B))

    def diag(self, A: Parts) -> Array:
        return _folded(np.add, [t.diag(a) for t, a in zip(self.terms, A.parts, strict=True)])

    def vjp(self, A: Parts, B: Parts, W: Array) -> Array:
        return np.concatenate([t.vjp(a, b, W) for t, a, b in zip(self.terms, A.parts, B.parts, strict=True)])

    def feature_map(self, X: Any) -> Array:
        return np.hstack([_dense(t.feature_map(X)) for t in self.terms])

    def __repr__(self) -> str:
        text = repr(self.terms[0])
        for term in self.terms[1:]:
            text += f" - {_atom(term.kernel)}" if isinstance(term, Negated) else f" + {term!r}"
        return text


@kernel
class Product(Nary):
    """(k1 k2)(x, y) = k1(x, y) k2(x, y); its feature map is the tensor product of phi1 and phi2."""

    def block(self, A: Parts, B: Parts) -> Array:
        return _folded(np.multiply, self.blocks(A, B))

    def diag(self, A: Parts) -> Array:
        return _folded(np.multiply, [t.diag(a) for t, a in zip(self.terms, A.parts, strict=True)])

    def vjp(self, A: Parts, B: Parts, W: Array) -> Array:
        """Each factor gets W times the product of all the others, from products before and after it."""
        blocks = self.blocks(A, B)
        after = [W]
        for block in blocks[:0:-1]:
            after.append(after[-1] * block)
        pieces, before = [], None
        for t, a, b, block, rest in zip(self.terms, A.parts, B.parts, blocks, reversed(after), strict=True):
            pieces.append(t.vjp(a, b, rest if before is None else before * rest))
            before = block if before is None else before * block
        return np.concatenate(pieces)

    def feature_map(self, X: Any) -> Array:
        out = _dense(self.terms[0].feature_map(X))
        for term in self.terms[1:]:
            out = maps.tensor(out, _dense(term.feature_map(X)))
        return out

    def __repr__(self) -> str:
        first, *rest = self.terms
        head = repr(first) if isinstance(first, Scaled) else _atom(first)
        return " * ".join([head, *map(_atom, rest)])


@kernel
class Unary(Composite):
    """A node over one kernel."""

    kernel: Kernel

    @property
    def children(self) -> tuple[Kernel, ...]:
        return (self.kernel,)

    def with_children(self, children: tuple[Kernel, ...]) -> Self:
        from dataclasses import replace

        return replace(self, kernel=children[0])

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, Kernel):
            raise bad(type(self).__name__, "kernel", "a kernel", repr(self.kernel), "Pass e.g. RBF(1.0).")
        super().__post_init__()

    def prepare_in(self, X: Items, frame: Any, pool: Pool) -> Any:
        return self.kernel.prepare_in(self.kernel.check(X), frame, pool)


@kernel
class Scaled(Unary):
    """(a k)(x, y) = a k(x, y), a >= 0: the variance of a Gaussian process."""

    factor: Parameter = hyper(1.0, LogOrZero)

    def block(self, A: Any, B: Any) -> Array:
        out = self.kernel.block(A, B)
        out *= out.dtype.type(value(self.factor))
        return out

    def diag(self, A: Any) -> Array:
        d = self.kernel.diag(A)
        return np.asarray(d * d.dtype.type(value(self.factor)))

    def vjp(self, A: Any, B: Any, W: Array) -> Array:
        return np.concatenate([super().vjp(A, B, W), self.kernel.vjp(A, B, value(self.factor) * W)])

    def slopes(self, A: Any, B: Any, W: Array) -> dict[str, Any]:
        return {"factor": float(np.sum(W * self.kernel.block(A, B)))}

    def feature_map(self, X: Any) -> Any:
        return math.sqrt(value(self.factor)) * self.kernel.feature_map(X)

    def __repr__(self) -> str:
        return f"{self.factor!r} * {_atom(self.kernel)}"


@kernel
class Negated(Unary):
    """(-k)(x, y) = -k(x, y): one side of a difference; nothing is known of its positivity."""

    @property
    def psd(self) -> bool | None:
        return None

    def block(self, A: Any, B: Any) -> Array:
        return -self.kernel.block(A, B)

    def diag(self, A: Any) -> Array:
        return -self.kernel.diag(A)

    def vjp(self, A: Any, B: Any, W: Array) -> Array:
        return self.kernel.vjp(A, B, -W)

    def __repr__(self) -> str:
        return f"-{_atom(self.kernel)}"


class Function(Unary):
    """g(k(x, y)) for a scalar function g; a subclass gives g and its derivative."""

    def g(self, K: Array) -> Array:
        raise NotImplementedError

    def dg(self, K: Array) -> Array:
        raise NotImplementedError

    def block(self, A: Any, B: Any) -> Array:
        return self._finite(self.g(self.kernel.block(A, B)))

    def diag(self, A: Any) -> Array:
        return self._finite(self.g(self.kernel.diag(A)))

    def vjp(self, A: Any, B: Any, W: Array) -> Array:
        return self.kernel.vjp(A, B, W * self.dg(self.kernel.block(A, B)))

    def _finite(self, out: Array) -> Array:
        if not np.isfinite(out).all():
            raise bad(repr(self), "k(x, y)", "a finite number", "an overflow", "Scale the inner kernel down.")
        return out


@kernel
class Power(Function):
    """k(x, y)^m, m an integer >= 0; the feature map has one entry per monomial of degree m in phi."""

    exponent: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.exponent != int(self.exponent) or self.exponent < 0:
            raise bad(
                "Power", "exponent", "an integer >= 0", self.exponent, "Other powers of a kernel are not kernels."
            )

    def g(self, K: Array) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            return power(K, self.exponent)

    def dg(self, K: Array) -> Array:
        return self.exponent * power(K, self.exponent - 1) if self.exponent else np.zeros_like(K)

    def feature_map(self, X: Any) -> Array:
        return maps.monomials(_dense(self.kernel.feature_map(X)), [self.exponent], [1.0])

    def __repr__(self) -> str:
        return f"{_atom(self.kernel)} ** {self.exponent!r}"


@kernel
class PolynomialOf(Function):
    """p(k(x, y)) = sum_m c_m k(x, y)^m with every c_m >= 0; `coefficients` start at the constant term."""

    coefficients: tuple[float, ...] = (0.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "coefficients", tuple(map(float, self.coefficients)))
        if not self.coefficients or not all(c >= 0.0 for c in self.coefficients):
            raise bad("PolynomialOf", "coefficients", "numbers >= 0", self.coefficients,
                      "A negative coefficient can destroy positive definiteness.")  # fmt: skip

    def g(self, K: Array) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(np.polynomial.polynomial.polyval(K, self.coefficients))

    def dg(self, K: Array) -> Array:
        return np.asarray(np.polynomial.polynomial.polyval(K, np.polynomial.polynomial.polyder(self.coefficients)))

    def feature_map(self, X: Any) -> Array:
        return maps.monomials(_dense(self.kernel.feature_map(X)), range(len(self.coefficients)), self.coefficients)


@kernel
class Exp(Function):
    """exp(k(x, y)), the limit of polynomials in k with coefficients 1/m!."""

    def g(self, K: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(K))

    dg = g


def _folded(operation: Callable[..., Array], pieces: list[Array]) -> Array:
    """Combine fresh arrays in place where their types allow it."""
    out, *rest = pieces
    for piece in rest:
        into = out if np.result_type(out, piece) == out.dtype else None
        out = operation(out, piece, out=into)
    return out


def _dense(phi: Any) -> Array:
    return np.asarray(phi.toarray() if hasattr(phi, "toarray") else phi)


def _atom(k: Kernel) -> str:
    """The text of k, in parentheses where an operator follows or precedes it."""
    return f"({k!r})" if isinstance(k, (Sum, Product, Scaled, Negated, Power)) else repr(k)


def _flat(kind: type[Nary], *kernels: Kernel) -> Nary:
    """(a + b) + c is a + b + c; (a + b) * c stays a product of two."""
    return kind(tuple(t for k in kernels for t in (k.terms if type(k) is kind else (k,))))


def _is_factor(x: Any) -> bool:
    return isinstance(x, (int, float, np.integer, np.floating, Fixed, Bounded)) and not isinstance(x, bool)


def add(left: Any, right: Any) -> Kernel:
    """left + right; a number is a constant kernel, and the 0 that `sum` starts from is dropped."""
    for a, b in ((left, right), (right, left)):
        if not isinstance(a, (Fixed, Bounded, Kernel)) and _is_factor(a) and a == 0:
            return b  # type: ignore[no-any-return]
    return _flat(Sum, _as_term(left), _as_term(right))


def subtract(left: Any, right: Any) -> Kernel:
    """left - right, whose positivity is unknown."""
    return _flat(Sum, _as_term(left), Negated(_as_term(right)))


def multiply(left: Any, right: Any) -> Kernel:
    """left * right; a number scales."""
    for factor, k in ((left, right), (right, left)):
        if _is_factor(factor):
            if value(factor) < 0:
                raise bad("scaling", "the factor", "a number >= 0", factor,
                          "Write k1 - k2 if a difference is meant.")  # fmt: skip
            return Scaled(k, factor)
    return _flat(Product, _as_kernel(left), _as_kernel(right))


def _as_term(x: Any) -> Kernel:
    return Constant(x) if _is_factor(x) else _as_kernel(x)


def _as_kernel(x: Any) -> Kernel:
    if isinstance(x, Kernel):
        return x
    raise wrong_kind("kernel algebra", "a kernel or a number", repr(x),
                     "Wrap a function as Similarity(f), a feature map as FeatureMap(phi).")  # fmt: skip
