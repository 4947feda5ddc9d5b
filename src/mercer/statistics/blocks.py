"""P-values in linear time: the biased statistic summed over many small blocks of items.

Items are permuted within their blocks only.  The blocks are then independent, so that mean and variance of the sum over
all such permutations are the sums of those of the blocks (moments.py), and a gamma law with these gives p.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np

from mercer.engine.pool import run
from mercer.errors import bad
from mercer.statistics.moments import Invariants, gamma_pvalue, permutation_moments
from mercer.typing import Array

FEWEST = 2  # blocks


def block_size(owner: str, given: Any, n: int) -> int:
    """Items in a block: the square root of n, but 32 to 256, unless it is given."""
    size = int(np.clip(np.sqrt(n), 32, 256)) if given is None else given
    if not isinstance(size, Integral) or isinstance(size, bool) or int(size) < 4:
        raise bad(owner, "block_size", "an integer >= 4", repr(given), "None chooses it.")
    size = int(size)
    if n // size < FEWEST:
        raise bad(owner, "the number of items", f"at least {FEWEST * size} for {FEWEST} blocks of {size}", n,
                  "Use null='permutation', or a smaller block_size.")  # fmt: skip
    return size


def block_record(unbiased: float, T: float, A: Invariants, B: Invariants) -> tuple[float, float, float, float]:
    """What is summed over blocks: the unbiased statistic, T = <A, B> of centred matrices, and its two moments."""
    return unbiased, T, *permutation_moments(A, B)


def over_blocks(
    record: Callable[[int, int], tuple[float, float, float, float]], kernels: int, blocks: int
) -> tuple[Array, Array]:
    """(statistics, p) of each kernel from record(kernel, block): the mean unbiased statistic, and p of the sum of T."""
    found = np.empty((kernels, blocks, 4))

    def work(b: int) -> None:
        found[:, b] = [record(k, b) for k in range(kernels)]

    run(work, range(blocks))
    sums = found.sum(axis=1)
    return sums[:, 0] / blocks, np.array([gamma_pvalue(T, mean, variance) for _, T, mean, variance in sums])
