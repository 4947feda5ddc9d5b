"""Landmarks: some of the items, from whose kernel values those of all others are made (Nystrom's method).

    K  ~  K_nm K_mm^-1 K_mn  =  Phi Phi',     Phi = K_nm L^-T,   K_mm = L L'

rules   "rpcholesky"   pivots drawn in proportion to what the ones before leave unexplained (linalg/random_pivots.py)
        "uniform"      any m items
        "kmeans++"     drawn in proportion to the squared distance from the nearest one before, in feature space
        "leverage"     drawn in proportion to their ridge leverage scores, which a uniform sample estimates

All but "uniform" look at a sample of the items where there are many: as many as keep the choice about as cheap as K_nm
itself, and at least a few for each landmark.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.config import config
from mercer.engine.pool import one_blas_thread
from mercer.errors import NotPositiveDefinite, bad
from mercer.gram.distances import kernel_distances
from mercer.linalg.random_pivots import random_pivots
from mercer.solvers.medoids.starts import plus_plus
from mercer.typing import Array

RULES = ("rpcholesky", "uniform", "kmeans++", "leverage")
_PRODUCTS = 32.0  # multiplications in the time of one kernel value: what a pivot costs an item, in landmarks
_PER_LANDMARK = 4  # items looked at for each landmark, at least
_FEW = 2000  # items that are all looked at
_MEMORY = 0.25  # share of the budget for the factor of the sample
_SINGLE = 2**25  # entries of that factor from which on it is in single precision
_REPEATED, _REPEATED_SINGLE = 1e-14, 1e-6  # of k(z, z), the first for each landmark: what is left of one is rounding
_PER_ROW = 2e-13  # the same for each row of which products are added up


def chosen(gram: Any, count: int, rule: str, seed: int) -> Array:
    """The positions of at most `count` landmarks among the items of a Gram; fewer if these explain all there is."""
    n = len(gram)
    if count >= n and rule != "rpcholesky":
        return np.arange(n)
    rng = np.random.default_rng(seed)
    if rule == "uniform":
        return np.sort(rng.permutation(n)[:count])
    sample = np.sort(rng.permutation(n)[: sample_size(n, count, getattr(gram, "bytes_per_row", 0))])
    part = gram if len(sample) == n else gram.sub(sample)
    if rule == "rpcholesky":
        with one_blas_thread():  # what is not spread over our threads is small
            found = random_pivots(part.single() if len(sample) * count >= _SINGLE else part, count, seed=seed)
        return np.asarray(sample[found.index])
    if rule == "kmeans++":
        random = np.random.RandomState(seed)
        return np.asarray(sample[plus_plus(kernel_distances(part, squared=True), np.ones(len(part)), count, random)])
    return np.asarray(sample[_by_leverage(part, count, rng)])


def sample_size(n: int, count: int, row: int = 0) -> int:
    """How many of n items are looked at for so many landmarks; `row` is the bytes of one that is not in memory yet."""
    fast = int(_PRODUCTS * n / max(count, 1))
    room = int(_MEMORY * config().memory / (8 * max(count, 1) + row))
    return int(min(n, max(min(fast, room), _PER_LANDMARK * count, _FEW)))


def _by_leverage(gram: Any, count: int, rng: np.random.Generator) -> Array:
    """Items in proportion to l_i = (k_ii - k_iS (K_SS + s I)^-1 k_Si) / lambda, S a uniform sample, s = lambda |S| / n.

    lambda is the mean of what S leaves over: about `count` directions are above it.
    """
    n = len(gram)
    S = np.sort(rng.permutation(n)[:count])
    K, C = np.asarray(gram.values(S, S), dtype=float), np.asarray(gram.rows(S), dtype=float)
    diagonal = np.asarray(gram.diag(), dtype=float)
    inner = np.einsum("ij,ij->j", C, np.linalg.lstsq(K, C, rcond=1e-10)[0])
    level = max(float(np.maximum(diagonal - inner, 0.0).sum()) / count, 1e-10 * float(diagonal.max(initial=0.0)))
    solved = np.linalg.solve(K + level * count / n * np.eye(count), C)
    score = np.maximum(diagonal - np.einsum("ij,ij->j", C, solved), 0.0) / level
    score = np.maximum(score, 1e-12 * max(float(score.max(initial=0.0)), 1e-300))
    return rng.choice(n, size=count, replace=False, p=score / score.sum())


@dataclass(frozen=True, eq=False)
class LandmarkFactor:
    """L L' = K_mm of the landmarks `kept`: those that others of them do not make superfluous."""

    L: Array
    kept: Array

    def half(self, B: Array) -> Array:
        """L^-1 B."""
        from scipy.linalg import solve_triangular

        return np.asarray(solve_triangular(self.L, B, lower=True, check_finite=False))

    def back(self, B: Array) -> Array:
        """L^-T B: weights of features become coefficients of landmarks."""
        from scipy.linalg import solve_triangular

        return np.asarray(solve_triangular(self.L, B, lower=True, trans=1, check_finite=False))

    def features(self, K: Array) -> Array:
        """K L^-T, in place of K: rows of k(x, landmarks) become features."""
        from mercer.linalg.blas import solve_right

        solve_right(K, self.L)
        return K


def factor_of(K: Array, *, single: bool = False, summed: int = 0) -> LandmarkFactor:
    """The factor of K_mm; with `single` so well conditioned that rows of K_nm in single precision can be used.

    If K_nm'K_nm of `summed` rows is to be multiplied by L^-1 from both sides, rounding grows with their number.

    A landmark that the others explain to rounding is left out.  A matrix that is not positive semi-definite is refused.
    """
    from scipy.linalg.lapack import dpstrf

    K = np.array(0.5 * (K + K.T), order="F")
    diagonal = np.diagonal(K).copy()
    largest = float(diagonal.max(initial=0.0))
    least = _REPEATED_SINGLE if single else max(_REPEATED * max(len(K), 10), _PER_ROW * summed)
    if largest <= 0.0:
        raise bad("landmarks", "k(x, x)", "positive for some of the landmarks", f"at most {largest:.3g}",
                  "Such items have no features: choose another kernel or other items.")  # fmt: skip
    C, order, rank, _ = dpstrf(K.copy(order="F"), tol=least * largest, lower=1)
    kept = np.asarray(order[:rank] - 1, dtype=np.intp)
    L = np.ascontiguousarray(np.tril(C[:rank, :rank]))
    _require_explained(K, L, kept, np.tril(C[:, :rank])[rank:], order[rank:] - 1, largest, least)
    return LandmarkFactor(L, kept)


def _require_explained(
    K: Array, L: Array, kept: Array, rest: Array, others: Array, largest: float, least: float
) -> None:
    """Refuse a matrix whose Schur complement after the pivots is notably negative, or not zero off the diagonal."""
    if not len(others):
        return
    left = K[np.ix_(others, others)] - rest @ rest.T
    worst = float(np.abs(left).max())
    if worst > 100.0 * max(least, 1e-9) * largest:
        raise NotPositiveDefinite(
            f"landmarks: the kernel must be positive semi-definite; got {worst:.3g} as a value that remains after "
            f"{len(kept)} landmarks, where k(x, x) is at most {largest:.3g}. Use a kernel with psd=True, or "
            "mercer.repair."
        )
