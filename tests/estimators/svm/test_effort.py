"""Effort: limits that all the problems of one fit share."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer import config, configure
from mercer.estimators.svm import effort as module
from mercer.estimators.svm.effort import SMALL, TINY, Effort
from mercer.gram import LazyGram
from mercer.kernels import RBF
from mercer.solvers.dual import nu_svc, svc

rng = np.random.default_rng(0)
X = rng.normal(size=(50, 2))
y = np.where(rng.random(50) < 0.5, 1.0, -1.0)
gram = LazyGram(RBF(), X)


@pytest.mark.parametrize("problem", [svc(y, 1.0), nu_svc(y, 0.4)], ids=["C", "nu"])
def test_problems_that_come_too_late_stay_at_their_start_with_a_gap(problem):
    effort = Effort("test", 1e-3, time_limit=0.0)
    found = effort.solve(gram, problem)
    assert effort.over
    assert found.reason == "time_limit"
    assert not found.converged
    assert_array_equal(found.coef, problem.start)
    assert found.primal >= Effort("test", 1e-6).solve(gram, problem).dual - 1e-9


def test_the_time_left_is_divided_among_those_who_wait(monkeypatch):
    limits, solve = [], module.solve

    def spy(gram, problem, *, time_limit, **options):
        limits.append(time_limit)
        return solve(gram, problem, time_limit=time_limit, **options)

    monkeypatch.setattr(module, "solve", spy)
    effort = Effort("test", 1e-3, time_limit=1000.0, threads=2)
    for waiting in (1, 4, 10):
        effort.solve(gram, svc(y, 1.0), waiting=waiting)
    assert_allclose(limits, [1000.0, 500.0, 200.0], rtol=0.02)


@pytest.mark.parametrize("sizes", [[], [5], [TINY + 1] * 3, [SMALL + 1, 3, SMALL + 2], [2, 3, 4]], ids=str)
def test_every_task_is_done_once_and_small_ones_on_one_thread(sizes):
    done, lock = {}, threading.Lock()

    def task(i):
        with lock:
            assert i not in done
            done[i] = config().threads

    with configure(threads=4):
        Effort("test", 1e-3).share_out(task, sizes)
    assert sorted(done) == list(range(len(sizes)))
    if len(sizes) > 1:
        assert all(threads == (4 if sizes[i] > SMALL else 1) for i, threads in done.items())


def test_an_error_of_a_task_is_the_callers():
    def task(i):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        Effort("test", 1e-3).share_out(task, [2000] * 3)


def test_an_interrupt_is_remembered_and_ends_what_follows():
    def task(i):
        raise KeyboardInterrupt

    effort = Effort("test", 1e-3)
    effort.share_out(task, [10])
    assert effort.over
    assert effort.solve(gram, svc(y, 1.0)).reason == "interrupted"
