"""Explicit feature maps: monomials with the weights that make their inner product a kernel.

Such maps grow like C(D + M, M), so a map of more than LIMIT numbers is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from mercer.errors import MemoryBudgetError
from mercer.items import Vectors
from mercer.typing import Array

LIMIT = 2**27  # numbers in one explicit map: 1 GiB of float64

binomial = math.comb


def guard(owner: str, n: int, p: int) -> None:
    """Refuse an explicit map of n x p numbers that is larger than LIMIT."""
    if n * p > LIMIT:
        raise MemoryBudgetError(
            f"{owner}: the explicit map has {p} features for each of {n} items, over the limit of {LIMIT} numbers. "
            "Use the kernel itself: it never forms the map."
        )


def dense(X: Any, owner: str) -> Array:
    """X as a dense array of vectors."""
    V = Vectors.check(X, owner)
    return np.asarray(V.values.toarray() if V.sparse else V.values)


def multinomial(counts: Iterable[int]) -> int:
    """m! / (i_1! ... i_D!) with m the sum of the counts."""
    counts = list(counts)
    out = math.factorial(sum(counts))
    for c in counts:
        out //= math.factorial(c)
    return out


def monomial_count(D: int, degree: int) -> int:
    """C(D + m - 1, m): how many products of m of D entries there are, with repetition."""
    return math.comb(max(D + degree - 1, 0), degree)


def monomials(X: Array, degrees: Iterable[int], weights: Sequence[float]) -> Array:
    """phi_i(x) = sqrt(w_m m!/(i_1!...i_D!)) x^i over all |i| = m in `degrees`, so <phi, phi'> = sum_m w_m <x, x'>^m."""
    degrees = list(degrees)
    n, D = X.shape
    guard("monomials", n, sum(monomial_count(D, m) for m in degrees))
    columns = []
    for m, w in zip(degrees, weights, strict=True):
        for index in combinations_with_replacement(range(D), m):
            counts = np.bincount(np.array(index, dtype=int), minlength=D)
            columns.append(math.sqrt(w * multinomial(counts)) * np.prod(X[:, list(index)], axis=1))
    return np.stack(columns, axis=1) if columns else np.empty((n, 0))


def ordered_products(X: Array, degree: int) -> Array:
    """1, x_i, x_i x_j, x_i x_j x_k, ...: every ordered product of at most `degree` entries."""
    n, D = X.shape
    guard("ordered products", n, sum(D**m for m in range(degree + 1)))
    levels = [np.ones((n, 1))]
    for _ in range(degree):
        levels.append(tensor(levels[-1], X))
    return np.hstack(levels)


def tensor(F: Array, G: Array) -> Array:
    """All products f_i(x) g_j(x): the feature map of a product of kernels."""
    guard("tensor product", len(F), F.shape[1] * G.shape[1])
    return np.asarray((F[:, :, None] * G[:, None, :]).reshape(len(F), -1))
