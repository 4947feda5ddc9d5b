"""The proof of a fit, kept in a few arrays however many pairs of classes there are.

`solution_` and `certificate_` are built from it on demand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mercer.estimators.svm.certificate import Certificate, certificate_from, worst_of
from mercer.solvers.dual import DualSolution, DualSolutions
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Record:
    """The solutions on their support vectors, and for each the row of numbers that proves it (solvers/dual/proof.py).

    Problem p has coef[ends[p]:ends[p + 1]].  `singly` holds the solutions if all problems were solved one by one.
    `missed` has b'(K - K~) b of each, for a machine on landmarks.
    """

    task: str
    psd: bool | None
    coef: Array
    gradient: Array
    ends: Array
    proofs: Array
    steps: Array
    margin: Array
    gradient_error: Array
    reason: tuple[str, ...]
    singly: tuple[DualSolution, ...]
    missed: tuple[float | None, ...] = ()

    @classmethod
    def of(cls, found: DualSolutions, psd: bool | None, missed: Sequence[float | None] = ()) -> Record:
        """The part of all solutions that is kept."""
        support = np.flatnonzero(found.coef)
        return cls(
            task=found.problems.task, psd=psd, coef=found.coef[support], gradient=found.gradient[support],
            ends=np.searchsorted(support, found.problems.ends), proofs=found.proofs, steps=found.steps,
            missed=tuple(missed), margin=found.margin, gradient_error=found.gradient_error, reason=tuple(found.reason),
            singly=tuple(_on_support(found.singly[p]) for p in sorted(found.singly))
            if len(found.singly) == len(found.reason)
            else (),
        )  # fmt: skip

    @property
    def solutions(self) -> tuple[DualSolution, ...]:
        """The solution of every problem, on its support vectors."""
        return self.singly or tuple(map(self._solution, range(len(self.reason))))

    def _solution(self, p: int) -> DualSolution:
        s = slice(self.ends[p], self.ends[p + 1])
        bias, violation, primal, dual = self.proofs[p, :4].tolist()
        return DualSolution(
            coef=self.coef[s], gradient=self.gradient[s], bias=bias, margin=float(self.margin[p]), violation=violation,
            gradient_error=float(self.gradient_error[p]), primal=primal, dual=dual, n_iter=int(self.steps[p]),
            converged=self.reason[p] == "converged", reason=self.reason[p],
        )  # fmt: skip

    def certificate(self, names: Sequence[str]) -> Certificate:
        """The proof of the worst problem, with the proofs of all of them in `parts`; `names` has one per problem."""
        return worst_of(
            certificate_from(
                self.proofs[p], self.task, n_iter=int(self.steps[p]), reason=self.reason[p], name=names[p],
                gradient_error=float(self.gradient_error[p]), psd=self.psd,
                missed=self.missed[p] if self.missed else None,
            )
            for p in range(len(self.reason))
        )  # fmt: skip


def _on_support(s: DualSolution) -> DualSolution:
    J = np.flatnonzero(s.coef)
    return replace(s, coef=s.coef[J], gradient=s.gradient[J])
