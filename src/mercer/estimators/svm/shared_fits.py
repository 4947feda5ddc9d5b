"""Support vector machines of one kernel and one fold, for all values of C and epsilon in one call.

Each problem starts from the solution of the one before, whose C is smaller.  The entries of the Gram are gathered once
for all problems, and the values of all machines on the scored items are one matrix product.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from mercer.estimators.base import weights
from mercer.estimators.labels import Labels
from mercer.estimators.shared_fits import Fit, Fits, Fold, GivenPredictions, SharedFits, are_numbers, passes
from mercer.estimators.svm.multiclass import Finish, machines_of, pairs_of
from mercer.estimators.svm.svc import SVC
from mercer.estimators.svm.svr import SVR
from mercer.solvers.dual import DualProblems, solve_paths, svc, svr
from mercer.typing import Array

LARGEST = 4096  # items of one problem; its Gram is copied


class GivenDecisionValues(SVC):
    """An SVC whose decision values are known: its methods get the values of all pairs of classes in place of items."""

    @classmethod
    def of(cls, machine: SVC, y: Array) -> tuple[GivenDecisionValues, Labels]:
        """A machine with the parameters of `machine` and the classes of y, and the labels as numbers."""
        found = cls(**machine.get_params(deep=False))
        found._check_options()
        return found, found._labels(y)

    def _evaluated(self, X: Any, finish: Finish) -> Array:
        return finish(X)


def offer_of_svc(machine: SVC, y: Array, psd: bool | None) -> SharedFits | None:
    """All C-SVC of one tolerance, fold by fold."""
    labels = y.ndim == 1 and y.dtype.kind in "biufUS"
    if not _is_shared(machine, psd) or not labels or machine._probable or largest_pair(y) > LARGEST:
        return None
    return SharedFits(fit_classifiers, machine.tol, by_fold=True, row_centred=True)


def offer_of_svr(machine: SVR, y: Array, psd: bool | None) -> SharedFits | None:
    """All epsilon-SVR of one tolerance, fold by fold."""
    tube = isinstance(machine.epsilon, Real) and 0.0 <= machine.epsilon < np.inf
    if not _is_shared(machine, psd) or not tube or not are_numbers(y, most=1) or len(y) > LARGEST:
        return None
    return SharedFits(fit_regressors, machine.tol, by_fold=True, row_centred=True)


def _is_shared(machine: SVC | SVR, psd: bool | None) -> bool:
    """Whether a machine has a finite C, no option that changes the problem, and no limits of its own."""
    other = machine.penalty_intercept or machine.squared or machine.max_iter != -1 or machine.time_limit is not None
    finite = isinstance(machine.C, Real) and 0.0 < machine.C < np.inf
    return finite and not other and passes(psd, machine.check_psd)


def largest_pair(y: Array) -> int:
    """The number of items of the two largest classes."""
    return int(np.sort(np.unique(y, return_counts=True)[1])[-2:].sum())


# ---- regression


def fit_regressors(machines: Sequence[SVR], folds: Sequence[Fold]) -> Fits:
    """All machines on all folds."""
    return [_regressors(machines, fold.row_centred()) for fold in folds]


def _regressors(machines: Sequence[SVR], fold: Fold) -> list[Fit | None]:
    """All machines on one fold: paths of growing C, one for every epsilon."""
    y = fold.y[fold.train].astype(np.float64)
    weight = weights("SVR", fold.weight, len(y), negative_is_absent=True)
    order = sorted(range(len(machines)), key=lambda m: (machines[m].epsilon, machines[m].C))
    bounds, epsilon = np.outer([machines[m].C for m in order], weight), np.array([machines[m].epsilon for m in order])
    problems = DualProblems.of([svr(y, 1.0, 0.0)], [np.arange(len(y))], "regression")
    K = fold.part(fold.train, fold.train)
    found = solve_paths(K, problems, bounds, epsilon, tol=machines[0].tol, go_on=fold.go_on)
    values = fold.values(fold.train, found.coefs[0].T) + found.bias[0]
    out: list[Fit | None] = [None] * len(machines)
    for j, m in enumerate(order[: found.solved]):
        out[m] = fold.fit(GivenPredictions(), values[:, j], found.gap[0, j])
    return out


# ---- classification


def fit_classifiers(machines: Sequence[SVC], folds: Sequence[Fold]) -> Fits:
    """All machines on all folds."""
    return [_classifiers(machines, fold.row_centred()) for fold in folds]


def _classifiers(machines: Sequence[SVC], fold: Fold) -> list[Fit | None]:
    """All machines on one fold: a path of growing C for every pair of classes."""
    labelled = [GivenDecisionValues.of(machine, fold.y[fold.train]) for machine in machines]
    ready, labels = [machine for machine, _ in labelled], labelled[0][1]
    codes = labels.codes
    weight = weights("SVC", fold.weight, len(codes), negative_is_absent=True)
    used = np.flatnonzero(weight)
    labels.require_all("SVC", used, SVC.one_class_left)
    used = used[np.argsort(codes[used], kind="stable")]  # so that the items of a pair lie side by side
    bounds = np.array([machine._bounds(weight, codes)[used] for machine in ready])
    order = np.argsort(bounds.sum(axis=1), kind="stable")
    items, codes, k = fold.train[used], codes[used], len(ready[0].classes_)
    pairs = pairs_of(codes, np.arange(len(codes)), k)
    problems = DualProblems(svc(pairs.y, 1.0), pairs.index, pairs.ends, "classification")
    found = solve_paths(
        fold.part(items, items), problems, bounds[order], np.zeros(len(order)), tol=machines[0].tol, go_on=fold.go_on
    )  # fmt: skip
    out: list[Fit | None] = [None] * len(machines)
    if found.solved:
        other, place = found.distinct()
        coefs = np.concatenate([b[other].T for b in found.coefs])
        values = _pair_values(fold, items, codes, pairs.by_item(coefs, len(codes)))
        values += found.bias[:, other, None]
        for j, m in enumerate(order[: found.solved]):
            f = values[0, place[j]] if k == 2 else values[:, place[j]].T
            out[m] = fold.fit(ready[m], f, float(found.gap[:, j].max()))
    return out


def _pair_values(fold: Fold, items: Array, codes: Array, B: Array) -> Array:
    """(pairs, machines, scored items): K[scored, items] @ B, class by class; B are coefficients for each opponent."""
    _, opponents, count = B.shape
    out = np.zeros((opponents * (opponents + 1) // 2, count, len(fold.scored)), dtype=fold.K.dtype)
    for c, pairs in enumerate(machines_of(opponents + 1)):
        own = slice(*np.searchsorted(codes, [c, c + 1]))
        f = fold.values(items[own], B[own].reshape(-1, opponents * count))
        out[pairs] += f.T.reshape(opponents, count, -1)
    return out
