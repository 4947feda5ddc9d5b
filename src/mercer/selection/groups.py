"""Candidates that share a Gram, and the tasks that they make: one for each call of a shared fit, or for each fit."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from mercer.estimators.shared_fits import SharedFits
from mercer.estimators.training_data import GivenGram
from mercer.gram.row_centred import row_centred_array
from mercer.kernels import Kernel
from mercer.selection.candidates import kernel_key
from mercer.selection.store import Grams, RefCountedGram


@dataclass(eq=False)
class Task:
    """Candidates to be fitted on folds of a Gram: together if they made an offer, or else one by one."""

    group: Group
    offer: SharedFits | None
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
    _tasks: dict[Any, Task] = field(default_factory=dict)
    gram: RefCountedGram = None  # type: ignore[assignment]  # set while tasks run

    @property
    def psd(self) -> bool | None:
        return None if self.kernel is None else self.kernel.psd

    def add(self, f: int, c: int, offer: SharedFits | None) -> None:
        """Candidate c is to be fitted on fold f, with all others that make an equal offer."""
        key: Any = (f, c)
        if offer is not None:
            key = (offer, f if offer.by_fold else None)
        self._tasks.setdefault(key, Task(self, offer)).pairs.add((c, f))

    def tasks(self) -> list[Task]:
        return list(self._tasks.values())

    def lend(self, grams: Grams) -> None:
        """Have the Gram made when the first task needs it, and freed after the last."""
        if self.kernel is not None:
            make = partial(grams.gram, self.kernel, centred=self.row_centred)
        else:
            make = partial(row_centred_array if self.row_centred else np.asarray, self.X)
        self.gram = RefCountedGram(make, len(self._tasks))

    @property
    def row_centred(self) -> bool:
        """Whether a Gram in single precision with centred rows is enough for all tasks."""
        return all(task.offer is not None and task.offer.row_centred for task in self.tasks())

    def on_gram(self, machine: Any) -> Any:
        """A copy of a machine that takes the Gram in place of items; it does not test a trusted kernel again."""
        copy = clone(machine).set_params(kernel="precomputed")
        trusted = self.psd or (machine.by_name and self.kernel is not None)
        return copy.set_params(check_psd="off") if trusted and hasattr(copy, "check_psd") else copy


def group_of(machine: Any, X: Any, own: Any, f: int, found: dict[Any, Group]) -> Group:
    """The group of a machine on a fold whose training items are `own`, made if it is the first of its kernel."""
    kernel: Kernel | None = machine.kernel_on(own)
    if kernel is None:
        if "precomputed" not in found:
            found["precomputed"] = Group(None, GivenGram.of(X).gram().K)
        return found["precomputed"]
    key = (f if kernel.learned else -1, kernel_key(kernel))  # a kernel that learns does so from this fold alone
    if key not in found:
        found[key] = Group(kernel.fit(own), X)
    return found[key]
