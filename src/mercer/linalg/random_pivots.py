"""Items that stand for all: pivots of a Cholesky factor, drawn at random in blocks (accelerated RPCholesky).

    K  ~  G'G,     G (r, n),     d_i = k(x_i, x_i) - |g_i|^2  what is left of item i

Candidates are drawn with probability in proportion to d, a block at a time.  One after the other is accepted with
probability (what is left of it after those accepted before it) / (what was left when the block was drawn).  So the
pivots have the law of the method that draws one at a time, and the work is products of large matrices.  Copies of an
item are never accepted twice.

Chen, Epperly, Tropp and Webber, "Randomly pivoted Cholesky" (2025), and Epperly, Tropp and Webber, "Embrace rejection"
(2024).  `pivoted_cholesky` takes the largest entry each time; `partial_cholesky` is for a matrix that is stored.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.engine.pool import run, tick
from mercer.engine.tiles import cuts
from mercer.errors import NotPositiveDefinite
from mercer.typing import Array, Gram

_BLOCKS = 5  # blocks in which the pivots are drawn, about
_SMALLEST, _LARGEST = 16, 256  # candidates of a block
_COLUMNS = 768  # columns of G that a thread extends at a time


@dataclass(frozen=True, eq=False)
class RandomPivots:
    """The pivots in their order, and the trace of K - G'G before the first block and after every block."""

    index: Array
    left: Array


def random_pivots(gram: Gram, rank: int, *, seed: int = 0) -> RandomPivots:
    """At most `rank` pivots; fewer if nothing but rounding is left before."""
    rng = np.random.default_rng(seed)
    d = np.array(gram.diag(), dtype=float)
    single = np.asarray(gram.rows(np.arange(min(1, len(d))))).dtype == np.float32
    eps = float(np.finfo(np.float32 if single else np.float64).eps)
    largest = float(d.max(initial=0.0))
    least = 50.0 * eps * largest
    _require_positive(float(d.min(initial=0.0)), largest, eps)
    G = np.empty((min(rank, len(d)), len(d)), dtype=np.float32 if single else np.float64)
    pivots: list[int] = []
    left = [float(d.sum())]
    while len(pivots) < len(G) and len(some := np.flatnonzero(d > least)):
        k = len(pivots)
        drawn = rng.choice(some, size=_block(len(G)), p=d[some] / d[some].sum())
        new, C = _accepted(gram, G[:k], drawn, d, rng, least)
        new, C = new[: len(G) - k], C[: len(G) - k, : len(G) - k]
        if not len(new):  # the first of a block is always accepted, unless d is wrong by more than itself
            d[drawn] = 0.0
            continue
        _extend(G, k, new, np.linalg.inv(C), np.asarray(gram.rows(new), dtype=G.dtype), d)
        _require_positive(float(d.min()), largest, eps)
        d[new] = 0.0
        pivots.extend(new.tolist())
        left.append(float(np.maximum(d, 0.0).sum()))
        tick()
    return RandomPivots(np.array(pivots, dtype=np.intp), np.array(left))


def _extend(G: Array, k: int, new: Array, inverse: Array, rows: Array, d: Array) -> None:
    """The next rows of G, C^-1 (K[new] - G[:k, new]'G[:k]), and d after them; some columns for each thread."""
    own, inverse = np.ascontiguousarray(G[:k, new].T), inverse.astype(G.dtype)

    def work(c: slice) -> None:
        part = inverse @ (rows[:, c] - own @ G[:k, c])
        G[k : k + len(new), c] = part
        d[c] -= np.square(part, out=part).sum(axis=0, dtype=float)

    run(work, cuts(len(d), _COLUMNS))


def _block(rank: int) -> int:
    return int(np.clip(rank // _BLOCKS, _SMALLEST, _LARGEST))


def _accepted(
    gram: Gram, G: Array, drawn: Array, d: Array, rng: np.random.Generator, least: float
) -> tuple[Array, Array]:
    """The candidates that are accepted, and the Cholesky factor of what is left of K between them."""
    among, of = np.unique(drawn, return_inverse=True)
    own = G[:, among].astype(float)
    H = np.asarray(gram.values(among, among), dtype=float) - own.T @ own
    H, first = H[np.ix_(of, of)], d[drawn]
    left = H.diagonal().copy()
    columns = np.empty((len(drawn), len(drawn)), order="F")
    taken: list[int] = []
    for j, luck in enumerate(rng.random(len(drawn)).tolist()):
        if left[j] > least and luck * first[j] < left[j]:
            k = len(taken)
            column = columns[:, k]
            np.dot(columns[:, :k], columns[j, :k], out=column)
            np.subtract(H[j], column, out=column)
            column /= np.sqrt(left[j])
            left -= column * column
            taken.append(j)
    return drawn[taken], np.tril(columns[taken, : len(taken)])


def _require_positive(least: float, largest: float, eps: float) -> None:
    if least < -(eps**0.5) * largest or (largest <= 0.0 and least < 0.0):
        raise NotPositiveDefinite(
            "landmarks: the kernel must be positive semi-definite; got a Schur complement with the diagonal entry "
            f"{least:.3g} where k(x, x) is at most {largest:.3g}. Use a kernel with psd=True, or mercer.repair."
        )
