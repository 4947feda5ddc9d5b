"""Cells: exact machines in the leaves of a tree, on all rows of a table.

labels    the seven classes of covtype_93k by a support vector machine, against boosted trees on the same rows, and the
          exact machine of scikit-learn-intelex where that is installed
numbers   kin40k by ridge regression, against the landmarks alone

The tables are those of --data; without them, simulated ones of the same kind.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

import mercer
from benchmarks import data
from benchmarks.harness import Agreement, Case, Rival
from mercer.kernels import Matern
from mercer.typing import Array

C, GAMMA = 10.0, "scale"
CELL_ROWS = 4000
SMALL = 10_000  # rows below which a run is a smoke test, and the order of scores is chance


@dataclass(frozen=True, eq=False)
class Parts:
    """Rows to learn from and rows to be judged by, standardised."""

    X: Array
    y: Array
    Z: Array
    t: Array


def _parted(X: Array, y: Array, n: int) -> Parts:
    """Four fifths and one fifth of n rows."""
    from sklearn.model_selection import train_test_split

    finite = np.flatnonzero(np.isfinite(X).all(axis=1))
    some = finite if n >= len(finite) else np.random.default_rng(0).permutation(finite)[:n]
    X, Z, y, t = train_test_split(X[some], y[some], test_size=0.2, random_state=0)
    centre, scale = X.mean(axis=0), X.std(axis=0)
    scale = np.where(scale > 0.0, scale, 1.0)
    return Parts((X - centre) / scale, y, (Z - centre) / scale, t)


def _loaded(name: str) -> tuple[Array, Array] | None:
    path = Path(os.environ.get(data.VARIABLE, "")) / f"{name}.npz"
    if not path.is_file():
        return None
    with np.load(path) as arrays:
        return arrays["X"].astype(float), arrays["y"].reshape(len(arrays["X"]))


@lru_cache(maxsize=1)
def _classes(n: int) -> Parts:
    found = _loaded("covtype_93k")
    if found is None:
        X = np.random.default_rng(0).normal(size=(n, 3))
        found = X, np.digitize(np.sin(2.0 * X[:, 0]) + X[:, 1], [-1.0, 0.0, 1.0])
    return _parted(*found, n)


@lru_cache(maxsize=1)
def _numbers(n: int) -> Parts:
    found = _loaded("kin40k")
    if found is None:
        X = np.random.default_rng(0).normal(size=(n, 8))
        found = X, np.sin(X @ np.ones((8, 3))).sum(axis=1)
    return _parted(found[0], (found[1] - found[1].mean()) / found[1].std(), n)


def _svm(problem: Parts) -> float:
    size = min(CELL_ROWS, len(problem.X) // 4)
    return float(mercer.SVC(C=C, gamma=GAMMA, method="cells", cell_rows=size).fit(problem.X, problem.y)
                 .score(problem.Z, problem.t))  # fmt: skip


def _trees(problem: Parts) -> float:
    from sklearn.ensemble import HistGradientBoostingClassifier

    steps = 100 if len(problem.X) >= SMALL else 5
    trees = HistGradientBoostingClassifier(max_iter=steps, random_state=0).fit(problem.X, problem.y)
    return float(trees.score(problem.Z, problem.t))


def _intelex(problem: Parts) -> float:
    from sklearnex.svm import SVC

    return float(SVC(C=C, gamma=GAMMA).fit(problem.X, problem.y).score(problem.Z, problem.t))


def _ridge(method: str, problem: Parts) -> float:
    size = min(2000, len(problem.X) // 4)
    machine = mercer.KernelRidge(0.1, kernel=Matern(3.0, nu=1.5), fit_intercept=True, method=method,
                                 n_landmarks=size // 2, cell_rows=size)  # fmt: skip
    return float(machine.fit(problem.X, problem.y).score(problem.Z, problem.t))


def _cells(problem: Parts) -> float:
    return _ridge("cells", problem)


def _landmarks(problem: Parts) -> float:
    return _ridge("nystrom", problem)


def _no_worse(problem: Parts, ours: float, theirs: float) -> Agreement:
    slack = 0.0 if len(problem.X) >= SMALL else 0.3
    return Agreement(ours >= theirs - slack, f"score {ours:.4f}, theirs {theirs:.4f}")


def _near(problem: Parts, ours: float, theirs: float) -> Agreement:
    """The exact machine is the orientation, not the bar."""
    return Agreement(ours >= theirs - (0.02 if len(problem.X) >= SMALL else 0.3),
                     f"score {ours:.4f}, theirs {theirs:.4f}")  # fmt: skip


def cases() -> list[Case]:
    """Labels and numbers."""
    trees = {"HistGradientBoosting": Rival(_trees, "sklearn")}
    exact = {"scikit-learn-intelex SVC, exact": Rival(_intelex, "sklearnex")}
    alone = {"landmarks alone": Rival(_landmarks, "mercer")}
    return [
        Case("scale", "covtype_93k, 7 classes, SVC in cells", 93_000, 400, _classes, _svm, trees, _no_worse),
        Case("scale", "covtype_93k, SVC in cells and exact", 93_000, 400, _classes, _svm, exact, _near),
        Case("scale", "kin40k, ridge in cells", 40_000, 1000, _numbers, _cells, alone, _no_worse),
    ]
