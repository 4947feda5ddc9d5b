"""Suite "search": a grid of hyper-parameters by 5-fold cross-validation, against GridSearchCV on the same folds.

SVC          C in 2^-5 ... 2^15 and gamma in 2^-15 ... 2^3, the 110 points of M22, on columns that are standardised
SVR          the same with epsilon = 0.1
KernelRidge  the same gammas, and alpha = 1 / (2 C)

Rival: GridSearchCV over scikit-learn's machine (with a cache of 2000 MB) on two processes.  Both refit the best.
The answers are held against each other by their mean scores: at 95 % of the points within NEAR, the best within BEST;
or by as much as one item decided the other way changes, where that is more.

With --full all 110 points on up to 5 000 rows, which takes the rival hours; else all C and every third gamma, on up
to 1 500 rows.  With --sample we do all of it and the rival two points for every C, spread over the gammas, on two of
the folds (no refit): its time is that, times what it was spared, and the answers are held against each other there.
Data: tables from --data or MERCER_DATA; without them generated stand-ins.
"""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import mercer
from benchmarks import data
from benchmarks.harness import Agreement, Case, Rival, SelfTimed
from mercer.selection.grids import LIBSVM
from mercer.typing import Array

NEAR, BEST, SHARE = 2e-3, 1e-3, 0.95
FULL, SAMPLE = "MERCER_FULL", "MERCER_SAMPLE"  # set by --full and --sample
CACHE, PROCESSES, FOLDS = 2000, 2, 5
STRIDE, SHIFTS, SAMPLED_FOLDS = 4, (0, 5), 2  # gamma of the k-th C is STRIDE k + shift, round and round

# name: (file, what becomes of y, machine)
TABLES = {
    "spam": ("spam.npz", "classes", "SVC"),
    "splice_scale": ("splice_scale.npz", "classes", "SVC"),
    "usps": ("usps.npz", "classes", "SVC"),
    "letter": ("letter.npz", "classes", "SVC"),
    "ijcnn1": ("ijcnn1.npz", "classes", "SVC"),
    "kin40k": ("kin40k.npz", "halves", "SVC"),
    "protein SVR": ("protein.npz", "numbers", "SVR"),
    "kin40k ridge": ("kin40k.npz", "numbers", "KernelRidge"),
}
ROWS = {"usps": 7_291, "spam": 4_600, "protein SVR": 2_000}  # others have 5 000; the rival would take days for SVR


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows, targets, the folds, and what is tried."""

    X: Array
    y: Array
    folds: list[tuple[Array, Array]]
    machine: str
    grid: dict[str, list[float]]


def full() -> bool:
    """Whether the whole grid was asked for."""
    return bool(os.environ.get(FULL))


def sampled() -> bool:
    """Whether the rival is to do a part and be scaled up."""
    return bool(os.environ.get(SAMPLE))


def _grid(machine: str) -> dict[str, list[float]]:
    C, gamma = LIBSVM["C"], LIBSVM["gamma"][:: 1 if full() else 3]
    return {"gamma": gamma, "alpha": [0.5 / c for c in C]} if machine == "KernelRidge" else {"gamma": gamma, "C": C}


@lru_cache(maxsize=2)
def _problem(name: str, n: int) -> Problem:
    from sklearn.model_selection import KFold, StratifiedKFold

    file, kind, machine = TABLES[name]
    X, y = _loaded(Path(os.environ.get(data.VARIABLE, "")) / file, kind)
    some = np.random.default_rng(0).permutation(len(y))[:n]
    X, y = data.standardised(X[some]), y[some]
    splitter = KFold if kind == "numbers" else StratifiedKFold
    folds = list(splitter(FOLDS, shuffle=True, random_state=0).split(X, y))
    return Problem(X, y, folds, machine, _grid(machine))


def _loaded(path: Path, kind: str) -> tuple[Array, Array]:
    if path.is_file():
        with np.load(path) as arrays:
            X, y = arrays["X"].astype(float), arrays["y"].ravel()
    else:
        X = data.gaussian(8_000, 8).X
        y = np.sin(X[:, 0]) * X[:, 1] + 0.2 * X[:, 2]
        y = y if kind in ("numbers", "halves") else np.digitize(y, [0.0])
    if kind == "halves":
        y = np.where(y > np.median(y), 1, -1)
    return X, (y - y.mean()) / y.std() if kind == "numbers" else y


def _ours(problem: Problem) -> mercer.KernelSearchCV:
    kernel = {"kernel": "rbf"} if problem.machine == "KernelRidge" else {}
    machine = getattr(mercer, problem.machine)(**kernel)
    return mercer.KernelSearchCV(machine, problem.grid, cv=problem.folds).fit(problem.X, problem.y)


def _machine_of_theirs(problem: Problem) -> Any:
    from sklearn import kernel_ridge, svm

    if problem.machine == "KernelRidge":
        return kernel_ridge.KernelRidge(kernel="rbf")
    return getattr(svm, problem.machine)(cache_size=CACHE)


def _theirs(problem: Problem) -> Any:
    from sklearn.model_selection import GridSearchCV

    part = sampled()
    grid, folds = (_some(problem.grid), problem.folds[:SAMPLED_FOLDS]) if part else (problem.grid, problem.folds)
    began = time.perf_counter()
    found = GridSearchCV(_machine_of_theirs(problem), grid, cv=folds, n_jobs=PROCESSES, refit=not part)
    found.fit(problem.X, problem.y)
    seconds, points = time.perf_counter() - began, len(found.cv_results_["params"])
    spared = math.prod(map(len, problem.grid.values())) / points * len(problem.folds) / len(folds)
    return SelfTimed(spared * seconds, found, parts=0)  # its processes live on: their time is not known


def _some(grid: dict[str, list[float]]) -> list[dict[str, list[float]]]:
    """Points of a grid of gammas and one other parameter: every value of that as often as there are SHIFTS."""
    gammas = grid["gamma"]
    name, values = next((name, values) for name, values in grid.items() if name != "gamma")
    return [{"gamma": [gammas[(STRIDE * k + shift) % len(gammas)]], name: [v]}
            for shift in SHIFTS for k, v in enumerate(values)]  # fmt: skip


def _check(problem: Problem, ours: Any, theirs: Any) -> Agreement:
    mine, others = _scores(ours, theirs), _scores(theirs, theirs)
    apart = np.abs(mine - others)
    seen = sum(len(problem.folds[f][1]) for f in range(theirs.n_splits_))
    one = 0.0 if problem.machine != "SVC" else 1.01 / seen  # item, decided the other way
    near, best = float(np.mean(apart <= max(NEAR, one))), abs(mine.max() - others.max())
    part = f"rival extrapolated from {len(apart)} points on {theirs.n_splits_} folds; " if sampled() else ""
    detail = f"{part}{near:.0%} of {len(apart)} points alike, farthest {apart.max():.0e}; best {best:.0e} apart"
    return Agreement(bool(near >= SHARE and best <= max(BEST, one)), detail)


def _scores(search: Any, theirs: Any) -> Array:
    """The mean scores of a search at the points and on the folds that the rival has done."""
    place = {tuple(sorted(p.items())): i for i, p in enumerate(search.cv_results_["params"])}
    points = [place[tuple(sorted(p.items()))] for p in theirs.cv_results_["params"]]
    folds = [search.cv_results_[f"split{f}_test_score"][points] for f in range(theirs.n_splits_)]
    return np.asarray(np.mean(folds, axis=0))


def _case(name: str) -> Case:
    return Case(
        suite="search",
        name=name,
        size=ROWS.get(name, 5_000) if full() else 1_500,
        small=120,
        data=partial(_problem, name),
        ours=_ours,
        rivals={"GridSearchCV": Rival(_theirs, "sklearn")},
        check=_check,
    )


def cases() -> list[Case]:
    """Every table."""
    return [_case(name) for name in TABLES]
