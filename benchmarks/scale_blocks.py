"""Rows in a file: ridge regression on 500 landmarks from a memory-mapped array, within a byte budget.

The rival holds its rows in memory and cannot hold all its features, so it is timed on a fiftieth of the rows, and its
seconds are multiplied by 50 (its cost is linear in the rows).
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import Any

import numpy as np

import mercer
from benchmarks.harness import Agreement, Case, Rival, SelfTimed
from benchmarks.memory import peak_extra
from mercer.engine.tiles import cuts
from mercer.kernels import RBF
from mercer.typing import Array

WIDTH, PART = 10, 50
BUDGET = 2**30
WORSE = 0.02  # error above the rival's that still counts as no worse, in units of the variance of y


@dataclass(frozen=True, eq=False)
class FileOfRows:
    """Rows in a temporary file, and rows in memory to be judged by."""

    X: Any
    y: Array
    Z: Array
    t: Array
    landmarks: int

    def error(self, values: Array) -> float:
        return float(np.mean((self.t - values) ** 2) / self.t.var())


def _target(X: Array, rng: np.random.Generator) -> Array:
    A = np.random.default_rng(1).normal(size=(WIDTH, 6))
    return np.sin(X @ A / 3.0).sum(axis=1) + 0.3 * rng.normal(size=len(X))


@lru_cache(maxsize=1)
def _rows(n: int) -> FileOfRows:
    rng = np.random.default_rng(0)
    y = np.empty(n)
    with tempfile.TemporaryFile(prefix="mercer-rows-") as file:  # deleted when the map is closed
        for r in cuts(n, 250_000):
            X = rng.normal(size=(r.stop - r.start, WIDTH)).astype(np.float32)
            y[r] = _target(X, rng)
            file.write(X.data)
        file.flush()
        mapped = np.memmap(file, dtype=np.float32, mode="r", shape=(n, WIDTH))
    Z = rng.normal(size=(5000, WIDTH)).astype(np.float32)
    return FileOfRows(mapped, y, Z, _target(Z, rng), 500 if n >= 100_000 else n // 10)


@dataclass(frozen=True)
class Outcome:
    """The error on new rows, and the peak of memory that is not the file, if it was measured."""

    error: float
    peak: int | None = None

    def memory(self, budget: int) -> str:
        """In words, how much was held."""
        return "peak not measured" if self.peak is None else f"peak {self.peak / 1e6:.0f} MB of {budget / 1e6:.0f}"


def _ours(problem: FileOfRows) -> SelfTimed:
    machine = mercer.KernelRidge([0.1, 1.0, 10.0], kernel=RBF(float(np.sqrt(0.5 * WIDTH))), fit_intercept=True,
                                 method="nystrom", n_landmarks=problem.landmarks)  # fmt: skip
    with mercer.configure(memory=BUDGET):
        began = perf_counter()
        peak = peak_extra(lambda: machine.fit(problem.X, problem.y))
        seconds = perf_counter() - began
    return SelfTimed(seconds, Outcome(problem.error(machine.predict(problem.Z)), peak))


def _theirs(problem: FileOfRows) -> SelfTimed:
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    step = PART if len(problem.X) >= 100_000 else 1
    X, y = np.array(problem.X[::step]), problem.y[::step]
    model = make_pipeline(Nystroem(n_components=problem.landmarks, random_state=0), Ridge(1.0))
    began = perf_counter()
    model.fit(X, y)
    return SelfTimed(step * (perf_counter() - began), Outcome(problem.error(model.predict(problem.Z))), parts=step)


def _within(problem: FileOfRows, ours: Outcome, theirs: Outcome) -> Agreement:
    fits = ours.peak is None or ours.peak <= BUDGET
    return Agreement(fits and ours.error <= theirs.error + WORSE,
                     f"error {ours.error:.4f}, theirs {theirs.error:.4f}; {ours.memory(BUDGET)}")  # fmt: skip


def cases() -> list[Case]:
    """Ten million rows in a file."""
    rivals = {"Nystroem + Ridge on a fiftieth, times 50": Rival(_theirs, "sklearn")}
    return [Case("scale", "ridge on 500 landmarks, memory-mapped", 10_000_000, 2000, _rows, _ours, rivals, _within)]
