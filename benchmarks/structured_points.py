"""Time series, point sets, bits and rankings for the suite "structured".

global alignment     100 series of 100 steps, against tslearn: the same normalised values
Tanimoto             10 000 rows of 2 048 bits, against NumPy: a product of the bits as float64, then the same division
sliced Wasserstein   1 000 sets of 100 points, 50 directions, against a loop over pairs of sets in NumPy, of which one
                     in SHARE is done and the time scaled up
mean embedding       the same sets, all pairs of points, against the mean of scikit-learn's rbf_kernel for each pair of
                     sets, scaled up in the same way
Kendall              2 000 rankings of 50 things, against a product of signs in NumPy
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Agreement, Case, Rival, SelfTimed, close
from mercer.kernels import RBF, GlobalAlignment, Kendall, MeanEmbedding, SlicedWasserstein, Tanimoto
from mercer.typing import Array

STEPS, BITS, POINTS, DIRECTIONS, THINGS = 100, 2048, 100, 50, 50
SHARE = 200  # of the pairs of sets, a loop over them does one in so many


def _series(n: int) -> Array:
    return 0.1 * np.random.default_rng(0).normal(size=(n, STEPS, 1)).cumsum(axis=1)


def _bits(n: int) -> Array:
    return np.packbits(np.random.default_rng(0).random((n, BITS)) > 0.95, axis=1)


def _clouds(n: int) -> Array:
    return np.random.default_rng(0).normal(size=(n, POINTS, 3))


def _orders(n: int) -> list[Array]:
    rng = np.random.default_rng(0)
    return [rng.permutation(THINGS) for _ in range(n)]


def _tslearn(X: Array) -> Array:
    from tslearn.metrics import cdist_gak

    return np.asarray(cdist_gak(X, sigma=1.0))


def _product(X: Array) -> Array:
    members = np.unpackbits(X, axis=1).astype(float)
    common, sizes = members @ members.T, members.sum(axis=1)
    return np.asarray(common / (sizes[:, None] + sizes - common))


def _signs(X: list[Array]) -> Array:
    places = np.argsort(X, axis=1)
    i, j = np.triu_indices(THINGS, 1)
    signs = np.sign(places[:, j] - places[:, i]).astype(float)
    return np.asarray(signs @ signs.T / len(i))


def _some_pairs(value: Callable[[Array, Array], float], X: Array) -> SelfTimed:
    """The values of one pair in SHARE of those on and under the diagonal, and the time for all."""
    n = len(X)
    rows, columns = np.tril_indices(n)
    rows, columns = rows[::SHARE], columns[::SHARE]
    start = time.perf_counter()
    found = np.array([value(X[i], X[j]) for i, j in zip(rows, columns, strict=True)])
    seconds = (time.perf_counter() - start) * n * (n + 1) / 2 / len(rows)
    return SelfTimed(seconds, (rows, columns, found), parts=SHARE)


def _sliced(directions: Array, a: Array, b: Array) -> float:
    apart = np.sort(a @ directions.T, axis=0) - np.sort(b @ directions.T, axis=0)
    return float(np.exp(-0.5 * np.mean(apart**2)))


def _mean(a: Array, b: Array) -> float:
    from sklearn.metrics.pairwise import rbf_kernel

    return float(rbf_kernel(a, b, gamma=0.5).mean())


def _same(_: Any, ours: Array, theirs: Any) -> Agreement:
    if isinstance(theirs, tuple):
        rows, columns, theirs = theirs
        ours = ours[rows, columns]
    return close(ours, theirs, 1e-9)


def _case(name: str, size: int, make: Any, ours: Any, rival: str, theirs: Any, needs: str) -> Case:
    return Case(
        suite="structured",
        name=name,
        size=size,
        small=24,
        data=make,
        ours=ours,
        rivals={rival: Rival(theirs, needs)},
        check=_same,
    )


def cases() -> list[Case]:
    """All of them."""
    sliced = SlicedWasserstein(1.0, projections=DIRECTIONS, quantiles=POINTS)
    slices = partial(_some_pairs, partial(_sliced, sliced._directions(3)))
    return [
        _case("global alignment", 100, _series, GlobalAlignment(1.0), "tslearn", _tslearn, "tslearn"),
        _case("Tanimoto", 10_000, _bits, Tanimoto(), "NumPy", _product, "numpy"),
        _case("sliced Wasserstein", 1_000, _clouds, sliced, "NumPy by pairs", slices, "numpy"),
        _case("mean embedding", 1_000, _clouds, MeanEmbedding(RBF(1.0)), "scikit-learn by pairs",
              partial(_some_pairs, _mean), "sklearn"),
        _case("Kendall", 2_000, _orders, Kendall(), "NumPy", _signs, "numpy"),
    ]  # fmt: skip
