"""Tasks on threads: all are done, errors surface, progress is told, an interrupt is answered, BLAS is set back."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import pytest
from threadpoolctl import threadpool_info

from mercer import configure
from mercer.engine.pool import finishing, one_blas_thread, run, stopped, tick


def blas_threads():
    """The number of threads of NumPy's BLAS, which computes the tiles (SciPy may bring another)."""
    found = [library for library in threadpool_info() if library["user_api"] == "blas"]
    return [library["num_threads"] for library in found if len(found) == 1 or "numpy" in library["filepath"]]


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("jobs", [0, 1, 2, 50])
def test_every_job_is_done_once(threads, jobs):
    done = []
    with configure(threads=threads):
        run(done.append, range(jobs))
    assert sorted(done) == list(range(jobs))


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_no_more_threads_than_configured(threads):
    names = set()

    def task(_):
        names.add(threading.get_ident())
        time.sleep(0.002)

    with configure(threads=threads):
        run(task, range(12))
    assert len(names) == threads


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_in_a_task_surfaces_and_stops_the_rest(threads):
    started = []

    def task(i):
        started.append(i)
        if i == 5:
            raise ZeroDivisionError("tile 5")
        time.sleep(0.001)

    with configure(threads=threads), pytest.raises(ZeroDivisionError, match="tile 5"):
        run(task, range(10_000))
    assert len(started) < 200


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("jobs", [0, 1, 40])
def test_progress_is_told_and_ends_complete(threads, jobs):
    calls = []
    with configure(threads=threads, progress=lambda done, total: calls.append((done, total))):
        run(lambda _: time.sleep(0.002), range(jobs))
    assert calls[-1] == (jobs, jobs)
    assert calls == sorted(calls)
    assert {total for _, total in calls} == {jobs}


@pytest.mark.parametrize("threads", [1, 2])
def test_a_task_of_many_steps_tells_each_of_them(threads):
    calls = []

    def task(_):
        for _ in range(5):
            tick()

    with configure(threads=threads, progress=lambda done, total: calls.append((done, total))):
        run(task, range(4), steps=20)
    assert calls[-1] == (20, 20)


def test_a_task_of_many_steps_ends_soon_after_an_error_elsewhere():
    steps = []

    def task(i):
        if i == 1:
            raise ZeroDivisionError
        for _ in range(10_000):
            steps.append(i)
            time.sleep(0.001)
            tick()

    with configure(threads=2), pytest.raises(ZeroDivisionError):
        run(task, range(2), steps=20_000)
    assert len(steps) < 1000


def test_the_last_work_of_a_task_is_done_although_the_run_was_stopped():
    done, failed = [], threading.Event()

    def task(i):
        if i == 0:
            failed.set()
            raise RuntimeError("no")
        failed.wait(5.0)
        while not stopped():
            time.sleep(0.001)
        with finishing():
            run(done.append, range(3), steps=3)
            tick()
            assert not stopped()
        assert stopped()

    with configure(threads=2), pytest.raises(RuntimeError, match="no"):
        run(task, range(2))
    assert done == [0, 1, 2]
    with finishing():
        assert not stopped()


def test_an_error_in_the_callback_stops_the_work():
    def stop(done, total):
        raise RuntimeError("enough")

    with configure(progress=stop), pytest.raises(RuntimeError, match="enough"):
        run(lambda _: time.sleep(0.001), range(10_000))


def test_workers_see_the_settings_of_the_caller():
    from mercer import config

    seen = []
    with configure(threads=2, memory=2**20):
        run(lambda _: seen.append(config().memory), range(4))
    assert set(seen) == {2**20}


@pytest.mark.parametrize("threads", [1, 2])
def test_blas_has_one_thread_inside_and_its_own_number_after(threads):
    before, inside = blas_threads(), []
    with configure(threads=threads):
        run(lambda _: inside.append(blas_threads()), range(3))
    assert all(set(counts) == {1} for counts in inside)
    assert blas_threads() == before


def test_overlapping_users_give_blas_its_threads_back():
    """The first to enter is the first to leave: neither may keep the other's limit."""
    before = blas_threads()
    first, second = one_blas_thread(), one_blas_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert set(blas_threads()) == {1}
    second.__exit__(None, None, None)
    assert blas_threads() == before


INTERRUPTED = """
import sys
import numpy as np
from mercer import LazyGram, configure
from mercer.kernels import RBF

X = np.random.default_rng(0).normal(size=(150_000, 8))
LazyGram(RBF(), X[:500]) @ np.ones(500)  # imported before the clock runs
print("started", flush=True)
try:
    with configure(threads=int(sys.argv[1])):
        LazyGram(RBF(), X) @ np.ones(len(X))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("threads", ["1", "2"])
def test_ctrl_c_is_answered_within_a_second(threads):
    """The Gram would take a minute; the answer takes a tile."""
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED, threads], stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "started\n"
            time.sleep(0.2)
            child.send_signal(signal.SIGINT)
            clock = time.perf_counter()
            assert child.stdout.readline() == "interrupted\n"
            assert time.perf_counter() - clock < 1.0
        finally:
            child.kill()
