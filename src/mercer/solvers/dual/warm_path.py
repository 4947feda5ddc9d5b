"""Warm paths: small problems on one stored Gram, each solved for a list of boxes, from the solution of the box before.

A box is a value of C, a problem is a pair of classes.  All of it is one native loop, which returns from time to time to
ask whether to go on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mercer.native import smo_batch
from mercer.solvers.dual import batch
from mercer.solvers.dual.problem import DualProblems
from mercer.typing import Array

TRIES = 50  # native calls, of batch.STEPS steps each, after which a problem is taken as it is


@dataclass(frozen=True, eq=False)
class Paths:
    """Solutions of all problems with the first `solved` boxes; some problems may have more.

    `coefs` has an array (boxes, items) for every problem; `bias`, relative `gap` and `steps` are (problems, boxes).
    """

    coefs: list[Array]
    bias: Array
    gap: Array
    steps: Array
    solved: int

    def distinct(self) -> tuple[Array, Array]:
        """(The solved boxes whose solution differs from the one before, for every solved box its place among these).

        Once no coefficient is at its bound, all larger boxes have the same solution.
        """
        new = np.arange(self.solved) == 0
        for b in self.coefs:
            new[1:] |= (b[1 : self.solved] != b[: self.solved - 1]).any(axis=1)
        return np.flatnonzero(new), np.cumsum(new) - 1


def solve_paths(
    K: Array, problems: DualProblems, bounds: Array, epsilon: Array, *, tol: float, go_on: Callable[[], bool]
) -> Paths:
    """The solutions of problems that fit native loops, with each row of `bounds` (boxes, items of K), small ones first.

    The box of a problem is scaled by `bounds`; `epsilon` has one number per row.  Once `go_on()` is False, the rest is
    left out; what TRIES times batch.STEPS steps have not solved is taken as it is, with its gap.
    """
    joined, count, boxes = problems.joined, len(problems), len(bounds)
    coef, shape = np.zeros(boxes * len(joined)), (count, boxes)
    coefs = [c.reshape(boxes, -1) for c in np.split(coef, boxes * problems.ends[1:-1])]
    bias, gap, steps = np.zeros(shape), np.full(shape, np.nan), np.zeros(shape, dtype=np.intp)
    K, bounds, epsilon = (np.require(A, t, ["C"]) for A, t in ((K, np.float32), (bounds, float), (epsilon, float)))
    done, tries = 0, 0
    while done < boxes * count and go_on():
        before = done
        done = smo_batch.solve_chains(
            K, problems.index, problems.ends, joined.z, joined.lo, joined.hi, bounds, epsilon, coef, bias, gap,
            steps, batch.SLACK * tol, batch.STEPS, done, tries * batch.STEPS, tries >= TRIES - 1,
        )  # fmt: skip
        tries = 1 if done > before else tries + 1
    return Paths(coefs, bias, gap, steps, max(0, done - boxes * (count - 1)))
