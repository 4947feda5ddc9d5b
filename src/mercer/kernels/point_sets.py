"""Kernels of sets of points: the mean of a kernel over all pairs, and the Gaussian of a distance between samples."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.items import Anything, Items, PointLists, Vectors
from mercer.items.point_lists import chosen
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.composite import Unary
from mercer.kernels.function_of_kernel import is_count
from mercer.kernels.prepared_points import require_points
from mercer.kernels.prepared_rows import Rows, same_width
from mercer.kernels.radial import RBF
from mercer.parameters import Parameter, hyper
from mercer.typing import Array, Index

_SIDE = 768  # points of one piece of a sum over pairs: such a tile of kernel values stays in the cache
_LONG = 16  # points of a set, in the mean, from which its sum is worth a call of its own


@dataclass(eq=False)
class PointSets:
    """The points of all sets, prepared for a kernel of vectors; set i is rows ends[i] to ends[i + 1] - 1."""

    inner: Any
    ends: Array

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, index: Index) -> Self:
        rows, ends = chosen(self.ends, index)
        return type(self)(self.inner[rows], ends)

    @property
    def frame(self) -> Any:
        return self.inner.frame

    @property
    def sizes(self) -> Array:
        return np.diff(self.ends)

    def pieces(self) -> Iterator[tuple[slice, PointSets]]:
        """Consecutive sets of together about _SIDE points, and their positions; a set is never cut."""
        groups = self.ends[1:] // _SIDE if len(self) else np.empty(0, dtype=np.intp)
        starts = [0, *(np.flatnonzero(np.diff(groups)) + 1).tolist(), len(self)]
        for a, b in itertools.pairwise(starts):
            if b > a:
                yield slice(a, b), self[a:b]


@kernel
class MeanEmbedding(Unary):
    """The mean of a kernel of vectors over all pairs of points: <mu_X, mu_Y>, where mu_X = mean of phi(x) over x in X.

    `GaussianOf(MeanEmbedding(k))` is the Gaussian kernel of the distance between the means, the maximum mean
    discrepancy.
    """

    psd_reason = "an inner product of means of features"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kernel.items not in (Vectors, Anything):
            raise bad("MeanEmbedding", "kernel", "a kernel on vectors", f"{self.kernel!r} on {self.kernel.items.kind}",
                      "Write e.g. MeanEmbedding(RBF(1.0)).")  # fmt: skip

    costly = True

    @property
    def items(self) -> type[Items]:  # type: ignore[override]
        return PointLists

    @property
    def stationary(self) -> bool:  # type: ignore[override]
        return False

    isotropic = stationary

    def prepare_in(self, X: Any, frame: Any, pool: Pool) -> PointSets:
        require_points("MeanEmbedding", X)
        key = ("points", id(X))
        if key not in pool:
            pool[key], pool["alive", id(X)] = Vectors(X.points), X
        return PointSets(self.kernel.prepare_in(pool[key], frame, pool), X.ends)

    def block(self, A: PointSets, B: PointSets) -> Array:
        out: Array | None = None
        right = list(B.pieces())
        for r, a in A.pieces():
            for c, b in right:
                sums = _sums(self.kernel.block(a.inner, b.inner), a, b)
                out = np.empty((len(A), len(B)), dtype=sums.dtype) if out is None else out
                out[r, c] = sums
        if out is None:
            return np.empty((len(A), len(B)))
        out /= A.sizes[:, None].astype(out.real.dtype)
        out /= B.sizes.astype(out.real.dtype)
        return out

    def diag(self, A: PointSets) -> Array:
        one = [self.block(A[i : i + 1], A[i : i + 1])[0, 0].real for i in range(len(A))]
        return np.array(one) if one else np.empty(0)

    def vjp(self, A: PointSets, B: PointSets, W: Array) -> Array:
        """Every pair of points of two sets has the weight of their pair, shared alike."""
        total, W = np.zeros(self.kernel.theta.size), W / A.sizes[:, None] / B.sizes
        for r, a in A.pieces():
            for c, b in B.pieces():
                spread = np.repeat(np.repeat(W[r, c], a.sizes, axis=0), b.sizes, axis=1)
                total += self.kernel.vjp(a.inner, b.inner, spread)
        return total

    def feature_map(self, X: Any) -> Any:
        items: Any = self.check(X)
        phi = self.kernel.feature_map(Vectors(items.points))
        phi = phi.toarray() if hasattr(phi, "toarray") else phi
        return np.add.reduceat(phi, items.ends[:-1], axis=0) / items.lengths[:, None]

    def dimension(self, D: int) -> int | None:
        return self.kernel.dimension(D)


def _sums(K: Array, A: PointSets, B: PointSets) -> Array:
    """The sums of K over the points of each pair of sets."""
    if len(K) < _LONG * len(A):
        rows = np.add.reduceat(K, A.ends[:-1], axis=0)
    else:  # three times faster than reduceat, which does not add whole rows
        rows = np.stack([K[a:b].sum(axis=0) for a, b in itertools.pairwise(A.ends)])
    return np.asarray(np.add.reduceat(rows, B.ends[:-1], axis=1))


@kernel
class SlicedWasserstein(Kernel):
    """k(X, Y) = exp(-d(X, Y)^2 / (2 l^2)), where d is the sliced Wasserstein distance of order 2 between two samples.

    Points are projected on shared directions; along each, d^2 is the mean squared difference of the quantiles of both
    samples, at `quantiles` levels, and the mean of that is taken over the directions.  For sets of `quantiles` points
    each that is the distance of optimal matching itself.  `projections` directions are drawn with the given seed.
    """

    lengthscale: Parameter = hyper(1.0)
    projections: int = 50
    quantiles: int = 100
    seed: int = 0

    items = PointLists
    psd = True
    psd_reason = "the Gaussian kernel of a distance between vectors of quantiles (Schoenberg)"
    bound = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("projections", "quantiles"):
            if not is_count(getattr(self, name)) or getattr(self, name) < 1:
                raise bad("SlicedWasserstein", name, "an integer >= 1", repr(getattr(self, name)), "50 is usual.")
        if not is_count(self.seed) or self.seed >= 2**32:
            raise bad("SlicedWasserstein", "seed", "an integer from 0 to 2^32 - 1", repr(self.seed), "Try 0.")

    @property
    def _gaussian(self) -> RBF:
        return RBF(self.lengthscale)

    def prepare_in(self, X: PointLists, frame: Any, pool: Pool) -> Rows:
        require_points("SlicedWasserstein", X)
        rows = Vectors(self.quantile_vectors(X) if len(X) else np.empty((0, 1)))
        if frame is not None and frame.at is not None and len(X):
            same_width(len(frame.at), rows.width)
        return self._gaussian.prepare_in(rows, frame, {})

    def quantile_vectors(self, X: Any) -> Array:
        """(n, directions * quantiles): vectors whose distances are the sliced distances of the sets."""
        items = PointLists.check(X, "SlicedWasserstein")
        directions = self._directions(items.width)
        levels = (np.arange(self.quantiles) + 0.5) / self.quantiles
        out = np.empty((len(items), self.quantiles, len(directions)))
        for row, points in zip(out, items.values, strict=True):
            order = np.sort(points @ directions.T, axis=0)
            row[...] = order[(levels * len(points)).astype(np.intp)]
        return np.asarray(out.reshape(len(items), -1) / np.sqrt(self.quantiles * len(directions)))

    def _directions(self, width: int) -> Array:
        """(count, width) of length 1; one line is all there is in one dimension."""
        if width == 1:
            return np.ones((1, 1))
        # RandomState, because its numbers are the same in every version of NumPy: they decide on kernel values
        V = np.random.RandomState(self.seed).standard_normal((self.projections, width))
        return np.asarray(V / np.linalg.norm(V, axis=1, keepdims=True))

    def block(self, A: Rows, B: Rows) -> Array:
        return self._gaussian.block(A, B)

    def diag(self, A: Rows) -> Array:
        return self._gaussian.diag(A)

    def parameter_gradients(self, A: Rows, B: Rows, W: Array) -> dict[str, Any]:
        return self._gaussian.parameter_gradients(A, B, W)
