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
from mercer.estimators.svm.multiclass import Finish, gathered, machines_of, pairs_of
from mercer.estimators.svm.svc import SVC
from mercer.estimators.svm.svr import SVR
from mercer.selection.folds import Fold
from mercer.selection.judging import Fit
from mercer.solvers.dual import svc, svr
from mercer.solvers.dual.chained import solve_chains
from mercer.solvers.dual.engine import WHOLE
from mercer.solvers.dual.many import Part
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
    bounds, epsilon = np.outer([machines[m].C for m in order], weight), np.array([machines[m].epsilon for m in order])
    part, K = Part(np.arange(len(y)), svr(y, 1.0, 0.0)), fold.part(fold.train, fold.train)
    found = solve_chains(K, [part], bounds, epsilon, tol=machines[0].tol, go_on=fold.go_on)
    values = fold.values(fold.train, found.coefs[0].T) + found.bias[0]
    out: list[Fit | None] = [None] * len(machines)
    for j, m in enumerate(order[: found.solved]):
        out[m] = fold.fit(_as(machines[m], ScoredSVR), values[:, j], found.gap[0, j])
    return out


def solve_classifiers(machines: Sequence[SVC], fold: Fold) -> list[Fit | None]:
    """The same for classification: one chain for every pair of classes."""
    ready = [_as(machine, ScoredSVC) for machine in machines]
    codes = [_labelled(machine, fold.y[fold.train]) for machine in ready][-1]
    weight, used = ready[0]._weighed(fold.weight, len(codes))
    ready[0]._require_items(np.bincount(codes[used], minlength=len(ready[0].classes_)))
    used = used[np.argsort(codes[used], kind="stable")]  # so that the items of a pair lie side by side
    bounds = np.array([machine._bounds(weight, codes)[used] for machine in ready])
    order = np.argsort(bounds.sum(axis=1), kind="stable")
    items, codes, k = fold.train[used], codes[used], len(ready[0].classes_)
    pairs = pairs_of(codes, np.arange(len(codes)), k)
    parts = [Part(pair.index, svc(pair.y, 1.0)) for pair in pairs]
    found = solve_chains(
        fold.part(items, items), parts, bounds[order], np.zeros(len(order)), tol=machines[0].tol, go_on=fold.go_on
    )  # fmt: skip
    out: list[Fit | None] = [None] * len(machines)
    if found.solved:
        other, place = found.distinct()
        coefs = [b[other].T for b in found.coefs]
        values = _pair_values(fold, items, codes, gathered(pairs, coefs, len(codes), k))
        values += found.bias[:, other, None]
        for j, m in enumerate(order[: found.solved]):
            f = values[0, place[j]] if k == 2 else values[:, place[j]].T
            out[m] = fold.fit(ready[m], f, float(found.gap[:, j].max()))
    return out


def _labelled(machine: SVC, y: Array) -> Array:
    machine._check_options()
    return machine._labels(y)


def _pair_values(fold: Fold, items: Array, codes: Array, B: Array) -> Array:
    """(pairs, machines, scored items): sums over the items of every class, whose coefficients are B."""
    _, opponents, count = B.shape
    out = np.zeros((opponents * (opponents + 1) // 2, count, len(fold.scored)), dtype=fold.K.dtype)
    for c, pairs in enumerate(machines_of(opponents + 1)):
        own = slice(*np.searchsorted(codes, [c, c + 1]))
        f = fold.values(items[own], B[own].reshape(-1, opponents * count))
        out[pairs] += f.T.reshape(opponents, count, -1)
    return out


def _as(machine: Any, kind: type) -> Any:
    """A copy of the machine that is given values instead of items."""
    found = copy(machine)
    found.__class__ = kind
    found._kept = ()  # fitted, as scikit-learn asks
    return found
