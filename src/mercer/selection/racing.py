"""Racing: candidates that are unlikely to become the best are dropped before they have run on all folds.

After m of F folds let d_1, ..., d_m be the differences in score, fold by fold, between the best candidate so far and
another one, with mean d and standard deviation s.  If differences are exchangeable and normal, the mean over all F
folds minus d has the distribution of t_{m-1} s sqrt((F - m) / (F m)).  So a candidate with

    d > q s sqrt((F - m) / (F m)),      q the 1 - RISK quantile of Student's t with m - 1 degrees of freedom

would end ahead of the best with a probability of at most RISK.  This holds for one test of one candidate, and for
normal differences: the best setting may be eliminated, though the one chosen instead is rarely much worse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.selection.evaluation import Evaluation
from mercer.selection.groups import Task
from mercer.selection.scoring import Outcome
from mercer.typing import Array

RISK = 0.01
SEEN = 3  # folds that a candidate must have run on before it can be dropped


@dataclass(eq=False)
class Race(Evaluation):
    """A run that drops candidates between folds; of several scores, `metric` is the name of the one that counts."""

    metric: Any = None
    dropped: set[int] = field(default_factory=set)

    def run(self) -> None:
        """Evaluate candidates until they are dropped; folds that a dropped one did not run have the score nan."""
        super().run()
        self.drop()
        blank = Outcome(np.nan, np.nan, 0.0, 0.0, np.nan)
        for c in self.dropped:
            some = next(outcome for (other, _), outcome in self.outcomes.items() if other == c)
            if isinstance(some.score, dict):
                nothing = dict.fromkeys(some.score, np.nan)
                blank = Outcome(nothing, nothing, 0.0, 0.0, np.nan)
            for f in range(len(self.scorer.splits)):
                self.outcomes.setdefault((c, f), blank)

    def wanted(self, members: Sequence[int]) -> list[int]:
        """Those that have not been dropped."""
        self.drop()
        return [c for c in members if c not in self.dropped]

    def waves(self, tasks: list[Task], kept: int) -> Iterator[list[Task]]:
        """One fold after the other, for as many Grams at a time as may be stored."""
        groups = list(dict.fromkeys(task.group for task in tasks))
        for start in range(0, len(groups), max(kept, 1)):
            part = groups[start : start + max(kept, 1)]
            first = {task: task.folds[0] for task in tasks if task.group in part}
            for f in sorted(set(first.values())):
                self.drop()
                wave = [task for task in first if first[task] == f]
                for task in wave:
                    task.pairs = {pair for pair in task.pairs if pair[0] not in self.dropped}
                yield [task for task in wave if task.pairs]
            for group in part:
                group.gram = None  # type: ignore[assignment]  # it may still be stored, if tasks that were to use it were dropped

    def drop(self) -> None:
        """Drop the candidates that the test of the module finds too far behind the best."""
        S = self.scores()
        racing = [c for c in range(len(S)) if c not in self.dropped and np.isfinite(S[c]).any()]
        if not racing:
            return
        best = max(racing, key=lambda c: (np.isfinite(S[c]).sum(), np.nanmean(S[c])))
        self.dropped |= {c for c in racing if c != best and left_behind(S[best] - S[c], np.isfinite(S[c]).all())}

    def scores(self) -> Array:
        """(candidates, folds): the scores, nan where there is none yet."""
        S = np.full((len(self.candidates), len(self.scorer.splits)), np.nan)
        for (c, f), outcome in self.outcomes.items():
            S[c, f] = self._value(outcome)
        return S

    def _value(self, outcome: Outcome) -> float:
        if not isinstance(outcome.score, dict):
            return float(outcome.score)
        if not isinstance(self.metric, str) or self.metric not in outcome.score:
            raise bad("KernelSearchCV", "refit", "the name of one of the metrics for eliminate=True",
                      repr(self.metric), f"Choose one of {sorted(outcome.score)}.")  # fmt: skip
        return float(outcome.score[self.metric])


def left_behind(behind: Array, finished: bool) -> bool:
    """Whether a candidate is unlikely to catch up; `behind` is the best minus its score, nan on folds not yet run."""
    from scipy.special import stdtrit

    seen = behind[np.isfinite(behind)]
    m, F = len(seen), len(behind)
    if finished or m < SEEN or m == F:
        return False
    spread = float(seen.std(ddof=1)) * np.sqrt((F - m) / (F * m))
    return bool(seen.mean() > max(stdtrit(m - 1, 1.0 - RISK) * spread, 0.0))
