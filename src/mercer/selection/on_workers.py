"""A search on the workers of a Dask client: one task for each kernel, with its Gram, all settings and folds inside."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from mercer.distributed.jobs import finished_jobs
from mercer.engine.interrupts import until_interrupted
from mercer.selection.candidates import Candidate
from mercer.selection.evaluation import Evaluation
from mercer.selection.scoring import FoldScorer

_OF_KERNEL = ("kernel", "gamma", "degree", "coef0", "kernel_params")


@dataclass(eq=False)
class WorkersEvaluation(Evaluation):
    """A run whose candidates are evaluated on workers; the results are those of a run on this machine."""

    def run(self) -> None:
        groups = _by_kernel(self.candidates)
        count, folds = len(self.candidates), len(self.scorer.splits)
        self.tell(f"{count} candidates on {folds} folds: {count * folds} fits in {len(groups)} tasks.")
        jobs = [([self.candidates[c] for c in group], self._seconds()) for group in groups]
        with until_interrupted():
            for i, (outcomes, evaluations) in finished_jobs(_evaluated, jobs, self.scorer, self.deadline):
                self.outcomes.update({(groups[i][c], f): outcome for (c, f), outcome in outcomes.items()})
                self.evaluations += evaluations
                self.tell_progress()

    def _seconds(self) -> float:
        return self.deadline - time.perf_counter()


def _evaluated(scorer: FoldScorer, job: tuple[list[Candidate], float]) -> tuple[dict[Any, Any], int]:
    """The outcomes of some candidates, on a worker."""
    candidates, seconds = job
    run = Evaluation(scorer, candidates, time.perf_counter() + seconds, 0)
    run.run()
    return run.outcomes, run.evaluations


def _by_kernel(candidates: Any) -> list[list[int]]:
    """Positions of the candidates of each kernel."""
    found: dict[Any, list[int]] = {}
    for c, candidate in enumerate(candidates):
        params = candidate.machine.get_params(deep=False)
        kernel = tuple(repr(params.get(name)) for name in _OF_KERNEL)
        found.setdefault((repr(candidate.steps_key), kernel), []).append(c)
    return list(found.values())
