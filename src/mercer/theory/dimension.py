"""How many features an explicit map has, counted without making it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mercer.kernels import (
    ANOVA,
    AllSubsets,
    Bilinear,
    Constant,
    Cosine,
    Geometric,
    Homogeneous,
    Kernel,
    Linear,
    Normalised,
    On,
    Polynomial,
    PolynomialOf,
    Power,
    Product,
    Scaled,
    Sum,
)


def dimension(kernel: Kernel, D: int) -> int | None:
    """The features of a kernel on D columns of numbers; None if there are infinitely many, or no formula."""
    count = _COUNTS.get(type(kernel))
    if count is None or not kernel.psd:
        return None
    parts = [dimension(child, _columns(kernel, D)) for child in kernel.children]
    return None if None in parts else count(kernel, parts if parts else D)


def _columns(kernel: Kernel, D: int) -> int:
    """How many columns the kernels inside see."""
    if not isinstance(kernel, On):
        return D
    return len(kernel.columns) if isinstance(kernel.columns, tuple) else 1


def monomials(D: int, degree: int) -> int:
    """C(D + m - 1, m): products of m of D entries, with repetition."""
    return math.comb(max(D + degree - 1, 0), degree)


_COUNTS: dict[type[Kernel], Callable[[Any, Any], int | None]] = {
    Linear: lambda k, D: D,
    Cosine: lambda k, D: D,
    Bilinear: lambda k, D: k.root.shape[1],
    Polynomial: lambda k, D: math.comb(D + k.degree, k.degree),
    Homogeneous: lambda k, D: monomials(D, k.degree),
    Geometric: lambda k, D: sum(D**m for m in range(k.degree + 1)),
    AllSubsets: lambda k, D: 2**D,
    ANOVA: lambda k, D: math.comb(D, k.degree) if k.base is None else None,
    Constant: lambda k, D: 1,
    Sum: lambda k, parts: sum(parts),
    Product: lambda k, parts: math.prod(parts),
    Scaled: lambda k, parts: parts[0],
    Normalised: lambda k, parts: parts[0],
    On: lambda k, parts: parts[0],
    Power: lambda k, parts: monomials(parts[0], k.exponent),
    PolynomialOf: lambda k, parts: sum(monomials(parts[0], m) for m in range(len(k.coefficients))),
}
