"""Settings by their evidence p(y | X, setting): one fit on all items instead of one per fold."""

from __future__ import annotations

import time
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from mercer.engine.interrupts import until_interrupted
from mercer.errors import bad
from mercer.selection.candidates import fit_options
from mercer.selection.evaluation import Evaluation, gap_of
from mercer.selection.scoring import Outcome

ATTRIBUTES = ("log_marginal_likelihood_value_", "log_evidence_")


class EvidenceRun(Evaluation):
    """A run that fits every candidate to all items; its score is the log evidence.  The best model is kept."""

    def run(self) -> None:
        """Fit the candidates one after the other: as many as time allows, and at least one."""
        self.tell(f"{len(self.candidates)} candidates by their evidence: one fit each, on all items.")
        with until_interrupted():
            for c in range(len(self.candidates)):
                if c and not self.go_on():
                    break
                self.fit_to_all(c)

    def fit_to_all(self, c: int) -> None:
        """Fit candidate c to all items."""
        began, model = time.perf_counter(), clone(self.candidates[c].model)
        try:
            model.fit(self.scorer.X, self.scorer.y, **fit_options(model, self.scorer.weight))
        except ValueError as error:
            self.outcomes[c, 0] = self.scorer.failed(error)
            return
        machine = model[-1] if isinstance(model, Pipeline) else model
        score, seconds = evidence_of(machine), time.perf_counter() - began
        self.outcomes[c, 0] = Outcome(score, None, seconds, 0.0, gap_of(machine))
        if all(score > self.outcomes[best, 0].score for best in self.fitted):
            self.fitted = {c: model}


def evidence_of(machine: Any) -> float:
    """The log evidence of a fitted machine."""
    for name in ATTRIBUTES:
        if hasattr(machine, name):
            return float(getattr(machine, name))
    raise bad("KernelSearchCV", "estimator", "a model with an evidence for strategy='evidence'",
              type(machine).__name__, "Use a Gaussian process, an RVM, or strategy='grid'.")  # fmt: skip
