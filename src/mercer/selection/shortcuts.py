"""Which machines of one Gram are fitted together, and how."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer.estimators.feature_machines.l2vm import L2VMRegressor
from mercer.estimators.feature_machines.rbf_network import RBFNetworkRegressor
from mercer.estimators.gaussian_process.regressor import GaussianProcessRegressor
from mercer.estimators.ridge import KernelRidge
from mercer.estimators.svm.svc import SVC
from mercer.estimators.svm.svr import SVR
from mercer.selection.chains import plain_svc, plain_svr, solve_classifiers, solve_regressors
from mercer.selection.folds import Fold
from mercer.selection.groups import Shortcut
from mercer.selection.judging import Fit, Judge
from mercer.selection.left_out import (
    leave_out_of_least_squares,
    leave_out_of_processes,
    settled_least_squares,
    settled_process,
)
from mercer.selection.ridges import plain_ridge, solve_left_out, solve_ridges
from mercer.typing import Array


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
    left_out = not weighted and not judge.train_scores and judge.leaves_one_out
    if type(machine) is KernelRidge and plain_ridge(machine, psd, y):
        way = solve_left_out if left_out else solve_ridges
        return Shortcut(way, bool(machine.fit_intercept), single=False)
    return _left_out(machine, psd, y) if left_out else None


def _left_out(machine: Any, psd: bool | None, y: Array) -> Shortcut | None:
    """How a machine predicts every item from the others without being fitted again; None if it cannot."""
    if type(machine) is GaussianProcessRegressor and settled_process(machine, psd, y):
        return Shortcut(leave_out_of_processes, None, single=False)
    if type(machine) in (L2VMRegressor, RBFNetworkRegressor) and settled_least_squares(machine, y):
        return Shortcut(leave_out_of_least_squares, bool(machine.fit_intercept), single=False)
    return None


def classifiers(machines: Sequence[SVC], folds: Sequence[Fold]) -> list[list[Fit | None]]:
    """Chains of C-SVC, fold by fold."""
    return [solve_classifiers(machines, fold.in_single()) for fold in folds]


def regressors(machines: Sequence[SVR], folds: Sequence[Fold]) -> list[list[Fit | None]]:
    """Chains of epsilon-SVR, fold by fold."""
    return [solve_regressors(machines, fold.in_single()) for fold in folds]
