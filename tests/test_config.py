"""Settings: threads, bytes, progress; per context, and checked when they are made."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import numpy as np
import pytest

import mercer
from mercer.config import Config, total_memory, usable_cores


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
    with ThreadPoolExecutor(1) as pool, mercer.configure(threads=3):
        assert pool.submit(mercer.config).result().threads == usable_cores(), "a plain thread starts from the default"


@pytest.mark.parametrize(("setting", "bad"), [
    ("threads", 0), ("threads", -1), ("threads", 1.5), ("threads", "2"), ("threads", None),
    ("memory", 0), ("memory", 2**16 - 1), ("memory", "1GB"), ("memory", np.nan),
    ("progress", "bar"), ("progress", True),
])  # fmt: skip
def test_a_bad_setting_is_refused_with_its_value_and_a_cure_I5(setting, bad):
    with (
        pytest.raises(ValueError, match=rf"configure: {setting} must be .*; got .*\. Leave it out"),
        mercer.configure(**{setting: bad}),
    ):
        pass


def test_an_unknown_setting_is_refused():
    with pytest.raises(TypeError, match="cores"), mercer.configure(cores=2):
        pass
