"""Nearest neighbours by the distance of a Gaussian kernel: predict n new rows from n training rows.

Rival: scikit-learn's KNeighborsClassifier(algorithm="brute"), whose Euclidean distance has the same neighbours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.harness import Agreement, Case, Rival
from mercer.typing import Array

NEIGHBOURS = 5
SAME = 0.999  # share of equal labels; those of tied votes differ


@dataclass(frozen=True)
class Problem:
    """Training rows with labels, and new rows."""

    X: Array
    y: Array
    Z: Array


def _problem(rows: Callable[[int], Array], n: int) -> Problem:
    V = rows(2 * n)
    X, Z = V[::2], V[1::2]
    w = np.random.default_rng(1).standard_normal(V.shape[1])
    return Problem(X, np.digitize(X @ w, np.quantile(X @ w, [0.2, 0.4, 0.6, 0.8])), Z)


def _ours(problem: Problem) -> Array:
    from mercer import KernelKNeighborsClassifier

    return KernelKNeighborsClassifier(NEIGHBOURS).fit(problem.X, problem.y).predict(problem.Z)


def _sklearn(problem: Problem) -> Any:
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(NEIGHBOURS, algorithm="brute").fit(problem.X, problem.y).predict(problem.Z)


def _check(problem: Problem, ours: Array, theirs: Array) -> Agreement:
    """Labels are equal but for ties of votes, and all neighbours are."""
    from sklearn.neighbors import NearestNeighbors

    from mercer import KernelKNeighborsClassifier

    few = problem.Z[:500]
    found = KernelKNeighborsClassifier(NEIGHBOURS).fit(problem.X, problem.y).kneighbors(few, return_distance=False)
    expected = NearestNeighbors(n_neighbors=NEIGHBOURS, algorithm="brute").fit(problem.X).kneighbors(few)[1]
    near = float(np.mean(np.sort(found, axis=1) == np.sort(expected, axis=1)))
    votes = np.sort((problem.y[found][:, :, None] == np.arange(5)).sum(axis=1), axis=1)
    clear = votes[:, -1] > votes[:, -2]
    labels = float(np.mean((ours == theirs)[: len(few)][clear]))
    return Agreement(near >= SAME and labels >= SAME, f"{near:.1%} of neighbours, {labels:.1%} of clear votes")


def cases() -> list[Case]:
    """Few columns, some, and many."""
    tables: dict[str, Callable[[int], Array]] = {
        "normal, d = 8": lambda n: data.gaussian(n, 8).X,
        "covtype": lambda n: data.table("covtype", n).X,
        "fashion": lambda n: data.table("fashion", n).X,
    }
    return [
        Case(
            suite="geometry",
            name=f"neighbours, {name}",
            size=10_000,
            small=300,
            data=partial(_problem, rows),
            ours=_ours,
            rivals={"scikit-learn": Rival(_sklearn, "sklearn")},
            check=_check,
            memory=True,
        )
        for name, rows in tables.items()
    ]
