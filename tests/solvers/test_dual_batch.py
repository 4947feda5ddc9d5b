"""Many small problems in one native call are the problems that decomposition solves one by one (M16, M17)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.gram import StoredGram
from mercer.kernels import RBF
from mercer.solvers.dual import DualProblems, nu_svc, one_class, solve, solve_all, svc, svr
from mercer.solvers.dual.batch import native_gram, solve_batch
from mercer.solvers.dual.certificate import objectives
from mercer.solvers.dual.proof import BIAS, PRIMAL, proof_row
from mercer.solvers.dual.solutions import DualSolutions
from mercer.solvers.limits import Limits

rng = np.random.default_rng(0)
X = rng.standard_normal((120, 3))
y = np.sign(X[:, 0] * X[:, 1] + 0.5 * rng.standard_normal(120))
K = RBF(1.5)(X)
PIECES = [np.arange(60), np.sort(rng.permutation(120)[:70]), np.arange(30, 110)]

KINDS = {
    "svc": (lambda index: svc(y[index], 2.0), "classification"),
    "svr": (lambda index: svr(0.3 * y[index], 1.0, 0.1), "regression"),
    "one class": (lambda index: one_class(len(index), 0.3), "novelty"),
}


def some_problems(kind):
    problem_of, task = KINDS[kind]
    return DualProblems.of([problem_of(index) for index in PIECES], PIECES, task)


def batch(K, problems, tol):
    """What one native call makes of all problems."""
    found = DualSolutions.at_start(problems)
    solve_batch(native_gram(K), problems.index, found, range(len(problems)), tol)
    return found


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_has_the_solutions_of_decomposition_M16_M26(kind, dtype):
    problems = some_problems(kind)
    solved = batch(K.astype(dtype), problems, 1e-4)
    assert solved.converged
    for p, index in enumerate(PIECES):
        found, alone = solved[p], solve(StoredGram.of(K).sub(index), problems[p], tol=1e-4)
        assert found.converged
        assert_allclose(found.dual, alone.dual, rtol=1e-5)
        assert found.dual <= found.primal
        F = K[np.ix_(index, index)] @ found.coef - problems[p].z
        assert_allclose(found.gradient, F, atol=1e-12 if dtype == np.float64 else 1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_its_proofs_are_those_of_the_general_case_T18_T19(kind):
    """The native row of numbers is what proof.py says of the same coefficients and gradient."""
    problems = some_problems(kind)
    solved = batch(K, problems, 1e-4)
    for p in range(len(problems)):
        row = proof_row(solved[p], problems[p], problems.task)
        assert_allclose(solved.proofs[p], row, rtol=1e-12, atol=1e-13)
        assert row[8:].sum() == len(problems[p])


def test_a_hard_margin_in_a_batch_has_a_finite_primal_M15():
    index = np.arange(40)
    problems = DualProblems.of([svc(y[index], np.inf)], [index], "classification")
    found = batch(RBF(0.3)(X), problems, 1e-3)[0]
    assert found.converged
    assert 0.0 <= found.relative_gap < 1e-2
    exact = solve(StoredGram.of(RBF(0.3)(X)).sub(index), problems[0], tol=1e-8)
    assert exact.primal - 1e-9 <= found.primal
    assert found.dual <= exact.dual + 1e-9


def test_problems_on_the_same_items_share_them_and_start_where_they_are_told():
    index = np.arange(5, 95)
    first = svc(y[index], 1.0)
    once = batch(K, DualProblems.of([first], [index], "classification"), 1e-6)[0]
    assert once.converged
    problems = DualProblems.of([first, first, svc(y[index], 3.0)], [index] * 3, "classification")
    found = DualSolutions.at_start(problems)
    for p in (1, 2):
        found.coef[problems.span(p)] = once.coef
    solve_batch(K, problems.index, found, range(3), 1e-4)
    cold, warm, wider = (found[p] for p in range(3))
    assert warm.n_iter == 0  # it started at the solution
    assert cold.n_iter > 0
    assert_allclose(wider.dual, solve(StoredGram.of(K).sub(index), svc(y[index], 3.0), tol=1e-4).dual, rtol=1e-5)


def test_what_has_no_solution_or_asks_too_much_is_left_to_decomposition_M15():
    index, mixed = np.arange(40), np.tile([1.0, -1.0], 20)
    twins = np.ones((40, 40))  # one point with both labels: no hard margin
    kinds = svc(mixed, np.inf), svc(y[:40], 1.0)
    hopeless, possible = (DualProblems.of([problem], [index], "classification") for problem in kinds)
    sharp = 1e-13  # below what single precision can say
    for G, problems, tol in ((twins, hopeless, 1e-3), (K, possible, sharp)):
        found = batch(G, problems, tol)
        assert found.open == [0]
        assert_array_equal(found.coef, problems.joined.start)
    assert batch(K, possible, 1e-3).converged
    assert solve_all(StoredGram.of(twins), hopeless, Limits(1e-3)).reason == ["unbounded"]
    assert solve_all(StoredGram.of(K), possible, Limits(sharp))[0].violation < 1e-9


def test_only_problems_of_one_group_with_a_bias_fit_native_loops():
    index = np.arange(120)
    for problem in (svc(y, 1.0), one_class(120, 0.3), svr(y, 1.0, 0.1)):
        assert problem.fits_native_loops
        assert DualProblems.of([problem], [index], "classification").joined.fits_native_loops
    for problem in (nu_svc(y, 0.3), svc(y, 1.0, bias=False), svc(y, 1.0, squared=True)):
        assert not problem.fits_native_loops
        assert not DualProblems.of([problem], [index], "classification").joined.fits_native_loops


@pytest.mark.parametrize("dtype", [np.int64, np.float16, bool])
def test_grams_of_other_types_are_converted(dtype):
    G = native_gram(np.eye(3, dtype=dtype))
    assert G.dtype == np.float64
    assert_array_equal(G, np.eye(3))


def test_a_gram_in_columns_is_solved_like_one_in_rows():
    problems = some_problems("svc")
    assert_array_equal(batch(np.asfortranarray(K), problems, 1e-4).coef, batch(K, problems, 1e-4).coef)


def test_the_best_multiples_of_many_problems_are_those_of_each_by_itself_M16():
    """A large C on separable classes leaves a gap that only a multiple of f closes; all pairs are done at once."""
    X = rng.normal(size=(60, 3)) + 4.0 * np.repeat(np.eye(3), 20, axis=0)
    pairs = [(a, b) for a in range(3) for b in range(a)]
    places = [np.r_[20 * a : 20 * a + 20, 20 * b : 20 * b + 20] for a, b in pairs]
    problems = DualProblems.of([svc(np.repeat([1.0, -1.0], 20), 1e5) for _ in pairs], places, "classification")
    found = solve_all(StoredGram.of(X @ X.T), problems, Limits(1e-3))
    for p in range(3):
        s = problems.span(p)
        offsets = np.full(40, found.proofs[p, BIAS])
        one = objectives(found.coef[s], found.gradient[s], problems[p], offsets, multiples=True)
        assert_allclose(found.proofs[p, PRIMAL], one[0], rtol=1e-6)
        assert one[0] - one[1] <= 1e-2 * one[0]
