"""Symmetry and the 2 x 2 minors of a Gram, in one pass over its tiles.

A positive semi-definite K is Hermitian with k(x, x) >= 0 and |k(x, y)|^2 <= k(x, x) k(y, y), the Cauchy-Schwarz
inequality.  A pair that violates it refutes the kernel.  How much it does is measured by the smaller eigenvalue
of its 2 x 2 minor.  The smallest eigenvalue of K is at most that, so that one tolerance for rounding serves both.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

import numpy as np

from mercer.engine import fill
from mercer.engine.pool import run
from mercer.engine.tiles import Tile, lower_tiles
from mercer.kernels.checked_values import require_finite
from mercer.typing import Array

KEEP = 100  # how many of the worst pairs are kept

Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Entries:
    """An n x n matrix by its tiles; nothing is assumed of it, not even symmetry."""

    block: fill.Block
    diagonal: Array
    dtype: np.dtype

    def __len__(self) -> int:
        return len(self.diagonal)

    def tile(self, r: slice, c: slice) -> Array:
        """K[r, c], with the exact diagonal."""
        T = np.asarray(self.block(r, c))
        if r == c:
            T = T.copy()
            np.fill_diagonal(T, self.diagonal[r])
        return T

    def hermitian(self, r: slice, c: slice) -> Array:
        """A tile of (K + K*) / 2."""
        return np.asarray(0.5 * (self.tile(r, c) + self.tile(c, r).conj().T))


@dataclass(frozen=True)
class PairScan:
    """What one pass over the tiles has found."""

    size: float  # max |K_ij|
    asymmetry: float  # max |K_ij - conj K_ji| ...
    where: Pair  # ... found here
    minors: tuple[tuple[float, Pair], ...]  # negative eigenvalues of 2 x 2 (and 1 x 1) minors, lowest first


def scan_pairs(K: Entries) -> PairScan:
    """Symmetry and 2 x 2 minors of all pairs, streamed."""
    seen: list[PairScan] = []
    lock = Lock()

    def one(tile: Tile) -> None:
        found = _scan_tile(K, *tile)
        with lock:  # the result does not depend on the order of tiles
            seen[:] = [_merged([*seen, found])]

    run(one, lower_tiles(len(K)))
    return seen[0]


def _scan_tile(K: Entries, r: slice, c: slice) -> PairScan:
    T, U = K.tile(r, c), K.tile(c, r).conj().T
    for tile in (T, U):
        require_finite(
            "certify", tile, "Scale the items, or correct the kernel.", lambda i, j: (r.start + i, c.start + j)
        )
    skew = np.abs(T - U)
    i, j = np.unravel_index(int(skew.argmax()), skew.shape)
    where = (r.start + int(i), c.start + int(j))
    return PairScan(float(np.abs(T).max()), float(skew.max()), where, _minors(K, r, c, 0.5 * (T + U)))


def _minors(K: Entries, r: slice, c: slice, T: Array) -> tuple[tuple[float, Pair], ...]:
    """The lowest negative eigenvalues (a + d)/2 - sqrt((a - d)^2/4 + |b|^2) of the minors in one tile."""
    a, d = K.diagonal[r, None].real.astype(float), K.diagonal[c].real.astype(float)
    b = np.abs(T)
    low = 0.5 * (a + d) - np.hypot(0.5 * (a - d), b)
    low[b**2 <= np.maximum(a, 0.0) * np.maximum(d, 0.0)] = np.inf  # a negative a or d is reported once, as (i, i)
    if r == c:
        low[np.triu_indices(len(low), 1)] = np.inf  # each pair once
        np.fill_diagonal(low, d)
    i, j = np.nonzero(low < 0.0)
    worst = np.lexsort((j, i, low[i, j]))[:KEEP]
    pairs = zip(low[i, j][worst].tolist(), (i[worst] + r.start).tolist(), (j[worst] + c.start).tolist(), strict=True)
    return tuple((value, (p, q)) for value, p, q in pairs)


def _merged(scans: list[PairScan]) -> PairScan:
    asymmetry, where = min((-one.asymmetry, one.where) for one in scans)
    minors = sorted(pair for one in scans for pair in one.minors)[:KEEP]
    return PairScan(max(one.size for one in scans), -asymmetry, where, tuple(minors))


def lowest_vector(K: Entries, pair: Pair) -> Array:
    """The unit u on the items of a pair with the least u* K u."""
    index, M = _minor(K, pair)
    return _spread(K, index, np.linalg.eigh(M + M.conj().T)[1][:, 0])


def asymmetric_witness(K: Entries, pair: Pair) -> tuple[Array, complex]:
    """A unit u on the items of a pair for which u* K u is not real, and that value.

    It is the eigenvector of (K - K*) / 2i with the eigenvalue farthest from 0: for [[1, 1], [-1, 1]] it is
    (1, i) / sqrt 2, with the value 1 + i.
    """
    index, M = _minor(K, pair)
    values, V = np.linalg.eigh((M - M.conj().T) / 2j)
    v = V[:, -1] if values[-1] >= -values[0] else V[:, 0]
    v = v * np.exp(-1j * np.angle(v[0]))  # an eigenvector is free up to a phase: start on the real axis
    return _spread(K, index, v), complex(np.vdot(v, M @ v))


def _minor(K: Entries, pair: Pair) -> tuple[list[int], Array]:
    index = sorted(set(pair))
    return index, np.array([[K.tile(slice(i, i + 1), slice(j, j + 1))[0, 0] for j in index] for i in index])


def _spread(K: Entries, index: list[int], v: Array) -> Array:
    u = np.zeros(len(K), dtype=v.dtype)
    u[index] = v
    return u
