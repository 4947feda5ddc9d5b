"""One call for all methods: start, search, and the solution on all items; the best of several starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.config import config
from mercer.engine.interrupts import interrupted
from mercer.gram.distances import Distances
from mercer.solvers.medoids.alternate import alternate
from mercer.solvers.medoids.clara import clara, sample_size, sample_with
from mercer.solvers.medoids.sampled import batch_size, drawn, sampled
from mercer.solvers.medoids.solution import MedoidSolution, Search, assigned
from mercer.solvers.medoids.starts import started
from mercer.solvers.medoids.swaps import fasterpam, pam, stored
from mercer.typing import Array

METHODS = ("fasterpam", "pam", "alternate", "clara", "sampled")
_REPEATED = ("alternate", "clara")  # one run of these is often far from the best
_WHOLE = ("fasterpam", "pam")  # these read the whole matrix again and again
_STARTS = 10
_CURE = "Use method='sampled', or method='auto', which does so by itself where memory is short."


@dataclass(frozen=True)
class Settings:
    """How to search: `init` is one of STARTS or positions; 0 for `n_init` and `batch_size` stands for the usual."""

    method: str = "fasterpam"
    init: str | Array = "random"
    n_init: int = 0
    max_iter: int = 100
    batch_size: int = 0

    @property
    def starts(self) -> int:
        """Runs: as said, else ten of a method that needs them; one where nothing is drawn."""
        drawn_by_method = self.method in ("clara", "sampled")
        if not drawn_by_method and (not isinstance(self.init, str) or self.init == "build"):
            return 1
        return self.n_init or (_STARTS if self.method in _REPEATED else 1)


def chosen_method(method: str, D: Distances) -> str:
    """What "auto" stands for: FasterPAM where all distances fit the memory budget, else the sampled one."""
    if method != "auto":
        return method
    return "fasterpam" if D.size <= config().memory else "sampled"


def held(D: Distances, method: str) -> Distances:
    """The distances in memory, where the method reads them again and again."""
    if method in _WHOLE or (method == "alternate" and D.size <= config().memory):
        return stored(D, _CURE)
    return D


def cluster(D: Distances, weight: Array, k: int, how: Settings, random: np.random.RandomState) -> MedoidSolution:
    """The best of the runs, each with its own start."""
    if k == len(D):
        every = Search(medoids=np.arange(k), n_iter=0, swaps=0, reason="converged")
        return assigned(D, weight, every, how.method)
    D = held(D, how.method)
    best: MedoidSolution | None = None
    for _ in range(how.starts):
        found = assigned(D, weight, _run(D, weight, k, how, best, random), how.method)
        if best is None or found.loss < best.loss:
            best = found
        if interrupted():
            break
    assert best is not None
    return best


def _run(
    D: Distances, weight: Array, k: int, how: Settings, best: MedoidSolution | None, random: np.random.RandomState
) -> Search:
    """One search of the method."""
    n = len(D)
    if how.method == "clara":
        incumbents = np.empty(0, dtype=np.intp) if best is None else best.medoids
        if not isinstance(how.init, str):
            incumbents = np.union1d(incumbents, how.init)
        sample = sample_with(n, max(how.batch_size or sample_size(k), k), incumbents, random)
        return clara(D, weight, sample, lambda few, w: _start(few, w, k, how, random, sample), how.max_iter)
    if how.method == "sampled":
        batch = drawn(n, min(n, max(how.batch_size or batch_size(n, k), k)), random)
        if isinstance(how.init, str):
            start = batch[_start(D.part(batch, batch), weight[batch], k, how, random)]
        else:
            start = how.init
        return sampled(D, weight, batch, start, how.max_iter)
    start = _start(D, weight, k, how, random)
    return {"fasterpam": fasterpam, "pam": pam, "alternate": alternate}[how.method](D, weight, start, how.max_iter)


def _start(
    D: Distances, weight: Array, k: int, how: Settings, random: np.random.RandomState, among: Array | None = None
) -> Array:
    """The first medoids; positions that were given are looked up `among` those of a sample."""
    if isinstance(how.init, str):
        return started(D, weight, k, how.init, random)
    return how.init if among is None else np.searchsorted(among, how.init)
