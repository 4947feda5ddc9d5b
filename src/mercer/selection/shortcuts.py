"""Which machines of one Gram are fitted together, and how."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer.estimators.ridge import KernelRidge
from mercer.estimators.svm.svc import SVC
from mercer.estimators.svm.svr import SVR
from mercer.selection.chains import plain_svc, plain_svr, solve_classifiers, solve_regressors
from mercer.selection.folds import Fold
from mercer.selection.groups import Shortcut
from mercer.selection.judging import Fit, Judge
from mercer.selection.ridges import plain_ridge, solve_left_out, solve_ridges


def shortcut(machine: Any, psd: bool | None, judge: Judge, f: int, *, weighted: bool) -> Shortcut | None:
    """How the machine is fitted together with others on fold f under such a kernel; None if it is fitted by itself.

    A function that is to score a machine may want to know all about it, so that it must be fitted in full.
    """
    if judge.y is None or not judge.looks_at_values_only:
        return None
    y = np.asarray(judge.y)[judge.splits[f][0]]
    if type(machine) is SVC and plain_svc(machine, psd, y):
        return Shortcut(classifiers, (f, machine.tol))
    if type(machine) is SVR and plain_svr(machine, psd, y):
        return Shortcut(regressors, (f, machine.tol))
    if type(machine) is KernelRidge and plain_ridge(machine, psd, y):
        left_out = not weighted and not judge.train_scores and judge.leaves_one_out
        way = solve_left_out if left_out else solve_ridges
        return Shortcut(way, bool(machine.fit_intercept), single=False)
    return None


def classifiers(machines: Sequence[SVC], folds: Sequence[Fold]) -> list[list[Fit | None]]:
    """Chains of C-SVC, fold by fold."""
    return [solve_classifiers(machines, fold.in_single()) for fold in folds]


def regressors(machines: Sequence[SVR], folds: Sequence[Fold]) -> list[list[Fit | None]]:
    """Chains of epsilon-SVR, fold by fold."""
    return [solve_regressors(machines, fold.in_single()) for fold in folds]
