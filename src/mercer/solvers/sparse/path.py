"""Sparse linear models over a path of lambdas.

    minimise  sum_i s_i loss(y_i, W' phi_i + b) + lambda sum_j |W_j|_2,      b not penalised

    Gaussian()        loss (y - f)^2 / 2          scikit-learn's Lasso(alpha) at lambda = alpha n
    Bernoulli()       loss log(1 + exp(-+ f))     its LogisticRegression(C) with an l1 penalty at lambda = 1 / C
    Multinomial(C)    loss of a softmax           one group of C weights per feature

scikit-learn's solver liblinear penalises b too, which a large intercept_scaling hides; its saga does not.  A group of
the softmax sums to 0 at the optimum, so that two classes have f = w (-1, 1)/2 and |W_j|_2 = |w_j| / sqrt(2): they are
l1-logistic regression at lambda / sqrt(2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.solvers.losses import Family
from mercer.solvers.solution import LENIENCE
from mercer.solvers.sparse.problem import SparseProblem
from mercer.solvers.sparse.working_set import SparseSolution, follow
from mercer.typing import Array


def sparse_path(
    Phi: Array,
    y: Array,
    family: Family,
    lambdas: Sequence[float],
    *,
    weight: Any = None,
    fit_intercept: bool = True,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    screen: bool = True,
) -> list[SparseSolution]:
    """The solution for every lambda, each with a relative duality gap of at most `tol`.

    y are numbers for Gaussian, codes 0, 1, ... of classes otherwise.  Columns of Phi are used one at a time, so Fortran
    order saves a copy.  max_iter bounds the linear systems per lambda and is looked at after every working set.
    """
    if not all(0.0 < lam < np.inf for lam in lambdas):
        raise bad("sparse_path", "lambdas", "positive numbers", list(lambdas), "Without a penalty nothing is sparse.")
    problem = SparseProblem.of(Phi, y, family, weight, fit_intercept)
    order = np.argsort(-np.asarray(lambdas, dtype=float), kind="stable")
    found = follow(problem, [float(lambdas[i]) for i in order], tol=tol, max_iter=max_iter, screen=screen)
    place = np.argsort(order)
    return [found[i] for i in place]


def prove_sparse(
    Phi: Array,
    y: Array,
    family: Family,
    W: Array,
    intercept: Array,
    *,
    lam: float,
    weight: Any = None,
    fit_intercept: bool = True,
    tol: float = 1e-6,
) -> SparseSolution:
    """The proof of given weights: P there, and the dual of their residuals at the best intercept."""
    problem = SparseProblem.of(Phi, y, family, weight, fit_intercept)
    hidden = family.hidden(W)
    f = family.hidden(Phi @ W + intercept) - problem.shift
    proof = problem.prove(problem.scored(hidden, f), lam, np.ones(len(W), dtype=bool))
    primal = problem.loss(f) + lam * float(np.linalg.norm(W, axis=1).sum())
    done = primal - proof.dual <= LENIENCE * tol * max(abs(primal), 1e-300)
    support = np.flatnonzero(W.any(axis=1))
    return SparseSolution(
        primal=primal, dual=proof.dual, n_iter=0, converged=done, reason="converged" if done else "tol not reached",
        lam=lam, features=len(W), support=support, weights=W[support], intercept=intercept, violation=proof.violation,
        screened=np.empty(0, dtype=np.intp), passes=1,
    )  # fmt: skip


def lambda_max(Phi: Array, y: Array, family: Family, *, weight: Any = None, fit_intercept: bool = True) -> float:
    """max_j |Phi_j' R| at W = 0: the smallest lambda for which all weights are 0."""
    problem = SparseProblem.of(Phi, y, family, weight, fit_intercept)
    R, T = problem.first().R, problem.T
    largest = float(problem.sizes(R, np.ones(len(T), dtype=bool)).max(initial=0.0))
    rounding = 16.0 * float(np.finfo(float).eps) * max(T.max(initial=0.0), -T.min(initial=0.0)) * float(np.abs(R).sum())
    return largest if largest > rounding else 0.0  # columns that do not vary


def lambda_grid(largest: float, count: int, ratio: float = 1e-3) -> Array:
    """`count` lambdas from `largest` down to ratio * largest, with a constant ratio; 1 where `largest` is 0."""
    return np.asarray((largest or 1.0) * np.geomspace(1.0, ratio, count))
