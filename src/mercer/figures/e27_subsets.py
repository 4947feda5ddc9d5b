"""E27: the kernel that counts common subsets.

k(A, B) = 2^|A and B| is an inner product of vectors with a place for every subset.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from mercer import plots
from mercer.figures.claim import Measured, at_least, equal
from mercer.typing import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLAIM = (
    "The number of subsets two sets have in common is an inner product: on all 16 subsets of {1, 2, 3, 4} "
    "its Gram is positive definite."
)
SUBSETS = [set(chosen) for size in range(5) for chosen in combinations((1, 2, 3, 4), size)]
EXAMPLE = ({1, 2, 3}, {2, 3, 4})
VECTORS = ((1, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0), (1, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0))


@dataclass(frozen=True)
class Result:
    """The Gram of all subsets, and the vectors of the two sets of the exercise."""

    gram: Array
    vectors: Array


def compute(seed: int = 0) -> Result:
    """Sixteen sets; nothing is random."""
    from mercer.kernels import SubsetCount

    return Result(SubsetCount()(SUBSETS), SubsetCount().feature_map(list(EXAMPLE)))


def check(result: Result) -> list[Measured]:
    """Every entry by counting, the exercise's vectors, and the least eigenvalue."""
    counted = np.array([[2 ** len(A & B) for B in SUBSETS] for A in SUBSETS])
    return [
        equal("entries that are 2^|A and B|", int((result.gram == counted).sum()), 256),
        equal("entries of the two vectors that are the exercise's", int((result.vectors == VECTORS).sum()), 32),
        equal("k({1,2,3}, {2,3,4})", int(result.vectors[0] @ result.vectors[1]), 4),
        at_least("least eigenvalue of the 16 x 16 Gram", float(np.linalg.eigvalsh(result.gram)[0]), 1e-6),
    ]


def draw(result: Result) -> Figure:
    """The whole table."""
    figure, ax = plots.figure(size=(5.4, 4.9))
    plots.gram_heatmap(np.log2(result.gram), colorbar=False, ax=ax)
    names = ["".join(map(str, sorted(A))) or "∅" for A in SUBSETS]
    for i, row in enumerate(result.gram):
        for j, entry in enumerate(row):
            ax.text(j, i, f"{entry:g}", ha="center", va="center", fontsize=7, color="black" if entry > 4 else "white")
    ax.set_xticks(range(16), names, rotation=90)
    ax.set_yticks(range(16), names)
    ax.tick_params(length=0.0)
    ax.set(xlabel="", ylabel="", title="subsets in common, of any two of the 16")
    return figure
