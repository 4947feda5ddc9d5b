"""How ridge regression on landmarks scales from one single-thread worker to two, beside two plain processes.

    python -m benchmarks.dask_scale --rows 1000000 --landmarks 2000      (--smoke: a second or two)

Two plain processes that each add up half of the blocks are what this machine can give: memory bandwidth, turbo clocks
and neighbours take their share.  The figure is the speed-up of two workers as a share of that of the processes; all
four are measured by turns.
"""

from __future__ import annotations

import argparse
import statistics
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context

import numpy as np

from mercer.config import here
from mercer.engine.pool import one_blas_thread
from mercer.estimators.training_data import KernelItems, LowRankItems
from mercer.kernels import RBF
from mercer.solvers.ridge.blocks import NormalEquations

COLUMNS = 8
CHUNK = 20_000


def made(number: int, rows: int) -> np.ndarray:
    """The rows of a block."""
    return np.random.default_rng(number).normal(size=(rows, COLUMNS))


def plain(landmarks: int, rows: int, numbers: list[int]) -> int:
    """The same sums as in a task, of some blocks, in a plain process."""
    first = KernelItems.of(RBF(3.0), made(0, max(landmarks, 2)))
    low = LowRankItems.of("plain", first, landmarks, "uniform", 0)
    total = NormalEquations.zero(low.rank, 1)
    with here(threads=1), one_blas_thread():
        for number in numbers:
            X = made(number, rows)
            inner = KernelItems.known(first.kernel, X)
            own = LowRankItems(inner, low.marks, np.arange(low.rank), low.marks, low.factor, "uniform", low.positions)
            own.blocks(np.sin(X[:, :1]), np.ones(rows)).added(partial(_same, total), single=False)
    return total.count


def _same(total: NormalEquations) -> NormalEquations:
    return total


def by_processes(count: int, landmarks: int, rows: int, blocks: int) -> float:
    """Seconds of the sums in so many plain processes, without their start."""
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        list(pool.map(partial(plain, 2, 4), [[0]] * count))  # imports
        began = time.perf_counter()
        shares = [list(range(i, blocks, count)) for i in range(count)]
        assert sum(pool.map(partial(plain, landmarks, rows), shares)) == rows * blocks
        return time.perf_counter() - began


def by_workers(count: int, landmarks: int, rows: int, blocks: int) -> tuple[float, np.ndarray]:
    """Seconds of the same sums on so many single-thread workers, and the sums K'y."""
    import dask.array as da
    from distributed import Client, LocalCluster

    from mercer.distributed import Rows
    from mercer.estimators.training_data.spread import SpreadItems, SpreadLowRank

    with (
        LocalCluster(n_workers=count, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        ids = da.arange(blocks, chunks=1)
        X = ids.map_blocks(_block, rows, chunks=((rows,) * blocks, (COLUMNS,)), new_axis=1, dtype=float)
        items = SpreadItems(RBF(3.0), Rows(X, np.sin(X[:, :1]), np.full(blocks, rows)))
        small = KernelItems.of(RBF(3.0), made(0, max(landmarks, 2)))
        low = LowRankItems.of("plain", small, landmarks, "uniform", 0)
        spread = SpreadLowRank(items, low.marks, np.arange(low.rank), low.marks, low.factor, "uniform", low.positions)
        sums = spread.blocks(np.zeros((rows * blocks, 1)), np.ones(rows * blocks))
        items.rows.take(np.arange(2))  # imports
        began = time.perf_counter()
        found = NormalEquations.of(sums, single=False)
        return time.perf_counter() - began, found.B


def _block(number: np.ndarray, rows: int) -> np.ndarray:
    return made(int(number[0]), rows)


def measured(rows: int, landmarks: int, repeats: int) -> None:
    """Print the seconds of all four, and the figure."""
    chunk = min(CHUNK, max(rows // 8, 1))
    blocks = rows // chunk
    seconds: dict[str, list[float]] = {name: [] for name in ("1 process", "2 processes", "1 worker", "2 workers")}
    bits = []
    for _ in range(repeats):
        for count in (1, 2):
            seconds[f"{count} process{'es' * (count > 1)}"].append(by_processes(count, landmarks, chunk, blocks))
            took, found = by_workers(count, landmarks, chunk, blocks)
            seconds[f"{count} worker{'s' * (count > 1)}"].append(took)
            bits.append(found)
    middle = {name: statistics.median(taken) for name, taken in seconds.items()}
    plain_up, worker_up = middle["1 process"] / middle["2 processes"], middle["1 worker"] / middle["2 workers"]
    print(f"n = {blocks * chunk}, m = {landmarks}, {blocks} blocks, median of {repeats}")
    for name, value in middle.items():
        print(f"  {name:12s} {value:8.2f} s   {[round(s, 2) for s in seconds[name]]}")
    print(f"  speed-up: two processes {plain_up:.2f}, two workers {worker_up:.2f}: {worker_up / plain_up:.0%} of it")
    print(f"  same bits: {all(np.array_equal(bits[0], other) for other in bits)}")


def main() -> None:
    """Read the options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dask_scale", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--landmarks", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--smoke", action="store_true")
    given = parser.parse_args()
    if given.smoke:
        measured(400, 20, 1)
    else:
        measured(given.rows, given.landmarks, given.repeats)


if __name__ == "__main__":
    main()
