"""The maximum mean discrepancy: how far apart two samples are in the feature space of a kernel.

    MMD^2 = |mean phi(x) - mean phi(y)|^2 = w'Kw,    w = 1/n for the first sample, -1/m for the second

w sums to 0, so that K may be centred; then, with a = 1 on the first sample and 0 on the second, and d the diagonal,

    biased      q (1/n + 1/m)^2,   q = a'Ka
    unbiased    (q - a'd) / (n(n-1)) + (q - tr K + a'd) / (m(m-1)) + 2q / (nm)

A permutation of the items changes a only: all of them are one matrix product K A.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.engine.pool import run
from mercer.engine.tiles import cuts
from mercer.errors import bad
from mercer.estimators.training_data import Data
from mercer.statistics.blocks import block_record, over_blocks
from mercer.statistics.blocks import block_size as sized
from mercer.statistics.centred import centre, centred, upper_stripes
from mercer.statistics.moments import Invariants, gamma_pvalue, permutation_moments
from mercer.statistics.permutations import bonferroni, combined, exceedance, require_permutations
from mercer.statistics.result import TwoSampleTest
from mercer.statistics.sample_kernel import sample_kernels, words
from mercer.typing import Array

STATISTICS = ("unbiased", "biased")
NULLS = ("permutation", "gamma", "blocks")
OWNER = "mmd_test"
WHAT, FINDING = "MMD^2 of samples of {} and {} items", "the distributions differ"
_BATCH = 256  # permutations in one product


def mmd_test(
    X: Any,
    Y: Any,
    kernel: Any = "rbf",
    *,
    statistic: str = "unbiased",
    null: str = "permutation",
    n_permutations: int = 999,
    block_size: int | None = None,
    random_state: Any = 0,
) -> TwoSampleTest:
    """Do two samples come from one distribution?  By the distance of their means in the feature space of a kernel.

    X, Y            two samples of items of any kind that the kernel understands, two or more of each
    kernel          as in estimators, or a list of several; of named kernels the lengthscale is the median distance of
                    two items.  For "precomputed" X is the Gram of all items, and Y says of which sample each is.
    statistic       "unbiased" or "biased"
    null            "permutation": exact at any size;  "gamma": a gamma law with the exact mean and variance of all
                    permutations of the biased statistic, for many tests;  "blocks": the mean over blocks of
                    items, in linear time and memory, for very large samples
    n_permutations  how many, for "permutation"; the least p-value is 1 / (1 + n_permutations)
    block_size      items of each sample in a block, for "blocks"

    Several kernels share their permutations, and `pvalue` is that of the largest studentised statistic; with the other
    nulls it is the smallest p-value times the number of kernels.  The result has `witness`, the function that tells the
    samples apart best.
    """
    _require(statistic, null)
    tests = sample_kernels(OWNER, "kernel", kernel)
    pools = [_pool(test, X, Y) for test in tests]
    rng = np.random.default_rng(random_state)
    if null == "blocks":
        return _by_blocks(pools, block_size, rng)
    first = pools[0][1]
    n, m = int(first.sum()), int((~first).sum())
    orders = None
    if null == "permutation":
        count = require_permutations(OWNER, n_permutations)
        orders = rng.permuted(np.tile(first, (count, 1)), axis=1)
    found = [_statistics(data, first, orders, statistic) for data, first in pools]
    observed = np.array([one[0] for one in found])
    if orders is None:
        pvalues = np.array([one[2] for one in found])
        best, p = bonferroni(pvalues)
        nulls, how = None, "a gamma law"
    else:
        nulls, how = np.array([one[1] for one in found]), f"{len(orders)} permutations"
        pvalues, (best, p) = exceedance(observed, nulls), combined(observed, nulls)
    return _result(pools, observed, pvalues, best, p, nulls, how, (n, m))


def _require(statistic: Any, null: Any) -> None:
    if statistic not in STATISTICS:
        raise bad(OWNER, "statistic", f"one of {STATISTICS}", repr(statistic), "'unbiased' is the default.")
    if null not in NULLS:
        raise bad(OWNER, "null", f"one of {NULLS}", repr(null), "'permutation' is the default.")


def _pool(test: Any, X: Any, Y: Any) -> tuple[Data, Array]:
    """The items of both samples, and a mask of the first."""
    if test._precomputed:
        data = test.on(X)
        names, codes = np.unique(np.asarray(Y), return_inverse=True)
        if np.ndim(Y) != 1 or len(names) != 2 or len(codes) != len(data):
            raise bad(OWNER, "Y", f"{len(data)} labels of two samples for a precomputed kernel",
                      f"{len(names)} different labels in shape {np.shape(Y)}",
                      "Say of which sample each item is.")  # fmt: skip
        first = codes == 0
    else:
        data, n, m = test.on_both(X, Y)
        first = np.arange(n + m) < n
    smaller = min(int(first.sum()), int((~first).sum()))
    if smaller < 2:
        raise bad(OWNER, "each sample", "of two items or more", f"a sample of {smaller}", "Collect more items.")
    return data, first


# ---- one kernel, all permutations


def _statistics(data: Data, first: Array, orders: Array | None, statistic: str) -> tuple[float, Array, float]:
    """(observed statistic, those of all orders, p by a gamma law); what is not asked for is empty or NaN."""
    K = centred(OWNER, data)
    n, m = int(first.sum()), int((~first).sum())
    d, a = np.diagonal(K).copy(), first.astype(np.float64)
    q = float(a @ K @ a)
    biased = statistic == "biased"
    observed = _biased(q, n, m) if biased else _unbiased(q, float(a @ d), float(d.sum()), n, m)
    if orders is None:
        w = first / n - (~first) / m
        moments = permutation_moments(Invariants.of(K), Invariants.of_vector(w)) if len(K) > 3 else (0.0, 0.0)
        return observed, np.empty(0), gamma_pvalue(_biased(q, n, m), *moments)
    forms, own = _forms(upper_stripes(K), d, orders)
    return observed, _biased(forms, n, m) if biased else _unbiased(forms, own, float(d.sum()), n, m), np.nan


def _biased(q: Any, n: int, m: int) -> Any:
    return q * (1.0 / n + 1.0 / m) ** 2


def _unbiased(q: Any, own: Any, trace: float, n: int, m: int) -> Any:
    return (q - own) / (n * (n - 1)) + (q - trace + own) / (m * (m - 1)) + 2.0 * q / (n * m)


def _forms(stripes: list[tuple[slice, Array]], d: Array, orders: Array) -> tuple[Array, Array]:
    """a'Ka and a'd for every row a of `orders`."""
    q, own = np.zeros((2, len(orders)))
    single = d.astype(np.float32)

    def work(part: slice) -> None:
        A = orders[part].astype(np.float32)
        own[part] = A @ single
        for r, K in stripes:
            q[part] += np.einsum("bj,bj->b", A[:, r] @ K, A[:, r.start :])

    run(work, cuts(len(orders), _BATCH))
    return q, own


# ---- blocks


def _by_blocks(pools: list[tuple[Data, Array]], given: Any, rng: np.random.Generator) -> TwoSampleTest:
    """Every block has as many items of both samples, drawn at random."""
    first = pools[0][1]
    places = [rng.permutation(np.flatnonzero(part)) for part in (first, ~first)]
    n, m = map(len, places)
    size = sized(OWNER, given, min(n, m))
    count = min(n, m) // size
    grams: list[Any] = [data.gram() for data, _ in pools]
    w = np.repeat([1.0, -1.0], size) / size
    weights = Invariants.of_vector(w)

    def record(k: int, b: int) -> tuple[float, float, float, float]:
        some = np.concatenate([own[b * size : (b + 1) * size] for own in places])
        K = centre(np.array(grams[k].values(some, some), dtype=np.float64))
        T, d = float(w @ K @ w), np.diagonal(K)
        unbiased = _unbiased(T * size**2 / 4.0, float(d[:size].sum()), float(d.sum()), size, size)
        return block_record(unbiased, T, Invariants.of(K), weights)

    means, pvalues = over_blocks(record, len(grams), count)
    return _result(pools, means, pvalues, *bonferroni(pvalues), None, f"{count} blocks of {size} and {size}", (n, m))


def _result(
    pools: list[tuple[Data, Array]], observed: Array, pvalues: Array, best: int, p: float, nulls: Array | None,
    how: str, sizes: tuple[int, int],
) -> TwoSampleTest:  # fmt: skip
    data, first = pools[best]
    given = getattr(data, "kernel", None) is None
    kept = data.keep(np.arange(len(data))) if given else data  # without the user's matrix
    contrast = first / sizes[0] - (~first) / sizes[1]
    return TwoSampleTest(
        statistic=float(observed[best]), pvalue=p, statistics=observed, pvalues=pvalues,
        kernels=tuple(words(data) for data, _ in pools), best=best, null=nulls, how=how, what=WHAT.format(*sizes),
        finding=FINDING, data=kept, contrast=contrast,
    )  # fmt: skip
