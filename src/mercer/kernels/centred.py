"""Centring: the kernel of features from which the mean over a training set is subtracted.

    kc(x, y) = k(x, y) - m(x) - m(y)* + M,   m(x) = mean_t k(x, t),   M = mean_t m(t)

The training set is the frame: test items are centred with the training means.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from mercer.engine import fill
from mercer.errors import bad
from mercer.items import Items
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.checked_values import tile
from mercer.kernels.composite import Unary
from mercer.typing import Array, Index


@dataclass(frozen=True, eq=False)
class Training:
    """The training items, as they were and as the inner kernel prepares them, and the mean M of their means."""

    kernel: Kernel
    source: Items
    items: Any
    grand: float

    @property
    def frame(self) -> Any:
        return self.items.frame

    def means(self, P: Any) -> Array:
        """m(x) for prepared items."""
        return _means(self.kernel, P, self.items)

    def mean_slopes(self, P: Any) -> Array:
        """(len(P), p): the derivative of every m(x) in theta."""
        w = np.full((1, len(self.items)), 1.0 / len(self.items))
        return np.array([self.kernel.vjp(P[i : i + 1], self.items, w) for i in range(len(P))])

    @cached_property
    def grand_slope(self) -> Array:
        """The derivative of M in theta."""
        return np.asarray(self.mean_slopes(self.items).mean(axis=0))


def _means(k: Kernel, P: Any, T: Any) -> Array:
    """mean_t k(x, t) for every x of P, streamed."""
    number = np.result_type(tile(k, T[:1], T[:1]), np.float64)  # double precision, complex if k is
    weights = np.full((len(T), 1), 1.0 / len(T), dtype=number)
    return fill.cross_product(lambda r, c: tile(k, P[r], T[c]), (len(P), len(T)), weights)[:, 0]


@dataclass(eq=False)
class WithMeans:
    """Prepared items with m(x).

    A slice keeps the whole dataset and its positions in it, so that derivatives of the means are computed only once.
    """

    inner: Any
    means: Array
    frame: Training
    whole: WithMeans | None = None
    index: Array = field(default_factory=lambda: np.empty(0, dtype=np.intp))

    def __len__(self) -> int:
        return len(self.means)

    def __getitem__(self, index: Index) -> Self:
        whole = self.whole or self
        places = np.arange(len(self))[index] if self.whole is None else self.index[index]
        return type(self)(self.inner[index], self.means[index], self.frame, whole, places)

    @cached_property
    def all_slopes(self) -> Array:
        return self.frame.mean_slopes(self.inner)

    @property
    def slopes(self) -> Array:
        return self.all_slopes if self.whole is None else self.whole.all_slopes[self.index]


@kernel
class Centred(Unary):
    """<phi(x) - mu, phi(y) - mu> with mu the mean of phi over the items the kernel is fitted to."""

    learned = True
    psd_reason = "the inner product of features from which their mean is taken"

    stationary = False  # moving x and y together changes their means over the training set
    isotropic = False

    def prepare_in(self, X: Any, frame: Training | None, pool: Pool) -> WithMeans:
        if frame is None:
            return self._learn(X, None, pool)
        if frame.kernel != self.kernel:  # the hyper-parameters have changed since the means were computed
            frame = self._learn(frame.source, frame.frame, {}).frame
        inner = super().prepare_in(X, frame.frame, pool)
        return WithMeans(inner, frame.means(inner), frame)

    def _learn(self, X: Items, frame: Any, pool: Pool) -> WithMeans:
        if not len(X):
            raise bad("Centred", "the training set", "at least one item", "none", "Call the kernel on data first.")
        inner = super().prepare_in(X, frame, pool)
        means = _means(self.kernel, inner, inner)
        return WithMeans(inner, means, Training(self.kernel, X, inner, means.mean().real))

    def block(self, A: WithMeans, B: WithMeans) -> Array:
        K = self.kernel.block(A.inner, B.inner)
        return (K - A.means[:, None] - B.means.conj() + A.frame.grand).astype(K.dtype, copy=False)

    def diag(self, A: WithMeans) -> Array:
        d = self.kernel.diag(A.inner)
        return (d - 2.0 * A.means.real + A.frame.grand).astype(d.dtype, copy=False)

    def vjp(self, A: WithMeans, B: WithMeans, W: Array) -> Array:
        inner = self.kernel.vjp(A.inner, B.inner, W)
        means = W.sum(axis=1) @ A.slopes + W.sum(axis=0) @ B.slopes
        return np.asarray(inner - means + W.sum() * A.frame.grand_slope)
