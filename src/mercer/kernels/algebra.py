"""The algebra of kernels: sums, products, scalings and differences.

Each node passes `block`, `diag` and `vjp` on to its children and combines the answers; derivatives are reverse
mode, so no gradient tensor exists.  Sums, products and scalings are positive semi-definite if their children are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer import parameters
from mercer.errors import bad, wrong_kind
from mercer.kernels import maps
from mercer.kernels.base import Kernel, kernel
from mercer.kernels.composite import Nary, Parts, Unary, atom, dense_map
from mercer.kernels.constant import Constant
from mercer.parameters import Bounded, Fixed, LogOrZero, Parameter, hyper, value
from mercer.typing import Array


@kernel
class Sum(Nary):
    """(k1 + k2)(x, y) = k1(x, y) + k2(x, y); its feature map is (phi1, phi2)."""

    infix = True
    psd_reason = "a sum of kernels: u*(K1 + K2)u = u*K1u + u*K2u >= 0"

    def bound_on(self, A: Parts, B: Parts) -> float:
        return sum(self.bounds_on(A, B))

    def block(self, A: Parts, B: Parts) -> Array:
        return _combined(np.add, self.blocks(A, B))

    def diag(self, A: Parts) -> Array:
        return _combined(np.add, [t.diag(a) for t, a in zip(self.terms, A.parts, strict=True)])

    def vjp(self, A: Parts, B: Parts, W: Array) -> Array:
        return np.concatenate([t.vjp(a, b, W) for t, a, b in zip(self.terms, A.parts, B.parts, strict=True)])

    def input_vjp(self, A: Parts, B: Parts, W: Array, X: Array) -> Array:
        pieces = [t.input_vjp(a, b, W, X) for t, a, b in zip(self.terms, A.parts, B.parts, strict=True)]
        return np.asarray(sum(pieces))

    def feature_map(self, X: Any) -> Array:
        return np.hstack([dense_map(t, X) for t in self.terms])

    def dimension(self, D: int) -> int | None:
        counts = self.dimensions(D)
        return None if counts is None else sum(counts)

    def __repr__(self) -> str:
        text = repr(self.terms[0])
        for term in self.terms[1:]:
            text += f" - {atom(term.kernel)}" if isinstance(term, Negated) else f" + {term!r}"
        return text


@kernel
class Product(Nary):
    """(k1 k2)(x, y) = k1(x, y) k2(x, y); its feature map is the tensor product of phi1 and phi2."""

    infix = True
    psd_reason = "a product of kernels: the entrywise product of positive semi-definite matrices is one (Schur)"

    def bound_on(self, A: Parts, B: Parts) -> float:
        return math.prod(max(bound, 1.0) for bound in self.bounds_on(A, B))  # also of the first factors by themselves

    def block(self, A: Parts, B: Parts) -> Array:
        return _combined(np.multiply, self.blocks(A, B))

    def diag(self, A: Parts) -> Array:
        return _combined(np.multiply, [t.diag(a) for t, a in zip(self.terms, A.parts, strict=True)])

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

    def input_vjp(self, A: Parts, B: Parts, W: Array, X: Array) -> Array:
        blocks, total = self.blocks(A, B), np.zeros_like(X)
        for i, (t, a, b) in enumerate(zip(self.terms, A.parts, B.parts, strict=True)):
            others = [block for j, block in enumerate(blocks) if j != i]
            total += t.input_vjp(a, b, np.prod([W, *others], axis=0), X)
        return total

    def feature_map(self, X: Any) -> Array:
        out = dense_map(self.terms[0], X)
        for term in self.terms[1:]:
            out = maps.tensor(out, dense_map(term, X))
        return out

    def dimension(self, D: int) -> int | None:
        counts = self.dimensions(D)
        return None if counts is None else math.prod(counts)

    def __repr__(self) -> str:
        first, *rest = self.terms
        head = repr(first) if isinstance(first, Scaled) else atom(first)
        return " * ".join([head, *map(atom, rest)])


@kernel
class Scaled(Unary):
    """(a k)(x, y) = a k(x, y), a >= 0: the variance of a Gaussian process."""

    infix = True

    psd_reason = "a kernel times a number >= 0"

    factor: Parameter = hyper(1.0, LogOrZero)

    def bound_on(self, A: Any, B: Any) -> float:
        return max(float(value(self.factor)), 1.0) * self.kernel.bound_on(A, B)  # also of the kernel by itself

    def block(self, A: Any, B: Any) -> Array:
        out = self.kernel.block(A, B)
        out *= out.dtype.type(value(self.factor))
        return out

    def diag(self, A: Any) -> Array:
        d = self.kernel.diag(A)
        return np.asarray(d * d.dtype.type(value(self.factor)))

    def vjp(self, A: Any, B: Any, W: Array) -> Array:
        free, factor = parameters.slots(self), value(self.factor)
        if not free:
            return np.asarray(factor * self.kernel.vjp(A, B, W))
        total, inner = self.kernel.value_and_vjp(A, B, W)
        return np.concatenate([free[0].pull(total), factor * inner])

    def jvp_products(self, A: Any, B: Any, V: Array) -> Array | None:
        inner = self.kernel.jvp_products(A, B, V)
        if inner is None:
            return None
        T = value(self.factor) * inner
        return np.concatenate([T[:1], T[:1], T[1:]]) if parameters.slots(self) else T

    def input_vjp(self, A: Any, B: Any, W: Array, X: Array) -> Array:
        return self.kernel.input_vjp(A, B, value(self.factor) * W, X)

    def feature_map(self, X: Any) -> Any:
        return math.sqrt(value(self.factor)) * self.kernel.feature_map(X)

    def distance_of_rows(self, S: Array) -> Array | None:
        inner = self.kernel.distance_of_rows(S) if value(self.factor) > 0.0 else None  # at 0 all items are equal
        return None if inner is None else value(self.factor) * inner

    def dimension(self, D: int) -> int | None:
        return self.kernel.dimension(D)

    def __repr__(self) -> str:
        return f"{self.factor!r} * {atom(self.kernel)}"


@kernel
class Negated(Unary):
    """(-k)(x, y) = -k(x, y): one side of a difference; nothing is known of its positivity."""

    infix = True
    psd = None

    def bound_on(self, A: Any, B: Any) -> float:
        return self.kernel.bound_on(A, B)

    def block(self, A: Any, B: Any) -> Array:
        return -self.kernel.block(A, B)

    def diag(self, A: Any) -> Array:
        return -self.kernel.diag(A)

    def vjp(self, A: Any, B: Any, W: Array) -> Array:
        return self.kernel.vjp(A, B, -W)

    def input_vjp(self, A: Any, B: Any, W: Array, X: Array) -> Array:
        return self.kernel.input_vjp(A, B, -W, X)

    def __repr__(self) -> str:
        return f"-{atom(self.kernel)}"


def _combined(operation: Callable[..., Array], pieces: list[Array]) -> Array:
    """All pieces by one operation; written into the first, a new array, where its number type allows it."""
    out, *rest = pieces
    for piece in rest:
        into = out if np.result_type(out, piece) == out.dtype else None
        out = operation(out, piece, out=into)
    return out


def _is_factor(x: Any) -> bool:
    return isinstance(x, (int, float, np.integer, np.floating, Fixed, Bounded)) and not isinstance(x, bool)


def add(left: Any, right: Any) -> Kernel:
    """left + right; a number is a constant kernel, and the 0 that `sum` starts from is dropped."""
    for a, b in ((left, right), (right, left)):
        if not isinstance(a, (Fixed, Bounded, Kernel)) and _is_factor(a) and a == 0:
            return b  # type: ignore[no-any-return]
    return Sum((_as_term(left), _as_term(right)))


def subtract(left: Any, right: Any) -> Kernel:
    """left - right, whose positivity is unknown."""
    return Sum((_as_term(left), Negated(_as_term(right))))


def multiply(left: Any, right: Any) -> Kernel:
    """left * right; a number scales."""
    for factor, k in ((left, right), (right, left)):
        if _is_factor(factor):
            if np.any(np.asarray(value(factor)) < 0):
                raise bad("scaling", "the factor", "a number >= 0", factor,
                          "Write k1 - k2 if a difference is meant.")  # fmt: skip
            return Scaled(k, factor)
    return Product((_as_kernel(left), _as_kernel(right)))


def divide(k: Kernel, divisor: Any) -> Kernel:
    """k / divisor, which is a number > 0."""
    if isinstance(divisor, (Fixed, Bounded)) or not _is_factor(divisor) or not 0 < divisor < math.inf:
        raise bad("scaling", "the divisor", "a number > 0", repr(divisor), "Write k1 * k2 for a product of kernels.")
    return multiply(1.0 / divisor, k)


def raised(k: Kernel, exponent: Any) -> Kernel:
    """k ** exponent."""
    from mercer.kernels.function_of_kernel import Power

    return Power(k, exponent)


def _as_term(x: Any) -> Kernel:
    return Constant(x) if _is_factor(x) else _as_kernel(x)


def _as_kernel(x: Any) -> Kernel:
    if isinstance(x, Kernel):
        return x
    raise wrong_kind("kernel algebra", "a kernel or a number", repr(x),
                     "Wrap a function as Similarity(f), a feature map as FeatureMap(phi).")  # fmt: skip
