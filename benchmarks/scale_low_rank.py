"""Landmarks, and ridge regression on them.

landmarks    randomly pivoted Cholesky against as many uniform landmarks, on ten tables: what both leave of the trace of
             the Gram, of which ours may not be more.  The floor is one K_nm, the kernel values between all rows and the
             landmarks, computed tile by tile and dropped.
ridge        10^6 rows of 20 columns, 2000 landmarks, 30 alphas and one, against scikit-learn's Nystroem + RidgeCV and
             Nystroem + Ridge.  These need 16 GB for the features and as much again to make them, so that they are
             fitted to one row in PART (in PART_CV) and to an eighth of these, and the line through both times is drawn
             to all rows.  They are held against ours by the error on rows that neither has seen; ours must stay within
             MEMORY.  The floor is one K_nm and one K_nm'K_nm as our first pass has them: values in double
             precision, products in single.

Data: npz tables from --data or MERCER_DATA, else generated stand-ins.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.harness import Agreement, Case, Rival, SelfTimed, processor_time
from benchmarks.memory import peak_extra
from benchmarks.scale_blocks import Outcome
from mercer import KernelRidge, LazyGram
from mercer.engine.tiles import cuts
from mercer.estimators.training_data import KernelItems
from mercer.kernels import RBF
from mercer.linalg.blas import plus_square
from mercer.selection.kernel_heuristics import median_lengthscale
from mercer.solvers.landmarks import chosen, factor_of
from mercer.typing import Array

TABLES = (
    "kin40k", "protein", "elevators", "california_housing", "covtype_93k", "bike", "magic", "credit_default",
    "electricity", "ijcnn1",
)  # fmt: skip
LANDMARKS = 300
ALPHAS, ALPHA = np.logspace(-2, 3, 30), 1.0
WIDTH, PART, PART_CV = 20, 10, 40
MEMORY = 2 * 10**9  # beside the rows
WORSE, WORSE_OF_FEW = 1e-3, 0.05  # of the variance of the targets; few rows are a matter of chance


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Rows of a table behind a kernel, and how many landmarks to take."""

    gram: LazyGram
    count: int

    def missed(self, index: Array) -> float:
        """The share of the trace of the Gram that landmarks leave."""
        factor = factor_of(np.asarray(self.gram.values(index, index)))
        index = index[factor.kept]
        explained = sum(
            np.sum(factor.half(np.asarray(self.gram.values(np.arange(r.start, r.stop), index)).T) ** 2)
            for r in cuts(len(self.gram), 8192)
        )
        return 1.0 - float(explained) / float(np.sum(self.gram.diag()))


@lru_cache(maxsize=1)
def _table(name: str, n: int) -> Landmarks:
    path = Path(os.environ.get(data.VARIABLE, "")) / f"{name}.npz"
    if path.is_file():
        with np.load(path) as arrays:
            X = arrays["X"].astype(float)
        X = X[np.isfinite(X).all(axis=1)]
        X = data.standardised(X[np.random.default_rng(0).permutation(len(X))[:n]])
    else:
        X = data.gaussian(n, 8, seed=TABLES.index(name)).X ** 3
    return Landmarks(LazyGram(RBF(median_lengthscale(X)), X), min(LANDMARKS, len(X) // 10))


def _by(rule: str, problem: Landmarks) -> SelfTimed:
    began = perf_counter()
    index = chosen(problem.gram, problem.count, rule, 0)
    return SelfTimed(perf_counter() - began, problem.missed(index), parts=0)


def _cross(problem: Landmarks) -> None:
    index = np.arange(problem.count)
    for r in cuts(len(problem.gram), 8192):
        problem.gram.values(np.arange(r.start, r.stop), index)


def _no_more(problem: Landmarks, ours: float, theirs: float) -> Agreement:
    return Agreement(ours <= theirs, f"trace left {ours:.4f}, uniform {theirs:.4f}")


# ---- ridge


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows to learn from and rows to be judged by."""

    X: Array
    y: Array
    Z: Array
    t: Array
    landmarks: int

    def error(self, values: Array) -> float:
        return float(np.mean((self.t - values) ** 2) / self.t.var())

    @property
    def kernel(self) -> RBF:
        return RBF(float(np.sqrt(0.5 * WIDTH)))  # gamma = 1 / columns, scikit-learn's default


@lru_cache(maxsize=1)
def _rows(n: int) -> Rows:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + 5000, WIDTH))
    y = np.sin(X @ rng.normal(size=(WIDTH, 6)) / 3.0).sum(axis=1) + 0.3 * rng.normal(size=len(X))
    return Rows(X[:n], y[:n], X[n:], y[n:], 2000 if n >= 100_000 else n // 4)


def _ours(problem: Rows, alphas: Any = ALPHAS) -> SelfTimed:
    machine = KernelRidge(alphas, kernel=problem.kernel, fit_intercept=True, method="nystrom",
                          n_landmarks=problem.landmarks)  # fmt: skip
    began = perf_counter()
    peak = peak_extra(lambda: machine.fit(problem.X, problem.y))
    return SelfTimed(perf_counter() - began, Outcome(problem.error(machine.predict(problem.Z)), peak))


def _one(problem: Rows) -> SelfTimed:
    return _ours(problem, ALPHA)


def _theirs(last: str, part: int, problem: Rows, dtype: type = np.float64) -> SelfTimed:
    import sklearn.kernel_approximation
    import sklearn.linear_model
    from sklearn.pipeline import make_pipeline

    ridge = sklearn.linear_model.Ridge(ALPHA) if last == "Ridge" else sklearn.linear_model.RidgeCV(ALPHAS)
    features = sklearn.kernel_approximation.Nystroem(n_components=problem.landmarks, random_state=0)
    part = part if len(problem.X) >= 100_000 else 1
    model, spent = make_pipeline(features, ridge), []
    for step in (8 * part, part) if part > 1 else (1, 1):
        X, y = problem.X[::step].astype(dtype), problem.y[::step].astype(dtype)
        began, work = perf_counter(), processor_time()
        model.fit(X, y)
        spent.append(np.array([perf_counter() - began, processor_time() - work]))
    seconds, work = spent[1] + (spent[1] - spent[0]) * 8 / 7 * (part - 1)  # what does not grow with rows counts once
    return SelfTimed(seconds, Outcome(problem.error(model.predict(problem.Z))), work=work)


def _ridge_floor(problem: Rows) -> None:
    """One K_nm and one K_nm'K_nm."""
    rows, m = KernelItems.of(problem.kernel, problem.X), problem.landmarks
    marks, A = rows.keep(np.arange(m)), np.zeros((m, m), dtype=np.float32)
    K = np.empty((min(8192, len(problem.X)), m), dtype=np.float32)
    for r in cuts(len(problem.X), len(K)):
        part = K[: r.stop - r.start]
        rows.between(np.arange(r.start, r.stop), marks, np.arange(m)).fill(part)
        plus_square(A, part)


def _no_worse(problem: Rows, ours: Outcome, theirs: Outcome) -> Agreement:
    allowed = WORSE if len(problem.X) >= 100_000 else WORSE_OF_FEW
    within = ours.peak is None or ours.peak <= MEMORY
    return Agreement(within and ours.error <= theirs.error + allowed,
                     f"error {ours.error:.4f}, theirs {theirs.error:.4f}; {ours.memory(MEMORY)}")  # fmt: skip


def cases() -> list[Case]:
    """Ten tables of landmarks, and ridge."""
    tables = [
        Case("scale", f"landmarks {name}", 20_000, 400, partial(_table, name), partial(_by, "rpcholesky"),
             {"uniform": Rival(partial(_by, "uniform"), "mercer")}, _no_more, floor=_cross)
        for name in TABLES
    ]  # fmt: skip
    one = {
        "Nystroem + Ridge": Rival(partial(_theirs, "Ridge", PART), "sklearn"),
        "Nystroem + Ridge, single precision": Rival(partial(_theirs, "Ridge", PART, dtype=np.float32), "sklearn"),
    }
    several = {"Nystroem + RidgeCV": Rival(partial(_theirs, "RidgeCV", PART_CV), "sklearn")}
    ridge = [
        Case("scale", f"ridge on 2000 landmarks, {name}", 1_000_000, 1000, _rows, task, rivals, _no_worse,
             floor=_ridge_floor)
        for name, task, rivals in (("30 alphas", _ours, several), ("one alpha", _one, one))
    ]  # fmt: skip
    return [*tables, *ridge]
