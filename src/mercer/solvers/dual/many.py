"""Many small problems on one stored Gram: pairs of classes, folds, values of C.

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
STEPS = 100_000  # SMO steps of one problem between two looks at the clock


@dataclass(frozen=True, eq=False)
class Part:
    """A problem on some items of a Gram, and where to start from."""

    index: Array
    problem: Problem
    start: Array | None = None

    @property
    def plain(self) -> bool:
        """Whether the compiled loop knows this kind: one group, a bias, no ridge."""
        return self.problem.bias and self.problem.second is None and not len(self.problem.ridge)


def solve_parts(K: Array, parts: Sequence[Part], *, tol: float, rough: bool = False) -> list[DualSolution | None]:
    """The solutions of plain parts on items of K, in one compiled call; None where the engine has to do it.

    Parts on the same items should follow one another: the entries of K are then gathered once.  A rough solution has
    a gradient in single precision.
    """
    from mercer.compiled import parts as loops

    K = K if K.dtype in (np.float32, np.float64) else K.astype(np.float64)
    ends = np.concatenate([[0], np.cumsum([len(part.index) for part in parts])])
    index = np.concatenate([part.index for part in parts])
    z, lo, hi = (np.concatenate([getattr(part.problem, name) for part in parts]) for name in ("z", "lo", "hi"))
    b = np.concatenate([part.problem.start if part.start is None else part.start for part in parts])
    F, steps = np.empty_like(b), np.zeros(len(parts), dtype=np.intp)
    exact = K.dtype == np.float64 and not rough
    loops.solve_parts(K, index, ends, z, lo, hi, parts[0].problem.epsilon, b, F, SLACK * tol, STEPS, exact, steps)
    found = []
    for p, part in enumerate(parts):
        mine = slice(ends[p], ends[p + 1])
        solution = certify(b[mine], F[mine], part.problem, tol=tol, n_iter=int(steps[p]), reason="stalled")
        found.append(solution if steps[p] >= 0 and solution.converged else None)
    return found
