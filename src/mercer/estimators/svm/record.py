"""What a fit of a support vector machine proves, kept in a few arrays however many pairs of classes it has.

`solution_` and `certificate_` are made of it when they are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mercer.estimators.svm.certificate import Certificate, certificate_from
from mercer.solvers.dual import DualSolution, Solutions
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Record:
    """The solutions on their support vectors, and a row of numbers that prove each (solvers/dual/proof.py).

    Problem p has coef[ends[p]:ends[p + 1]].  `singly` holds what was returned for problems that were solved one by one.
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

    @classmethod
    def of(cls, found: Solutions, psd: bool | None) -> Record:
        """What is worth keeping of all solutions."""
        support = np.flatnonzero(found.coef)
        return cls(
            task=found.problems.task, psd=psd, coef=found.coef[support], gradient=found.gradient[support],
            ends=np.searchsorted(support, found.problems.ends), proofs=found.proofs, steps=found.steps,
            margin=found.margin, gradient_error=found.gradient_error, reason=tuple(found.reason),
            singly=tuple(_on_support(found[p]) for p in range(len(found))) if len(found.singly) == len(found) else (),
        )  # fmt: skip

    @property
    def solutions(self) -> tuple[DualSolution, ...]:
        """What the solver returned, on support vectors."""
        return self.singly or tuple(map(self._solution, range(len(self.reason))))

    def _solution(self, p: int) -> DualSolution:
        s = slice(self.ends[p], self.ends[p + 1])
        bias, violation, primal, dual = self.proofs[p, :4].tolist()
        return DualSolution(
            coef=self.coef[s], gradient=self.gradient[s], bias=bias, margin=float(self.margin[p]), violation=violation,
            gradient_error=float(self.gradient_error[p]), primal=primal, dual=dual, n_iter=int(self.steps[p]),
            converged=self.reason[p] == "converged", reason=self.reason[p],
        )  # fmt: skip

    def certificates(self, names: Sequence[str]) -> list[Certificate]:
        """The proof of every problem; `names` say of which."""
        return [
            certificate_from(
                self.proofs[p], self.task, n_iter=int(self.steps[p]), reason=self.reason[p], name=names[p],
                gradient_error=float(self.gradient_error[p]), psd=self.psd,
            )
            for p in range(len(self.reason))
        ]  # fmt: skip


def _on_support(s: DualSolution) -> DualSolution:
    J = np.flatnonzero(s.coef)
    return replace(s, coef=s.coef[J], gradient=s.gradient[J])
