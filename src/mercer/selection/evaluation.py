"""Scores of many candidates on many folds, with everything that can be shared computed once.

    dataset    the items after the steps before the machine: one for all folds, or one per fold if there are such steps
    Gram       one per dataset and kernel (groups.py), an elementwise map of pair statistics (shared_grams.py)
    fit        one call for all machines of a kernel that offer it (estimators/shared_fits.py), else one for each

A Gram that does not fit the memory budget is not stored: each of its machines is fitted on the items themselves.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from mercer.config import config, here
from mercer.engine.interrupts import interrupted, until_interrupted
from mercer.engine.pool import run
from mercer.estimators.shared_fits import Fit, Fold
from mercer.estimators.sklearn_private import num_samples, safe_indexing, safe_split
from mercer.selection.candidates import Candidate
from mercer.selection.groups import Group, Task, groups_of
from mercer.selection.scoring import FoldScorer, Outcome
from mercer.selection.shared_grams import Grams
from mercer.typing import Array

SHARE = 0.5  # of the memory budget that the matrices of a search may use
GATHERED = 2  # matrices of the size of a Gram that one thread may need beside the Gram


@dataclass(eq=False)
class Dataset:
    """Items that some folds share, and the positions of the candidates that see them."""

    X: Any
    folds: list[int]
    members: list[int]


@dataclass(eq=False)
class Evaluation:
    """One run over candidates.

    outcomes       {(candidate, fold): outcome}, filled in as the run goes on
    fitted         {candidate: model} of models that were fitted to all items, where the run needs such fits
    evaluations    the number of pairs of items whose kernel or distance was computed
    tenths         tenths of all fits that were reported as done
    """

    scorer: FoldScorer
    candidates: Sequence[Candidate]
    deadline: float
    verbose: int
    outcomes: dict[tuple[int, int], Outcome] = field(default_factory=dict)
    fitted: dict[int, Any] = field(default_factory=dict)
    evaluations: int = 0
    tenths: int = 0

    def run(self) -> None:
        """Evaluate the candidates on all folds, until time is up or Ctrl-C comes."""
        count, folds = len(self.candidates), len(self.scorer.splits)
        self.tell(f"{count} candidates on {folds} folds: {count * folds} fits.")
        with until_interrupted():
            for dataset in self.datasets():
                if self.go_on():
                    dataset.members = self.wanted(dataset.members)
                    self.run_dataset(dataset)

    def wanted(self, members: list[int]) -> list[int]:
        """The candidates that are still evaluated: all of them, unless some are eliminated (racing.py)."""
        return members

    def waves(self, tasks: list[Task], kept: int) -> Iterator[list[Task]]:
        """Lists of tasks that run side by side, one list after the other; `kept` Grams may be stored."""
        yield tasks

    def go_on(self) -> bool:
        """Whether there is time for more, and Ctrl-C has not come."""
        return time.perf_counter() < self.deadline and not interrupted()

    def finished(self) -> tuple[list[int], list[int]]:
        """The candidates with an outcome on all folds; if there are none, folds with few outcomes are left out."""
        every, folds = range(len(self.candidates)), list(range(len(self.scorer.splits)))
        while folds:
            done = [c for c in every if all((c, f) in self.outcomes for f in folds)]
            if done:
                return done, folds
            folds.remove(min(folds, key=lambda f: (sum((c, f) in self.outcomes for c in every), -f)))
        return [], []

    def tell(self, sentence: str) -> None:
        """Print what is being done, if the user wants to know."""
        if self.verbose:
            sys.stdout.write(f"[KernelSearchCV] {sentence}\n")

    def tell_progress(self) -> None:
        """Report every tenth of all fits."""
        done, count = len(self.outcomes), len(self.candidates) * len(self.scorer.splits)
        if 10 * done // count > self.tenths:
            self.tenths = 10 * done // count
            self.tell(f"{done} of {count} fits done.")

    # ---- datasets

    def datasets(self) -> Iterator[Dataset]:
        """The items after each kind of steps; steps are fitted once per fold."""
        kinds: dict[Any, list[int]] = {}
        for c, candidate in enumerate(self.candidates):
            kinds.setdefault(candidate.steps_key, []).append(c)
        folds = list(range(len(self.scorer.splits)))
        for members in kinds.values():
            steps = self.candidates[members[0]].steps
            if steps is None:
                yield Dataset(self.scorer.X, folds, members)
            else:
                for f in folds:
                    yield from self._after(steps, f, members)

    def _after(self, steps: Any, f: int, members: list[int]) -> Iterator[Dataset]:
        """The items after steps that were fitted to the training items of a fold; nothing if that fails."""
        train, _ = self.scorer.splits[f]
        if not self.go_on():
            return
        try:
            fitted = clone(steps).fit(safe_indexing(self.scorer.X, train), self.scorer.targets(train))
            X = fitted.transform(self.scorer.X)
        except Exception as error:
            self.outcomes.update({(c, f): self.scorer.failed(error) for c in members})
        else:
            yield Dataset(X, [f], members)

    def run_dataset(self, dataset: Dataset) -> None:
        """First all fits on Grams, then those that need the items themselves."""
        on_gram = {c: self.candidates[c] for c in dataset.members if self.candidates[c].machine.takes_gram}
        groups, n = groups_of(on_gram, dataset.X, dataset.folds, self.scorer), num_samples(dataset.X)
        free = grams_in_budget(n) - 1 - GATHERED
        if groups and free < 1:
            self.tell(f"A Gram of {n} items is more than the memory budget holds: each machine streams its own.")
            on_gram = {}
        elif groups:
            self.run_groups(groups, n, free)
        alone = [c for c in dataset.members if c not in on_gram]
        if alone and self.go_on():
            self.tell(f"{len(alone) * len(dataset.folds)} fits that share nothing.")
        for c in alone:
            for f in dataset.folds:
                if self.wanted([c]):
                    self.fit_alone(c, f, dataset.X)
                    self.tell_progress()

    # ---- fits

    def run_groups(self, groups: list[Group], n: int, free: int) -> None:
        """All tasks on all Grams, as many at a time as threads and memory allow."""
        grams = Grams([(g.kernel, g.X) for g in groups if g.kernel is not None], room=free)
        tasks = [task for group in groups for task in group.tasks.values()]
        self.tell(f"Grams of {n} items, each made once: {grams.mapped} mapped from {grams.statistics} matrices of pair "
                  f"statistics, {len(groups) - grams.mapped} by themselves; {len(tasks)} runs on them.")  # fmt: skip
        for group in groups:
            group.lend(grams)

        def work(task: Task) -> None:
            if self.go_on():
                with task.group.gram as K:
                    self.fit_together(K, task) if task.offer else self.fit_each(K, task)
                self.tell_progress()

        at_once = max(1, min(config().threads, (free - grams.statistics) // (1 + GATHERED) + 1))
        with here(threads=at_once):
            for wave in self.waves(tasks, free - grams.statistics - GATHERED * at_once):
                run(work, wave)
        self.evaluations += grams.evaluations

    def fit_together(self, K: Array, task: Task) -> None:
        """Fit all machines of a task in the one call that they offer, and score them."""
        assert task.offer is not None
        began = time.perf_counter()
        try:
            machines = [self.candidates[c].machine for c in task.members]
            found = task.offer.fit(machines, [self.fold(K, f) for f in task.folds])
        except ValueError as error:
            self.outcomes.update({pair: self.scorer.failed(error) for pair in task.pairs})
            return
        seconds = (time.perf_counter() - began) / len(task.pairs)
        for f, fits in zip(task.folds, found, strict=True):
            for c, fit in zip(task.members, fits, strict=True):
                if fit is not None and (c, f) in task.pairs:
                    self.outcomes[c, f] = self.scorer.outcome(self.candidates[c].model, f, fit, seconds)

    def fold(self, K: Array, f: int) -> Fold:
        """Fold f on a Gram, for a shared fit."""
        train, test = self.scorer.splits[f]
        scored = np.concatenate([test, train]) if self.scorer.train_scores else test
        weight = None if self.scorer.weight is None else self.scorer.weight[train]
        return Fold(K, np.asarray(self.scorer.y), train, scored, len(test), weight, self.go_on)

    def fit_each(self, K: Array, task: Task) -> None:
        """Fit machines one by one on their part of a stored Gram."""
        for c, f in sorted(task.pairs):
            train, test = self.scorer.splits[f]
            if self.go_on():
                machine = task.group.on_gram(self.candidates[c].machine)
                self.fit_one(machine, c, f, K[np.ix_(train, train)], K[np.ix_(test, train)])

    def fit_alone(self, c: int, f: int, X: Any) -> None:
        """Fit one machine on its items."""
        machine = clone(self.candidates[c].machine)
        train, test = self.scorer.splits[f]
        if self.go_on():
            own, held = (safe_split(machine, X, None, some, train)[0] for some in (train, test))
            self.fit_one(machine, c, f, own, held)

    def fit_one(self, machine: Any, c: int, f: int, own: Any, held: Any) -> None:
        """Fit a machine of candidate c to the training items of fold f, and score it."""
        train, _ = self.scorer.splits[f]
        began = time.perf_counter()
        options = {} if self.scorer.weight is None else {"sample_weight": self.scorer.weight[train]}
        try:
            machine.fit(own, self.scorer.targets(train), **options)
        except Exception as error:
            self.outcomes[c, f] = self.scorer.failed(error)
            return
        fit, seconds = Fit(machine, gap_of(machine), held, own), time.perf_counter() - began
        self.outcomes[c, f] = self.scorer.outcome(self.candidates[c].model, f, fit, seconds)


def gap_of(machine: Any) -> float:
    """The relative duality gap of a fitted machine; nan where there is none."""
    return float(getattr(getattr(machine, "certificate_", None), "relative_gap", np.nan))


def grams_in_budget(n: int) -> int:
    """How many n x n matrices in double precision fit into the share of the memory budget that a search may use."""
    return int(SHARE * config().memory) // max(8 * n * n, 1)
