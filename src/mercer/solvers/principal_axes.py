"""Principal axes in the space of a kernel: the leading eigenpairs of the centred Gram.

    H K H v = lambda v,   |v| = 1,   H = I - 11'/n        scores of the training items: sqrt(lambda) v

The scores of other items are one product with kernel values: every v with lambda > 0 has 1'v = 0, so that all the
centring comes down to a constant,

    scores(x) = sum_j k(x, x_j) a_j - m'a,     a = v / sqrt(lambda),   m = K1/n.

K may be any symmetric matrix: with K = -1/2 D^2 of dissimilarities D this is classical scaling.

Three ways to the eigenpairs: LAPACK, for few items or many axes; block Krylov on products with K, which are streamed,
or stored where that fits the memory and saves time; and Nystrom's method, on some of the items (nystroem.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.config import config
from mercer.engine.fill import require_memory
from mercer.engine.pool import run
from mercer.engine.tiles import cuts
from mercer.gram.stored import StoredGram
from mercer.linalg.leading_eigenpairs import PRODUCTS, Eigenpairs, all_eigenpairs, leading_eigenpairs
from mercer.typing import Array, Gram

DENSE, KRYLOV = "dense", "krylov"
TOL = 1e-6  # residuals in units of their eigenvalue, by default: eigenvalues are then right to about its square
SMALL = 400  # items up to which LAPACK takes them all
_MANY = 4  # axes times this: if the items are fewer, LAPACK is faster
_SINGLE_TOL, _SINGLE_ROUNDING = 6e-7, 3e-7  # of the first answer: one product in double precision then proves it
_ALL_VALUES = 1500  # items up to which all eigenvalues are computed to find the negative ones; of more
_MOST_NEGATIVE = 5
_PANEL = 512  # rows of an array that one task multiplies
_FEW_COLUMNS = 100  # columns of rows up to which streaming native tiles again costs little more than reading them


@dataclass(frozen=True, eq=False)
class Axes:
    """The axes that were found.

    values      eigenvalues in descending order; vectors (n, count) are their unit vectors
    residuals   |H K H v - lambda v|: an eigenvalue of the centred Gram lies within it of lambda
    level       m'v of each vector, m the means of the rows of K
    total       the trace of the centred Gram, the sum of all eigenvalues
    products    with blocks of vectors that it took
    """

    values: Array
    vectors: Array
    residuals: Array
    level: Array
    total: float
    products: int
    converged: bool
    solver: str

    def projection(self) -> tuple[Array, Array]:
        """(A, b) with scores k(x, items) @ A + b; zero for axes without variance."""
        scale = np.divide(1.0, np.sqrt(np.maximum(self.values, 0.0)), out=np.zeros(len(self.values)),
                          where=self.values > 0.0)  # fmt: skip
        return self.vectors * scale, -self.level * scale


def principal_axes(
    gram: Gram, count: int, *, solver: str = "auto", tol: float = 0.0, seed: int = 0, most: int | None = None
) -> Axes:
    """The first `count` axes; `tol` bounds residuals in units of their eigenvalue, and `most` the products."""
    n, tol, most = len(gram), tol or TOL, most or PRODUCTS
    if solver == DENSE or (solver == "auto" and (n <= SMALL or _MANY * count >= n)):
        require_memory(f"The eigenvectors of {n} x {n}", 24 * n * n, "Ask for fewer components.")
        centred = Centred(_products_of(gram))
        return _axes(all_eigenpairs(centred.dense(gram), count), DENSE, centred, gram)
    rough = _rough(gram, count, seed, most)
    centred = Centred(_products_of(gram) if rough is not None else _stored_if_worth(gram))
    start = None if rough is None else rough.vectors
    found = leading_eigenpairs(centred, n, count, tol=tol, start=start, seed=seed, most=most)
    return _axes(found, KRYLOV, centred, gram, 0 if rough is None else rough.products)


def _axes(found: Eigenpairs, name: str, centred: Centred, gram: Gram, before: int = 0) -> Axes:
    """The axes of eigenpairs, after `before` products with the Gram in single precision."""
    means = centred.means(len(gram))
    total = float(np.sum(gram.diag(), dtype=float) - means.sum())
    return Axes(found.values, found.vectors, found.residuals, means @ found.vectors, total, before + found.products,
                found.converged, name)  # fmt: skip


def signed(V: Array) -> Array:
    """+1 or -1 for every column, so that its entry of largest size becomes positive."""
    largest = V[np.argmax(np.abs(V), axis=0), np.arange(V.shape[1])]
    return np.where(largest < 0.0, -1.0, 1.0)


class Centred:
    """V -> H K H V; the means of the rows of K come with the first product."""

    def __init__(self, gram: Any) -> None:
        self.gram = gram
        self._means: Array | None = None

    def __call__(self, V: Array) -> Array:
        W = V - V.mean(axis=0)
        if self._means is None:
            W = np.column_stack([W, np.full(len(V), 1.0 / len(V), V.dtype)])
        W = self.gram @ W
        if self._means is None:
            self._means, W = W[:, -1].copy(), W[:, :-1]
        W -= W.mean(axis=0)
        return np.asarray(W)

    def means(self, n: int) -> Array:
        """m = K1/n."""
        if self._means is None:
            self._means = np.asarray(self.gram @ np.full(n, 1.0 / n), dtype=float)
        return self._means

    def dense(self, gram: Gram) -> Array:
        """H K H as an array of its own."""
        K = gram.dense().astype(float, copy=isinstance(gram, StoredGram))  # a lazy one makes a new array
        self._means = K.mean(axis=1)
        K -= self._means
        K -= K.mean(axis=1)[:, None]
        return K


class Single:
    """An array in single precision as something to multiply with, in single precision throughout."""

    def __init__(self, K: Array) -> None:
        self.K = K

    def __matmul__(self, V: Array) -> Array:
        V = V.astype(np.float32)
        out = np.empty((len(self.K), V.shape[1]), dtype=np.float32)

        def multiply(r: slice) -> None:
            np.matmul(self.K[r], V, out=out[r])

        run(multiply, cuts(len(self.K), _PANEL))
        return out.astype(np.float64)


class Features:
    """X X' for rows X of few columns, or sparse, as something to multiply with."""

    def __init__(self, X: Any) -> None:
        self.X = X

    def __matmul__(self, V: Array) -> Array:
        return np.asarray(self.X @ (self.X.T @ V), dtype=float)


def _products_of(gram: Any) -> Any:
    """What gives K @ V with the least work: rows of numbers where K = XX' has more rows than columns, else K itself."""
    X = getattr(gram, "linear_rows", None)
    if X is None or (X.shape[1] >= len(gram) and not hasattr(X, "tocsr")):
        return gram
    return Features(X if hasattr(X, "tocsr") else np.asarray(X, dtype=float))


def streams_fast(gram: Any) -> bool:
    """Whether tiles of K are computed about as fast as they are read from memory."""
    rows = getattr(gram, "native_rows", None)
    return rows is not None and rows[1].shape[1] <= _FEW_COLUMNS


def _rough(gram: Any, count: int, seed: int, most: int) -> Eigenpairs | None:
    """Approximate eigenvectors in single precision, stored where that fits; None where it would not save time."""
    if not streams_fast(gram) or gram.native_rows[1].dtype != np.float64:
        return None
    single = gram.single()
    if 4 * len(gram) ** 2 <= config().memory:
        single = Single(single.dense())
    return leading_eigenpairs(Centred(single), len(gram), count, tol=_SINGLE_TOL, rounding=_SINGLE_ROUNDING, seed=seed,
                               most=most)  # fmt: skip


def _stored_if_worth(gram: Any) -> Any:
    """What gives K @ V: K as an array where that is faster than streaming, and fits the memory."""
    products = _products_of(gram)
    if products is not gram or isinstance(gram, StoredGram) or 8 * len(gram) ** 2 > config().memory:
        return products
    return StoredGram.of(gram.dense())


def residuals_of(gram: Gram, values: Array, V: Array) -> Array:
    """|H K H v - lambda v| of given pairs."""
    return np.asarray(np.linalg.norm(Centred(_products_of(gram))(V) - V * values, axis=0))


def total_variance(gram: Gram) -> float:
    """The trace of H K H."""
    return float(np.sum(gram.diag(), dtype=float) - Centred(_products_of(gram)).means(len(gram)).sum())


def negative_eigenvalues(gram: Gram, total: float) -> Array:
    """Those of H K H in ascending order; of many items the most negative ones, to two digits."""
    centred = Centred(_products_of(gram))
    if len(gram) <= _ALL_VALUES:
        values = np.linalg.eigvalsh(centred.dense(gram))
    else:
        found = leading_eigenpairs(lambda V: -centred(V), len(gram), _MOST_NEGATIVE, tol=1e-2, most=20)
        values = -found.values
    rounding = 1e-12 * max(float(np.abs(values).max(initial=0.0)), abs(total))
    return np.asarray(values[values < -rounding])
