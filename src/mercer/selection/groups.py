"""Candidates that share a Gram, and the tasks that they make: one for each fold and way of being fitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from mercer.estimators.expansion import GivenGram
from mercer.kernels import Kernel
from mercer.selection.candidates import kernel_key
from mercer.selection.folds import Fold
from mercer.selection.judging import Fit
from mercer.selection.store import Grams, Lent, in_single

Solve = Callable[[list[Any], list[Fold]], list[list[Fit | None]]]


@dataclass(frozen=True)
class Shortcut:
    """A way to fit machines together, on one fold or on several; those of equal `key` go in one run.

    `single` says whether a Gram in single precision, without its level, is enough for it.
    """

    solve: Solve
    key: Any
    single: bool = True


@dataclass(eq=False)
class Task:
    """Candidates to be fitted on folds of a Gram, together if there is a way to, or else one by one."""

    group: Group
    way: Shortcut | None
    pairs: set[tuple[int, int]] = field(default_factory=set)  # (candidate, fold)

    @property
    def members(self) -> list[int]:
        return sorted({c for c, _ in self.pairs})

    @property
    def folds(self) -> list[int]:
        return sorted({f for _, f in self.pairs})


@dataclass(eq=False)
class Group:
    """All candidates of one kernel; no kernel where the Gram is given as X."""

    kernel: Kernel | None
    X: Any
    _sets: dict[Any, Task] = field(default_factory=dict)
    gram: Lent = None  # type: ignore[assignment]  # lent while tasks run

    @property
    def psd(self) -> bool | None:
        return None if self.kernel is None else self.kernel.psd

    def add(self, f: int, c: int, way: Shortcut | None) -> None:
        """Candidate c is to be fitted on fold f, in this way if there is one."""
        self._sets.setdefault((f, c) if way is None else way, Task(self, way)).pairs.add((c, f))

    def tasks(self) -> list[Task]:
        return list(self._sets.values())

    def lend(self, grams: Grams) -> None:
        """Have the Gram ready to be made for the tasks."""
        if self.kernel is not None:
            make = partial(grams.gram, self.kernel, level=not self.single)
        else:
            make = partial(in_single if self.single else np.asarray, self.X)
        self.gram = Lent(make, len(self._sets))

    @property
    def single(self) -> bool:
        """Whether a Gram in single precision is enough for all of them."""
        return all(task.way is not None and task.way.single for task in self.tasks())

    def on_gram(self, machine: Any) -> Any:
        """A copy of a machine that takes the Gram in place of items; named and positive kernels need no proof again."""
        copy = clone(machine).set_params(kernel="precomputed")
        trusted = self.psd or (isinstance(machine.kernel, str) and not machine._precomputed)
        return copy.set_params(check_psd="off") if trusted and hasattr(copy, "check_psd") else copy


def group_of(machine: Any, X: Any, own: Any, f: int, found: dict[Any, Group]) -> Group:
    """The group of a machine on a fold whose training items are `own`, made if it is the first of its kind."""
    if machine._precomputed:
        if "precomputed" not in found:
            found["precomputed"] = Group(None, GivenGram.of(X).gram().K)
        return found["precomputed"]
    kernel: Kernel = machine._kernel_for(own)
    key = (f if kernel.learned else -1, kernel_key(kernel))  # a kernel that learns does so from this fold alone
    if key not in found:
        found[key] = Group(kernel.fit(own), X)
    return found[key]
