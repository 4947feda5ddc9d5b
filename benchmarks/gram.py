"""Suite "gram": the whole n x n Gram matrix.

Rival: scikit-learn in float64, each kernel the fastest way scikit-learn itself offers: metrics.pairwise where it
has the kernel (one matrix product), gaussian_process.kernels.Matern where it has not; the composed kernel is put
together in place from these.  Ours runs in float64 and in float32.

Data are standardised rows and the lengthscale is sqrt(d).  Both are held against direct differences in extended
precision (numpy.longdouble), on random entries and on near pairs, where a distance taken from inner products
loses its digits.  The bound is BOUND[dtype] times max |K|.

Floor: one general matrix product X Y^T into a fresh array (symmetry not exploited: numpy's symmetric product,
which is mirrored afterwards, was slower), which includes the one write of the result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from benchmarks import data
from benchmarks.harness import Agreement, Case, Rival
from mercer.kernels import RBF, Kernel, Linear, Matern, Polynomial
from mercer.typing import Array

BOUND = {"float64": 1e-14, "float32": 2e-6}
RIVAL_BOUND = {"float64": 1e-10, "float32": 1e-5}  # between us and the rival, whose near pairs are less exact

_RANDOM, _NEAR = 3000, 20_000  # entries checked; near pairs are all checked up to this many


@dataclass(frozen=True)
class Contest:
    """One kernel in three hands: ours, scikit-learn's, and on paper (in inner products G, squared distances S)."""

    name: str
    ours: Callable[[float], Kernel]
    sklearn: Callable[[Array, float], Array]
    exact: Callable[[Array, Array, float], Array]


def _sk_rbf(X: Array, scale: float) -> Array:
    from sklearn.metrics.pairwise import rbf_kernel

    return np.asarray(rbf_kernel(X, gamma=0.5 / scale**2))


def _sk_matern(X: Array, scale: float) -> Array:
    from sklearn.gaussian_process import kernels

    return np.asarray(kernels.Matern(scale, nu=2.5)(X))


def _sk_polynomial(X: Array, scale: float) -> Array:
    from sklearn.metrics.pairwise import polynomial_kernel

    return np.asarray(polynomial_kernel(X, degree=3, gamma=1.0 / scale**2, coef0=1.0))


def _sk_composed(X: Array, scale: float) -> Array:
    from sklearn.metrics.pairwise import linear_kernel

    K = _sk_rbf(X, scale)
    K *= linear_kernel(X)
    K += _sk_matern(X, scale)
    return K


def _rbf(G: Array, S: Array, scale: float) -> Array:
    return np.asarray(np.exp(-S / (2 * scale**2)))


def _matern(G: Array, S: Array, scale: float) -> Array:
    t = np.sqrt(5 * S) / scale
    return np.asarray((1 + t + t * t / 3) * np.exp(-t))


def _polynomial(G: Array, S: Array, scale: float) -> Array:
    return np.asarray((G / scale**2 + 1) ** 3)


def _composed(G: Array, S: Array, scale: float) -> Array:
    return np.asarray(_rbf(G, S, scale) * G + _matern(G, S, scale))


CONTESTS = (
    Contest("RBF", RBF, _sk_rbf, _rbf),
    Contest("Matern 5/2", lambda scale: Matern(scale, nu=2.5), _sk_matern, _matern),
    Contest("polynomial", lambda scale: Polynomial(3, gamma=1.0 / scale**2), _sk_polynomial, _polynomial),
    Contest("RBF * linear + Matern", lambda scale: RBF(scale) * Linear() + Matern(scale, nu=2.5),
            _sk_composed, _composed),
)  # fmt: skip


@dataclass(frozen=True)
class Points:
    """The data as we get them, as the rival gets them (float64), and the entries (i, j) to be checked."""

    X: Array
    wide: Array
    pairs: tuple[Array, Array]
    source: str

    @property
    def scale(self) -> float:
        """The lengthscale: sqrt(d), about the distance between two standardised rows."""
        return float(self.X.shape[1] ** 0.5)


@lru_cache(maxsize=2)  # the small and the full size; consecutive cases share them
def _points(source: Callable[[int], data.Table], dtype: str, n: int) -> Points:
    found = source(n)
    X = found.X.astype(dtype)
    wide = X.astype(float)
    return Points(X, wide, _pairs(wide), found.source)


def _pairs(X: Array) -> tuple[Array, Array]:
    """Random entries and near pairs: |x - y|^2 < (|x|^2 + |y|^2) / 32."""
    rng = np.random.default_rng(0)
    near = np.concatenate([_near(X, start) for start in range(0, len(X), 1000)])
    if len(near) > _NEAR:
        near = rng.choice(near, _NEAR, replace=False)
    i, j = np.concatenate([rng.integers(len(X), size=(_RANDOM, 2)), near]).T
    return i, j


def _near(X: Array, start: int) -> Array:
    A = X[start : start + 1000]
    total = (A * A).sum(axis=1)[:, None] + (X * X).sum(axis=1)
    i, j = np.nonzero(total - 2.0 * A @ X.T < total / 32.0)
    return np.asarray(np.stack([i + start, j], axis=1)[i + start != j])


def _exact(contest: Contest, points: Points) -> Array:
    """The entries to be checked, in extended precision from direct differences."""
    pieces = []
    for i, j in zip(*(np.array_split(index, 20) for index in points.pairs), strict=True):
        x, y = points.wide[i].astype(np.longdouble), points.wide[j].astype(np.longdouble)
        pieces.append(contest.exact((x * y).sum(axis=1), ((x - y) ** 2).sum(axis=1), points.scale))
    return np.asarray(np.concatenate(pieces))


def _check(contest: Contest, points: Points, ours: Array, theirs: Array) -> Agreement:
    exact, top = _exact(contest, points), max(float(ours.max()), -float(ours.min()))
    error, rival_error = (float(np.abs(K[points.pairs] - exact).max()) / top for K in (ours, theirs))
    apart = max(float(np.abs(a - b).max()) for a, b in zip(ours, theirs, strict=True)) / top
    kind = ours.dtype.name
    same = error <= BOUND[kind] and apart <= RIVAL_BOUND[kind]
    return Agreement(same, f"error {error:.0e} (rival {rival_error:.0e}), apart {apart:.0e}; {points.source}")


def _floor(points: Points) -> Array:
    return np.asarray(points.X @ points.X.copy().T)  # a copy, or numpy takes the symmetric product


def _case(contest: Contest, where: str, source: Callable[[int], data.Table], dtype: str) -> Case:
    return Case(
        suite="gram",
        name=f"{contest.name}, {where}, {dtype}",
        size=10_000,
        small=400,
        data=partial(_points, source, dtype),
        ours=lambda points: contest.ours(points.scale)(points.X),
        rivals={"scikit-learn": Rival(lambda points: contest.sklearn(points.wide, points.scale), "sklearn")},
        check=partial(_check, contest),
        floor=_floor,
    )


def cases() -> list[Case]:
    """Four kernels on normal data of 8, 54 and 784 columns in two precisions; the Gaussian kernel on real tables."""
    normal = {f"d = {d}": partial(data.gaussian, d=d) for d in (8, 54, 784)}
    real = {name: partial(data.table, name) for name in data.TABLES}
    return [
        *(_case(k, where, X, dtype) for where, X in normal.items() for dtype in BOUND for k in CONTESTS),
        *(_case(CONTESTS[0], where, X, "float64") for where, X in real.items()),
    ]
