"""Where the squared distances of classical scaling come from: a kernel, a metric on items, or a given matrix.

Each source offers

    gram(index)            a matrix K whose centred form H K H is that of -1/2 D^2, among all items or some of them
    squares_to(i)          d^2 from every item to item i
    keep(index)            what is needed to place other items
    evaluate(X, A)         sum_j K(x, x_j) A_j for new items
    euclidean              whether the distances are known to be those of vectors
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.metrics import pairwise_distances

from mercer.engine.fill import require_memory
from mercer.engine.tiles import cuts
from mercer.errors import bad
from mercer.estimators.sklearn_private import num_samples, safe_indexing
from mercer.estimators.training_data import Data
from mercer.gram import StoredGram, kernel_distances
from mercer.typing import Array, Gram

_PANEL = 2**22  # distances at a time


@dataclass(frozen=True, eq=False)
class KernelDistances:
    """d^2(x, y) = k(x, x) + k(y, y) - 2 k(x, y); kernel values themselves have the same centred form."""

    data: Data

    def __len__(self) -> int:
        return len(self.data)

    @property
    def euclidean(self) -> bool:
        return bool(self.data.psd)

    @property
    def linear(self) -> bool:
        """Whether distances are those of the rows themselves."""
        return self.data.linear

    def gram(self, index: Array | None = None) -> Gram:
        whole = self.data.double().gram()
        return whole if index is None else whole.sub(index)

    def squares_to(self, i: int) -> Array:
        return np.asarray(kernel_distances(self.data.double().gram(), squared=True).rows(np.array([i]))[0])

    def keep(self, index: Array) -> Self:
        return type(self)(self.data.keep(index))

    def evaluate(self, X: Any, A: Array) -> Array:
        return self.data.evaluate(X, A)


@dataclass(frozen=True, eq=False)
class MetricDistances:
    """Distances of scikit-learn's metrics, or of a function of two items, between items that are kept."""

    items: Any
    metric: str | Callable[[Any, Any], float]
    params: Mapping[str, Any] = field(default_factory=dict)
    euclidean = False

    def __len__(self) -> int:
        return int(num_samples(self.items))

    def gram(self, index: Array | None = None) -> Gram:
        items = self.items if index is None else safe_indexing(self.items, index)
        n = num_samples(items)
        require_memory(f"The distances of {n} items", 8 * n * n, "Pass n_landmarks.")
        return halved(self._between(items, None))

    def squares_to(self, i: int) -> Array:
        return np.asarray(self._between(self.items, safe_indexing(self.items, np.array([i]))))[:, 0] ** 2

    def keep(self, index: Array) -> Self:
        return type(self)(safe_indexing(self.items, index), self.metric, self.params)

    def evaluate(self, X: Any, A: Array) -> Array:
        panels = cuts(num_samples(X), max(1, _PANEL // max(len(self), 1)))
        parts = [self._between(safe_indexing(X, np.arange(r.start, r.stop)), self.items) for r in panels]
        return np.vstack([-0.5 * np.square(part) @ A for part in parts])

    def _between(self, X: Any, Y: Any) -> Array:
        if not callable(self.metric) or hasattr(X, "shape"):
            return np.asarray(pairwise_distances(X, Y, metric=self.metric, **self.params), dtype=float)
        distance = self.metric
        if Y is None:  # each pair once
            D = np.zeros((len(X), len(X)))
            for i, x in enumerate(X):
                D[i, :i] = [distance(x, y, **self.params) for y in X[:i]]
            return D + D.T
        return np.array([[distance(x, y, **self.params) for y in Y] for x in X], dtype=float)


@dataclass(frozen=True, eq=False)
class GivenDistances:
    """A given matrix of distances, of which after `keep` only the positions are left."""

    D: Array | None
    n: int
    index: Array
    euclidean = False

    @classmethod
    def of(cls, D: Array) -> Self:
        """A symmetric matrix of numbers >= 0."""
        from sklearn.utils import check_symmetric

        D = check_symmetric(D, raise_exception=True)
        if float(D.min(initial=0.0)) < 0.0:
            raise bad("ClassicalMDS", "X", "distances >= 0", f"{D.min():.3g}",
                      "Negative values in data are no distances: pass distances, not similarities.")  # fmt: skip
        return cls(D, len(D), np.arange(len(D)))

    def __len__(self) -> int:
        return len(self.index)

    def gram(self, index: Array | None = None) -> Gram:
        assert self.D is not None, "only positions are left after `keep`"
        return halved(np.array(self.D if index is None else self.D[np.ix_(index, index)], dtype=float))

    def squares_to(self, i: int) -> Array:
        assert self.D is not None, "only positions are left after `keep`"
        return np.square(self.D[:, i], dtype=float)

    def keep(self, index: Array) -> Self:
        return type(self)(None, self.n, self.index[index])

    def evaluate(self, X: Any, A: Array) -> Array:
        X = np.asarray(X)
        if X.shape[1] != self.n:
            raise bad("ClassicalMDS", "X", f"distances to the {self.n} items of the fit", f"{X.shape[1]} columns",
                      "Pass one column per item, in their order.")  # fmt: skip
        return np.vstack([-0.5 * np.square(X[r][:, self.index], dtype=float) @ A for r in cuts(len(X))])


def halved(D: Array) -> StoredGram:
    """-1/2 D^2, in the place of D."""
    if not np.isfinite(D).all():
        raise bad("ClassicalMDS", "the metric", "finite", "a distance that is not", "Look for constant rows.")
    np.square(D, out=D)
    D *= -0.5
    return StoredGram.of(D)


DistanceSource = KernelDistances | MetricDistances | GivenDistances


def far_apart(source: DistanceSource, count: int, seed: int) -> Array:
    """`count` items far from each other: each is the farthest from those before it; the first is drawn."""
    first = int(np.random.default_rng(seed).integers(len(source)))
    chosen, nearest = [first], source.squares_to(first)
    while len(chosen) < min(count, len(source)) and nearest.max() > 0.0:
        chosen.append(int(np.argmax(nearest)))
        nearest = np.minimum(nearest, source.squares_to(chosen[-1]))
    return np.sort(np.array(chosen, dtype=np.intp))
