"""Settings: threads, bytes, progress; at once or for a block, in all threads and workers, and checked when made."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from contextvars import copy_context

import numpy as np
import pytest
from joblib import parallel_config
from joblib.externals.loky.backend.reduction import dumps
from sklearn.model_selection import GridSearchCV

import mercer
from mercer.config import Config, total_memory, usable_cores
from mercer.config import _everywhere as settings_of_the_process


def test_the_default_is_every_usable_core_and_a_quarter_of_memory():
    settings = mercer.config()
    assert settings.threads == usable_cores() <= (os.cpu_count() or 1)
    assert settings.memory == total_memory() // 4
    assert settings.progress is None


def test_settings_hold_inside_the_block_and_end_with_it():
    before = mercer.config()
    with mercer.configure(threads=3, memory=2**20) as inside:
        assert inside == mercer.config() == Config(threads=3, memory=2**20)
    assert mercer.config() == before


def test_inner_blocks_change_only_what_they_name():
    with mercer.configure(threads=3):
        with mercer.configure(memory=2**20):
            assert mercer.config() == Config(threads=3, memory=2**20)
        assert mercer.config().memory != 2**20
        assert mercer.config().threads == 3


def test_settings_end_with_the_block_also_on_an_error():
    before = mercer.config()
    with pytest.raises(ZeroDivisionError), mercer.configure(threads=5):
        raise ZeroDivisionError
    assert mercer.config() == before


def test_threads_do_not_see_each_others_settings():
    inside, done = threading.Event(), threading.Event()

    def other():
        with mercer.configure(threads=7):
            inside.set()
            done.wait(5.0)
            return mercer.config().threads

    with ThreadPoolExecutor(1) as pool, mercer.configure(threads=3):
        theirs = pool.submit(copy_context().run, other)
        inside.wait(5.0)
        assert mercer.config().threads == 3
        done.set()
        assert theirs.result() == 7
    assert mercer.config().threads == usable_cores()


def test_settings_reach_threads_that_have_none_of_their_own():
    with ThreadPoolExecutor(1) as pool:
        with mercer.configure(threads=3):
            assert pool.submit(mercer.config).result().threads == 3
        assert pool.submit(mercer.config).result().threads == usable_cores()


@pytest.fixture
def unset():
    """Settings made without a block end with the test."""
    yield
    mercer.configure(threads=None, memory=None, progress=None)


def test_settings_apply_at_once_without_a_block(unset):
    mercer.configure(threads=3)
    mercer.configure(memory=2**20)
    assert mercer.config() == Config(threads=3, memory=2**20)
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(mercer.config).result() == mercer.config()
    with mercer.configure(threads=5):
        assert mercer.config() == Config(threads=5, memory=2**20)
        mercer.configure(threads=4)
        assert mercer.config().threads == 4
    assert mercer.config() == Config(threads=4, memory=2**20)
    mercer.configure(threads=None, memory=None)
    assert mercer.config() == Config(threads=usable_cores(), memory=total_memory() // 4)


def test_a_block_restores_what_was_set_before_it(unset):
    mercer.configure(threads=3)
    with mercer.configure(threads=5):
        assert mercer.config().threads == 5
    assert mercer.config().threads == 3


def test_blocks_of_threads_may_end_in_any_order():
    first = mercer.configure(threads=3)
    second = mercer.configure(threads=5)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert mercer.config().threads == 5
    second.__exit__(None, None, None)
    assert mercer.config().threads == usable_cores()


def test_many_settings_do_not_pile_up(unset):
    before = len(settings_of_the_process)
    for threads in range(1, 50):
        mercer.configure(threads=threads)
    assert len(settings_of_the_process) <= before + 1
    assert repr(mercer.configure(threads=2)).startswith("Config(threads=2, ")


def test_the_memory_of_a_plain_call_is_a_contract(unset):
    mercer.configure(memory=2**20)
    with pytest.raises(mercer.MemoryBudgetError, match=r"the memory budget is 1\.00 MiB"):
        mercer.kernels.RBF()(np.zeros((1000, 1)))


@pytest.mark.parametrize("block", [False, True], ids=["at once", "block"])
@pytest.mark.parametrize(("setting", "bad"), [
    ("threads", 0), ("threads", -1), ("threads", 1.5), ("threads", "2"), ("threads", True),
    ("memory", 0), ("memory", -5), ("memory", 2**16 - 1), ("memory", "1GB"), ("memory", np.nan), ("memory", np.inf),
    ("progress", "bar"), ("progress", True),
])  # fmt: skip
def test_a_bad_setting_is_refused_with_its_value_and_a_cure_I5(setting, bad, block):
    before = mercer.config()
    with (
        pytest.raises(ValueError, match=rf"configure: {setting} must be .*; got .*\. None is"),
        mercer.configure(**{setting: bad}) if block else nullcontext(mercer.configure(**{setting: bad})),
    ):
        pass
    assert mercer.config() == before


def test_an_unknown_setting_is_refused():
    with pytest.raises(TypeError, match="foo"):
        mercer.configure(threads=1, foo=3)
    assert mercer.config().threads == usable_cores()


# ---- the environment, and other processes


def asked(code, **environment):
    """What a fresh process prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | environment)
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


SHOW = "import mercer; c = mercer.config(); print(c.threads, c.memory)"


def test_environment_variables_are_the_default():
    assert asked(SHOW, MERCER_THREADS="3", MERCER_MEMORY="2e9") == "3 2000000000"
    assert asked(SHOW, MERCER_THREADS=" ", MERCER_MEMORY="") == f"{usable_cores()} {total_memory() // 4}"
    assert asked("import mercer; mercer.configure(threads=2); " + SHOW, MERCER_THREADS="3").startswith("2 ")


@pytest.mark.parametrize(("name", "text", "rule"), [
    ("MERCER_THREADS", "many", "threads must be an integer >= 1; got 'many'"),
    ("MERCER_THREADS", "0", "threads must be an integer >= 1; got 0"),
    ("MERCER_THREADS", "1.5", "threads must be an integer >= 1; got 1.5"),
    ("MERCER_MEMORY", "1GB", "memory must be at least 65536 bytes; got '1GB'"),
    ("MERCER_MEMORY", "-5", "memory must be at least 65536 bytes; got -5"),
    ("MERCER_MEMORY", "inf", "memory must be at least 65536 bytes; got inf"),
])  # fmt: skip
def test_a_bad_environment_variable_is_named_with_its_value_I5(name, text, rule):
    assert f"ValueError: the environment variable {name}: {rule}" in asked(SHOW, **{name: text})


class Settings(mercer.KernelRidge):
    """A machine whose score tells the settings that were in force where it was fitted."""

    def fit(self, X, y, sample_weight=None):
        self.seen_ = 1000.0 * mercer.config().threads + mercer.config().memory / 2**20
        return super().fit(X, y)

    def score(self, X, y, sample_weight=None):
        return self.seen_


def seen_by_workers(backend):
    X = np.arange(12.0)[:, None]
    with parallel_config(backend=backend):
        search = GridSearchCV(Settings(), {"alpha": [0.1, 1.0]}, n_jobs=2, cv=3).fit(X, X[:, 0])
    return {score for i in range(3) for score in search.cv_results_[f"split{i}_test_score"]}


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_settings_reach_the_workers_of_a_search(backend, unset):
    default = 1000.0 * usable_cores() + total_memory() // 4 / 2**20
    assert seen_by_workers(backend) == {default}
    with mercer.configure(threads=3, memory=2**24):
        assert seen_by_workers(backend) == {3016.0}, "also workers that were started before"
    assert seen_by_workers(backend) == {default}
    mercer.configure(threads=5, memory=2**24)
    assert seen_by_workers(backend) == {5016.0}


def test_settings_do_not_come_back_from_workers_nor_out_of_files(unset):
    mercer.configure(threads=3)
    machine = Settings()
    assert b"settings" not in pickle.dumps(machine)
    sent = bytes(dumps(machine))
    mercer.configure(threads=4)
    pickle.loads(sent)
    assert mercer.config().threads == 4
