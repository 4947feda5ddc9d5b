"""Chains of small problems on one stored Gram: each problem is solved with box after box, from the solution before.

Values of C are such boxes, pairs of classes such problems.  All of it is one compiled loop, which comes back now and
then to ask whether to go on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mercer.solvers.dual import many
from mercer.solvers.dual.many import Packed, Part
from mercer.typing import Array

TRIES = 50  # times STEPS, after which a problem is given up


@dataclass(frozen=True, eq=False)
class Chained:
    """Solutions of all chains with the first `solved` boxes, and of some with more.

    `coefs` has an array (boxes, items) for every chain; `bias`, relative `gap` and `steps` are (chains, boxes).
    """

    coefs: list[Array]
    bias: Array
    gap: Array
    steps: Array
    solved: int

    def distinct(self) -> tuple[Array, Array]:
        """(The solved boxes at which a coefficient changes, and for every solved box the place of its like in these).

        Once no coefficient is at its bound, they are the same in all larger boxes.
        """
        new = np.arange(self.solved) == 0
        for b in self.coefs:
            new[1:] |= (b[1 : self.solved] != b[: self.solved - 1]).any(axis=1)
        return np.flatnonzero(new), np.cumsum(new) - 1


def solve_chains(K: Array, parts: Sequence[Part], bounds: Array, epsilon: Array, *, tol: float,
                 go_on: Callable[[], bool]) -> Chained:  # fmt: skip
    """The solutions of plain parts with each row of `bounds` (boxes, items of K), small ones first.

    A part has the box of bounds 1; `epsilon` is that of every row.  What has not been solved when it is told not to
    `go_on` is left out; what TRIES times STEPS steps have not solved is taken as it is, with its gap.
    """
    from mercer.compiled import chains as loops

    packed, count = Packed.of(parts), len(bounds)
    coef, shape = np.zeros(count * len(packed.z)), (len(parts), count)
    coefs = [c.reshape(count, -1) for c in np.split(coef, count * packed.ends[1:-1])]
    bias, gap, steps = np.zeros(shape), np.full(shape, np.nan), np.zeros(shape, dtype=np.intp)
    K, bounds, epsilon = (np.require(A, t, ["C", "W"]) for A, t in ((K, np.float32), (bounds, float), (epsilon, float)))
    done, tries = 0, 0
    while done < count * len(parts) and go_on():
        before = done
        done = loops.solve_chains(
            K, packed.index, packed.ends, packed.z, packed.lo, packed.hi, bounds, epsilon, coef, bias, gap, steps,
            many.SLACK * tol, many.STEPS, done, tries * many.STEPS, tries >= TRIES - 1,
        )  # fmt: skip
        tries = 1 if done > before else tries + 1
    return Chained(coefs, bias, gap, steps, max(0, done - count * (len(parts) - 1)))
