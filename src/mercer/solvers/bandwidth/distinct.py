"""Rows as cross-validation sees them: each distinct row once, with the weight of its copies.

A row is left out together with its copies.  Otherwise every copy would be explained best by a bandwidth of 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from mercer.solvers.bandwidth.sample import Sample
from mercer.solvers.bandwidth.scale import deviation
from mercer.typing import Array

MOST = 20_000  # rows of which all pairs are computed; of more, so many are drawn


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """`columns` (D, m) divided by their deviations `sigma`, and `weight` (m,) of sum 1.

    `shrink` turns a bandwidth for these rows into one for all: (drawn / all)^(1 / (D + 4)).
    """

    columns: Array
    weight: Array
    sigma: Array
    shrink: float

    @classmethod
    def of(cls, sample: Sample, most: int | None = None) -> Self:
        """Of a sample; from more than `most` distinct rows that many are drawn, always the same ones."""
        sigma = np.array([deviation(x, sample.weight, sample.size) for x in sample.columns])
        rows, place = np.unique(sample.columns, axis=1, return_inverse=True)
        weight = np.bincount(place.ravel(), sample.weight)
        shrink = 1.0
        if most is not None and len(weight) > most:
            some = np.sort(np.random.default_rng(0).choice(len(weight), most, replace=False))
            shrink = float((most / len(weight)) ** (1.0 / (len(rows) + 4.0)))
            rows, weight = rows[:, some], weight[some] / weight[some].sum()
        return cls(np.ascontiguousarray(rows / sigma[:, None]), weight, sigma, shrink)
