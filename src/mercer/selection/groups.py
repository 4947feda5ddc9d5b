"""Which candidates share work: those of one kernel share its Gram, and some of them are fitted in one call.

Group    all candidates of one kernel, on one dataset
Task     fits of a group that are made in one call, or a fit that is made by itself
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
from sklearn.base import clone

from mercer.estimators.shared_fits import SharedFits, offered
from mercer.estimators.sklearn_private import safe_indexing
from mercer.estimators.training_data import GivenGram
from mercer.gram.row_centred import row_centred_array
from mercer.items import Items
from mercer.kernels import Kernel
from mercer.selection.candidates import Candidate
from mercer.selection.scoring import FoldScorer
from mercer.selection.shared_grams import Grams
from mercer.typing import Array


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
    """All candidates of one kernel; no kernel where X is the Gram."""

    kernel: Kernel | None
    X: Any
    tasks: dict[Any, Task] = field(default_factory=dict)
    gram: RefCountedGram = None  # type: ignore[assignment]  # set while tasks run

    def add(self, f: int, c: int, offer: SharedFits | None) -> None:
        """Candidate c is to be fitted on fold f, with all others that make an equal offer."""
        key: Any = (f, c)
        if offer is not None:
            key = (offer, f if offer.by_fold else None)
        self.tasks.setdefault(key, Task(self, offer)).pairs.add((c, f))

    def lend(self, grams: Grams) -> None:
        """Have the Gram made when the first task needs it, and freed after the last."""
        centred = all(task.offer is not None and task.offer.row_centred for task in self.tasks.values())
        if self.kernel is not None:
            make = partial(grams.gram, self.kernel, centred=centred)
        else:
            make = partial(row_centred_array if centred else np.asarray, self.X)
        self.gram = RefCountedGram(make, len(self.tasks))

    def on_gram(self, machine: Any) -> Any:
        """A copy of a machine that takes the Gram in place of items; it does not test a trusted kernel again."""
        copy = clone(machine).set_params(kernel="precomputed")
        trusted = self.kernel is not None and (self.kernel.psd or machine.by_name)
        return copy.set_params(check_psd="off") if trusted and hasattr(copy, "check_psd") else copy


class RefCountedGram:
    """A Gram that is made when it is first used, and freed after `uses` uses."""

    def __init__(self, make: Callable[[], Array], uses: int) -> None:
        self._make, self._uses, self._lock = make, uses, Lock()
        self._K: Array | None = None

    def __enter__(self) -> Array:
        with self._lock:
            if self._K is None:
                self._K = self._make()
            return self._K

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._uses -= 1
            if not self._uses:
                self._K = None


def groups_of(candidates: Mapping[int, Candidate], X: Any, folds: Sequence[int], scorer: FoldScorer) -> list[Group]:
    """The candidates by kernel, each with its fits on these folds; X are the items after the steps before the machine.

    A user's scorer may read any attribute of a machine, so for it each machine is fitted in full, by itself.
    """
    kinds = {c: candidate.machine.items_kind for c, candidate in candidates.items()}
    checkers = {kind: candidates[c].machine for c, kind in kinds.items()}
    items = {kind: _double(machine.check_items(X)) for kind, machine in checkers.items()}
    sharing = scorer.y is not None and scorer.scorer_reads != "machine"
    found: dict[Any, Group] = {}
    for f in folds:
        train, _ = scorer.splits[f]
        own = {kind: _taken(every, train) for kind, every in items.items()}
        y = np.asarray(scorer.y)[train] if sharing else None
        for c, kind in kinds.items():
            machine, offer = candidates[c].machine, None
            group = _group_of(machine, items[kind], own[kind], f, found)
            if y is not None:
                psd = None if group.kernel is None else group.kernel.psd
                offer = offered(machine, y, psd=psd, leave_one_out=scorer.leave_one_out)
            group.add(f, c, offer)
    return list(found.values())


def _group_of(machine: Any, X: Any, own: Any, f: int, found: dict[Any, Group]) -> Group:
    """The group of a machine on a fold whose training items are `own`, made if it is the first of its kernel."""
    kernel: Kernel | None = machine.kernel_on(own)
    if kernel is None:
        if "precomputed" not in found:
            found["precomputed"] = Group(None, GivenGram.of(X).gram().K)
        return found["precomputed"]
    with np.printoptions(threshold=sys.maxsize, floatmode="unique"):  # all digits of its parameters
        key = (f if kernel.learned else -1, repr(kernel))  # a kernel that learns does so from this fold alone
    if key not in found:
        found[key] = Group(kernel.fit(own), X)
    return found[key]


def _taken(X: Any, index: Array) -> Any:
    """Some of the items."""
    return X[index] if isinstance(X, Items) else safe_indexing(X, index)


def _double(X: Any) -> Any:
    """Arrays in double precision, in which machines prove their answers."""
    return X.astype(np.float64) if getattr(X, "dtype", None) == np.float32 else X
