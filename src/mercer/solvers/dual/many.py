"""Many small problems on one stored Gram: pairs of classes, folds.

Each is so small that calling the engine would cost more than solving it, so a few at a time are handed to one compiled
loop.  What that leaves unsolved (a dual without end, a tolerance that single precision cannot reach) is the engine's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mercer.solvers.dual.certificate import DualSolution, certify
from mercer.solvers.dual.problem import Problem
from mercer.typing import Array

SLACK = 0.97  # of the tolerance, for the loop sees kernel values in single precision
STEPS = 100_000  # SMO steps of one problem, and between two looks at the clock


@dataclass(frozen=True, eq=False)
class Part:
    """A problem on some items of a Gram, and where to start from."""

    index: Array
    problem: Problem
    start: Array | None = None

    def __len__(self) -> int:
        return len(self.index)

    @property
    def plain(self) -> bool:
        """Whether the compiled loop knows this kind: one group, a bias, no ridge."""
        return self.problem.bias and self.problem.second is None and not len(self.problem.ridge)


@dataclass(frozen=True, eq=False)
class Packed:
    """The arrays of all parts, one after the other."""

    ends: Array
    index: Array
    z: Array
    lo: Array
    hi: Array
    epsilon: Array
    b: Array
    F: Array
    steps: Array

    @classmethod
    def of(cls, parts: Sequence[Part]) -> Packed:
        """Room for the solutions of these parts, with their starts."""
        problems = [part.problem for part in parts]
        z, lo, hi = (np.concatenate([getattr(p, name) for p in problems]) for name in ("z", "lo", "hi"))
        b = np.concatenate([part.problem.start if part.start is None else part.start for part in parts])
        return cls(
            ends=np.concatenate([[0], np.cumsum([len(p) for p in problems])]),
            index=np.concatenate([part.index for part in parts]), z=z, lo=lo, hi=hi,
            epsilon=np.array([p.epsilon for p in problems]), b=b, F=np.empty_like(b),
            steps=np.full(len(parts), -1, dtype=np.intp),
        )  # fmt: skip

    def solve(self, K: Array, tol: float, *, exact: bool) -> None:
        """Fill b, F and steps in one compiled call."""
        from mercer.compiled import parts as loops

        # one kind of array, for each that differs would be compiled for
        K = np.require(K, K.dtype if K.dtype in (np.float32, np.float64) else np.float64, ["C", "W"])
        loops.solve_parts(
            K, self.index, self.ends, self.z, self.lo, self.hi, self.epsilon, self.b, self.F, SLACK * tol, STEPS,
            exact and K.dtype == np.float64, self.steps,
        )  # fmt: skip

    def certified(self, p: int, problem: Problem, tol: float) -> DualSolution:
        """What was found for part p, with its proof."""
        b, F = self.b[self.ends[p] : self.ends[p + 1]], self.F[self.ends[p] : self.ends[p + 1]]
        return certify(b, F, problem, tol=tol, n_iter=max(int(self.steps[p]), 0), reason="stalled")


def solve_parts(K: Array, parts: Sequence[Part], *, tol: float, rough: bool = False) -> list[DualSolution | None]:
    """The solutions of plain parts on items of K, in one compiled call; None where the engine has to do it.

    Parts on the same items should follow one another: the entries of K are then gathered once.  A rough solution has
    a gradient in single precision.
    """
    packed = Packed.of(parts)
    packed.solve(K, tol, exact=not rough)
    found = [packed.certified(p, part.problem, tol) for p, part in enumerate(parts)]
    return [s if steps >= 0 and s.converged else None for s, steps in zip(found, packed.steps, strict=True)]
