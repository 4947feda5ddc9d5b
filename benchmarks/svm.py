"""Suites "svm" and "svm-predict": fitting and evaluating support vector machines with the Gaussian kernel.

Rivals: scikit-learn (libsvm, with a cache of 2000 MB) and scikit-learn-intelex, at the same C, gamma and tolerance.
The answers are held against each other by `mercer.verify`, which recomputes every dual objective from scratch in
double precision: ours may not be worse than the rival's by more than WORSE, relatively.

Floor: one evaluation of K(training rows, support vectors), which any certified fit needs.

C and gamma are those of the table below, or the best of nine in a search on half of the rows, at most 3 000 of them
("tuned", "aside").  Tables called "aside" were chosen before the solvers were written, and not looked at until they
were done.

Data: real tables from --data or MERCER_DATA; without them generated stand-ins of the same shape.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import mercer
from benchmarks import data
from benchmarks.harness import Agreement, Case, Rival
from mercer.gram import LazyGram
from mercer.kernels import RBF
from mercer.typing import Array

WORSE = 1e-5
CACHE = 2000  # megabytes for libsvm, ten times its default

TUNED = None  # C and gamma by a search

# name: (file, rows, C, kind); kind is what becomes of y
TABLES: dict[str, tuple[str, int, float | None, str]] = {
    "spam": ("spam.npz", 4_600, 1.0, "classes"),
    "usps": ("usps.npz", 7_291, 1.0, "classes"),
    "letter": ("letter.npz", 15_000, 1.0, "classes"),
    "shuttle": ("shuttle.npz", 43_500, 1.0, "classes"),
    "a9a sparse": ("a9a.npz", 32_561, 1.0, "sparse"),
    "kin40k C=1": ("kin40k.npz", 20_000, 1.0, "halves"),
    "kin40k C=100": ("kin40k.npz", 20_000, 100.0, "halves"),
    "protein SVR": ("protein.npz", 20_000, 1.0, "numbers"),
    "ijcnn1": ("ijcnn1.npz", 50_000, 1.0, "classes"),
    "tuned letter": ("letter.npz", 15_000, TUNED, "classes"),
    "tuned usps": ("usps.npz", 7_291, TUNED, "classes"),
    "tuned shuttle": ("shuttle.npz", 43_500, TUNED, "classes"),
    "tuned mnist": ("mnist_15k.npz", 15_000, TUNED, "classes"),
    "tuned fashion": ("fashion_mnist_35k.npz", 10_000, TUNED, "classes"),
    "tuned covtype": ("covtype_93k.npz", 20_000, TUNED, "classes"),
    "small tuned segment": ("segment.npz", 2_310, TUNED, "classes"),
    "small tuned dna": ("dna.npz", 3_186, TUNED, "classes"),
    "small tuned glass": ("glass.npz", 214, TUNED, "classes"),
    "small tuned soybean": ("soybean.npz", 683, TUNED, "classes"),
    "small ionosphere": ("ionosphere.npz", 351, 1.0, "classes"),
    "small vehicle": ("vehicle.npz", 846, 1.0, "classes"),
    "small segment": ("segment.npz", 2_000, 1.0, "classes"),
    "small spam": ("spam.npz", 2_000, 1.0, "classes"),
    "aside magic": ("magic.npz", 15_000, TUNED, "classes"),
    "aside fars": ("fars.npz", 15_000, TUNED, "classes"),
    "aside weather": ("noaa_weather.npz", 15_000, TUNED, "classes"),
    "aside electricity": ("electricity.npz", 20_000, TUNED, "classes"),
    "aside california SVR": ("california_housing.npz", 10_000, TUNED, "numbers"),
    "small aside vowel": ("vowel.npz", 990, TUNED, "classes"),
}


@dataclass(frozen=True, eq=False)  # told apart by identity, so that a fit can be remembered
class Problem:
    """Training rows and targets, rows to predict, and the machine's settings."""

    X: Any
    y: Array
    Z: Any
    C: float
    gamma: float
    regression: bool

    @property
    def settings(self) -> dict[str, Any]:
        return {"C": self.C, "gamma": self.gamma, "tol": 1e-3}


@lru_cache(maxsize=2)
def _problem(name: str, n: int) -> Problem:
    file, _, C, kind = TABLES[name]
    X, y = _loaded(Path(os.environ.get(data.VARIABLE, "")) / file, kind)
    chosen = np.random.default_rng(0).permutation(len(y))
    train, test = chosen[:n], chosen[n : n + 5_000]
    if kind == "sparse":
        from scipy.sparse import csr_matrix

        X = csr_matrix(X)
    X, y, Z = X[train], y[train], X[test] if len(test) >= 500 else X[train[:5_000]]
    C, gamma = _searched(X, y, kind) if C is None else (C, _scale(X))
    return Problem(X, y, Z, C, gamma, kind == "numbers")


def _searched(X: Array, y: Array, kind: str) -> tuple[float, float]:
    """(C, gamma): the best of nine, by three folds on half of the rows, at most 3 000; classes of few rows are out."""
    half, scale = slice(0, min(len(y) // 2, 3_000)), _scale(X)
    machine = mercer.SVR() if kind == "numbers" else mercer.SVC()
    X, y = X[half], y[half]
    if kind != "numbers":
        classes, counts = np.unique(y, return_counts=True)
        several = np.isin(y, classes[counts >= 3])
        X, y = X[several], y[several]
    grid = {"C": [1.0, 10.0, 100.0], "kernel": [RBF.from_gamma(f * scale) for f in (0.25, 1.0, 4.0)]}
    best = mercer.KernelSearchCV(machine, grid, cv=3, refit=False).fit(X, y).best_params_
    return best["C"], best["kernel"].gamma


def _loaded(path: Path, kind: str) -> tuple[Array, Array]:
    if path.is_file():
        with np.load(path) as arrays:
            X, y = arrays["X"].astype(float), arrays["y"].ravel()
            X = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
    else:
        X = data.gaussian(60_000, 10).X
        y = np.sin(X[:, 0]) * X[:, 1] + 0.2 * X[:, 2]
        y = y if kind in ("numbers", "halves") else np.digitize(y, [-0.5, 0.5])
    if kind == "halves":
        y = np.where(y > np.median(y), 1, -1)
    if kind == "numbers":
        y = (y - y.mean()) / y.std()
    return (X if kind == "sparse" else data.standardised(X)), y


def _fitted(package: Any, problem: Problem) -> Any:
    machine = package.SVR if problem.regression else package.SVC
    extra = {} if package is mercer else {"cache_size": CACHE}
    return machine(**problem.settings, **extra).fit(problem.X, problem.y)


def _sklearn() -> Any:
    from sklearn import svm

    return svm


def _intelex() -> Any:
    from sklearnex import svm

    return svm


def _check(problem: Problem, ours: Any, theirs: Any) -> Agreement:
    mine, other = (mercer.verify(model, problem.X, problem.y) for model in (ours, theirs))
    total, rivals = (sum(part.dual for part in proof.parts or (proof,)) for proof in (mine, other))
    better = (total - rivals) / abs(rivals)
    detail = f"dual {better:+.0e}; gap {mine.relative_gap:.0e} (rival {other.relative_gap:.0e})"
    return Agreement(better >= -WORSE, detail)


@lru_cache(maxsize=1)
def _ours_for_floor(problem: Problem) -> Any:
    return _fitted(mercer, problem)


def _floor(problem: Problem) -> Array:
    """K(X, support vectors) in single precision, streamed against one vector."""
    model = _ours_for_floor(problem)
    gram = LazyGram(RBF.from_gamma(problem.gamma), problem.X).single()
    return gram.part(None, model.support_) @ np.ones(len(model.support_))


def _scale(X: Any) -> float:
    """scikit-learn's gamma="scale"."""
    variance = X.multiply(X).mean() - X.mean() ** 2 if hasattr(X, "multiply") else X.var()
    return float(1.0 / (X.shape[1] * variance))


def _fit_case(name: str) -> Case:
    return Case(
        suite="svm",
        name=name,
        size=TABLES[name][1],
        small=min(600, TABLES[name][1]),
        data=partial(_problem, name),
        ours=partial(_fitted, mercer),
        rivals={
            "scikit-learn": Rival(lambda problem: _fitted(_sklearn(), problem), "sklearn"),
            "scikit-learn-intelex": Rival(lambda problem: _fitted(_intelex(), problem), "sklearnex"),
        },
        check=_check,
        floor=_floor,
    )


@dataclass(frozen=True)
class Fitted:
    """One problem and everybody's model of it."""

    problem: Problem
    models: dict[str, Any]


@lru_cache(maxsize=2)
def _fitted_all(name: str, n: int) -> Fitted:
    problem = _problem(name, n)
    packages: dict[str, Callable[[], Any]] = {"mercer": lambda: mercer, "sklearn": _sklearn, "sklearnex": _intelex}
    models = {}
    for key, package in packages.items():
        try:
            models[key] = _fitted(package(), problem)
        except ImportError:
            continue
    return Fitted(problem, models)


def _predicted(key: str, fitted: Fitted) -> Array:
    return np.asarray(fitted.models[key].predict(fitted.problem.Z))


def _check_predictions(fitted: Fitted, ours: Array, theirs: Array) -> Agreement:
    if fitted.problem.regression:
        apart = float(np.abs(ours - theirs).max() / np.ptp(theirs))
        return Agreement(apart < 1e-2, f"apart {apart:.0e}")
    same = float(np.mean(ours == theirs))
    return Agreement(same > 0.99, f"{same:.2%} of the labels equal")


def _predict_case(name: str) -> Case:
    return Case(
        suite="svm-predict",
        name=name,
        size=min(TABLES[name][1], 15_000),
        small=min(600, TABLES[name][1]),
        data=partial(_fitted_all, name),
        ours=partial(_predicted, "mercer"),
        rivals={
            "scikit-learn": Rival(partial(_predicted, "sklearn"), "sklearn"),
            "scikit-learn-intelex": Rival(partial(_predicted, "sklearnex"), "sklearnex"),
        },
        check=_check_predictions,
    )


def fits() -> list[Case]:
    """Fitting on every table."""
    return [_fit_case(name) for name in TABLES]


def predictions() -> list[Case]:
    """Predicting up to 5 000 rows with the models of the larger tables."""
    return [_predict_case(name) for name in TABLES if not name.startswith(("small", "tuned", "aside"))]
