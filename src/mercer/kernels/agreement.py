"""Kernels of subsets of a known set D with a measure mu, mu(D) = 1: what both leave out, and where both agree."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.items import Sets
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.prepared_rows import ORIGIN, Rows, dot, own, rows
from mercer.typing import Array

_CLOSE = 1e-9  # how near to 1 the weights must sum


@kernel
class _OnDomain(Kernel):
    """A kernel of subsets of `domain`; every element has the same measure, or that of `weights`, together 1."""

    domain: tuple[Hashable, ...]
    weights: tuple[float, ...] | None = None
    normalise: bool = False

    items = Sets
    psd = True
    bound = 1.0

    def __post_init__(self) -> None:
        owner = type(self).__name__
        if isinstance(self.domain, (str, bytes)) or not hasattr(self.domain, "__iter__"):
            raise bad(owner, "domain", "the elements that sets may have", repr(self.domain), "Pass a list of them.")
        domain = tuple(self.domain.tolist() if isinstance(self.domain, np.ndarray) else self.domain)
        if not domain or len(set(domain)) < len(domain):
            raise bad(owner, "domain", "one element or more, all different", repr(self.domain), "Name each once.")
        object.__setattr__(self, "domain", domain)
        if self.weights is not None:
            object.__setattr__(self, "weights", _checked(owner, self.weights, len(domain), self.normalise))

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {element: i for i, element in enumerate(self.domain)}

    @property
    def measure(self) -> Array:
        """mu of each element of the domain."""
        if self.weights is None:
            return np.full(len(self.domain), 1.0 / len(self.domain))
        return np.asarray(self.weights)

    def prepare_in(self, X: Sets, frame: Any, pool: Pool) -> Rows:
        """Indicators times sqrt(mu): their inner products are measures of intersections."""
        from scipy.sparse import csr_array

        places = [self._elements(A, row) for row, A in enumerate(X.members)]
        indices = np.concatenate([np.empty(0, dtype=np.int64), *places]).astype(np.int64)
        ends = np.cumsum([0, *map(len, places)])
        shape = (len(X), len(self.domain))
        return rows(csr_array((np.sqrt(self.measure)[indices], indices, ends), shape=shape), ORIGIN)

    def _elements(self, A: frozenset[Any], row: int) -> list[int]:
        outside = [element for element in A if element not in self._places]
        if outside:
            raise bad(type(self).__name__, "X", "subsets of the domain", f"{outside[0]!r} in row {row}",
                      "Add it to the domain, or drop it.")  # fmt: skip
        return sorted(self._places[element] for element in A)


def _checked(owner: str, weights: Any, size: int, normalise: bool) -> tuple[float, ...]:
    mu = np.asarray(weights)
    if mu.shape != (size,) or mu.dtype.kind not in "fiu" or not np.isfinite(mu).all() or mu.min() < 0.0:
        raise bad(owner, "weights", f"{size} finite numbers >= 0, one per element", repr(weights),
                  "A measure is never negative and here never infinite.")  # fmt: skip
    total = float(mu.sum())
    if normalise and total > 0.0:
        mu = mu / total
    elif abs(total - 1.0) > _CLOSE:
        raise bad(owner, "weights", "of sum 1, as mu(D) = 1", f"a sum of {total:g}",
                  "Pass normalise=True to divide by their sum.")  # fmt: skip
    return tuple(float(weight) for weight in mu)


@kernel
class UnionComplement(_OnDomain):
    """k(A, B) = 1 - mu(A ∪ B), the measure of what both sets leave out.

    `domain` lists all elements that sets may have; `weights` are their measures, by default all alike.
    """

    psd_reason = "an inner product of features: the indicators of the complements, by the measure"

    def block(self, A: Rows, B: Rows) -> Array:
        """1 - mu(A) - mu(B) + mu(A ∩ B)."""
        K = own(dot(A, B))
        K += (1.0 - A.sqnorm)[:, None]
        K -= B.sqnorm
        return np.asarray(np.maximum(K, 0.0, out=K))

    def diag(self, A: Rows) -> Array:
        return np.maximum(1.0 - A.sqnorm, 0.0)

    def feature_map(self, X: Any) -> Array:
        """sqrt(mu) of every element that a set leaves out."""
        held = self.prepare(X).values.toarray()
        return np.where(held > 0.0, 0.0, np.sqrt(self.measure))


@kernel
class Agreement(_OnDomain):
    """k(A, B) = 1 - mu(A △ B), the measure of where two sets agree: Intersection plus UnionComplement.

    `domain` lists all elements that sets may have; `weights` are their measures, by default all alike: then k is the
    share of elements on which both agree.
    """

    psd_reason = "an inner product of features: the indicators of the sets and of their complements, by the measure"

    def block(self, A: Rows, B: Rows) -> Array:
        """1 - mu(A) - mu(B) + 2 mu(A ∩ B)."""
        K = own(dot(A, B))
        K *= 2.0
        K += (1.0 - A.sqnorm)[:, None]
        K -= B.sqnorm
        return np.asarray(np.clip(K, 0.0, 1.0, out=K))

    def diag(self, A: Rows) -> Array:
        return np.ones_like(A.sqnorm)

    def feature_map(self, X: Any) -> Array:
        """sqrt(mu) of every element in a set, and then of every one that it leaves out."""
        held = self.prepare(X).values.toarray()
        return np.hstack([held, np.where(held > 0.0, 0.0, np.sqrt(self.measure))])
