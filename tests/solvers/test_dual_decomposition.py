"""Decomposition: every machine of the family, by each of its three ways, in good and in bad weather."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.engine.interrupts import one_fit
from mercer.gram import LazyGram, StoredGram
from mercer.kernels import RBF, Linear, Sigmoid
from mercer.solvers.dual import decomposition, nu_svc, nu_svr, one_class, solve, svc, svr
from mercer.solvers.smo import smo

rng = np.random.default_rng(7)
N = 500
X = rng.normal(size=(N, 3))
Y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=N) > 0, 1.0, -1.0)
T = np.sin(X[:, 0]) + 0.1 * rng.normal(size=N)
K = LazyGram(RBF(1.0), X)

PROBLEMS = {
    "C-SVC M16": (K, svc(Y, 1.0)),
    "C-SVC, C per item M16": (K, svc(Y, rng.uniform(0.2, 5.0, N))),
    "without bias M28": (K, svc(Y, 1.0, bias=False)),
    "squared slack M29": (K, svc(Y, 1.0, squared=True)),
    "epsilon-SVR M26": (K, svr(T, 2.0, 0.05)),
    "epsilon-SVR, squared M29": (K, svr(T, 2.0, 0.05, squared=True)),
    "one-class": (K, one_class(N, 0.2)),
    "nu-SVC M19": (K, nu_svc(Y, 0.4)),
    "nu-SVR M27": (K.sub(np.tile(np.arange(N), 2)), nu_svr(T, 0.4, 1.0)),
}


WAYS = {
    "whole": {"WHOLE_BEFORE_GROWTH": 10_000},
    "growth": {"WHOLE_BEFORE_GROWTH": 60, "FINEST": 0.0},
    "blocks": {
        "FINEST": np.inf, "WHOLE_BEFORE_GROWTH": 60, "WHOLE": 60, "COARSE": 40, "STORED": 200, "MANY_FREE": 30,
        "BLOCK": 50, "WIDE_BLOCK": 60,
    },
}  # fmt: skip


def go(way, monkeypatch):
    """Set the thresholds so that a few hundred items go one way; growth is for plain problems, others stay whole."""
    for name, value in WAYS[way].items():
        monkeypatch.setattr(decomposition, name, value)


@pytest.fixture(params=WAYS)
def size(request, monkeypatch):
    """All ways through decomposition, at a size where all are quick."""
    go(request.param, monkeypatch)
    return request.param


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_machine_ends_with_a_proof_T18(name, size):
    gram, problem = PROBLEMS[name]
    s = solve(gram, problem, tol=1e-5)
    assert s.converged
    assert s.violation <= 1e-5
    assert s.reason == "converged"
    assert -1e-9 <= s.relative_gap <= 1e-4
    assert (s.coef >= problem.lo - 1e-12).all()
    assert (s.coef <= problem.hi + 1e-12).all()
    assert_allclose(s.coef.sum(), problem.start.sum() if problem.bias else s.coef.sum(), atol=1e-9)


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("way", ["growth", "blocks"])
def test_every_way_comes_to_the_solution_of_the_whole_gram(name, way, monkeypatch):
    gram, problem = PROBLEMS[name]
    whole = solve(gram, problem, tol=1e-6)
    go(way, monkeypatch)
    assert_allclose(solve(gram, problem, tol=1e-6).dual, whole.dual, rtol=1e-5, atol=1e-7)


def test_decomposition_agrees_with_its_readable_twin_M17():
    fast, slow = solve(K, svc(Y, 1.0), tol=1e-7), smo(K.dense(), Y, 1.0, tol=1e-7)
    assert_allclose(fast.coef * Y, slow.alpha, atol=1e-4)
    assert_allclose(fast.dual, slow.dual, rtol=1e-8)
    assert_allclose(fast.bias, slow.bias, atol=1e-5)


def test_a_solution_is_a_fixed_point(size):
    s = solve(K, svc(Y, 1.0), tol=1e-4)
    again = solve(K, svc(Y, 1.0), tol=1e-3, start=s.coef)
    assert again.n_iter == 0
    assert again.converged


def test_a_stored_gram_is_as_good_as_a_kernel_I3(size):
    assert_allclose(solve(StoredGram(K.dense()), svc(Y, 1.0)).dual, solve(K, svc(Y, 1.0)).dual, rtol=1e-5)


def test_the_order_of_items_is_immaterial(size):
    p = np.random.default_rng(1).permutation(N)
    assert_allclose(solve(K.sub(p), svc(Y[p], 1.0), tol=1e-6).dual, solve(K, svc(Y, 1.0), tol=1e-6).dual, rtol=1e-6)


def test_the_dual_never_falls_along_the_trace_E20(size):
    duals = [dual for _, _, dual in solve(K, svc(Y, 10.0), tol=1e-5).trace]
    assert len(duals) >= 1
    assert (np.diff(duals) >= -1e-4 * abs(duals[-1])).all()


def test_small_C_puts_every_item_of_a_balanced_set_at_its_bound():
    y = np.where(np.arange(N) % 2, 1.0, -1.0)
    assert_allclose(np.abs(solve(K, svc(y, 1e-6)).coef), 1e-6)


def test_the_hard_margin_and_data_that_cannot_be_separated_M15_T21():
    s = solve(LazyGram(Linear(), np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]])), svc([1, 1, -1], np.inf), tol=1e-9)
    assert_allclose(s.coef, [0.25, 0.0, -0.25], atol=1e-6)
    assert_allclose([s.bias, s.primal, s.dual], [-2.0, 0.25, 0.25], atol=1e-6)
    same = np.zeros((2, 2))
    assert solve(LazyGram(Linear(), same), svc([1, -1], np.inf)).reason == "unbounded"


DUPLICATES = np.repeat(rng.normal(size=(40, 2)), 25, axis=0)


@pytest.mark.parametrize(
    ("gram", "y", "C"),
    [
        (LazyGram(RBF(1.0), DUPLICATES), np.sign(rng.normal(size=1000)), 1e6),
        (LazyGram(RBF(1.0), X * 1e6), Y, 1.0),
        (LazyGram(Linear(), X * 1e6), Y, 1.0),
        (LazyGram(RBF(1.0), X), Y, 1e6),
        (LazyGram(RBF(1.0), np.ones((N, 2))), Y, 1.0),
        (LazyGram(RBF(1e4), X), Y, 100.0),
        (LazyGram(Sigmoid(1.0, offset=-1.0), X), Y, 10.0),
        (LazyGram(RBF(1.0), X[:1]), Y[:1], 1.0),
    ],
    ids=[
        "opposite duplicates",
        "huge columns",
        "huge linear",
        "huge C",
        "constant",
        "singular",
        "indefinite",
        "one item",
    ],
)
def test_it_ends_and_says_so_on_degenerate_data(gram, y, C, size):
    s = solve(gram, svc(y, C), time_limit=2.0)
    assert s.reason in ("converged", "time_limit", "stalled", "max_iter")  # whichever a machine comes to first
    assert np.isfinite(s.coef).all()
    assert np.isfinite([s.dual, s.bias]).all()
    assert s.gap >= -1e-6 * max(1.0, abs(s.dual)) or gram.kernel.psd is False


def _endless():
    """A fit that takes minutes."""
    Z = np.random.default_rng(0).normal(size=(20_000, 8))
    return LazyGram(RBF(1.0), Z), svc(np.sign(np.random.default_rng(1).normal(size=20_000)), 1e5)


def test_a_time_limit_is_kept():
    gram, problem = _endless()
    solve(gram.sub(np.arange(5000)), problem.take(np.arange(5000)), max_iter=2000)  # imports
    start = time.perf_counter()
    s = solve(gram, problem, time_limit=1.0)
    assert time.perf_counter() - start < 3.0  # 1.1 s on an idle machine
    assert s.reason == "time_limit"
    assert not s.converged
    assert s.coef.any()


def test_an_interrupt_leaves_a_usable_solution():
    gram, problem = _endless()
    solve(gram.sub(np.arange(5000)), problem.take(np.arange(5000)), max_iter=2000)
    sent = []
    timer = threading.Timer(1.0, lambda: (sent.append(time.perf_counter()), os.kill(os.getpid(), signal.SIGINT)))
    timer.start()
    with one_fit(object()):
        s = solve(gram, problem)
    assert time.perf_counter() - sent[0] < 2.0  # 0.06 s on an idle machine
    assert s.reason == "interrupted"
    assert s.coef.any()
    assert np.isfinite(s.dual)


def test_a_step_limit_is_kept(size):
    s = solve(K, svc(Y, 100.0), tol=1e-8, max_iter=50)
    assert s.n_iter <= 50
    assert s.reason == "max_iter"
    assert s.gap > 0.0


def test_progress_is_told():
    seen = []
    solve(K, svc(Y, 1.0), progress=lambda items, violation, dual: seen.append((items, violation, dual)))
    assert seen
    assert seen[-1][1] <= 1e-3
