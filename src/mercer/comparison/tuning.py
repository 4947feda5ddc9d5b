"""How each method is tuned: what is tried, by which criterion, and on how many rows.

    cross-validation    a strength (C or alpha) times a lengthscale, on shared Grams: svm, klr, l1vm; a lengthscale
                        alone: rvm, whose evidence has a variance for every function and prefers kernels so narrow
                        that functions explain the noise
    evidence            the lengthscale under which the data are most probable: l2vm, which finds its strength itself
    leave-one-out       in closed form: ridge
    itself              gp, by the gradient of its evidence; rfm, which learns its kernel; baselines, which have nothing
                        to tune

The search is on a sample of a large table, and what it chose is then fitted to all rows (two_stages.py, all_rows.py).

Smoothers take part if they are asked for: loess by cross-validation of a span and a degree, nw and local lines by exact
leave-one-out errors, kde by the leave-one-out likelihood of each class.

Strengths of regression are in units of the deviation of y, so that metres and millimetres give the same machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mercer.comparison import all_rows
from mercer.comparison.all_rows import Large
from mercer.comparison.kernel_family import family, lengthscales
from mercer.comparison.methods import CLASSIFICATION, METHODS, METRICS, REGRESSION
from mercer.comparison.sample import folds_of
from mercer.comparison.two_stages import TwoStages
from mercer.kernels import Constant, Kernel
from mercer.kernels.algebra import Scaled
from mercer.parameters import Fixed
from mercer.typing import Array

FOLDS = 3
_SEARCH = 0.4  # of its time, that a method may search
_FEW_PROTOTYPES, _LOOSE = 60, 1e-3  # of a search with weights of many classes, before a fit to many rows


@dataclass(frozen=True)
class Plan:
    """`way` is "cv", "evidence", "loo" or "itself"; `grid` is what is tried beside lengthscales, its `units` times the
    deviation of y; `scoring` is that of cross-validation; at most `most` rows are searched on, and `large` says how
    what was chosen is fitted to more; `rule` are options by which a method tunes itself; `joint`: there are weights of
    every class, so that work grows with a power of their number.
    """

    way: str = "itself"
    grid: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    units: tuple[str, ...] = ()
    scoring: str | None = None
    most: int = 2250
    large: Large | None = None
    rule: Mapping[str, str] = field(default_factory=dict)
    joint: bool = False


_CS = (0.1, 1.0, 10.0, 100.0, 1000.0)
_NEAREST = {"n_neighbors": (1, 3, 5, 9)}
_SHRUNK = {"shrinkage": (1e-4, 1e-3, 1e-2, 0.1, 1.0)}
PLANS: dict[str, dict[str, Plan]] = {  # in the order of the rows, if no methods are given
    CLASSIFICATION: {
        "l2vm": Plan("evidence", most=400, large=all_rows.RIDGE_LABELS, joint=True),
        "l1vm": Plan("cv", {"alpha": (0.1, 0.3, 1.0, 3.0)}, (), "neg_log_loss", 1000, all_rows.SPARSE_WEIGHTS,
                     joint=True),
        "rvm": Plan("cv", {"n_restarts": (0,)}, (), "neg_log_loss", 600, all_rows.RELEVANT_LABELS, joint=True),
        "svm": Plan("cv", {"C": _CS}, large=all_rows.SVM),
        "svm + platt": Plan("cv", {"C": _CS}, large=all_rows.SVM),
        "gp": Plan(most=1000, large=all_rows.CLASS_PROCESS, joint=True),
        "knn": Plan("cv", _NEAREST),
        "klr": Plan("cv", {"C": (0.1, 1.0, 10.0, 100.0)}, (), "neg_log_loss", 1000, all_rows.LOGISTIC, joint=True),
        "klda": Plan("cv", _SHRUNK, (), "neg_log_loss", 2000, all_rows.DISCRIMINANT),
        "rfm": Plan(large=all_rows.FEATURES),
    },
    REGRESSION: {
        "l2vm": Plan("evidence", most=1000, large=all_rows.RIDGE_WEIGHTS),
        "l1vm": Plan("cv", {"alpha": (0.01, 0.03, 0.1, 0.3, 1.0)}, ("alpha",), None, 1000, all_rows.SPARSE_WEIGHTS),
        "rvm": Plan("cv", {"n_restarts": (0,)}, most=1000, large=all_rows.RELEVANCE),
        "svm": Plan("cv", {"C": (1.0, 10.0, 100.0), "epsilon": (0.03, 0.1, 0.3)}, ("C", "epsilon"),
                    large=all_rows.SVM),
        "gp": Plan(most=1000, large=all_rows.PROCESS),
        "knn": Plan("cv", _NEAREST),
        "ridge": Plan("loo", {"alpha": (1e-3, 1e-2, 1e-1, 1.0, 10.0)}, most=1500, large=all_rows.RIDGE),
        "rfm": Plan(large=all_rows.FEATURES),
    },
}  # fmt: skip


NAMED = {  # tuned when they are asked for by name: no kernel, and few columns
    "kde": Plan(rule={"bandwidth": "lcv"}, most=10_000),
    "local lines": Plan(rule={"bandwidth": "loo"}, most=1000),
    "loess": Plan("cv", {"span": (0.1, 0.2, 0.3, 0.5, 0.75, 1.0), "degree": (1, 2)}, most=5000),
    "nw": Plan(rule={"bandwidth": "loo"}, most=1000),
}


def plan_of(name: str, task: str) -> Plan:
    """The plan of a method; one that is not in the tables is left to itself."""
    return PLANS[task].get(name) or NAMED.get(name, Plan())


def searched_rows(name: str, y: Array, task: str) -> int:
    """How many rows with targets y a method is searched on at most: with more classes than two, fewer of each."""
    classes = len(np.unique(y)) if task == CLASSIFICATION else 2
    power = 1.0 if _is_wide(name, y, task) else 0.5
    return min(len(y), int(plan_of(name, task).most * min(1.0, (2.0 / classes) ** power) + 0.5))


def _is_wide(name: str, y: Array, task: str) -> bool:
    """Whether there are weights of more than two classes, and more rows than are fitted exactly."""
    plan = plan_of(name, task)
    return plan.joint and plan.large is not None and len(y) > plan.large.exact and len(np.unique(y)) > 2


def _thrifty(machine: Any) -> Any:
    """The machine with few prototypes, or a tolerance that is enough to choose."""
    known = {"n_prototypes": _FEW_PROTOTYPES} if hasattr(machine, "n_prototypes") else {"tol": _LOOSE}
    return machine.set_params(**{key: value for key, value in known.items() if hasattr(machine, key)})


def is_tuned(name: str, task: str) -> bool:
    """Whether something of the method is chosen on a sample before it is fitted."""
    one_stage = plan_of(name, task).way == "itself" and not (name == "gp" and task == CLASSIFICATION)
    return not one_stage


def grid_of(name: str, task: str, kernel: Kernel, y: Array) -> dict[str, list[Any]]:
    """{parameter: values} that are tried for a method on targets y."""
    plan = plan_of(name, task)
    unit = float(np.std(y)) or 1.0 if task == REGRESSION else 1.0
    strengths = {key: [unit * v if key in plan.units else v for v in values] for key, values in plan.grid.items()}
    return strengths if name in NAMED else {"kernel": [member.kernel for member in family(kernel)]} | strengths


def search_of(name: str, task: str, kernel: Any, y: Array, random_state: int | None, time_limit: float | None) -> Any:
    """The estimator that tunes itself on rows with targets y."""
    from mercer import KernelRidgeCV, KernelSearchCV

    plan, machine = plan_of(name, task), METHODS[task][name].build(name, kernel, random_state)
    if name in METRICS:
        return machine
    machine = _thrifty(machine) if _is_wide(name, y, task) else machine
    grid = grid_of(name, task, kernel, y)
    if plan.way == "loo":
        return KernelRidgeCV(grid["kernel"], grid["alpha"], fit_intercept=True, screen=False)
    if plan.way == "itself":
        return machine.set_params(**(_process(kernel, task) if name == "gp" else plan.rule))
    strategy = "evidence" if plan.way == "evidence" else "grid"
    if strategy == "evidence" and "alpha" in machine.get_params():
        machine.set_params(alpha="evidence")
    cv = folds_of(task, FOLDS, random_state)
    return KernelSearchCV(machine, grid, scoring=plan.scoring, cv=cv, strategy=strategy, time_limit=time_limit)


def _process(kernel: Kernel, task: str) -> dict[str, Any]:
    """The kernel times a free factor; numbers are standardised, and for labels a constant stands for the intercept.

    Where there is a lengthscale for each column, they stay: they are known, or were learned by a process already.
    """
    scaled = kernel if isinstance(kernel, Scaled) else 1.0 * kernel
    known = {name: Fixed(value) for name, value in lengthscales(scaled).items() if isinstance(value, tuple)}
    scaled = scaled.with_params(**known)
    return {"kernel": scaled, "normalize_y": True} if task == REGRESSION else {"kernel": scaled + Constant(1.0)}


def tuned(
    name: str, task: str, kernel: Any, y: Array, random_state: int | None, *, rows: int | None = None,
    seconds: float | None = None,
) -> TwoStages:  # fmt: skip
    """The estimator that is searched on some (at most `rows`) of the rows with targets y, and fitted to all."""
    searches = None if seconds is None else _SEARCH * seconds
    return TwoStages(
        search_of(name, task, kernel, y, random_state, searches), plan_of(name, task).large,
        searched_rows(name, y, task) if rows is None else rows, task, is_tuned(name, task), seconds is not None,
        random_state,
    )  # fmt: skip
