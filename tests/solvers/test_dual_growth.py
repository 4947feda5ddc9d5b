"""The growing active set: the solution of other methods, from few kernel values, in good and in bad weather (M17)."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from mercer import configure
from mercer.engine.interrupts import one_fit
from mercer.gram import LazyGram, StoredGram
from mercer.kernels import RBF, Constant, Linear, Normalised, Spectrum
from mercer.solvers.dual import decomposition, growth, one_class, solve, svc, svr
from mercer.solvers.dual.decomposition import WHOLE_BEFORE_GROWTH

FIRST = 200  # items up to which all are active from the beginning (native/loops/growth.cpp)
rng = np.random.default_rng(0)


def clouds(n, apart=2.0, rare=0.4, seed=0):
    """Rows around two centres with labels -1 and +1; the share `rare` of them is positive."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.permutation(n) < round(rare * n), 1.0, -1.0)
    return rng.normal(size=(n, 3)) + 0.5 * apart * y[:, None], y


X, Y = clouds(3000)
T = np.sin(X[:, 0]) * X[:, 1] + 0.1 * rng.normal(size=3000)
GRAM = LazyGram(RBF(2.0), X)
PROBLEMS = {
    "C-SVC M16": svc(Y, 1.0),
    "C-SVC, large C M16": svc(Y, 1e3),
    "C-SVC, C per item M16": svc(Y, rng.uniform(0.2, 5.0, 3000)),
    "epsilon-SVR M26": svr(T, 2.0, 0.3),
    "one-class": one_class(3000, 0.05),
}


@pytest.fixture
def ends(monkeypatch):
    """How every growth ended."""
    seen, inner = [], decomposition.grow

    def recorded(*args):
        found = inner(*args)
        seen.append(found[0])
        return found

    monkeypatch.setattr(decomposition, "grow", recorded)
    return seen


def by_blocks(gram, problem, monkeypatch, tol=growth.FINEST):
    """The solution by blocks of violators."""
    with monkeypatch.context() as patch:
        patch.setattr(decomposition, "FINEST", np.inf)
        patch.setattr(decomposition, "WHOLE", 600)
        return solve(gram, problem, tol=tol)


def exact_conditions(gram, problem, b):
    """(gain, cost) of every item, in double precision."""
    F = gram @ b - problem.z
    gain = np.where(b < problem.hi, np.where(b < 0.0, 1.0, -1.0) * problem.epsilon, -np.inf) - F
    cost = np.where(b > problem.lo, np.where(b > 0.0, -1.0, 1.0) * problem.epsilon, np.inf) - F
    return gain, cost


def assert_proven(gram, problem, s, tol):
    """The solution is feasible, and no item, inside or outside of the active set, violates the conditions."""
    gain, cost = exact_conditions(gram, problem, s.coef)
    assert s.converged
    assert gain.max() - cost.min() <= 1.1 * tol  # single precision may move what was not recomputed by a tenth of it
    assert s.violation <= tol
    assert ((problem.lo <= s.coef) & (s.coef <= problem.hi)).all()
    assert_allclose(s.coef.sum(), problem.start.sum(), atol=1e-9 * np.abs(s.coef).sum())
    assert_allclose(s.gradient, gram @ s.coef - problem.z, atol=max(10.0 * s.gradient_error, 0.3 * tol))


# ---- the same solution


@pytest.mark.parametrize("name", PROBLEMS)
def test_it_comes_to_the_dual_of_the_blocks_of_violators(name, ends, monkeypatch):
    problem = PROBLEMS[name]
    ours = solve(GRAM, problem, tol=growth.FINEST)
    assert ends == ["solved"]
    blocks = by_blocks(GRAM, problem, monkeypatch)
    assert ends == ["solved"]  # blocks did without it
    assert_proven(GRAM, problem, ours, growth.FINEST)
    assert_allclose(ours.dual, blocks.dual, rtol=1e-6)
    assert max(ours.dual, blocks.dual) <= min(ours.primal, blocks.primal) + 1e-6 * abs(ours.dual)


@pytest.mark.parametrize("name", PROBLEMS)
def test_no_item_outside_violates_the_conditions_T19(name, ends):
    problem = PROBLEMS[name]
    for tol in (1e-1, 1e-3):
        assert_proven(GRAM, problem, solve(GRAM, problem, tol=tol), tol)
    assert ends == ["solved"] * 2


@pytest.mark.parametrize(
    "gram",
    [
        LazyGram(RBF(2.0), csr_array(np.where(np.abs(X) > 1.0, X, 0.0))),
        LazyGram(RBF(2.0), X.astype(np.float32)),
        StoredGram.of(GRAM.dense()),
        StoredGram.of(GRAM.dense().astype(np.float32)),
        LazyGram(Linear(), X),
    ],
    ids=["sparse rows", "single precision", "stored", "stored in single precision", "linear"],
)
def test_rows_of_every_form_and_stored_grams(gram, ends):
    problem = svc(Y, 1.0)
    found = solve(gram, problem)
    assert ends == ["solved"]
    assert_proven(gram, problem, found, 1e-3)


def test_strings():
    rng = np.random.default_rng(5)
    y = np.where(np.arange(1500) % 2, 1.0, -1.0)
    odds = {1.0: [0.4, 0.3, 0.2, 0.1], -1.0: [0.1, 0.2, 0.3, 0.4]}
    gram = LazyGram(Normalised(Spectrum(2)), ["".join(rng.choice(list("acgt"), 40, p=odds[s])) for s in y])
    assert_proven(gram, svc(y, 1.0), solve(gram, svc(y, 1.0)), 1e-3)


@pytest.mark.parametrize(
    "n", [WHOLE_BEFORE_GROWTH, WHOLE_BEFORE_GROWTH + 1, FIRST, FIRST + 1, decomposition.WHOLE, decomposition.WHOLE + 1]
)
@pytest.mark.parametrize("problem_of", [lambda y: svc(y, 1.0), lambda y: svr(y, 1.0, 0.2)], ids=["svc", "svr"])
def test_on_both_sides_of_every_threshold(n, problem_of):
    Z, y = clouds(n, seed=n)
    gram, problem = LazyGram(RBF(2.0), Z), problem_of(y)
    found = solve(gram, problem)
    assert_proven(gram, problem, found, 1e-3)
    assert_allclose(found.dual, solve(gram, problem, tol=growth.FINEST).dual, rtol=1e-4)


@pytest.mark.parametrize("tol", [0.99 * growth.FINEST, growth.FINEST])
def test_a_sharper_tolerance_than_single_precision_can_serve_is_not_its_task(tol, ends):
    some = np.arange(1000)
    assert solve(GRAM.sub(some), PROBLEMS["C-SVC M16"].take(some), tol=tol).converged
    assert bool(ends) == (tol >= growth.FINEST)


def test_threads_change_nothing():
    coefs = []
    for threads in (1, 3):
        with configure(threads=threads):
            coefs.append(solve(GRAM, svc(Y, 1.0)).coef)
    assert_array_equal(*coefs)


# ---- where it starts, and what does not fit


def test_a_solution_is_a_fixed_point(ends):
    first = solve(GRAM, svc(Y, 1.0), tol=1e-4)
    again = solve(GRAM, svc(Y, 1.0), tol=1e-3, start=first.coef)
    assert again.n_iter == 0
    assert again.converged
    assert_array_equal(again.coef, first.coef)
    assert ends == ["solved"] * 2


def test_the_solution_of_a_smaller_box_is_a_start(ends):
    small, cold = solve(GRAM, svc(Y, 1.0)), solve(GRAM, svc(Y, 2.0))
    warm = solve(GRAM, svc(Y, 2.0), start=small.coef)
    assert_proven(GRAM, svc(Y, 2.0), warm, 1e-3)
    assert_allclose(warm.dual, cold.dual, rtol=1e-4)
    assert warm.n_iter < cold.n_iter


def test_a_start_of_few_items_finds_the_others():
    b = np.zeros(3000)
    b[[np.argmax(Y > 0), np.argmax(Y < 0)]] = [0.5, -0.5]
    found = solve(GRAM, svc(Y, 1.0), start=b)
    assert_proven(GRAM, svc(Y, 1.0), found, 1e-3)
    assert_allclose(found.dual, solve(GRAM, svc(Y, 1.0)).dual, rtol=1e-4)


def test_all_items_support(ends):
    """A tiny C puts every item of a balanced set at its bound."""
    y = np.where(np.arange(3000) % 2, 1.0, -1.0)
    found = solve(GRAM, svc(y, 1e-5))
    assert ends == ["solved"]
    assert_allclose(np.abs(found.coef), 1e-5)
    assert found.converged


def test_no_item_supports():
    """A tube that is wide enough leaves a constant."""
    found = solve(GRAM, svr(T, 1.0, 0.51 * np.ptp(T)))
    assert (found.coef == 0.0).all()
    assert found.converged
    assert T.max() - 0.51 * np.ptp(T) <= found.bias <= T.min() + 0.51 * np.ptp(T)


def test_more_active_items_than_may_be_stored_are_left_to_the_blocks(ends, monkeypatch):
    problem = svc(np.sign(rng.normal(size=3000)), 1.0)  # nearly all items support
    usual = solve(GRAM, problem)
    monkeypatch.setattr(growth, "LARGEST", 1200)
    monkeypatch.setattr(decomposition, "WHOLE", 600)
    found = solve(GRAM, problem)
    assert ends == ["solved", "too many"]
    assert_proven(GRAM, problem, found, 1e-3)
    assert_allclose(found.dual, usual.dual, rtol=1e-4)


def test_a_start_of_more_items_than_may_be_stored_is_kept(ends, monkeypatch):
    problem = svc(np.sign(rng.normal(size=3000)), 1.0)
    usual = solve(GRAM, problem, tol=1e-2)
    monkeypatch.setattr(growth, "LARGEST", 1200)
    found = solve(GRAM, problem, start=usual.coef)
    assert ends == ["solved", "too large"]
    assert_proven(GRAM, problem, found, 1e-3)
    assert found.trace[0][2] >= usual.dual - 1e-6 * abs(usual.dual)


def test_the_byte_budget_bounds_the_active_set(ends):
    problem = svc(np.sign(rng.normal(size=3000)), 1.0)
    with configure(memory=40_000_000):  # an eighth of it holds 1118 active items, a half not even all 3000
        found = solve(GRAM, problem)
    assert ends == ["too many"]
    assert found.converged


@pytest.mark.parametrize(("offset", "end"), [(3e3, "solved"), (1e7, "too coarse")])
def test_kernel_values_that_are_coarse_in_single_precision(offset, end, ends):
    """A constant uses up the mantissa; b sums to 0, so that it does not change the problem.

    Gradients in double precision and smaller and smaller steps from there mend the first, the second is left to others.
    """
    some = np.arange(1000)
    gram, problem = LazyGram(RBF(2.0) + Constant(offset), X[some]), svc(Y[some], 1.0)
    found = solve(gram, problem, tol=1e-3)
    assert ends == [end]
    assert_proven(gram, problem, found, 1e-3)
    assert found.gradient_error < 1e-5  # all of it is in double precision
    assert_allclose(found.dual, solve(GRAM.sub(some), problem, tol=1e-3).dual, rtol=1e-4)


@pytest.mark.parametrize("whole", [100, 4096], ids=["by blocks", "on the whole Gram"])
def test_what_growth_leaves_half_way_others_go_on_with(whole, monkeypatch):
    def given_up(exact, fast, problem, b, F, tol, report):
        b[[np.argmax(Y > 0), np.argmax(Y < 0)]] = [0.5, -0.5]
        F[:] = 77.0
        return "stalled", 5, 0.0

    monkeypatch.setattr(decomposition, "grow", given_up)
    monkeypatch.setattr(decomposition, "WHOLE", whole)
    found = solve(GRAM, svc(Y, 1.0))
    assert found.n_iter > 5
    assert_proven(GRAM, svc(Y, 1.0), found, 1e-3)


# ---- degenerate data


def test_one_class_is_much_rarer():
    Z, y = clouds(4000, rare=5 / 4000)
    assert (y > 0).sum() == 5
    gram = LazyGram(RBF(2.0), Z)
    for C in (1.0, 1e3):
        assert_proven(gram, svc(y, C), solve(gram, svc(y, C)), 1e-3)


def test_items_of_one_label_only():
    gram, y = GRAM.sub(np.arange(1000)), np.ones(1000)
    found = solve(gram, svc(y, 1.0))
    assert (found.coef == 0.0).all()
    assert found.converged
    assert found.bias >= 1.0 - 1e-3


@pytest.mark.parametrize("C", [1.0, 1e3])
def test_duplicates_share_a_finite_optimum_M15(C, ends):
    """Every item ten times, a tenth of them with the other label."""
    Z, y = np.repeat(X[:300], 10, axis=0), np.repeat(Y[:300], 10)
    y[::10] *= -1.0
    gram, problem = LazyGram(RBF(2.0), Z), svc(y, C)
    found = solve(gram, problem)
    assert_proven(gram, problem, found, 1e-3)
    once = solve(LazyGram(RBF(2.0), np.repeat(X[:300], 2, axis=0)),
                 svc(np.tile([1.0, -1.0], 300) * np.repeat(Y[:300], 2), C * np.tile([9.0, 1.0], 300)))  # fmt: skip
    assert_allclose(found.dual, once.dual, rtol=1e-4)


def test_all_items_are_equal():
    gram = LazyGram(RBF(1.0), np.ones((1500, 2)))
    y = np.where(np.arange(1500) % 3, 1.0, -1.0)
    found = solve(gram, svc(y, 1.0))
    assert found.converged
    assert_allclose(found.dual, 1000.0)  # 2 C min(n+, n-)


def test_a_hard_margin_between_classes_that_are_apart_M15(ends):
    Z, y = clouds(3000, apart=20.0)
    gram, problem = LazyGram(Linear(), Z), svc(y, np.inf)
    found = solve(gram, problem)
    assert ends == ["solved"]
    assert found.converged
    assert 0.0 <= found.relative_gap < 1e-2
    assert (y * (gram @ found.coef + found.bias) >= 1.0 - 2e-3).all()
    assert_allclose(found.dual, solve(gram, svc(y, 10.0 * np.abs(found.coef).max())).dual, rtol=1e-3)


@pytest.mark.parametrize("kernel", [Linear(), RBF(2.0)], ids=["linear", "rbf"])
def test_a_hard_margin_where_classes_meet_is_called_unbounded_M15(kernel):
    Z, y = clouds(2000)
    Z[1::2], y[1::2] = Z[::2], -y[::2]  # every item has a twin of the other label
    started = time.perf_counter()
    assert solve(LazyGram(kernel, Z), svc(y, np.inf)).reason == "unbounded"
    assert time.perf_counter() - started < 20.0


# ---- limits and faults


def endless(n=20_000):
    """A fit that takes minutes."""
    Z = np.random.default_rng(0).normal(size=(n, 8))
    return LazyGram(RBF(1.0), Z), svc(np.sign(np.random.default_rng(1).normal(size=n)), 1e5)


@pytest.mark.parametrize("limit", [0.05, 0.3, 1.0])
def test_a_time_limit_leaves_a_usable_solution(limit):
    gram, problem = endless()
    started = time.perf_counter()
    s = solve(gram, problem, time_limit=limit)
    assert time.perf_counter() - started < limit + 2.0
    assert s.reason == "time_limit"
    assert not s.converged
    assert_usable(gram, problem, s)


@pytest.mark.parametrize("after", [0.05, 0.5])
def test_an_interrupt_leaves_a_usable_solution(after):
    gram, problem = endless()
    sent = []
    timer = threading.Timer(after, lambda: (sent.append(time.perf_counter()), os.kill(os.getpid(), signal.SIGINT)))
    timer.start()
    with one_fit(object()):
        s = solve(gram, problem)
    assert time.perf_counter() - sent[0] < 2.0
    assert s.reason == "interrupted"
    assert_usable(gram, problem, s)


def assert_usable(gram, problem, s):
    """Feasible coefficients whose dual value is the one that is told."""
    assert ((problem.lo <= s.coef) & (s.coef <= problem.hi)).all()
    assert_allclose(s.coef.sum(), 0.0, atol=1e-9 * np.abs(s.coef).sum())
    J = np.flatnonzero(s.coef)
    norm2 = s.coef[J] @ (gram.part(J, J) @ s.coef[J])
    assert_allclose(s.dual, problem.z @ s.coef - 0.5 * norm2, rtol=1e-3, atol=1e-3 * norm2)
    assert np.isfinite(s.bias)


def test_progress_is_told_and_the_dual_rises_E20():
    seen = []
    found = solve(GRAM, svc(Y, 1.0), progress=lambda items, violation, dual: seen.append((items, violation, dual)))
    items, violations, duals = (np.array(column) for column in zip(*seen, strict=True))
    assert len(seen) >= 2
    assert (np.diff(items) >= 0).all()
    assert violations[-1] <= 1e-3
    assert (np.diff(duals) >= -1e-6 * found.dual).all()
    assert_allclose(duals[-1], found.dual, rtol=1e-6)
    assert found.trace == seen


class Failing(LazyGram):
    """A Gram that cannot be computed after a while."""

    calls, native_rows = 0, None

    def single(self):
        return self

    def times(self, I, J, v):
        self.calls += 1
        if self.calls > 1:
            raise ArithmeticError("no more kernel values")
        return super().times(I, J, v)


def test_an_error_of_a_kernel_is_the_callers():
    with pytest.raises(ArithmeticError, match="no more kernel values"):
        solve(Failing(RBF(2.0), X), svc(Y, 1.0))
