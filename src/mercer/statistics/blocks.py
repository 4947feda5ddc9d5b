"""P-values in linear time: a statistic on every one of many small blocks of items, and Student's test of their mean.

The unbiased statistics of disjoint blocks are independent, and of mean 0 under the hypothesis.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np

from mercer.engine.pool import run
from mercer.errors import bad
from mercer.typing import Array

FEWEST = 10  # blocks: of fewer the law of the mean is not known well


def block_size(owner: str, given: Any, n: int, least: int) -> int:
    """Items of a sample in a block: the square root of n, but 32 to 256, unless it is given."""
    size = int(np.clip(np.sqrt(n), 32, 256)) if given is None else given
    if not isinstance(size, Integral) or isinstance(size, bool) or size < least:
        raise bad(owner, "block_size", f"an integer >= {least}", repr(given), "None chooses it.")
    if n // size < FEWEST:
        raise bad(owner, "the number of items", f"at least {FEWEST * size} for {FEWEST} blocks of {size}", n,
                  "Use null='permutation', or a smaller block_size.")  # fmt: skip
    return int(size)


def mean_test(values: Array) -> tuple[Array, Array]:
    """(means, p) of rows of block values: one-sided, by Student's law."""
    from scipy.stats import t

    count = values.shape[1]
    mean, std = values.mean(axis=1), values.std(axis=1, ddof=1)
    z = np.divide(mean, std / np.sqrt(count), where=std > 0.0, out=np.zeros_like(mean))
    return mean, np.asarray(t.sf(z, count - 1))


def over_blocks(value: Callable[[int, int], float], kernels: int, blocks: int) -> Array:
    """(kernels, blocks) of value(kernel, block), on all threads."""
    out = np.empty((kernels, blocks))

    def work(b: int) -> None:
        out[:, b] = [value(k, b) for k in range(kernels)]

    run(work, range(blocks))
    return out
