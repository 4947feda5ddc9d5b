"""A search computes each pair of rows at most once per kernel family; only the refit of the best comes on top."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification

from mercer import SVC, KernelSearchCV, configure
from mercer.kernels import RBF, Exponential, Laplacian, Linear, Matern, Polynomial, prepared_rows
from mercer.selection import shared_grams

X, y = make_classification(120, 6, random_state=0)
PAIRS = 120 * 121 // 2


@pytest.fixture
def computed(monkeypatch):
    """How often each pair of rows was given to a product or a distance, by kind."""
    counts = {}

    def counting(name, statistic):
        def counted(A, B):
            if A.known(name, B) is None:
                i, j = (np.abs(order[:, None] - V.values @ key).argmin(axis=0) for V in (A, B))
                tally = counts.setdefault(name, np.zeros((120, 120), dtype=int))
                new = np.ones((len(i), len(j)), dtype=int)
                if len(i) == len(j) and (i == j).all():  # a tile on the diagonal holds every pair twice
                    new = np.tril(new)
                tally[np.ix_(i, j)] += new
            return statistic(A, B)

        return counted

    key = np.random.default_rng(0).normal(size=6)
    order = np.sort(X @ key)
    for name in ("dot", "sqdist"):
        monkeypatch.setattr(prepared_rows, name, counting(name, getattr(prepared_rows, name)))
    for name in ("dot", "sqdist"):
        monkeypatch.setitem(
            shared_grams._STATISTICS, name, lambda A, B, name=name: getattr(prepared_rows, name)(A, B)[0]
        )
    return counts


def test_a_grid_of_lengthscales_shapes_and_C_measures_each_pair_once(computed):
    kernels = [k(l) for k in (RBF, Matern, Exponential) for l in (0.5, 1.0, 2.0)]
    with configure(threads=1):
        search = KernelSearchCV(SVC(), {"kernel": kernels, "C": [0.1, 1.0, 10.0]}, refit=False).fit(X, y)
    assert search.kernel_evaluations_ == PAIRS
    both_ways = computed["sqdist"] + computed["sqdist"].T - np.diag(np.diag(computed["sqdist"]))
    assert (both_ways == 1).all()


@pytest.mark.parametrize(
    ("kernels", "families"),
    [([RBF(1.0), RBF(2.0), Linear(), Polynomial(2)], 2), ([RBF(1.0) * Linear(), RBF(3.0) + Linear()], 2),
     ([Laplacian(1.0), Laplacian(2.0)], 1), ([RBF(1.0)], 1), ([RBF((1.0,) * 6), RBF((2.0,) * 6)], 2)],
    ids=["distances and products", "composites", "absolute distances", "one kernel", "scales per column"],
)  # fmt: skip
def test_families(kernels, families):
    search = KernelSearchCV(SVC(), {"kernel": kernels, "C": [0.1, 1.0]}, refit=False).fit(X, y)
    assert search.kernel_evaluations_ == families * PAIRS


def test_named_kernels_share_too():
    grid = {"gamma": [0.01, 0.1, 1.0], "C": [0.1, 1.0, 10.0]}
    assert KernelSearchCV(SVC(), grid).fit(X, y).kernel_evaluations_ == PAIRS


def test_steps_that_learn_give_each_fold_a_dataset_of_its_own():
    search = KernelSearchCV(SVC(), "libsvm", cv=3).fit(X, y)
    assert search.kernel_evaluations_ == 3 * PAIRS


def test_halving_adds_little():
    grid = {"gamma": [0.01, 0.1, 1.0], "C": [0.1, 1.0, 10.0]}
    search = KernelSearchCV(SVC(), grid, strategy="halving", cv=3).fit(X, y)
    assert search.kernel_evaluations_ < 1.2 * PAIRS
