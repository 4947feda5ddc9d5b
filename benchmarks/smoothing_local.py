"""Local lines in one column and in two, with the bandwidth of least leave-one-out error.

Rival: statsmodels' KernelReg, which has the same definition and refits for every row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Agreement, Case, Rival
from mercer.typing import Array

WIDTH = 2e-3  # relative: theirs is found by a simplex with a tolerance of 1e-4


@dataclass(frozen=True)
class Problem:
    """Rows with numbers; several columns of y are several curves."""

    X: Array
    Y: Array


@dataclass(frozen=True)
class Answer:
    """The bandwidths, and f at the rows."""

    h: Array
    f: Array


def _wave(columns: int, curves: int, n: int) -> Problem:
    rng = np.random.default_rng(0)
    X = rng.uniform(0.0, 1.0, (n, columns))
    shift = rng.uniform(0.0, 3.0, curves)
    return Problem(X, np.sin(8.0 * X.sum(axis=1)[:, None] + shift) + 0.3 * rng.normal(size=(n, curves)))


def _ours(window: str, problem: Problem) -> Answer:
    from mercer import LocalRegression

    found = [LocalRegression(window=window).fit(problem.X, y) for y in problem.Y.T]
    return Answer(found[0].bandwidth_, found[0].fitted_values_)


def _statsmodels(problem: Problem) -> Answer:
    from statsmodels.nonparametric.kernel_regression import KernelReg

    model = KernelReg(problem.Y[:, 0], problem.X, "c" * problem.X.shape[1], reg_type="ll", bw="cv_ls")
    return Answer(np.abs(model.bw), model.fit()[0])


def _check(problem: Problem, ours: Answer, theirs: Answer) -> Agreement:
    """The same bandwidth, and the same fit at theirs."""
    from mercer import LocalRegression

    again = LocalRegression(theirs.h).fit(problem.X, problem.Y[:, 0]).fitted_values_
    width = float(np.max(np.abs(ours.h / theirs.h - 1.0)))
    fit = float(np.max(np.abs(again - theirs.f)))
    return Agreement(width <= WIDTH and fit <= 1e-8, f"bandwidth apart {width:.0e}, f at the same one {fit:.0e}")


def _case(name: str, columns: int, curves: int, size: int, small: int, window: str, rivals: Any) -> Case:
    return Case(
        suite="smoothing",
        name=name,
        size=size,
        small=small,
        data=partial(_wave, columns, curves),
        ours=partial(_ours, window),
        rivals=rivals,
        check=_check,
        memory=False,
    )


def cases() -> list[Case]:
    """Against statsmodels where it ends, and alone where it does not."""
    rival = {"statsmodels": Rival(_statsmodels, "statsmodels")}
    return [
        _case("local lines, d = 1, loo", 1, 1, 1000, 60, "gaussian", rival),
        _case("local lines, d = 2, loo", 2, 1, 300, 40, "gaussian", rival),
        _case("local lines, n = 100 000", 1, 1, 100_000, 200, "gaussian", {}),
        _case("local lines, epanechnikov, n = 100 000", 1, 1, 100_000, 200, "epanechnikov", {}),
        _case("local lines, tri-cube, n = 100 000", 1, 1, 100_000, 200, "tricube", {}),
        _case("100 curves of 500 rows", 1, 100, 500, 50, "gaussian", {}),
    ]
