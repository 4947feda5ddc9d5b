"""Maximising the evidence of a model over its hyper-parameters, most of the way on subsets of the data.

An evaluation on half the items costs an eighth, so hyper-parameters are found on few items and only corrected on all.
A parameter that few items do not determine must not run away there (an irrelevant lengthscale goes to infinity, where
the slope is 0), so on subsets every parameter stays within some distance of its start.

The evidence has several maxima, and two paths from one start may end at different ones.  So a second start (a hint) is
tried on the smallest subset, and both ends go on where they differ.  Up to some hundred items, and where restarts are
asked for, L-BFGS-B climbs on all items too: the result is then never below that of L-BFGS-B alone.

One ascent on one set of items is in evidence_climb.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mercer.engine.interrupts import interrupted, until_interrupted
from mercer.solvers.evidence_climb import Climber, Evidence, EvidenceClimb, Prior
from mercer.typing import Array

TOL = 2e-2  # stop at a predicted gain of so many nats: within 0.2 standard deviations of the optimum
_SUBSET_TOL = 1.0  # the same on subsets, whose optimum differs from that of all items
_SUBSET_SPAN = 3.5  # largest distance from its start that a parameter may have on subsets, in units of theta
_SAME_MAXIMUM = 0.5  # two ends count as one maximum if the information puts so few nats between them
_SURE = 900  # items up to which L-BFGS-B climbs on all of them too
LEAST = 1e-2  # stop L-BFGS-B on all items when a step gains fewer nats; only where the curvature is not known


@dataclass(frozen=True, eq=False)
class Search:
    """The best hyper-parameters found, and all climbs, the best one last."""

    climbs: tuple[EvidenceClimb, ...]
    best: EvidenceClimb


def search(evidences: Sequence[Evidence], starts: Sequence[Array], bounds: Array, *,
           prior: Prior | None = None, tol: float = TOL, hints: Sequence[Array] = ()) -> Search:  # fmt: skip
    """Climb from every start on the first of the evidences, and from the best ends on the others.

    `evidences` are those of one model on ever more items, the last on all of them.  `hints` are further starts, used
    only if there are subsets.  Two climbs at most go on to more items: that of the first start, so that other starts
    never make the result worse, and the best of all if it is another.
    """
    bounds = np.asarray(bounds, dtype=float).reshape(-1, 2)
    starts = [np.clip(start, *bounds.T) for start in starts]
    hints = [np.clip(hint, *bounds.T) for hint in hints]
    climbs: list[EvidenceClimb] = []
    with until_interrupted():
        for climb in _climbs(evidences, starts, hints, bounds, prior, tol):
            climbs.append(climb)
            if interrupted():
                break
    if not climbs:
        raise KeyboardInterrupt("The search of hyper-parameters was interrupted before its first value.")
    largest = max(climb.size for climb in climbs)
    best = max((climb for climb in climbs if climb.size == largest), key=lambda climb: climb.value)
    others = [climb for climb in climbs if climb is not best]
    best = replace(best, reason="interrupted") if interrupted() else best
    return Search((*others, best), best)


def _climbs(
    evidences: Sequence[Evidence], starts: list[Array], hints: list[Array], bounds: Array, prior: Prior | None,
    tol: float,
) -> Iterator[EvidenceClimb]:  # fmt: skip
    """Every climb of a search, in the order in which they are made."""
    *subsets, full = evidences
    if not subsets:
        yield from (Climber(full, bounds, prior, tol).finish(start) for start in starts)
        return
    runs = [_Run(start, start) for start in starts] + [_Run(hint, starts[0]) for hint in hints]
    for i, subset in enumerate(subsets):
        runs = runs if i == 0 else _leading(runs)
        yield from (run.on_subset(subset, bounds, prior) for run in runs)
    yield from (run.on_all(full, bounds, prior, tol) for run in _leading(runs))
    if len(starts) > 1 or full.size <= _SURE:
        yield Climber(full, bounds, prior, tol).finish(starts[0])


@dataclass(eq=False)
class _Run:
    """One start on its way from few items to all."""

    start: Array
    centre: Array  # of the box that bounds theta on subsets
    last: EvidenceClimb | None = None

    def on_subset(self, evidence: Evidence, bounds: Array, prior: Prior | None) -> EvidenceClimb:
        """The climb on a subset, from the end of the one before."""
        near = np.clip(self.centre[:, None] + [-_SUBSET_SPAN, _SUBSET_SPAN], *bounds.T[:, :, None])
        return self._climb(Climber(evidence, near, prior, _SUBSET_TOL))

    def on_all(self, evidence: Evidence, bounds: Array, prior: Prior | None, tol: float) -> EvidenceClimb:
        """The climb on all items, from the end of the one before.

        Without the curvature L-BFGS-B ends nearer to the optimum.  Where that is not asked for, a climb with the
        curvature of the subset, which L-BFGS-B could not use, needs fewer evaluations.
        """
        if evidence.has_curvature or evidence.least_gain > tol:
            return self._climb(Climber(evidence, bounds, prior, tol if evidence.has_curvature else evidence.least_gain))
        climber = Climber(evidence, bounds, prior, tol)
        return climber.finish(self.start if self.last is None else self.last.theta, evidence.least_gain)

    def _climb(self, climber: Climber) -> EvidenceClimb:
        last = self.last
        if last is None:
            self.last = climber.climb(self.start, None)
        else:
            self.last = climber.climb(last.theta, last.curvature * (climber.evidence.size / last.size))
        return self.last


def _leading(runs: list[_Run]) -> list[_Run]:
    """The first run, and the best one if it has reached another maximum."""
    best = max(runs, key=lambda run: run.last.value)  # type: ignore[union-attr]
    return runs[:1] if best is runs[0] or _same(best.last, runs[0].last) else [runs[0], best]


def _same(one: EvidenceClimb | None, other: EvidenceClimb | None) -> bool:
    """Whether two climbs ended at one maximum, as far as their information tells."""
    assert one is not None
    assert other is not None
    apart = one.theta - other.theta
    return bool(0.5 * apart @ one.curvature @ apart <= _SAME_MAXIMUM)
