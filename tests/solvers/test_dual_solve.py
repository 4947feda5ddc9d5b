"""The seam `solve_all`: problems that are handed over together come back as if each had been alone.

Pairs of classes and folds, small and large, on rows, sparse rows, strings and given Grams; which method solves which
problem; limits, errors and interrupts.
"""

from __future__ import annotations

import importlib
import os
import signal
import threading
import time
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from mercer import config, configure
from mercer.engine.interrupts import one_fit
from mercer.gram import LazyGram, StoredGram
from mercer.kernels import RBF, Linear, Normalised, Spectrum
from mercer.solvers.dual import DualProblems, batch, nu_svc, nu_svr, one_class, solve, solve_all, svc, svr
from mercer.solvers.dual.batch import BATCH, consecutive
from mercer.solvers.dual.optimality import conditions
from mercer.solvers.dual.solve import features_are_faster, linear_rows
from mercer.solvers.limits import ONE_CORE, TINY, Limits, run_by_size
from mercer.solvers.linear_svm import LinearSolution

module = importlib.import_module("mercer.solvers.dual.solve")  # its name is also that of a function
rng = np.random.default_rng(0)
TOL = 1e-4


# ---- items of three classes


def clouds(n, columns=4, seed=0):
    """Rows around three centres, and the class of each."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    return rng.normal(size=(n, columns)) + 1.5 * np.eye(3, columns)[codes], codes


def words(n):
    """Strings over four letters, whose frequencies depend on the class."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, n)
    odds = np.array([[4, 2, 1, 1], [1, 4, 2, 1], [1, 1, 4, 2]]) / 8.0
    return ["".join(rng.choice(list("acgt"), 30, p=odds[c])) for c in codes], codes


def lazy(n):
    X, codes = clouds(n)
    return LazyGram(RBF(1.5), X), codes


def sparse(n):
    X, codes = clouds(n, columns=8)
    return LazyGram(RBF(1.5), csr_array(np.where(np.abs(X) > 0.7, X, 0.0))), codes


def given(n, dtype=np.float64):
    X, codes = clouds(n)
    return StoredGram.of(RBF(1.5)(X).astype(dtype)), codes


def part_of_a_larger_one(n):
    X, codes = clouds(2 * n)
    some = np.random.default_rng(1).permutation(2 * n)[:n]
    return StoredGram.of(RBF(1.5)(X)).sub(some), codes[some]


def strings(n):
    items, codes = words(n)
    return LazyGram(Normalised(Spectrum(3)), items), codes


GRAMS = {
    "few rows": lambda: lazy(300),
    "few rows, Gram stored": lambda: given(300),
    "its values in single precision": lambda: given(300, np.float32),
    "a part of a stored Gram": lambda: part_of_a_larger_one(300),
    "few strings": lambda: strings(240),
    "many rows": lambda: lazy(2700),
    "many sparse rows": lambda: sparse(2700),
    "many rows, Gram stored": lambda: given(2700),
    "many strings": lambda: strings(1500),
}


def pairs(codes):
    """One problem for every pair of classes."""
    places = [np.flatnonzero((codes == i) | (codes == j)) for i, j in combinations(range(3), 2)]
    signs = [np.where(codes[I] == min(codes[I]), 1.0, -1.0) for I in places]
    return DualProblems.of([svc(s, C) for s, C in zip(signs, (0.3, 1.0, 10.0), strict=True)], places, "classification")


def folds(codes):
    """The first class against the others, without each of three folds; the items in another order every time."""
    n = len(codes)
    places = [np.random.default_rng(k).permutation(np.flatnonzero(np.arange(n) % 3 != k)) for k in range(3)]
    return DualProblems.of([svc(np.where(codes[I] == 0, 1.0, -1.0), 2.0) for I in places], places, "classification")


def numbers(codes):
    places = [np.flatnonzero(codes != c) for c in range(3)]
    return DualProblems.of([svr(codes[I] + 0.1 * np.sin(I), 1.0, 0.1) for I in places], places, "regression")


def novelties(codes):
    places = [np.flatnonzero(codes == c) for c in range(3)]
    return DualProblems.of([one_class(len(I), 0.2) for I in places], places, "novelty")


KINDS = {"pairs": pairs, "folds": folds, "numbers": numbers, "novelties": novelties}


def exact_violation(gram, problem, b):
    """Of the optimality conditions, on all items, in double precision."""
    F = gram @ b - problem.z
    gain = np.where(b < problem.hi, np.where(b < 0.0, 1.0, -1.0) * problem.epsilon, -np.inf) - F
    cost = np.where(b > problem.lo, np.where(b > 0.0, -1.0, 1.0) * problem.epsilon, np.inf) - F
    return gain.max() - cost.min()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("items", GRAMS)
def test_every_problem_is_solved_as_if_it_were_alone_M16_M21(items, kind):
    gram, codes = GRAMS[items]()
    problems = KINDS[kind](codes)
    found = solve_all(gram, problems, Limits(TOL))
    assert found.converged
    assert found.open == []
    for p in range(len(problems)):
        problem, own = problems[p], gram.sub(problems.index[problems.span(p)])
        ours, alone = found[p], solve(own, problem, tol=TOL)
        assert ours.converged
        assert exact_violation(own, problem, ours.coef) <= 1.05 * TOL
        assert_allclose(ours.dual, alone.dual, rtol=1e-4)
        rounding = (ours.gradient_error + alone.gradient_error + 1e-12) * np.sum(problem.hi - problem.lo)
        assert max(ours.dual, alone.dual) <= min(ours.primal, alone.primal) + rounding
        assert_allclose(ours.bias, alone.bias, atol=20.0 * TOL)
        assert_allclose(ours.gradient, own @ ours.coef - problem.z, atol=0.5 * TOL)
        assert_allclose(ours.coef.sum(), problem.start.sum(), atol=1e-9 * np.abs(ours.coef).sum())
        assert ((problem.lo <= ours.coef) & (ours.coef <= problem.hi)).all()


@pytest.mark.parametrize("items", ["few rows, Gram stored", "few rows", "many rows"])
def test_problems_of_other_kinds_are_solved_too_M19_M27_M28_M29(items):
    gram, codes = GRAMS[items]()
    index = np.flatnonzero(codes < 2)
    signs, numbers = np.where(codes[index] == 0, 1.0, -1.0), codes[index] + 0.1 * np.sin(index)
    for problem, places in (
        (nu_svc(signs, 0.4), index),
        (nu_svr(numbers, 0.3, 1.0), np.tile(index, 2)),
        (svc(signs, 1.0, bias=False), index),
        (svc(signs, 1.0, squared=True), index),
    ):
        task = "regression" if len(places) > len(index) else "classification"
        found = solve_all(gram, DualProblems.of([problem, problem], [places, places], task), Limits(TOL))
        alone = solve(gram.sub(places), problem, tol=TOL)
        assert found.converged
        for p in range(2):
            assert_allclose(found[p].dual, alone.dual, rtol=1e-4)
            assert_allclose(found[p].margin, alone.margin, rtol=1e-2)


@pytest.mark.parametrize("items", ["few rows, Gram stored", "many rows"])
def test_threads_change_nothing(items):
    gram, codes = GRAMS[items]()
    coefs = []
    for threads in (1, 3):
        with configure(threads=threads):
            coefs.append(solve_all(gram, pairs(codes), Limits(TOL)).coef)
    assert_array_equal(*coefs)


def test_a_problem_on_no_items_or_one_is_solved():
    gram, y = StoredGram.of(np.eye(3)), np.array([1.0])
    none = np.empty(0, dtype=np.intp)
    problems = DualProblems.of([svc(np.empty(0), 1.0), svc(y, 1.0)], [none, np.array([2])], "classification")
    found = solve_all(gram, problems, Limits())
    assert found.converged
    assert_array_equal(found.coef, [0.0])


def test_small_problems_are_solved_in_batches_and_the_others_one_by_one(monkeypatch):
    gram, codes = given(300)
    singly = []
    monkeypatch.setattr(module, "decompose", lambda *args: singly.append(args))
    problems = pairs(codes)
    assert solve_all(gram, problems, Limits(TOL)).singly == {}
    assert not singly
    monkeypatch.undo()
    monkeypatch.setattr(batch, "LARGEST", int(problems.sizes.max()) - 1)
    found = solve_all(gram, problems, Limits(TOL))
    assert list(found.singly) == [int(problems.sizes.argmax())]
    assert found.converged


def test_batches_are_consecutive_problems_of_so_many_items_in_all():
    sizes = np.array([BATCH, 1, BATCH - 1, 1, 10, 20])
    assert consecutive(range(6), sizes) == [[0], [1, 2], [3, 4, 5]]
    assert consecutive([0, 1, 3, 5], np.ones(6)) == [[0, 1], [3], [5]]
    assert consecutive([], sizes) == []


# ---- limits

X, codes = clouds(60)
y = np.where(codes == 0, 1.0, -1.0)
gram = LazyGram(RBF(), X)
every = np.arange(60)


def one(problem):
    return DualProblems.of([problem], [every], "classification")


@pytest.mark.parametrize("problem", [svc(y, 1.0), nu_svc(y, 0.4), one_class(60, 0.3)], ids=["C", "nu", "one class"])
@pytest.mark.parametrize("gram", [gram, StoredGram.of(gram.dense())], ids=["lazy", "stored"])
def test_problems_that_come_too_late_stay_at_their_start_with_a_gap(problem, gram):
    limits = Limits(1e-3, time_limit=0.0)
    found = solve_all(gram, one(problem), limits)[0]
    assert limits.reached()
    assert found.reason == "time_limit"
    assert not found.converged
    assert_array_equal(found.coef, problem.start)
    assert_allclose(found.gradient, gram @ problem.start - problem.z, atol=1e-12)
    assert found.primal >= solve_all(gram, one(problem), Limits(1e-6))[0].dual - 1e-9


def test_the_time_left_is_divided_among_those_who_wait(monkeypatch):
    """Six problems on two threads: the first has a third of the time, the last all that is left."""
    lent, inner = [], module.decompose

    def spy(gram, problem, limits):
        lent.append(limits.left)
        return inner(gram, problem, limits)

    monkeypatch.setattr(module, "decompose", spy)
    problems = DualProblems.of([svc(y, 1.0)] * 6, [every] * 6, "classification")
    with configure(threads=2):
        solve_all(LazyGram(2.0 * RBF(), X), problems, Limits(1e-3, time_limit=1000.0))
    assert_allclose(lent, [1000.0 / 3, 1000.0 / 3, 500.0, 500.0, 1000.0, 1000.0], rtol=0.02)


def test_a_limit_of_steps_is_for_each_problem():
    problems = DualProblems.of([svc(y, 1e3)] * 3, [every] * 3, "classification")
    for G in (gram, StoredGram.of(gram.dense())):
        found = solve_all(G, problems, Limits(1e-8, max_iter=7))
        assert found.reason == ["max_iter"] * 3
        assert_array_equal(found.steps, 7)


def test_progress_is_told_of_every_problem():
    seen = []
    told = Limits(1e-3, progress=lambda items, violation, dual: seen.append(violation))
    assert solve_all(StoredGram.of(gram.dense()), one(svc(y, 1.0)), told).converged
    assert seen[-1] <= 1e-3


@pytest.mark.parametrize("sizes", [[], [5], [TINY + 1] * 3, [ONE_CORE + 1, 3, ONE_CORE + 2], [2, 3, 4]], ids=str)
def test_every_task_is_done_once_and_small_ones_on_one_thread(sizes):
    done, lock = {}, threading.Lock()

    def task(i):
        with lock:
            assert i not in done
            done[i] = config().threads

    with configure(threads=4):
        run_by_size(task, sizes, Limits())
    assert sorted(done) == list(range(len(sizes)))
    if len(sizes) > 1:
        assert all(threads == (4 if sizes[i] > ONE_CORE else 1) for i, threads in done.items())


def test_an_error_of_a_task_is_the_callers():
    def task(i):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        run_by_size(task, [2000] * 3, Limits())


def test_an_interrupt_is_remembered_and_ends_what_follows():
    def task(i):
        raise KeyboardInterrupt

    limits = Limits()
    with one_fit(object()):
        run_by_size(task, [10], limits)
    assert limits.reached()
    assert solve_all(gram, one(svc(y, 1.0)), limits).reason == ["interrupted"]


ENDLESS = {"grown natively": RBF(0.5), "one by one": 2.0 * RBF(0.5)}
endless = pytest.mark.parametrize("kernel", ENDLESS.values(), ids=ENDLESS)


def endless_pairs(n=6000):
    """Three pairs of classes that nothing tells apart, at a huge C: minutes of work.  The first is done at once."""
    Z, codes = np.random.default_rng(0).normal(size=(n, 2)), np.random.default_rng(1).integers(0, 3, n)
    places = [np.flatnonzero(codes == 0)[:20], *(np.flatnonzero(codes != c) for c in (0, 2))]
    signs = [np.where(codes[I] == codes[I].max(), 1.0, -1.0) for I in places]
    signs[0] = np.tile([1.0, -1.0], 10)
    return Z, DualProblems.of(
        [svc(s, C) for s, C in zip(signs, (1.0, 1e6, 1e6), strict=True)], places, "classification"
    )


def assert_usable(gram, problems, found):
    """What was solved is, and what was not is feasible, with its gap."""
    assert not found.open
    for p in range(len(problems)):
        s, problem = found[p], problems[p]
        own = gram.sub(problems.index[problems.span(p)])
        assert ((problem.lo <= s.coef) & (s.coef <= problem.hi)).all()
        assert_allclose(s.coef.sum(), 0.0, atol=1e-9 * (1.0 + np.abs(s.coef).sum()))
        F = own @ s.coef - problem.z
        assert_allclose(s.dual, -0.5 * s.coef @ (F - problem.z), rtol=1e-3, atol=1e-6 * np.abs(s.coef).sum())
        assert s.dual <= s.primal
    assert found.coef[problems.ends[1] :].any()  # the work was not in vain


@endless
def test_a_time_limit_leaves_every_problem_usable(kernel):
    Z, problems = endless_pairs()
    gram, limits = LazyGram(kernel, Z), Limits(1e-4, time_limit=0.5)
    started = time.perf_counter()
    found = solve_all(gram, problems, limits)
    assert time.perf_counter() - started < 4.0  # about 0.6 s on an idle machine
    assert found.reason[0] == "converged"  # it has its share of the time, whenever its turn comes
    assert "time_limit" in found.reason
    assert_usable(gram, problems, found)


@endless
def test_an_interrupt_leaves_every_problem_usable(kernel):
    Z, problems = endless_pairs()
    sent = []
    timer = threading.Timer(0.5, lambda: (sent.append(time.perf_counter()), os.kill(os.getpid(), signal.SIGINT)))
    timer.start()
    gram, limits = LazyGram(kernel, Z), Limits(1e-4)
    with one_fit(object()):
        found = solve_all(gram, problems, limits)
    assert time.perf_counter() - sent[0] < 3.0  # about 0.2 s on an idle machine
    assert limits.ended == "interrupted"
    assert "interrupted" in found.reason
    assert_usable(gram, problems, found)


# ---- linear machines are solved on their features

rows = rng.normal(size=(600, 3))
side = np.where(rows[:, 0] + 0.5 * rng.normal(size=600) > 0.0, 1.0, -1.0)


def solve_one(gram, problem, tol=1e-3):
    return solve_all(gram, DualProblems.of([problem], [np.arange(len(gram))], "classification"), Limits(tol))[0]


@pytest.mark.parametrize("form", [np.asarray, csr_array, np.float32])
def test_the_linear_kernel_is_solved_on_its_features_with_the_same_answer_M18(form):
    gram, problem = LazyGram(Linear(), form(rows)), svc(side, 2.0)
    ours, kernel = solve_one(gram, problem, 1e-4), solve(gram, problem, tol=1e-4)
    assert isinstance(ours, LinearSolution)
    assert_allclose(ours.dual, kernel.dual, rtol=1e-5)
    assert_allclose(gram @ ours.coef + ours.bias, gram @ kernel.coef + kernel.bias, atol=5e-3)


def test_a_subset_of_the_items_is_solved_likewise_M18():
    chosen = np.arange(0, 600, 2)
    gram = LazyGram(Linear(), np.vstack([rows, rows]))
    places = np.concatenate([chosen, 600 + chosen])
    problems = DualProblems.of([svc(np.tile(side[chosen], 2), 1.0)], [places], "classification")
    found = solve_all(gram, problems, Limits())[0]
    assert isinstance(found, LinearSolution)
    assert len(found.coef) == 600


@pytest.mark.parametrize(
    ("gram", "problem"),
    [
        (LazyGram(RBF(), rows), svc(side, 1.0)),
        (StoredGram(rows @ rows.T), svc(side, 1.0)),
        (LazyGram(Linear(), rows[:100]), svc(side[:100], 1.0)),
        (LazyGram(Linear(), rng.normal(size=(600, 200))), svc(side, 1.0)),
        (LazyGram(Linear(), rows), svc(side, np.inf)),
        (LazyGram(Linear(), rows), nu_svc(side, 0.3)),
    ],
    ids=["another kernel", "a stored Gram", "few items", "many columns", "hard margin", "nu"],
)
def test_everything_else_is_left_to_decomposition_M18(gram, problem):
    X = linear_rows(gram, problem)
    assert X is None or not features_are_faster(X, problem)


def test_only_a_gram_of_inner_products_has_rows_to_be_solved_on_M18():
    soft, hard = svc(side, 1.0), svc(side, np.inf)
    known = StoredGram.of(rows @ rows.T, X=rows)
    assert linear_rows(LazyGram(RBF(), rows), soft) is linear_rows(StoredGram(rows @ rows.T), soft) is None
    assert linear_rows(known, soft) is rows
    assert linear_rows(known, hard) is linear_rows(known, nu_svc(side, 0.3)) is None
    assert_allclose(linear_rows(known.sub([5, 3]).sub([1]), svc(side[[3]], 1.0)), rows[[3]])
    assert known.part(None, [1]).linear_rows is None


ENDS = {"svc": lambda y: svc(y, 10.0), "svr": lambda y: svr(y, 10.0, 0.1), "one": lambda y: one_class(len(y), 0.3)}


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize(
    "make", [lambda y: svc(y, 10.0), lambda y: svr(y, 10.0, 0.1), lambda y: one_class(len(y), 0.3)]
)
def test_steps_that_come_to_no_end_are_followed_by_a_solution_on_the_features(make, stored, form):
    """Columns of very different scale: a million steps of SMO are not enough."""
    scaled = form(rows[:300] * [1.0, 1e2, 1e-2] + [0.0, 50.0, 1.0])
    gram = LazyGram(Linear(), scaled)
    gram = StoredGram.of(gram.dense(), X=scaled) if stored else gram
    problem = make(side[:300])
    found = solve_one(gram, problem)
    assert found.converged
    assert found.n_iter < 300_000
    K = np.asarray(gram.dense())
    F = K @ found.coef - problem.z
    assert_allclose(found.coef.sum(), problem.start.sum(), atol=1e-8 * np.abs(found.coef).sum())
    assert conditions(found.coef, F, problem).violation < 2e-3 * max(1.0, 1e-6 * np.abs(F).max())
    if not problem.start.any():
        assert found.relative_gap < 1e-3


def test_what_decomposition_gets_it_solves():
    found = solve_one(LazyGram(RBF(), rows), svc(side, 1.0))
    assert found.converged
    assert not isinstance(found, LinearSolution)
