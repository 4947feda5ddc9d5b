"""How each method is tuned: what is tried, by which criterion, and on how many rows.

    cross-validation    a strength (C or alpha) times a lengthscale, on shared Grams: svm, klr, l1vm; a lengthscale
                        alone: rvm, whose evidence has a variance for every function and prefers kernels so narrow
                        that functions explain the noise
    evidence            the lengthscale under which the data are most probable: l2vm; the rest it finds itself
    leave-one-out       in closed form: ridge
    itself              gp, by the slope of its evidence; baselines, which have nothing to tune

Strengths of regression are in units of the deviation of y, so that metres and millimetres give the same machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mercer.comparison.methods import CLASSIFICATION, METHODS, REGRESSION
from mercer.kernels import Constant, Kernel
from mercer.kernels.algebra import Scaled
from mercer.study.evidence import ByEvidence
from mercer.study.platt import PlattSearchCV
from mercer.study.scales import family
from mercer.typing import Array

FOLDS = 3


@dataclass(frozen=True)
class Plan:
    """`grid` is tried by cross-validation, entries of `units` times the deviation of y; `most` rows are fitted."""

    way: str = "itself"
    grid: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    units: tuple[str, ...] = ()
    scoring: str | None = None
    most: int | None = None


PLANS: dict[str, dict[str, Plan]] = {
    CLASSIFICATION: {
        "svm": Plan("cv", {"C": (0.1, 1.0, 10.0, 100.0, 1000.0)}),
        "svm + platt": Plan("cv", {"C": (0.1, 1.0, 10.0, 100.0, 1000.0)}),
        "klr": Plan("cv", {"C": (0.1, 1.0, 10.0, 100.0)}, scoring="neg_log_loss", most=1000),
        "klda": Plan("cv", {"shrinkage": (1e-4, 1e-3, 1e-2, 0.1, 1.0)}, scoring="neg_log_loss", most=2000),
        "l1vm": Plan("cv", {"alpha": (0.1, 0.3, 1.0, 3.0)}, scoring="neg_log_loss", most=1000),
        "l2vm": Plan("evidence", most=400),
        "rvm": Plan("cv", {"n_restarts": (0,)}, scoring="neg_log_loss", most=600),
        "gp": Plan(most=1000),
    },
    REGRESSION: {
        "svm": Plan("cv", {"C": (1.0, 10.0, 100.0), "epsilon": (0.03, 0.1, 0.3)}, units=("C", "epsilon")),
        "ridge": Plan("loo", {"alpha": (1e-3, 1e-2, 1e-1, 1.0, 10.0)}, most=2000),
        "l1vm": Plan("cv", {"alpha": (0.01, 0.03, 0.1, 0.3, 1.0)}, units=("alpha",), most=1000),
        "l2vm": Plan("evidence", most=1000),
        "rvm": Plan("cv", {"n_restarts": (0,)}, most=1000),
        "gp": Plan(most=1000),
    },
}


def plan_of(name: str, task: str) -> Plan:
    """The plan of a method; one that is not in the table is left to itself."""
    return PLANS[task].get(name, Plan())


def rows_of(name: str, task: str, classes: int) -> int | None:
    """How many rows a method is fitted to at most; with more classes than two the work is shared out among them."""
    most = plan_of(name, task).most
    return None if most is None else round(most * min(1.0, np.sqrt(2.0 / classes)))


def tuned(name: str, task: str, kernel: Kernel, y: Array, random_state: int, time_limit: float | None) -> Any:
    """The estimator that tunes itself on training rows with targets y."""
    plan, method = plan_of(name, task), METHODS[task][name]
    machine = method.build(name, kernel, random_state)
    if plan.way == "cv":
        return _searched(machine, plan, kernel, y, task, random_state, time_limit)
    if plan.way == "evidence":
        alpha = {"alpha": "evidence"} if "alpha" in machine.get_params() else {}
        return ByEvidence(machine.set_params(**alpha), list(family(kernel).values()), time_limit=time_limit)
    if plan.way == "loo":
        from mercer import KernelRidgeCV

        return KernelRidgeCV(list(family(kernel).values()), plan.grid["alpha"], fit_intercept=True, screen=False)
    return machine.set_params(**_process(kernel, task)) if name == "gp" else machine


def _searched(
    machine: Any, plan: Plan, kernel: Kernel, y: Array, task: str, random_state: int, limit: float | None
) -> Any:
    from sklearn.model_selection import KFold, StratifiedKFold

    from mercer import KernelSearchCV

    unit = _deviation(y) if task == REGRESSION else 1.0
    grid = {key: [unit * v if key in plan.units else v for v in values] for key, values in plan.grid.items()}
    folds = StratifiedKFold if task == CLASSIFICATION else KFold
    cv = folds(FOLDS, shuffle=True, random_state=random_state)
    platt = getattr(machine, "probability", False)
    search = PlattSearchCV if platt else KernelSearchCV
    start = machine.set_params(probability=False) if platt else machine
    kernels = {"kernel": list(family(kernel).values())}
    return search(start, kernels | grid, scoring=plan.scoring, cv=cv, time_limit=limit)


def _process(kernel: Kernel, task: str) -> dict[str, Any]:
    """The kernel with a free level; numbers are standardised, and of labels a constant stands for the intercept."""
    level = kernel if isinstance(kernel, Scaled) else 1.0 * kernel
    return {"kernel": level, "normalize_y": True} if task == REGRESSION else {"kernel": level + Constant(1.0)}


def _deviation(y: Array) -> float:
    return float(np.std(y)) or 1.0
