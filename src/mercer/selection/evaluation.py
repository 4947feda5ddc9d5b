"""Scores of many candidates on many folds, with everything that can be shared made once.

    dataset    the items as the steps before the machine leave them: one for all folds, or one per fold where they learn
    Gram       one per dataset and kernel, an elementwise map of the pair statistics (store.py), sliced per fold
    fold       all machines of one kernel and one fold: a chain (chains.py), or fits on the sliced Gram

A Gram that does not fit the memory budget is not stored: its machines are fitted as they would be without a search.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _num_samples

from mercer.config import config, configure
from mercer.engine.pool import run, stopped
from mercer.items import Items
from mercer.selection.candidates import Candidate, takes_gram
from mercer.selection.folds import Fold
from mercer.selection.groups import Group, Task, group_of
from mercer.selection.judging import OWN, Fit, Judge, Outcome, Split
from mercer.selection.shortcuts import shortcut
from mercer.selection.store import Grams, room
from mercer.typing import Array

GATHERED = 2  # matrices as large as a Gram that a thread may need for its own


@dataclass(eq=False)
class Dataset:
    """Items that some folds share, and the candidates that see them."""

    X: Any
    folds: list[int]
    members: list[int]


@dataclass(eq=False)
class Evaluation:
    """One run over candidates; `outcomes` is filled in as it goes, `evaluations` counts pairs of items."""

    judge: Judge
    candidates: Sequence[Candidate]
    weight: Array | None
    deadline: float
    tell: Callable[[str], None]
    outcomes: dict[tuple[int, int], Outcome] = field(default_factory=dict)
    evaluations: int = 0
    tenths: int = 0  # of the fits, that have been told

    def run(self) -> None:
        """Evaluate the candidates on all folds, as far as time allows."""
        count, folds = len(self.candidates), len(self.splits)
        self.tell(f"{count} candidates on {folds} folds: {count * folds} fits.")
        for dataset in self.datasets():
            if self.go_on():
                dataset.members = self.wanted(dataset.members)
                self.run_dataset(dataset)

    def wanted(self, members: list[int]) -> list[int]:
        """The candidates whose scores are still of interest: all of them, but in a race (racing.py)."""
        return members

    def waves(self, tasks: list[Task], kept: int) -> Iterator[list[Task]]:
        """Tasks that run side by side; `kept` Grams may be stored."""
        yield tasks

    def go_on(self) -> bool:
        """Whether there is time for more."""
        return time.perf_counter() < self.deadline and not stopped()

    def finished(self) -> tuple[list[int], list[int]]:
        """The candidates that all folds saw; where no candidate got so far, folds are left out, the emptiest first."""
        folds = list(range(len(self.splits)))
        while folds:
            done = [c for c in range(len(self.candidates)) if all((c, f) in self.outcomes for f in folds)]
            if done:
                return done, folds
            folds.remove(
                min(folds, key=lambda f: (sum((c, f) in self.outcomes for c in range(len(self.candidates))), -f))
            )
        return [], []

    @property
    def splits(self) -> list[Split]:
        return self.judge.splits

    # ---- what is shared

    def datasets(self) -> Iterator[Dataset]:
        """The items as each kind of candidate sees them; steps are fitted once per fold."""
        kinds: dict[Any, list[int]] = {}
        for c, candidate in enumerate(self.candidates):
            kinds.setdefault(candidate.key, []).append(c)
        for members in kinds.values():
            steps = self.candidates[members[0]].steps
            if steps is None:
                yield Dataset(self.judge.X, list(range(len(self.splits))), members)
            else:
                for f in range(len(self.splits)):
                    yield from self._after(steps, f, members)

    def _after(self, steps: Any, f: int, members: list[int]) -> Iterator[Dataset]:
        """The items as they come out of steps that were fitted to the training items; none if that fails."""
        train, _ = self.splits[f]
        if not self.go_on():
            return
        try:
            fitted = clone(steps).fit(_safe_indexing(self.judge.X, train), self.judge.targets(train))
            X = fitted.transform(self.judge.X)
        except Exception as error:
            self.outcomes.update({(c, f): self.judge.failed(error) for c in members})
        else:
            yield Dataset(X, [f], members)

    def groups(self, dataset: Dataset) -> list[Group]:
        """Candidates by kernel."""
        found: dict[Any, Group] = {}
        members = [c for c in dataset.members if takes_gram(self.candidates[c].machine)]
        kinds = {machine._on_arrays: machine for machine in (self.candidates[c].machine for c in members)}
        checked = {arrays: _double(clone(machine)._checked(dataset.X, reset=True)) for arrays, machine in kinds.items()}
        for f in dataset.folds:
            own = {arrays: _taken(X, self.splits[f][0]) for arrays, X in checked.items()}
            for c in members:
                machine = self.candidates[c].machine
                group = group_of(machine, checked[machine._on_arrays], own[machine._on_arrays], f, found)
                way = shortcut(machine, group.psd, self.judge, f, weighted=self.weight is not None)
                group.add(f, c, way)
        return list(found.values())

    # ---- the work on one dataset

    def run_dataset(self, dataset: Dataset) -> None:
        """Work on the Grams that candidates share, and then on the fits that need the items themselves."""
        alone = [c for c in dataset.members if not takes_gram(self.candidates[c].machine)]
        groups, n = self.groups(dataset), _num_samples(dataset.X)
        free = room(n) - 1 - GATHERED
        if groups and free < 1:
            self.tell(f"A Gram of {n} items is more than the memory budget holds: each machine streams its own.")
            alone = dataset.members
        elif groups:
            self.run_groups(groups, n, free)
        if alone and self.go_on():
            self.tell(f"{len(alone) * len(dataset.folds)} fits that share nothing.")
        for c in alone:
            for f in dataset.folds:
                if self.wanted([c]):
                    self.fit_alone(c, f, dataset.X)
                    self.tell_progress()

    def tell_progress(self) -> None:
        """Say how far it is, at every tenth of the way."""
        done, count = len(self.outcomes), len(self.candidates) * len(self.splits)
        if 10 * done // count > self.tenths:
            self.tenths = 10 * done // count
            self.tell(f"{done} of {count} fits done.")

    def run_groups(self, groups: list[Group], n: int, free: int) -> None:
        """All folds of all Grams, as many at a time as there are threads and memory for."""
        grams = Grams([(g.kernel, g.X) for g in groups if g.kernel is not None], room=free)
        tasks = [task for group in groups for task in group.tasks()]
        self.tell(f"Grams of {n} items, each made once: {grams.mapped} mapped from {grams.statistics} matrices of pair "
                  f"statistics, {len(groups) - grams.mapped} by themselves; {len(tasks)} runs on them.")  # fmt: skip
        for group in groups:
            group.lend(grams)

        def work(task: Task) -> None:
            if self.go_on():
                with task.group.gram as K:
                    self.fit_together(K, task) if task.way else self.fit_each(K, task)
                self.tell_progress()

        at_once = max(1, min(config().threads, (free - grams.statistics) // (1 + GATHERED) + 1))
        with configure(threads=at_once):
            for wave in self.waves(tasks, free - grams.statistics - GATHERED * at_once):
                run(work, wave)
        self.evaluations += grams.evaluations

    def fit_together(self, K: Array, task: Task) -> None:
        """Fit and score all machines of a task by their shortcut."""
        assert task.way is not None
        began = time.perf_counter()
        try:
            machines = [self.candidates[c].machine for c in task.members]
            found = task.way.solve(machines, [self.fold(K, f) for f in task.folds])
        except ValueError as error:
            self.outcomes.update({pair: self.judge.failed(error) for pair in task.pairs})
            return
        seconds = (time.perf_counter() - began) / len(task.pairs)
        for f, fits in zip(task.folds, found, strict=True):
            for c, fit in zip(task.members, fits, strict=True):
                if fit is not None and (c, f) in task.pairs:
                    self.outcomes[c, f] = self.judge.outcome(self.candidates[c].model, f, fit, seconds)

    def fold(self, K: Array, f: int) -> Fold:
        train, test = self.splits[f]
        scored = np.concatenate([test, train]) if self.judge.train_scores else test
        weight = None if self.weight is None else self.weight[train]
        return Fold(K, np.asarray(self.judge.y), train, scored, len(test), weight, self.go_on)

    def fit_each(self, K: Array, task: Task) -> None:
        """Fit machines one by one on their part of a stored Gram."""
        for c, f in sorted(task.pairs):
            train, test = self.splits[f]
            if self.go_on():
                machine = task.group.on_gram(self.candidates[c].machine)
                self.fit_one(machine, c, f, K[np.ix_(train, train)], K[np.ix_(test, train)])

    def fit_alone(self, c: int, f: int, X: Any) -> None:
        """Fit one machine on its items."""
        machine = clone(self.candidates[c].machine)
        train, test = self.splits[f]
        if self.go_on():
            own, held = (_safe_split(machine, X, None, some, train)[0] for some in (train, test))
            self.fit_one(machine, c, f, own, held)

    def fit_one(self, machine: Any, c: int, f: int, own: Any, held: Any) -> None:
        train, _ = self.splits[f]
        began = time.perf_counter()
        options = {} if self.weight is None else {"sample_weight": self.weight[train]}
        try:
            machine.fit(own, self.judge.targets(train), **options)
        except Exception as error:
            self.outcomes[c, f] = self.judge.failed(error)
            return
        gap = float(getattr(getattr(machine, "certificate_", None), "relative_gap", np.nan))
        fit = Fit(machine, gap, lambda which: own if which == OWN else held)
        self.outcomes[c, f] = self.judge.outcome(self.candidates[c].model, f, fit, time.perf_counter() - began)


def _taken(X: Any, index: Array) -> Any:
    """Some of the items, checked or as they came."""
    return X[index] if isinstance(X, Items) else _safe_indexing(X, index)


def _double(X: Any) -> Any:
    """Arrays in double precision, in which machines prove their answers."""
    return X.astype(np.float64) if getattr(X, "dtype", None) == np.float32 else X
