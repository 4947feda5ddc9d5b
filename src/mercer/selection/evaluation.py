"""Scores of many candidates on many folds, with everything that can be shared computed once.

    dataset    the items as the steps before the machine leave them: one for all folds, or one per fold where they learn
    Gram       one per dataset and kernel, an elementwise map of the pair statistics (store.py), sliced per fold
    fit        one call for all machines of a kernel that offer it (estimators/shared_fits.py), else one for each

A Gram that does not fit the memory budget is not stored: each of its machines is fitted on the items themselves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from mercer.config import config, here
from mercer.engine.interrupts import interrupted, until_interrupted
from mercer.engine.pool import run
from mercer.estimators.shared_fits import Fit, Fold, SharedFits, offered
from mercer.estimators.sklearn_private import num_samples, safe_indexing, safe_split
from mercer.items import Items
from mercer.selection.candidates import Candidate
from mercer.selection.groups import Group, Task, group_of
from mercer.selection.scoring import FoldScorer, Outcome, Split
from mercer.selection.store import Grams, room
from mercer.typing import Array

GATHERED = 2  # matrices of the size of a Gram that one thread may need beside the Gram


@dataclass(eq=False)
class Dataset:
    """Items that some folds share, and the candidates that see them."""

    X: Any
    folds: list[int]
    members: list[int]


@dataclass(eq=False)
class Evaluation:
    """One run over candidates; `outcomes` is filled in as it goes, `evaluations` counts pairs of items."""

    scorer: FoldScorer
    candidates: Sequence[Candidate]
    weight: Array | None
    deadline: float
    tell: Callable[[str], None]
    outcomes: dict[tuple[int, int], Outcome] = field(default_factory=dict)
    evaluations: int = 0
    tenths: int = 0  # tenths of all fits that were reported as done

    def run(self) -> None:
        """Evaluate the candidates on all folds, as far as time and the user allow."""
        count, folds = len(self.candidates), len(self.splits)
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
        """Tasks that run side by side; `kept` Grams may be stored."""
        yield tasks

    def go_on(self) -> bool:
        """Whether there is time for more, and Ctrl-C has not come."""
        return time.perf_counter() < self.deadline and not interrupted()

    def finished(self) -> tuple[list[int], list[int]]:
        """The candidates with an outcome on all folds; if there are none, folds with few outcomes are left out."""
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
        return self.scorer.splits

    # ---- what is shared

    def datasets(self) -> Iterator[Dataset]:
        """The items after each kind of steps; steps are fitted once per fold."""
        kinds: dict[Any, list[int]] = {}
        for c, candidate in enumerate(self.candidates):
            kinds.setdefault(candidate.key, []).append(c)
        for members in kinds.values():
            steps = self.candidates[members[0]].steps
            if steps is None:
                yield Dataset(self.scorer.X, list(range(len(self.splits))), members)
            else:
                for f in range(len(self.splits)):
                    yield from self._after(steps, f, members)

    def _after(self, steps: Any, f: int, members: list[int]) -> Iterator[Dataset]:
        """The items after steps that were fitted to the training items of a fold; nothing if that fails."""
        train, _ = self.splits[f]
        if not self.go_on():
            return
        try:
            fitted = clone(steps).fit(safe_indexing(self.scorer.X, train), self.scorer.targets(train))
            X = fitted.transform(self.scorer.X)
        except Exception as error:
            self.outcomes.update({(c, f): self.scorer.failed(error) for c in members})
        else:
            yield Dataset(X, [f], members)

    def groups(self, dataset: Dataset) -> list[Group]:
        """The candidates that take a Gram, by kernel."""
        found: dict[Any, Group] = {}
        members = [c for c in dataset.members if self.candidates[c].machine.takes_gram]
        kinds = {machine.items_kind: machine for machine in (self.candidates[c].machine for c in members)}
        checked = {kind: _double(machine.check_items(dataset.X)) for kind, machine in kinds.items()}
        for f in dataset.folds:
            train, _ = self.splits[f]
            own, y = {kind: _taken(X, train) for kind, X in checked.items()}, self._train_targets(f)
            for c in members:
                machine = self.candidates[c].machine
                kind = machine.items_kind
                group = group_of(machine, checked[kind], own[kind], f, found)
                group.add(f, c, self._offer(machine, y, group.psd))
        return list(found.values())

    def _train_targets(self, f: int) -> Array | None:
        """The targets of the training items, where scores can be had from shared fits; else None.

        A user's scorer may look at all attributes of a machine, so that this must be fitted in full.
        """
        if self.scorer.y is None or not self.scorer.reads_predictions_only:
            return None
        train, _ = self.splits[f]
        return np.asarray(self.scorer.y)[train]

    def _offer(self, machine: Any, y: Array | None, psd: bool | None) -> SharedFits | None:
        """What a machine of a kernel offers to share on a fold with these training targets."""
        if y is None:
            return None
        left_out = self.weight is None and not self.scorer.train_scores and self.scorer.leaves_one_out
        return offered(machine, y, psd=psd, leave_one_out=left_out)

    # ---- the work on one dataset

    def run_dataset(self, dataset: Dataset) -> None:
        """First all fits on Grams, then those that need the items themselves."""
        alone = [c for c in dataset.members if not self.candidates[c].machine.takes_gram]
        groups, n = self.groups(dataset), num_samples(dataset.X)
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
        """Report every tenth of all fits."""
        done, count = len(self.outcomes), len(self.candidates) * len(self.splits)
        if 10 * done // count > self.tenths:
            self.tenths = 10 * done // count
            self.tell(f"{done} of {count} fits done.")

    def run_groups(self, groups: list[Group], n: int, free: int) -> None:
        """All tasks on all Grams, as many at a time as threads and memory allow."""
        grams = Grams([(g.kernel, g.X) for g in groups if g.kernel is not None], room=free)
        tasks = [task for group in groups for task in group.tasks()]
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
        """Fit and score all machines of a task in the way that they offer."""
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
        train, test = self.splits[f]
        scored = np.concatenate([test, train]) if self.scorer.train_scores else test
        weight = None if self.weight is None else self.weight[train]
        return Fold(K, np.asarray(self.scorer.y), train, scored, len(test), weight, self.go_on)

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
            own, held = (safe_split(machine, X, None, some, train)[0] for some in (train, test))
            self.fit_one(machine, c, f, own, held)

    def fit_one(self, machine: Any, c: int, f: int, own: Any, held: Any) -> None:
        train, _ = self.splits[f]
        began = time.perf_counter()
        options = {} if self.weight is None else {"sample_weight": self.weight[train]}
        try:
            machine.fit(own, self.scorer.targets(train), **options)
        except Exception as error:
            self.outcomes[c, f] = self.scorer.failed(error)
            return
        gap = float(getattr(getattr(machine, "certificate_", None), "relative_gap", np.nan))
        fit, seconds = Fit(machine, gap, held, own), time.perf_counter() - began
        self.outcomes[c, f] = self.scorer.outcome(self.candidates[c].model, f, fit, seconds)


def _taken(X: Any, index: Array) -> Any:
    """Some of the items."""
    return X[index] if isinstance(X, Items) else safe_indexing(X, index)


def _double(X: Any) -> Any:
    """Arrays in double precision, in which machines prove their answers."""
    return X.astype(np.float64) if getattr(X, "dtype", None) == np.float32 else X
