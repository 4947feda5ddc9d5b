"""Many small problems in one compiled call are the problems the engine solves one by one (M16, M17)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mercer.compiled.parts import gather
from mercer.gram import StoredGram
from mercer.kernels import RBF
from mercer.solvers.dual import nu_svc, solve, svc, svr
from mercer.solvers.dual.many import Part, solve_parts

rng = np.random.default_rng(0)
X = rng.standard_normal((120, 3))
y = np.sign(X[:, 0] * X[:, 1] + 0.5 * rng.standard_normal(120))
K = RBF(1.5)(X)


def some_parts(problem_of):
    pieces = [np.arange(60), np.sort(rng.permutation(120)[:70]), np.arange(30, 110)]
    return [Part(index, problem_of(y[index])) for index in pieces]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("problem_of", [lambda y: svc(y, 2.0), lambda y: svr(0.3 * y, 1.0, 0.1)], ids=["svc", "svr"])
def test_parts_have_the_solutions_of_the_engine_M16_M26(problem_of, dtype):
    parts = some_parts(problem_of)
    for part, found in zip(parts, solve_parts(K.astype(dtype), parts, tol=1e-4), strict=True):
        alone = solve(StoredGram.of(K).sub(part.index), part.problem, tol=1e-4)
        assert found.converged
        assert_allclose(found.dual, alone.dual, rtol=1e-5)
        assert found.dual <= found.primal
        F = K[np.ix_(part.index, part.index)] @ found.coef - part.problem.z
        assert_allclose(found.gradient, F, atol=1e-12 if dtype == np.float64 else 1e-5)


def test_parts_on_the_same_items_share_them_and_start_where_they_are_told():
    index = np.arange(5, 95)
    first = Part(index, svc(y[index], 1.0))
    (once,) = solve_parts(K, [first], tol=1e-6)
    again = [first, Part(index, first.problem, once.coef), Part(index, svc(y[index], 3.0), once.coef)]
    cold, warm, wider = solve_parts(K, again, tol=1e-4)
    assert warm.n_iter == 0  # it started at the solution
    assert cold.n_iter > 0
    assert_allclose(wider.dual, solve(StoredGram.of(K).sub(index), svc(y[index], 3.0), tol=1e-4).dual, rtol=1e-5)


def test_what_has_no_solution_or_asks_too_much_is_left_to_the_engine_M15():
    index, mixed = np.arange(40), np.tile([1.0, -1.0], 20)
    twins = np.ones((40, 40))  # one point with both labels: no hard margin
    possible = Part(index, svc(y[index], 1.0))
    assert solve_parts(twins, [Part(index, svc(mixed, np.inf))], tol=1e-3) == [None]
    assert solve_parts(K, [possible], tol=1e-13) == [None]  # below what single precision can say
    assert solve_parts(K, [possible], tol=1e-3)[0].converged


def test_only_problems_of_one_group_with_a_bias_are_plain():
    index = np.arange(120)
    assert Part(index, svc(y, 1.0)).plain
    for problem in (nu_svc(y, 0.3), svc(y, 1.0, bias=False), svc(y, 1.0, squared=True)):
        assert not Part(index, problem).plain


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 19), max_size=30), st.lists(st.integers(0, 19), max_size=30))
def test_gathering_is_indexing(rows, columns):
    rows, columns = np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp)
    M, out = np.arange(400.0).reshape(20, 20), np.empty((len(rows), len(columns)), dtype=np.float32)
    gather(M, rows, columns, out)
    assert_array_equal(out, M[np.ix_(rows, columns)])
