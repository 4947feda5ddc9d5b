"""Limits that all the problems of one fit share."""

from __future__ import annotations

import threading
import time

import pytest
from numpy.testing import assert_allclose

from mercer import configure
from mercer.engine.pool import run
from mercer.solvers.limits import Limits


def test_nothing_is_limited_unless_told():
    limits = Limits()
    assert limits.left is None
    assert limits.reached(10**12) == limits.ended == ""
    assert not limits.counts_steps


def test_steps_are_those_of_one_problem():
    """So a problem that has used up its own leaves the others theirs."""
    limits = Limits(max_iter=5)
    assert limits.counts_steps
    assert [limits.reached(steps) for steps in (0, 4, 5, 6)] == ["", "", "max_iter", "max_iter"]
    assert limits.ended == ""


def test_time_is_up_for_all_of_them():
    limits = Limits(time_limit=0.01, max_iter=5)
    assert 0.0 < limits.left <= 0.01
    time.sleep(0.02)
    assert limits.left < 0.0
    assert limits.reached() == limits.reached(10) == limits.ended == "time_limit"


def test_what_ended_the_work_is_told_from_then_on():
    limits = Limits(time_limit=0.0, ended="interrupted")
    assert limits.reached() == "interrupted"


def test_somebody_who_watches_counts_steps():
    assert Limits(progress=lambda *_: None).counts_steps


@pytest.mark.parametrize("waiting", [1, 2, 5])
def test_the_time_left_is_divided_among_those_who_wait(waiting):
    limits = Limits(1e-5, max_iter=7, time_limit=1000.0)
    own = limits.share(waiting)
    assert_allclose(own.left, 1000.0 / waiting, rtol=1e-3)
    assert (own.tol, own.max_iter) == (1e-5, 7)
    own.ended = "time_limit"
    assert limits.reached() == ""  # the others may go on


def test_without_a_limit_of_time_there_is_nothing_to_divide():
    limits = Limits()
    assert limits.share(3) is limits


def test_a_run_that_was_stopped_elsewhere_is_an_interrupt():
    seen, failed = [], threading.Event()

    def task(i):
        if i == 0:
            failed.set()
            raise RuntimeError("no")
        failed.wait(5.0)
        limits = Limits()
        until = time.perf_counter() + 5.0
        while not limits.reached() and time.perf_counter() < until:
            time.sleep(0.001)
        seen.append(limits.ended)

    with configure(threads=2), pytest.raises(RuntimeError, match="no"):
        run(task, range(2))
    assert seen == ["interrupted"]
