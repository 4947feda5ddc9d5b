"""Suite "ridge": kernel ridge regression and kernelised gradient descent.

choice        30 alphas x 10 lengthscales by leave-one-out errors, against GridSearchCV(KernelRidge(), cv=5) on the same
              grid; the answers are held against each other by their error on rows that neither has seen, of which ours
              may be larger by WORSE at most.  "every cell" has all 300 errors computed on all rows, the other screens
              lengthscales on some of the rows first.  The rival's 1501 fits take eight minutes, so that without --full
              it tries one alpha in PART and its seconds are multiplied by as much.
fit           one machine, against scikit-learn's; the coefficients must agree.  Memory is measured too.
C1, C2, C4    the costs that the books state: dual against primal, by fitting, predicting and descending, on either
              side of n = p.  Here both contestants are ways to the same answer, and a ratio under 1 is no disgrace.

Data: kin40k from --data or MERCER_DATA, else a generated stand-in of the same shape.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.harness import Agreement, Case, Rival, SelfTimed, close
from benchmarks.search import full
from mercer import KernelGradientDescent, KernelRidge, KernelRidgeCV
from mercer.kernels import RBF, Linear
from mercer.kernels.maps import ordered_products
from mercer.typing import Array

WORSE = 1e-3
LENGTHSCALES, ALPHAS = np.logspace(-0.5, 1.25, 10), np.logspace(-5, 1, 30)
PART = 6
FEW = 1_000  # rows, under which a coarser grid will do
STEPS = 100


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows to learn from and rows to be judged by, with their targets."""

    X: Array
    y: Array
    Z: Array
    t: Array

    def error(self, model: Any) -> float:
        return float(np.mean((self.t - model.predict(self.Z)) ** 2) / self.t.var())

    @property
    def grid(self) -> tuple[Array, Array]:
        """Lengthscales and alphas."""
        return (LENGTHSCALES, ALPHAS) if len(self.X) >= FEW else (LENGTHSCALES[::3], ALPHAS[::6])


@lru_cache(maxsize=2)
def _kin40k(n: int) -> Problem:
    path = Path(os.environ.get(data.VARIABLE, "")) / "kin40k.npz"
    if path.is_file():
        with np.load(path) as arrays:
            X, y = data.standardised(arrays["X"].astype(float)), arrays["y"].ravel().astype(float)
    else:
        X = data.gaussian(40_000, 8).X
        y = np.sin(X[:, 0]) * X[:, 1] + np.cos(X[:, 2] + X[:, 3]) + 0.1 * np.random.default_rng(0).normal(size=len(X))
    chosen = np.random.default_rng(0).permutation(len(y))
    train, test = chosen[:n], chosen[n : n + 5_000]
    return Problem(X[train], y[train] - y[train].mean(), X[test], y[test] - y[train].mean())


# ---- choosing lengthscale and alpha


def _chosen(screen: bool, problem: Problem) -> KernelRidgeCV:
    lengthscales, alphas = problem.grid
    return KernelRidgeCV([RBF(l) for l in lengthscales], alphas, screen=screen).fit(problem.X, problem.y)


def _searched(problem: Problem) -> SelfTimed:
    from sklearn.kernel_ridge import KernelRidge as Theirs
    from sklearn.model_selection import GridSearchCV

    lengthscales, alphas = problem.grid
    part = 1 if full() or len(problem.X) < FEW else PART
    grid = {"gamma": 0.5 / lengthscales**2, "alpha": alphas[::part]}
    start = perf_counter()
    search = GridSearchCV(Theirs(kernel="rbf"), grid, cv=5, scoring="neg_mean_squared_error").fit(problem.X, problem.y)
    return SelfTimed(part * (perf_counter() - start), search, part)


def _no_worse(problem: Problem, ours: Any, theirs: Any) -> Agreement:
    mine, other = problem.error(ours), problem.error(theirs)
    return Agreement(mine <= (1.0 + WORSE) * other, f"error {mine:.4f} (rival {other:.4f})")


def _choice(name: str, screen: bool) -> Case:
    return Case(
        suite="ridge",
        name=name,
        size=3_000,
        small=800,
        data=_kin40k,
        ours=partial(_chosen, screen),
        rivals={"GridSearchCV": Rival(_searched, "sklearn")},
        check=_no_worse,
    )


# ---- one machine


def _fitted(problem: Problem) -> Array:
    return np.asarray(KernelRidge(0.1, kernel="rbf").fit(problem.X, problem.y).dual_coef_)


def _fitted_by_sklearn(problem: Problem) -> Array:
    from sklearn.kernel_ridge import KernelRidge as Theirs

    return np.asarray(Theirs(0.1, kernel="rbf").fit(problem.X, problem.y).dual_coef_)


def _fit() -> Case:
    return Case(
        suite="ridge",
        name="fit",
        size=10_000,
        small=500,
        data=_kin40k,
        ours=_fitted,
        rivals={"scikit-learn": Rival(_fitted_by_sklearn, "sklearn")},
        check=lambda problem, ours, theirs: close(ours, theirs, 1e-8),
        memory=True,
    )


# ---- primal and dual, either side of n = p


@lru_cache(maxsize=4)
def _linear(columns: Callable[[int], int], n: int) -> Problem:
    rng = np.random.default_rng(0)
    d = columns(n)
    X, Z, v = rng.normal(size=(n, d)), rng.normal(size=(2_000, d)), rng.normal(size=d) / np.sqrt(d)
    return Problem(X, X @ v + 0.1 * rng.normal(size=n), Z, Z @ v)


def _predicted(problem: Problem) -> Array:
    return _machine(problem).predict(problem.Z)


def _solved(solver: str, problem: Problem) -> Array:
    return np.asarray(KernelRidge(1.0, solver=solver).fit(problem.X, problem.y).predict(problem.Z))


@lru_cache(maxsize=4)
def _machine(problem: Problem) -> KernelRidge:
    return KernelRidge(1.0).fit(problem.X, problem.y)


def _linear_machine(columns: Callable[[int], int], n: int) -> Problem:
    """A problem whose machine is fitted beforehand: only prediction is timed."""
    problem = _linear(columns, n)
    _machine(problem)
    return problem


def _by_items(problem: Problem) -> Array:
    """sum_i a_i k(x, x_i), item by item, as a kernel without explicit weights must."""
    model = _machine(problem)
    return np.asarray(Linear()(problem.Z, problem.X) @ model.dual_coef_)


def _cubic(X: Array) -> Array:
    return ordered_products(X, 3)


def _descended(problem: Problem) -> Array:
    """1 + s + s^2 + s^3 with s = <x, y>: the inner product of all ordered products up to the third."""
    kernel = 1.0 + Linear() + Linear() ** 2 + Linear() ** 3
    model = KernelGradientDescent(kernel=kernel, learning_rate=_step(problem), max_iter=STEPS, tol=0.0)
    return np.asarray(model.fit(problem.X, problem.y).predict(problem.Z[:200]))


def _descended_in_features(problem: Problem) -> Array:
    Phi, alpha = _cubic(problem.X), _step(problem)
    theta = np.zeros(Phi.shape[1])
    for _ in range(STEPS):
        theta += alpha * (Phi.T @ (problem.y - Phi @ theta))
    return np.asarray(_cubic(problem.Z[:200]) @ theta)


def _step(problem: Problem) -> float:
    """1 / trace K, which is below 1 / lambda_max."""
    s = np.sum(problem.X**2, axis=1)
    return 1.0 / float(np.sum(1.0 + s + s**2 + s**3))


def _either_way(name: str, size: int, make: Callable[[int], Problem], ours: Any, theirs: Any, rival: str) -> Case:
    return Case(
        suite="ridge",
        name=name,
        size=size,
        small=200,
        data=make,
        ours=ours,
        rivals={rival: Rival(theirs, "numpy")},
        check=lambda problem, ours, theirs: close(ours, theirs, 1e-6),
    )


def cases() -> list[Case]:
    """Choosing, fitting, and the stated costs."""
    auto, primal, dual = (partial(_solved, solver) for solver in ("auto", "primal", "dual"))
    few, many = partial(_linear, lambda n: n // 50), partial(_linear, lambda n: 2 * n)
    three, twenty = partial(_linear, lambda n: 3), partial(_linear, lambda n: 20 if n > 400 else 6)
    held = partial(_linear_machine, lambda n: max(n // 100, 2))
    return [
        _choice("choice", screen=True),
        _choice("choice, every cell", screen=False),
        _fit(),
        _either_way("C1 fit, D = n / 50", 4_000, few, auto, dual, "dual"),
        _either_way("C1 fit, D = 2 n", 2_000, many, auto, primal, "primal"),
        _either_way("C2 predict, n = 100 D", 10_000, held, _predicted, _by_items, "item by item"),
        _either_way("C4 descent, p = 8421", 500, twenty, _descended, _descended_in_features, "in features"),
        _either_way("C4 descent, p = 40", 4_000, three, _descended, _descended_in_features, "in features"),
    ]
