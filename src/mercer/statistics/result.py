"""What a test returns: a statistic, a p-value, and how it was found; it prints as a sentence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.typing import Array

LEVEL = 0.05  # at which the sentence calls a result significant


@dataclass(frozen=True, eq=False, repr=False)
class KernelTest:
    """The result of `mmd_test` or `hsic_test`.

    statistic     of the kernel that shows the most
    pvalue        the probability of a statistic as large, if the hypothesis of no difference (no dependence) is true;
                  of several kernels, corrected for their number
    statistics, pvalues    one of each kernel, not corrected
    kernels       in words
    best          the position of the kernel that shows the most
    null          (kernels, permutations) statistics of permuted samples; None for other ways to a p-value
    how           that way in words
    """

    statistic: float
    pvalue: float
    statistics: Array
    pvalues: Array
    kernels: tuple[str, ...]
    best: int
    null: Array | None = field(repr=False)
    how: str
    what: str
    finding: str

    def __repr__(self) -> str:
        number = f" (the most of {len(self.kernels)} kernels)" if len(self.kernels) > 1 else ""
        verdict = self.finding if self.pvalue <= LEVEL else f"not significant at {LEVEL:.0%}"
        return (f"{self.what} is {self.statistic:.4g} under {self.kernels[self.best]}{number}; "
                f"p = {self.pvalue:.3g} by {self.how}: {verdict}.")  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class TwoSampleTest(KernelTest):
    """The result of `mmd_test`, with the function that tells the samples apart best."""

    data: Any = field(repr=False)
    contrast: Array = field(repr=False)

    def witness(self, Z: Any) -> Array:
        """f(z) = mean_i k(z, x_i) - mean_j k(z, y_j): positive where the first sample is denser than the second.

        Of all functions of norm 1 in the space of the kernel, f / |f| has the largest difference of means.  For a
        precomputed kernel Z has the values k(z, item) for all items of both samples.
        """
        kernel = getattr(self.data, "kernel", None)
        if kernel is not None:
            Z = kernel.check(Z)
        elif np.ndim(Z) != 2:
            raise bad("mmd_test", "Z in witness", "kernel values, one row per point", f"{np.ndim(Z)} dimensions",
                      "Pass k(z, item) for all items of both samples.")  # fmt: skip
        return np.asarray(self.data.evaluate(Z, self.contrast))
