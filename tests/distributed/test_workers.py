"""D3: lost workers, interrupts, closed clients, versions."""

import os
import signal
import threading
import time

import numpy as np
import pytest

from mercer import KernelRidge
from mercer.distributed import Rows, versions
from mercer.distributed.cluster import WorkerLost, workers_known
from mercer.kernels import RBF

da = pytest.importorskip("dask.array")


def ridge():
    return KernelRidge(0.1, kernel=RBF(2.0), method="nystrom", n_landmarks=30)


def slow(X, y):
    """The same rows, of which every block takes a while."""

    def wait(block):
        time.sleep(0.02)
        return block

    return da.from_array(X, chunks=(250, 3)).map_blocks(wait, dtype=float), da.from_array(y, chunks=250)


def test_D3_same_bits_with_one_worker_and_two_and_after_a_lost_one(client, rows):
    D, t = slow(*rows)
    wanted = ridge().fit(D, t).dual_coef_
    client.cluster.scale(1)
    client.cluster.sync(client.cluster._correct_state)
    while len(workers_known(client)) > 1:
        time.sleep(0.05)
    assert np.array_equal(ridge().fit(D, t).dual_coef_, wanted)
    client.cluster.scale(2)
    client.wait_for_workers(2)
    lost = next(iter(client.run(os.getpid).values()))
    threading.Timer(0.3, os.kill, (lost, signal.SIGKILL)).start()
    assert np.array_equal(ridge().fit(D, t).dual_coef_, wanted)
    assert lost not in client.run(os.getpid).values()


def test_D3_a_frozen_worker_that_goes_on_changes_nothing(client, rows):
    D, t = slow(*rows)
    wanted = ridge().fit(D, t).dual_coef_
    frozen = next(iter(client.run(os.getpid).values()))
    for wait, what in ((0.2, signal.SIGSTOP), (0.8, signal.SIGCONT)):
        threading.Timer(wait, os.kill, (frozen, what)).start()
    assert np.array_equal(ridge().fit(D, t).dual_coef_, wanted)


def _dies(block):
    os.kill(os.getpid(), signal.SIGKILL)


def test_D3_workers_that_are_lost_again_and_again_are_our_error(client, rows):
    import dask

    client.wait_for_workers(1)
    some = Rows.of("test", da.from_array(rows[0][:10], chunks=(10, 3)))
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        client.run_on_scheduler(_no_failures)
        with pytest.raises(WorkerLost, match=r"One task holds about 7 MiB.*smaller chunks"):
            some.total(_dies, task="the sums of a block", needs=7 * 2**20)
    client.wait_for_workers(2)


def _no_failures(dask_scheduler):
    dask_scheduler.allowed_failures = 0


def _interrupt(block):
    time.sleep(3.0)


def test_D3_ctrl_c_cancels_the_tasks_and_the_cluster_goes_on(client, rows):
    some = Rows.of("test", da.from_array(rows[0][:40], chunks=(10, 3)))
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        some.total(_interrupt)
    assert _idle(client)
    D, t = slow(*rows)
    wanted = ridge().fit(D, t).dual_coef_
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        ridge().fit(D, t)
    assert _idle(client)
    assert np.array_equal(ridge().fit(D, t).dual_coef_, wanted)


def _idle(client):
    """Whether no task is left, after a while."""
    began = time.perf_counter()
    while client.run_on_scheduler(_tasks) and time.perf_counter() - began < 5.0:
        time.sleep(0.05)
    return not client.run_on_scheduler(_tasks)


def _tasks(dask_scheduler):
    return [str(key) for key, task in dask_scheduler.tasks.items() if task.state in ("processing", "waiting", "queued")]


def test_D3_a_client_that_is_closed_leaves_no_tasks(client, rows):
    from distributed import Client

    other = Client(client.scheduler.address, set_as_default=True)
    some = Rows.of("test", da.from_array(rows[0][:40], chunks=(10, 3)))
    threading.Timer(0.5, other.close).start()
    with pytest.raises(ConnectionAbortedError, match="the client must stay open"):
        some.total(_interrupt)
    assert not [key for key in client.run_on_scheduler(_tasks) if "merged" in key]
    with client.as_current():
        assert len(Rows.of("test", da.from_array(rows[0][:40], chunks=(10, 3)))) == 40


def test_D3_workers_of_another_version_are_refused(client, rows, monkeypatch):
    monkeypatch.setattr(versions, "_known", {})
    monkeypatch.setattr(versions, "versions", lambda: {"mercer": "99.0"})
    with pytest.raises(ValueError, match=r"of the same versions as this program; got .* this program 99.0"):
        Rows.of("test", da.from_array(rows[0], chunks=(500, 3)))


def test_D3_the_only_worker_is_killed_and_then_out_of_memory(rows, monkeypatch):
    import dask
    from distributed import Client, LocalCluster

    settings = {"distributed.scheduler.allowed-failures": 0, "distributed.worker.memory.pause": False,
                "distributed.worker.memory.spill": False}  # fmt: skip
    with (
        dask.config.set(settings),
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0", memory_limit="400MiB") as cluster,
        Client(cluster) as client,
    ):
        X, y = slow(*rows)
        wanted = ridge().fit(X, y).dual_coef_
        client.run_on_scheduler(_three_failures)
        threading.Timer(0.3, os.kill, (next(iter(client.run(os.getpid).values())), signal.SIGKILL)).start()
        assert np.array_equal(ridge().fit(X, y).dual_coef_, wanted)
        client.run_on_scheduler(_no_failures)
        monkeypatch.setattr("mercer.distributed.cluster._TRIES", 1)
        big = da.ones((4_000_000, 12), chunks=(4_000_000, 12))
        with pytest.raises(WorkerLost, match=r"holds about 366 MiB, and the smallest worker has 400 MiB\. Use smaller"):
            ridge().fit(big, big[:, 0])
        client.wait_for_workers(1)
        assert len(Rows.of("test", da.from_array(rows[0], chunks=(500, 3)))) == len(rows[0])


def _three_failures(dask_scheduler):
    dask_scheduler.allowed_failures = 3
