"""How each method is tuned: what is tried, by which criterion, and on how many rows.

    cross-validation    a strength (C or alpha) times a lengthscale, on shared Grams: svm, klr, l1vm; a lengthscale
                        alone: rvm, whose evidence has a variance for every function and prefers kernels so narrow
                        that functions explain the noise
    evidence            the lengthscale under which the data are most probable: l2vm, which finds its strength itself
    leave-one-out       in closed form: ridge
    cross-validation    of a span and a degree: loess, if it is asked for
    itself              gp, by the gradient of its evidence; baselines, which have nothing to tune

Strengths of regression are in units of the deviation of y, so that metres and millimetres give the same machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mercer.comparison.kernel_family import family
from mercer.comparison.methods import CLASSIFICATION, METHODS, REGRESSION
from mercer.comparison.sample import folds_of
from mercer.kernels import Constant, Kernel
from mercer.kernels.algebra import Scaled
from mercer.typing import Array

FOLDS = 3


@dataclass(frozen=True)
class Plan:
    """`way` is "cv", "evidence", "loo" or "itself"; `grid` is what is tried beside lengthscales, its `units` times the
    deviation of y; `scoring` is that of cross-validation; at most `most` rows are fitted.
    """

    way: str = "itself"
    grid: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    units: tuple[str, ...] = ()
    scoring: str | None = None
    most: int | None = None


PLANS: dict[str, dict[str, Plan]] = {  # in the order of the rows, if no methods are given
    CLASSIFICATION: {
        "l2vm": Plan("evidence", most=400),
        "l1vm": Plan("cv", {"alpha": (0.1, 0.3, 1.0, 3.0)}, scoring="neg_log_loss", most=1000),
        "rvm": Plan("cv", {"n_restarts": (0,)}, scoring="neg_log_loss", most=600),
        "svm": Plan("cv", {"C": (0.1, 1.0, 10.0, 100.0, 1000.0)}),
        "svm + platt": Plan("cv", {"C": (0.1, 1.0, 10.0, 100.0, 1000.0)}),
        "gp": Plan(most=1000),
        "knn": Plan("cv", {"n_neighbors": (1, 3, 5, 9)}),
        "klr": Plan("cv", {"C": (0.1, 1.0, 10.0, 100.0)}, scoring="neg_log_loss", most=1000),
        "klda": Plan("cv", {"shrinkage": (1e-4, 1e-3, 1e-2, 0.1, 1.0)}, scoring="neg_log_loss", most=2000),
    },
    REGRESSION: {
        "l2vm": Plan("evidence", most=1000),
        "l1vm": Plan("cv", {"alpha": (0.01, 0.03, 0.1, 0.3, 1.0)}, units=("alpha",), most=1000),
        "rvm": Plan("cv", {"n_restarts": (0,)}, most=1000),
        "svm": Plan("cv", {"C": (1.0, 10.0, 100.0), "epsilon": (0.03, 0.1, 0.3)}, units=("C", "epsilon")),
        "gp": Plan(most=1000),
        "knn": Plan("cv", {"n_neighbors": (1, 3, 5, 9)}),
        "ridge": Plan("loo", {"alpha": (1e-3, 1e-2, 1e-1, 1.0, 10.0)}, most=2000),
    },
}


NAMED = {  # tuned when they are asked for by name: no kernel, and few columns
    "loess": Plan("cv", {"span": (0.1, 0.2, 0.3, 0.5, 0.75, 1.0), "degree": (1, 2)}),
}


def plan_of(name: str, task: str) -> Plan:
    """The plan of a method; one that is not in the tables is left to itself."""
    return PLANS[task].get(name) or NAMED.get(name, Plan())


def most_rows(name: str, y: Array, task: str) -> int:
    """How many rows with targets y a method is fitted to at most: with more classes than two, fewer of each."""
    most = plan_of(name, task).most
    classes = len(np.unique(y)) if task == CLASSIFICATION else 2
    return len(y) if most is None else min(len(y), round(most * min(1.0, np.sqrt(2.0 / classes))))


def grid_of(name: str, task: str, kernel: Kernel, y: Array) -> dict[str, list[Any]]:
    """{parameter: values} that are tried for a method on targets y."""
    plan = plan_of(name, task)
    unit = float(np.std(y)) or 1.0 if task == REGRESSION else 1.0
    strengths = {key: [unit * v if key in plan.units else v for v in values] for key, values in plan.grid.items()}
    return strengths if name in NAMED else {"kernel": [member.kernel for member in family(kernel)]} | strengths


def tuned(name: str, task: str, kernel: Kernel, y: Array, random_state: int | None, time_limit: float | None) -> Any:
    """The estimator that tunes itself on training rows with targets y."""
    from mercer import KernelRidgeCV, KernelSearchCV

    plan, machine = plan_of(name, task), METHODS[task][name].build(name, kernel, random_state)
    grid = grid_of(name, task, kernel, y)
    if plan.way == "loo":
        return KernelRidgeCV(grid["kernel"], grid["alpha"], fit_intercept=True, screen=False)
    if plan.way == "itself":
        return machine.set_params(**_process(kernel, task)) if name == "gp" else machine
    strategy = "evidence" if plan.way == "evidence" else "grid"
    if strategy == "evidence" and "alpha" in machine.get_params():
        machine.set_params(alpha="evidence")
    cv = folds_of(task, FOLDS, random_state)
    return KernelSearchCV(machine, grid, scoring=plan.scoring, cv=cv, strategy=strategy, time_limit=time_limit)


def _process(kernel: Kernel, task: str) -> dict[str, Any]:
    """The kernel times a free factor; numbers are standardised, and for labels a constant stands for the intercept."""
    scaled = kernel if isinstance(kernel, Scaled) else 1.0 * kernel
    return {"kernel": scaled, "normalize_y": True} if task == REGRESSION else {"kernel": scaled + Constant(1.0)}
