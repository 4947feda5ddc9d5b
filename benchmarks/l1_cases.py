"""The L1 part of suite "sparse": L1VM against scikit-learn on the same kernel columns (M3, M4).

Rivals: Lasso at alpha = lambda / n, and LogisticRegression with an l1 penalty at C = 1 / lambda by both of its solvers.
All are given the same precomputed RBF matrix; ours comes with a proof that it is within 1e-6 (relative) of the optimum.
scikit-learn's solvers stop at their own criteria, with tolerances that come near to that, and after at most so many
sweeps that a round ends: kernel columns are so alike that coordinate descent can need tens of thousands.  The answers
are held against each other by their objectives.  Where the rival's is worse by more than WORSE, as `detail` tells, the
ratio is a lower bound.

Floor: two products of the matrix with a vector, one to find what violates optimality at 0 and one to prove the answer.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import mercer
from benchmarks import data
from benchmarks.harness import Agreement, Case, Rival
from mercer.kernels import RBF
from mercer.solvers.losses import Bernoulli, Gaussian
from mercer.solvers.sparse import lambda_max
from mercer.typing import Array

WORSE = 1e-6
SWEEPS = 10_000  # of scikit-learn's Lasso
PASSES = 150  # of liblinear and of saga


@dataclass(frozen=True, eq=False)
class Problem:
    """Kernel columns, targets (numbers, or classes 0 and 1) and lambda."""

    K: Array
    y: Array
    lam: float
    classes: bool

    def objective(self, w: Array, b: float) -> float:
        f = self.K @ w + b
        loss = np.logaddexp(0.0, np.where(self.y > 0, -f, f)) if self.classes else 0.5 * (self.y - f) ** 2
        return float(loss.sum() + self.lam * np.abs(w).sum())


@lru_cache(maxsize=2)
def _problem(fraction: float, classes: bool, n: int) -> Problem:
    path = Path(os.environ.get(data.VARIABLE, "")) / "kin40k.npz"
    if path.is_file():
        with np.load(path) as arrays:
            X, y = arrays["X"].astype(float), arrays["y"].ravel()
    else:
        X = data.gaussian(10_000, 8).X
        y = np.sin(X[:, 0]) * X[:, 1] + 0.2 * X[:, 2] + 0.1 * np.random.default_rng(1).normal(size=len(X))
    chosen = np.random.default_rng(0).permutation(len(y))[:n]
    X, y = data.standardised(X[chosen]), y[chosen]
    K = RBF(np.sqrt(X.shape[1] / 2.0))(X)
    y = (y > np.median(y)).astype(int) if classes else (y - y.mean()) / y.std()
    return Problem(K, y, fraction * lambda_max(K.T, y, Bernoulli() if classes else Gaussian()), classes)


def _ours(problem: Problem) -> Any:
    machine = mercer.L1VMClassifier if problem.classes else mercer.L1VMRegressor
    return machine("precomputed", alpha=problem.lam, tol=WORSE).fit(problem.K, problem.y)


def _lasso(problem: Problem) -> Any:
    from sklearn.linear_model import Lasso

    return _quietly(Lasso(alpha=problem.lam / len(problem.y), tol=1e-7, max_iter=SWEEPS), problem)


def _logistic(solver: str, problem: Problem) -> Any:
    from sklearn.linear_model import LogisticRegression

    scaling = {"intercept_scaling": 100.0} if solver == "liblinear" else {}  # liblinear penalises the intercept
    model = LogisticRegression(
        C=1.0 / problem.lam, l1_ratio=1.0, solver=solver, tol=1e-5, max_iter=PASSES, random_state=0, **scaling
    )
    return _quietly(model, problem)


def _quietly(model: Any, problem: Problem) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it stopped early is seen in the objective
        return model.fit(problem.K.T, problem.y)  # K' = K, in the order that saves a copy


def _check(problem: Problem, ours: Any, theirs: Any) -> Agreement:
    w = np.zeros(len(problem.y))
    w[ours.support_] = ours.dual_coef_[0]
    mine = problem.objective(w, float(ours.intercept_[0]))
    other = problem.objective(np.ravel(theirs.coef_), float(np.ravel(theirs.intercept_)[0]))
    better = (other - mine) / other
    gap, kept = max(ours.certificate_.relative_gap, 0.0), len(ours.support_)
    return Agreement(better >= -WORSE, f"objective better by {better:.0e}; gap {gap:.0e}; {kept} kept")


def _floor(problem: Problem) -> Array:
    return problem.K @ (problem.K @ np.ones(len(problem.y)))


def _case(n: int, share: int, classes: bool) -> Case:
    rivals = {"scikit-learn Lasso": Rival(_lasso, "sklearn")}
    if classes:
        rivals = {f"scikit-learn {name}": Rival(partial(_logistic, name), "sklearn") for name in ("liblinear", "saga")}
    return Case(
        suite="sparse",
        name=f"{'l1-logistic' if classes else 'lasso'} n = {n}, lambda_max / {share}",
        size=n,
        small=150,
        data=partial(_problem, 1.0 / share, classes),
        ours=_ours,
        rivals=rivals,
        check=_check,
        floor=_floor,
    )


def cases() -> list[Case]:
    """Few and many kept vectors; the larger size with few only, for the rivals' sake."""
    sizes = [(2_000, 10), (2_000, 100), (2_000, 1_000), (5_000, 10)]
    return [_case(n, share, classes) for classes in (False, True) for n, share in sizes]
