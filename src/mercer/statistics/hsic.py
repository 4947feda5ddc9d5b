"""The Hilbert-Schmidt independence criterion: how much of one variable a kernel sees in another.

    biased      HSIC = tr(KHLH) / n^2                    K, L the Grams of the two variables, H = I - 11'/n
    unbiased    HSIC = sum_ij K_ij L_ij / (n (n - 3))    with u-centred K and L (centred.py)

A permutation of the second variable permutes rows and columns of L.  With factors HKH = P P' and HLH = Q Q' of few
columns (pivoted Cholesky) the biased statistic is |P'Q_p|_F^2 / n^2, and many permutations are one matrix product; no
Gram is stored.  Otherwise entries of L are gathered.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mercer.engine.pool import run
from mercer.engine.tiles import cuts
from mercer.errors import NotPositiveDefinite, bad
from mercer.estimators.training_data import Data
from mercer.linalg.pivoted_cholesky import pivoted_cholesky
from mercer.native import gather
from mercer.statistics.blocks import block_record, over_blocks
from mercer.statistics.blocks import block_size as sized
from mercer.statistics.centred import centre, centred, u_centred
from mercer.statistics.moments import Invariants, gamma_pvalue, permutation_moments
from mercer.statistics.permutations import bonferroni, combined, exceedance, require_permutations
from mercer.statistics.result import KernelTest
from mercer.statistics.sample_kernel import sample_kernels, words
from mercer.typing import Array

STATISTICS = ("biased", "unbiased")
NULLS = ("permutation", "gamma", "blocks")
OWNER = "hsic_test"
WHAT, FINDING = "HSIC of {} pairs", "the variables depend on each other"
LEAST = 4  # pairs
_LEFT = 1e-6  # share of the trace that factors may leave out
_RANK = 12  # rank^2 / n up to which a product with factors is quicker than gathering entries
_FEATURES = 2**21  # numbers of permuted factors that are multiplied at once


def hsic_test(
    X: Any,
    Y: Any,
    kernel_x: Any = "rbf",
    kernel_y: Any = "rbf",
    *,
    statistic: str = "biased",
    null: str = "permutation",
    n_permutations: int = 999,
    block_size: int | None = None,
    random_state: Any = 0,
) -> KernelTest:
    """Are two variables independent?  By the covariance of their features in the spaces of two kernels.

    X, Y            n items each, four or more; those at the same position belong together
    kernel_x, kernel_y    as in estimators, or lists of several, of which all pairs are tried; of named kernels the
                    lengthscale is the median distance of two items.  For "precomputed" X (or Y) is a Gram.
    statistic       "biased" or "unbiased"
    null            "permutation": exact at any size;  "gamma": a gamma law with the exact mean and variance of all
                    permutations of the biased statistic, for many tests;  "blocks": the mean over blocks of
                    items, in linear time and memory, for very large samples
    n_permutations  how many, for "permutation"; the least p-value is 1 / (1 + n_permutations)
    block_size      items in a block, for "blocks"

    Several pairs of kernels share their permutations, and `pvalue` is that of the largest studentised statistic; with
    the other nulls it is the smallest p-value times the number of pairs.
    """
    _require(statistic, null)
    left = [test.on(X) for test in sample_kernels(OWNER, "kernel_x", kernel_x)]
    right = [test.on(Y) for test in sample_kernels(OWNER, "kernel_y", kernel_y)]
    n = _paired(left[0], right[0])
    rng = np.random.default_rng(random_state)
    pairs = [(A, B) for A in left for B in right]
    if null == "blocks":
        return _by_blocks(pairs, n, block_size, rng)
    if null == "gamma":
        found = [_by_gamma(A, B, statistic) for A, B in pairs]
        observed, pvalues = np.array(found).T
        return _result(pairs, n, observed, pvalues, *bonferroni(pvalues), None, "a gamma law")
    count = require_permutations(OWNER, n_permutations)
    orders = np.vstack([np.arange(n), rng.permuted(np.tile(np.arange(n), (count, 1)), axis=1)])
    every = np.array([_over_orders(A, B, statistic, orders) for A, B in pairs])
    observed, nulls = every[:, 0], every[:, 1:]
    best, p = combined(observed, nulls)
    return _result(pairs, n, observed, exceedance(observed, nulls), best, p, nulls, f"{count} permutations")


def _require(statistic: Any, null: Any) -> None:
    if statistic not in STATISTICS:
        raise bad(OWNER, "statistic", f"one of {STATISTICS}", repr(statistic), "'biased' is the default.")
    if null not in NULLS:
        raise bad(OWNER, "null", f"one of {NULLS}", repr(null), "'permutation' is the default.")


def _paired(A: Data, B: Data) -> int:
    n = len(A)
    if len(B) != n:
        raise bad(OWNER, "Y", f"as long as X ({n} items)", f"{len(B)} items", "Items at the same position are a pair.")
    if n < LEAST:
        raise bad(OWNER, "X", f"{LEAST} items or more", f"{n}", "Collect more pairs.")
    return n


def _result(
    pairs: list[tuple[Data, Data]], n: int, observed: Array, pvalues: Array, best: int, p: float, nulls: Array | None,
    how: str,
) -> KernelTest:  # fmt: skip
    return KernelTest(
        statistic=float(observed[best]), pvalue=p, statistics=observed, pvalues=pvalues,
        kernels=tuple(f"{words(A)} and {words(B)}" for A, B in pairs), best=best, null=nulls, how=how,
        what=WHAT.format(n), finding=FINDING,
    )  # fmt: skip


# ---- permutations


def _over_orders(A: Data, B: Data, statistic: str, orders: Array) -> Array:
    """The statistic for every order of the second variable."""
    n = len(A)
    if statistic == "biased":
        P = _factor(A)
        Q = None if P is None else _factor(B)
        if P is not None and Q is not None:
            return _factored(P, Q, orders) / n**2
        return _gathered(centred(OWNER, A), centred(OWNER, B), orders) / n**2
    return _gathered(_u_centred(A), _u_centred(B), orders) / (n * (n - 3))


def _factor(data: Data) -> Array | None:
    """P with HKH = P P' of few columns; None if it would have many, or K is not positive semi-definite."""
    rank = math.isqrt(_RANK * len(data))
    try:
        found = pivoted_cholesky(data.gram(), rank)
    except NotPositiveDefinite:
        return None
    few = found.L.shape[1] < rank or found.residual <= _LEFT
    return np.asarray(found.L - found.L.mean(axis=0)) if few else None


def _factored(P: Array, Q: Array, orders: Array) -> Array:
    """|P'Q_p|_F^2 for every order p."""
    n, r = Q.shape
    out, batch = np.empty(len(orders)), max(1, _FEATURES // max(n * r, 1))

    def work(part: slice) -> None:
        some = orders[part]
        moved = Q[some.T].reshape(n, -1)  # (n, orders * r)
        C = (P.T @ moved).reshape(P.shape[1], len(some), r)
        out[part] = np.einsum("ibj,ibj->b", C, C)

    run(work, cuts(len(orders), batch))
    return out


def _gathered(K: Array, L: Array, orders: Array) -> Array:
    """sum_ij K_ij L_p(i)p(j) for every order p."""
    out = np.empty(len(orders))

    def work(b: int) -> None:
        moved = np.empty_like(L)
        gather.gather(L, orders[b], orders[b], moved)
        out[b] = np.vdot(K, moved)

    run(work, range(len(orders)))
    return out


def _u_centred(data: Data) -> Array:
    return u_centred(centred(OWNER, data))  # u-centring takes from K what centring has added


# ---- without permutations


def _by_gamma(A: Data, B: Data, statistic: str) -> tuple[float, float]:
    """(statistic, p) by the moments of the biased statistic."""
    n, K, L = len(A), centred(OWNER, A), centred(OWNER, B)
    T = float(np.vdot(K, L))
    p = gamma_pvalue(T, *permutation_moments(Invariants.of(K), Invariants.of(L)))
    if statistic == "biased":
        return T / n**2, p
    return float(np.vdot(u_centred(K), u_centred(L))) / (n * (n - 3)), p


def _by_blocks(pairs: list[tuple[Data, Data]], n: int, given: Any, rng: np.random.Generator) -> KernelTest:
    """Disjoint blocks of pairs, drawn at random."""
    size = sized(OWNER, given, n)
    order, count = rng.permutation(n), n // size
    grams: list[Any] = [(A.gram(), B.gram()) for A, B in pairs]

    def record(k: int, b: int) -> tuple[float, float, float, float]:
        some = order[b * size : (b + 1) * size]
        K, L = (centre(np.array(gram.values(some, some), dtype=np.float64)) for gram in grams[k])
        T, A, B = float(np.vdot(K, L)), Invariants.of(K), Invariants.of(L)
        return block_record(float(np.vdot(u_centred(K), u_centred(L))) / (size * (size - 3)), T, A, B)

    means, pvalues = over_blocks(record, len(grams), count)
    return _result(pairs, n, means, pvalues, *bonferroni(pvalues), None, f"{count} blocks of {size}")
