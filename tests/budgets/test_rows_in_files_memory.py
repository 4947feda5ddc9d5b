"""A fit to rows in a file, and its predictions, stay within a byte budget that the rows are far beyond (H2)."""

from __future__ import annotations

import tracemalloc

import numpy as np

import mercer
from mercer.kernels import RBF

BUDGET, ROWS, WIDTH = 2**24, 60_000, 50


def test_the_peak_of_ridge_on_mapped_rows_is_below_the_budget_H2(tmp_path):
    rng = np.random.default_rng(0)
    X = np.lib.format.open_memmap(tmp_path / "rows.npy", mode="w+", dtype=np.float64, shape=(ROWS, WIDTH))
    for first in range(0, ROWS, 10_000):
        X[first : first + 10_000] = rng.normal(size=(10_000, WIDTH))
    y = rng.normal(size=ROWS)
    del X
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    assert mapped.nbytes > 1.4 * BUDGET
    machine = mercer.KernelRidge(1.0, kernel=RBF(7.0), method="nystrom", n_landmarks=20)
    with mercer.configure(memory=BUDGET, threads=1):
        tracemalloc.start()
        machine.fit(mapped, y)
        machine.predict(mapped)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < BUDGET
