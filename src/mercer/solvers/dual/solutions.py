"""The solutions of several problems, joined in long arrays as problem.DualProblems joins the problems."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mercer.solvers.dual.certificate import DualSolution
from mercer.solvers.dual.problem import DualProblems
from mercer.solvers.dual.proof import BIAS, DUAL, PRIMAL, VIOLATION, WIDTH, proof_row
from mercer.typing import Array


@dataclass(eq=False)
class DualSolutions:
    """Coefficients and gradients of all problems, and for each its proof (a row of proof.py), steps and reason.

    A problem whose `reason` is "" has not been solved.  `singly` holds what was returned for problems that were solved
    one by one.
    """

    problems: DualProblems
    coef: Array
    gradient: Array
    proofs: Array
    steps: Array
    margin: Array
    gradient_error: Array
    reason: list[str]
    singly: dict[int, DualSolution] = field(default_factory=dict, repr=False)

    @classmethod
    def at_start(cls, problems: DualProblems) -> DualSolutions:
        """Every problem at its start, none solved."""
        start, count = problems.joined.start, len(problems.ends) - 1
        return cls(
            problems, start.astype(np.float64), np.empty(len(start)), np.full((count, WIDTH), np.nan),
            np.zeros(count, dtype=np.intp), np.ones(count), np.zeros(count), [""] * count,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.reason)

    @property
    def open(self) -> list[int]:
        """The problems that have not been solved."""
        return [p for p, reason in enumerate(self.reason) if not reason]

    @property
    def converged(self) -> bool:
        """Whether all problems have been solved to the tolerance."""
        return all(reason == "converged" for reason in self.reason)

    def put(self, p: int, found: DualSolution) -> None:
        """The solution of problem p."""
        s = self.problems.span(p)
        self.coef[s], self.gradient[s] = found.coef, found.gradient
        self.proofs[p] = proof_row(found, self.problems[p], self.problems.task)
        self.steps[p] = found.n_iter
        self.margin[p] = found.margin
        self.gradient_error[p] = found.gradient_error
        self.reason[p], self.singly[p] = found.reason, found

    def __getitem__(self, p: int) -> DualSolution:
        if p in self.singly:
            return self.singly[p]
        s, row = self.problems.span(p), self.proofs[p]
        return DualSolution(
            coef=self.coef[s], gradient=self.gradient[s], bias=float(row[BIAS]), margin=float(self.margin[p]),
            violation=float(row[VIOLATION]), primal=float(row[PRIMAL]), dual=float(row[DUAL]),
            gradient_error=float(self.gradient_error[p]), n_iter=int(self.steps[p]),
            converged=self.reason[p] == "converged", reason=self.reason[p],
        )  # fmt: skip
