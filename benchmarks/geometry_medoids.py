"""k-medoids for the suite "geometry", against `kmedoids` (a Rust core) on two threads.

distances given    FasterPAM from SEEDS random starts on one matrix; the mean of the losses must be within WORSE of the
                   rival's
raw rows           the same from rows of pixels, distances included; the rival takes scikit-learn's
sampled            50 000 rows without an n x n matrix, against FasterPAM of the rival on the rows that fit: the loss on
                   all rows must be within SAMPLED of that of its medoids.  Memory is measured too

Data: mnist_15k and fashion_mnist_35k from --data or MERCER_DATA, else scikit-learn's digits, resampled.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.harness import Agreement, Case, Rival
from mercer import KMedoids
from mercer.typing import Array

SEEDS = 10
WORSE, SAMPLED = 1e-3, 1e-2
FIT = 10_000  # rows whose distances fit the memory of a small machine
FILES = ("mnist_15k.npz", "fashion_mnist_35k.npz")
THREADS = 2


@dataclass(frozen=True, eq=False)
class Rows:
    """Pixels in single precision, and the distances of all rows where they are given."""

    X: Array
    D: Array | None = None

    def loss(self, medoids: Array) -> float:
        """The sum of the distances of all rows to the nearest of the rows `medoids`."""
        return float(KMedoids(1, distance="plain").distances(self.X).nearest(medoids)[1].sum())


@lru_cache(maxsize=1)
def _pixels() -> Array:
    """All rows, those of both files in turn."""
    paths = [Path(os.environ.get(data.VARIABLE, "")) / name for name in FILES]
    if not all(path.is_file() for path in paths):
        return data.table("fashion", 3_000).X.astype(np.float32)
    return np.concatenate([np.load(path)["X"].reshape(-1, 784) for path in paths]).astype(np.float32)


@lru_cache(maxsize=1)
def _given(n: int) -> Rows:
    X = np.ascontiguousarray(_pixels()[:n])
    return Rows(X, KMedoids(1, distance="plain").distances(X).dense())


def _raw(n: int) -> Rows:
    return Rows(np.ascontiguousarray(_pixels()[:n]))


# ---- the same search from many starts


def _ours(k: int, rows: Rows) -> float:
    machine = KMedoids(k, kernel=None, metric="precomputed")
    return float(np.mean([machine.set_params(random_state=seed).fit(rows.D).inertia_ for seed in range(SEEDS)]))


def _theirs(k: int, rows: Rows) -> float:
    from kmedoids import fasterpam

    return float(np.mean([fasterpam(rows.D, k, random_state=seed, n_cpu=THREADS).loss for seed in range(SEEDS)]))


def _from_rows(k: int, rows: Rows) -> float:
    return float(KMedoids(k, distance="plain", random_state=0).fit(rows.X).inertia_)


def _from_rows_by_them(k: int, rows: Rows) -> float:
    from kmedoids import fasterpam
    from sklearn.metrics import euclidean_distances

    return float(fasterpam(euclidean_distances(rows.X), k, random_state=0, n_cpu=THREADS).loss)


# ---- without an n x n matrix


def _sampled(k: int, rows: Rows) -> Array:
    return np.asarray(KMedoids(k, distance="plain", method="sampled", random_state=0).fit(rows.X).medoid_indices_)


def _on_those_that_fit(k: int, rows: Rows) -> Array:
    from kmedoids import fasterpam
    from sklearn.metrics import euclidean_distances

    some = np.random.default_rng(0).permutation(len(rows.X))[:FIT]
    found = fasterpam(euclidean_distances(rows.X[some]), k, random_state=0, n_cpu=THREADS)
    return some[np.asarray(found.medoids, dtype=np.intp)]


def _near(tolerance: float, rows: Rows, ours: Any, theirs: Any) -> Agreement:
    mine, other = (rows.loss(one) if np.ndim(one) else one for one in (ours, theirs))
    return Agreement(mine <= (1.0 + tolerance) * other, f"loss {mine:.6g}, {mine / other - 1.0:+.2%} of the rival's")


def _case(
    name: str,
    size: int,
    make: Callable[[int], Rows],
    ours: Any,
    theirs: Any,
    tolerance: float,
    rival: str,
    memory: bool,
) -> Case:
    return Case(
        suite="geometry",
        name=name,
        size=size,
        small=300,
        data=make,
        ours=ours,
        rivals={rival: Rival(theirs, "kmedoids")},
        check=partial(_near, tolerance),
        memory=memory,
    )


def cases() -> list[Case]:
    """Distances given, raw rows, and a sample."""
    given = [
        _case(f"k-medoids, distances given, k = {k}", FIT, _given, partial(_ours, k), partial(_theirs, k), WORSE,
              "kmedoids", False)
        for k in (10, 100)
    ]  # fmt: skip
    return [
        *given,
        _case("k-medoids, raw rows, k = 5", FIT, _raw, partial(_from_rows, 5), partial(_from_rows_by_them, 5), SAMPLED,
              "kmedoids and scikit-learn", False),
        _case("k-medoids, sampled, k = 10", 50_000, _raw, partial(_sampled, 10), partial(_on_those_that_fit, 10),
              SAMPLED, f"kmedoids on {FIT} rows", True),
    ]  # fmt: skip
