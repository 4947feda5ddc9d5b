"""Suite "dask": ridge regression on landmarks on workers, beside plain processes; predictions, beside dask-ml.

* sums        the passes of a fit on landmarks, on two single-thread workers, against one worker and plain processes.
              Two plain processes that each add up half of the blocks are what this machine can give: memory bandwidth,
              turbo clocks and neighbours take their share.  `verdict` has the speed-up of two workers as a share of
              that of the processes.
* predict     a model on landmarks predicts a Dask array; dask-ml's ParallelPostFit does it with the same model.  The
              detail has the largest message that the scheduler saw of each.
* messages    the largest message of the scheduler for sums over 10 000 blocks, with few landmarks and many.  Here
              "ours" are few landmarks and the rival is the same with many.
* lost        a fit in which a worker is killed after half of the time, beside the same fit without that.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np

from benchmarks.dask_messages import counting_client, largest
from benchmarks.harness import Agreement, Case, Rival, Row, SelfTimed, close
from mercer.config import here
from mercer.engine.pool import one_blas_thread
from mercer.estimators.training_data import KernelItems, LowRankItems
from mercer.kernels import RBF
from mercer.solvers.ridge.blocks import NormalEquations

COLUMNS = 8
CHUNK = 20_000  # rows of a block, at most
LANDMARKS = 2000
SMOKE = 1000  # rows, up to which threads stand in for processes
BAR = 0.8  # of the speed-up of two plain processes


def made(number: int, rows: int) -> np.ndarray:
    """The rows of a block."""
    return np.random.default_rng(number).normal(size=(rows, COLUMNS))


def plain(landmarks: int, rows: int, numbers: list[int]) -> np.ndarray:
    """The same sums K'y as in a task, of some blocks, in a plain process."""
    first = KernelItems.of(RBF(3.0), made(0, max(landmarks, 2)))
    low = LowRankItems.of("plain", first, landmarks, "uniform", 0)
    total = NormalEquations.zero(low.rank, 1)
    with here(threads=1), one_blas_thread():
        for number in numbers:
            X = made(number, rows)
            inner = KernelItems.known(first.kernel, X)
            own = LowRankItems(inner, low.marks, np.arange(low.rank), low.marks, low.factor, "uniform", low.positions)
            own.blocks(np.sin(X[:, :1]), np.ones(rows)).added(partial(_same, total), single=False)
    return np.asarray(total.B)


def _same(total: NormalEquations) -> NormalEquations:
    return total


def by_processes(count: int, size: int) -> SelfTimed:
    """The sums in so many plain processes; their start does not count."""
    landmarks, rows, blocks = shape(size)
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) if size > SMOKE else ThreadPoolExecutor() as pool:
        list(pool.map(partial(plain, 2, 4), [[0]] * count))  # imports
        began = time.perf_counter()
        parts = list(pool.map(partial(plain, landmarks, rows), [list(range(i, blocks, count)) for i in range(count)]))
        return SelfTimed(time.perf_counter() - began, sum(parts))


def by_workers(count: int, size: int) -> SelfTimed:
    """The same sums on so many single-thread workers; their start does not count."""
    import dask.array as da
    from distributed import Client, LocalCluster

    from mercer.distributed import Rows
    from mercer.estimators.training_data.spread import SpreadItems, SpreadLowRank

    landmarks, rows, blocks = shape(size)
    with (
        LocalCluster(n_workers=count, threads_per_worker=1, processes=size > SMOKE, dashboard_address=":0") as cluster,
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
        return SelfTimed(time.perf_counter() - began, np.asarray(found.B))


def shape(size: int) -> tuple[int, int, int]:
    """Landmarks, rows of a block, and blocks."""
    rows = min(CHUNK, max(size // 8, 1))
    return min(LANDMARKS, max(size // 20, 2)), rows, size // rows


def _block(number: np.ndarray, rows: int) -> np.ndarray:
    return made(int(number[0]), rows)


def _same_sums(size: int, ours: np.ndarray, theirs: np.ndarray) -> Agreement:
    bits = np.array_equal(ours, theirs)
    found = close(ours, theirs, 1e-10)
    return Agreement(found.same, "the same bits" if bits else found.detail)


# ---- predictions


def by_model(size: int) -> SelfTimed:
    """Predictions of a fitted KernelRidge; the model goes to each worker once."""
    return _predicted(size, lambda model, X: model.predict(X))


def by_dask_ml(size: int) -> SelfTimed:
    """The same by dask-ml: the model is a part of every task."""
    from dask_ml.wrappers import ParallelPostFit

    return _predicted(size, lambda model, X: ParallelPostFit(model).predict(X))


def _predicted(size: int, predict: Any) -> SelfTimed:
    import dask.array as da

    from mercer import KernelRidge

    landmarks = min(LANDMARKS, max(size // 20, 2))
    fitted = made(0, 2 * landmarks)
    model = KernelRidge(0.1, kernel=RBF(3.0), method="nystrom", n_landmarks=landmarks)
    model.fit(fitted, np.sin(fitted[:, 0]))
    blocks = max(size // CHUNK, 4)
    with counting_client(2) as client:
        X = da.arange(blocks, chunks=1).map_blocks(
            _block, size // blocks, chunks=((size // blocks,) * blocks, (COLUMNS,)), new_axis=1, dtype=float
        )
        predict(model, X[:1]).compute()  # imports
        largest(client)
        began = time.perf_counter()
        found = client.gather(client.compute(predict(model, X).sum()), direct=True)
        return SelfTimed(time.perf_counter() - began, (float(found), largest(client)))


def _same_predictions(size: int, ours: Any, theirs: Any) -> Agreement:
    apart = abs(ours[0] - theirs[0]) / abs(theirs[0])
    return Agreement(apart < 1e-9, f"apart {apart:.0e}; largest message {ours[1]:,} bytes, theirs {theirs[1]:,}")


# ---- messages


def messages(landmarks: int, blocks: int) -> SelfTimed:
    """The largest message of the scheduler for sums over so many blocks, each of ten rows."""
    import dask.array as da

    from mercer.distributed import Rows
    from mercer.distributed.rows import Shared

    with counting_client(2) as client:
        rows = Rows.of("messages", da.ones((10 * blocks, 3), chunks=(10, 3)), da.ones(10 * blocks, chunks=10))
        began = time.perf_counter()
        rows.total(_counted, Shared(np.ones((landmarks, COLUMNS))))
        return SelfTimed(time.perf_counter() - began, largest(client))


class _Count:
    def __init__(self, count: int) -> None:
        self.count = count

    def merge(self, other: _Count) -> None:
        self.count += other.count


def _counted(block: Any, shared: np.ndarray) -> _Count:
    return _Count(len(block))


def _small_messages(size: int, few: int, many: int) -> Agreement:
    return Agreement(max(few, many) < 1e6, f"largest message {few:,} bytes with 10 landmarks, {many:,} with 20,000")


# ---- a lost worker


def fitted(kill: bool, size: int) -> SelfTimed:
    """A fit of KernelRidge on two workers, one of which is killed in the middle of it."""
    import dask.array as da
    from distributed import Client, LocalCluster

    from mercer import KernelRidge

    landmarks, rows, blocks = shape(size)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        ids = da.arange(blocks, chunks=1)
        X = ids.map_blocks(_block, rows, chunks=((rows,) * blocks, (COLUMNS,)), new_axis=1, dtype=float)
        model = KernelRidge(0.1, kernel=RBF(3.0), method="nystrom", n_landmarks=landmarks // 2)
        model.fit(X[: rows // 10], np.sin(X[: rows // 10, 0]))  # imports
        lost = next(iter(client.run(os.getpid).values()))
        killer = threading.Timer(_HALF.get(size, 0.0), os.kill, (lost, signal.SIGKILL))
        if kill:
            killer.start()
        began = time.perf_counter()
        model.fit(X, np.sin(X[:, 0]))
        seconds = time.perf_counter() - began
        _HALF.setdefault(size, seconds / 2.0)
        killer.cancel()
        return SelfTimed(seconds, model.dual_coef_)


_HALF: dict[int, float] = {}  # of the seconds that a fit takes when nothing happens


def cases() -> list[Case]:
    """The cases of the suite; n = 10^6 takes several minutes a round."""
    rivals = {
        "one worker": Rival(partial(by_workers, 1), "distributed"),
        "two processes": Rival(partial(by_processes, 2), "numpy"),
        "one process": Rival(partial(by_processes, 1), "numpy"),
    }
    ours = partial(by_workers, 2)
    sums = [Case("dask", f"sums n={n} m={LANDMARKS}", n, 400, int, ours, rivals, _same_sums, cold=n > 200_000)
            for n in (200_000, 1_000_000)]  # fmt: skip
    theirs = {"dask-ml": Rival(by_dask_ml, "dask_ml")}
    predict = Case("dask", f"predict n=400000 m={LANDMARKS}", 400_000, 400, int, by_model, theirs, _same_predictions,
                   cold=True)  # fmt: skip
    many = {"20,000 landmarks": Rival(partial(messages, 20_000), "distributed")}
    sent = Case("dask", "messages of 10000 blocks", 10_000, 20, int, partial(messages, 10), many, _small_messages,
                cold=True)  # fmt: skip
    killed = {"one of two workers killed": Rival(partial(fitted, True), "distributed")}
    lost = Case("dask", "fit n=200000 m=1000, a worker lost", 200_000, 400, int, partial(fitted, False), killed,
                _same_sums, cold=True)  # fmt: skip
    return [*sums, predict, sent, lost]


def verdict(rows: Sequence[Row]) -> str:
    """One line for every size: the speed-up of two workers as a share of that of two plain processes."""
    lines = []
    for case in dict.fromkeys(row.case for row in rows if row.case.startswith("sums")):
        own = {row.rival: row for row in rows if row.case == case}
        if len(own) < 3 or any(row.rival_s is None for row in own.values()):
            continue
        workers = own["one worker"].rival_s / own["one worker"].ours_s  # type: ignore[operator]
        processes = own["one process"].rival_s / own["two processes"].rival_s  # type: ignore[operator]
        lines.append(f"dask: {case}: two workers are {workers:.2f} times as fast as one, two processes "
                     f"{processes:.2f} times: {workers / processes:.0%} of it (bar {BAR:.0%})")  # fmt: skip
    return "\n".join(lines)
