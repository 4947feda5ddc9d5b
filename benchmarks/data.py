"""Data for benchmarks: real tables when a directory of them is given, else stand-ins; never a failure.

    table("covtype", 10_000)     <DIR>/covtype_93k.npz, DIR from --data or MERCER_DATA; without it a smooth bootstrap
                                 (rows drawn with replacement, plus a little noise) of a set that scikit-learn bundles
    gaussian(10_000, 8)          a seeded generator

Columns are standardised.  `source` says where the rows came from.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mercer.typing import Array

VARIABLE = "MERCER_DATA"

# our name: (file in the directory, loader in sklearn.datasets that stands in for it)
TABLES = {
    "housing": ("california_housing.npz", "load_diabetes"),
    "covtype": ("covtype_93k.npz", "load_breast_cancer"),
    "fashion": ("fashion_mnist_35k.npz", "load_digits"),
}


@dataclass(frozen=True)
class Table:
    """Standardised rows, and where they came from."""

    X: Array
    source: str


def gaussian(n: int, d: int, seed: int = 0) -> Table:
    """Standard normal rows, one in a hundred of them nearly a repetition: real tables have such pairs."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    copies = X[1::100]
    copies[:] = X[::100][: len(copies)] + 1e-4 * rng.standard_normal(copies.shape)
    return Table(X, "generated")


def table(name: str, n: int, seed: int = 0) -> Table:
    """At most n rows of a named table, in a seeded random order."""
    file, loader = TABLES[name]
    path = Path(os.environ.get(VARIABLE, "")) / file
    rng = np.random.default_rng(seed)
    return _real(path, n, rng) if path.is_file() else _stand_in(loader, n, rng)


def _real(path: Path, n: int, rng: np.random.Generator) -> Table:
    with np.load(path) as arrays:
        X = arrays["X"].astype(float)
    whole = np.flatnonzero(np.isfinite(X).all(axis=1))
    chosen = rng.permutation(whole)[:n]
    return Table(standardised(X[chosen]), path.stem)


def _stand_in(loader: str, n: int, rng: np.random.Generator) -> Table:
    from sklearn import datasets

    X = standardised(getattr(datasets, loader)().data)
    drawn = X[rng.integers(len(X), size=n)]
    return Table(drawn + 0.1 * rng.standard_normal(drawn.shape), f"{loader}, resampled")


def standardised(X: Array) -> Array:
    """Columns of mean 0 and deviation 1; constant columns are dropped."""
    X = X[:, np.ptp(X, axis=0) > 0.0]
    return np.asarray((X - X.mean(axis=0)) / X.std(axis=0))
