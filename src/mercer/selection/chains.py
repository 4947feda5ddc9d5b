"""Support vector machines of one kernel and one fold, all values of C and epsilon in a row.

Each problem starts from the solution of the one before it, with a smaller box; the entries of the Gram are gathered
once for all of them, and the scores of all machines on the items held out are one matrix product.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from numbers import Real
from typing import Any

import numpy as np

from mercer.estimators.base import weights
from mercer.estimators.svm.multiclass import Finish, Pair, gathered, machines_of, pairs_of
from mercer.estimators.svm.svc import SVC
from mercer.estimators.svm.svr import SVR
from mercer.selection.folds import Fold
from mercer.selection.judging import Fit
from mercer.solvers.dual import DualSolution, svr
from mercer.solvers.dual.engine import WHOLE
from mercer.solvers.dual.many import Part, solve_chain
from mercer.typing import Array


class ScoredSVC(SVC):
    """A machine that is given decision values instead of items."""

    def _evaluated(self, X: Any, finish: Finish) -> Array:
        return finish(X)


class ScoredSVR(SVR):
    """The same for regression."""

    def predict(self, X: Any) -> Array:
        return np.asarray(X)


def plain_svr(machine: SVR, psd: bool | None, y: Array) -> bool:
    """Whether epsilon-SVR on numbers y is solved here; what `fit` has to refuse is left to it."""
    tube = isinstance(machine.epsilon, Real) and 0.0 <= machine.epsilon < np.inf
    numbers = y.ndim == 1 and y.dtype.kind in "fiu" and bool(np.isfinite(y).all())
    return _plain(machine, psd) and tube and numbers and len(y) <= WHOLE


def plain_svc(machine: SVC, psd: bool | None, y: Array) -> bool:
    """Whether C-SVC on labels y is solved here."""
    labels = y.ndim == 1 and y.dtype.kind in "biufUS"
    return _plain(machine, psd) and labels and not machine._probable and largest_pair(y) <= WHOLE


def _plain(machine: SVC | SVR, psd: bool | None) -> bool:
    """Whether a machine has a finite C, no options that change the problem, and no limits of its own."""
    other = machine.penalty_intercept or machine.squared or machine.max_iter != -1 or machine.time_limit is not None
    positive = psd or (psd is None and machine.check_psd != "raise")
    return positive and not other and isinstance(machine.C, Real) and 0.0 < machine.C < np.inf


def largest_pair(y: Array) -> int:
    """The number of items of the two largest classes."""
    return int(np.sort(np.unique(y, return_counts=True)[1])[-2:].sum())


def solve_regressors(machines: Sequence[SVR], fold: Fold) -> list[Fit | None]:
    """All machines of one kernel on one fold, in their order; None for those that time did not allow."""
    y, weight = fold.y[fold.train].astype(np.float64), weights("SVR", fold.weight, len(fold.train))
    order = sorted(range(len(machines)), key=lambda m: (machines[m].epsilon, machines[m].C))
    parts = [Part(fold.train, svr(y, machines[m].C * weight, machines[m].epsilon)) for m in order]
    solved = solve_chain(fold.K, parts, tol=machines[0].tol, go_on=fold.go_on)
    out: list[Fit | None] = [None] * len(machines)
    if solved:
        F = fold.values(fold.train, np.column_stack([s.coef for s in solved]))
        for m, s, f in zip(order, solved, F.T, strict=False):
            out[m] = fold.fit(_as(machines[m], ScoredSVR), f + s.bias, s.relative_gap)
    return out


def solve_classifiers(machines: Sequence[SVC], fold: Fold) -> list[Fit | None]:
    """The same for classification: one chain for every pair of classes."""
    ready = [_as(machine, ScoredSVC) for machine in machines]
    codes = [_labelled(machine, fold.y[fold.train]) for machine in ready][-1]
    weight, used = ready[0]._weighed(fold.weight, len(codes))
    ready[0]._require_items(np.bincount(codes[used], minlength=len(ready[0].classes_)))
    bounds = [machine._bounds(weight, codes) for machine in ready]
    order = sorted(range(len(machines)), key=lambda m: float(bounds[m].sum()))
    pairs, chains = pairs_of(codes, used, len(ready[0].classes_)), []
    for pair in pairs:
        parts = [Part(fold.train[pair.index], ready[m]._problem(pair.y, bounds[m][pair.index])) for m in order]
        chains.append(solve_chain(fold.K, parts, tol=machines[0].tol, go_on=fold.go_on))
    solved = min(map(len, chains))
    out: list[Fit | None] = [None] * len(machines)
    if solved:
        values = _pair_values(fold, codes, pairs, [chain[:solved] for chain in chains])
        for j, m in enumerate(order[:solved]):
            f = values[:, 0, j] if len(pairs) == 1 else values[:, :, j]
            out[m] = fold.fit(ready[m], f, max(chain[j].relative_gap for chain in chains))
    return out


def _labelled(machine: SVC, y: Array) -> Array:
    machine._check_options()
    return machine._labels(y)


def _pair_values(fold: Fold, codes: Array, pairs: Sequence[Pair], chains: Sequence[Sequence[DualSolution]]) -> Array:
    """(scored items, pairs, machines): the values of all pairs, the Gram read once for every class."""
    k, count = int(codes.max()) + 1, len(chains[0])
    columns = [gathered(pairs, [chain[j].coef for chain in chains], len(codes), k) for j in range(count)]
    B, where = np.stack(columns, axis=2), machines_of(k)
    out = np.zeros((len(fold.scored), len(pairs), count))
    for c in range(k):
        members = np.flatnonzero(codes == c)
        f = fold.values(fold.train[members], B[members].reshape(len(members), -1))
        out[:, where[c]] += f.reshape(len(fold.scored), -1, count)
    return np.asarray(out + np.array([[s.bias for s in chain] for chain in chains]))


def _as(machine: Any, kind: type) -> Any:
    """A copy of the machine that is given values instead of items."""
    found = copy(machine)
    found.__class__ = kind
    found._kept = ()  # fitted, as scikit-learn asks
    return found
