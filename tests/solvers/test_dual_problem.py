"""Every problem of the dual engine is the quadratic program of the book (M15-M19, M26-M29, T34)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.solvers.machines import MACHINES, C, K, n, t, y

from mercer.gram import StoredGram
from mercer.solvers.dual import nu_svc, nu_svr, one_class, solve, svc, svr
from mercer.testing.quadratic_program import solve_qp
from mercer.testing.svm_programs import svc_primal, svr_primal

machines = pytest.mark.parametrize("name", MACHINES)


def solved(machine, tol=1e-7):
    index = np.tile(np.arange(n), len(machine.problem) // n)
    return solve(StoredGram(machine.K).sub(index), machine.problem, tol=tol)


@machines
def test_the_optimum_is_that_of_the_quadratic_program(name):
    machine = MACHINES[name]
    ours, theirs = solved(machine), solve_qp(machine.qp)
    assert ours.converged
    assert theirs.converged
    assert_allclose(-ours.dual, machine.scale**2 * theirs.primal, rtol=1e-6)
    assert_allclose(ours.primal, ours.dual, rtol=1e-6)
    f, g = (machine.K @ beta for beta in (machine.folded(ours.coef), machine.scale * machine.coefficients(theirs.x)))
    assert_allclose(f, g, atol=1e-5 * machine.scale)


@machines
def test_the_bias_and_the_margin_are_multipliers_of_the_quadratic_program(name):
    machine = MACHINES[name]
    ours, theirs = solved(machine), solve_qp(machine.qp)
    if machine.problem.bias:
        assert_allclose(ours.bias, machine.scale * theirs.equality[0], atol=1e-4)
    else:
        assert ours.bias == 0.0
    if machine.problem.second is not None:
        assert_allclose(ours.margin, machine.scale * theirs.inequality[-1], atol=1e-4)


@machines
def test_it_starts_from_a_feasible_point(name):
    p, optimum = MACHINES[name].problem, solved(MACHINES[name]).coef
    assert ((p.lo <= p.start) & (p.start <= p.hi)).all()
    if p.bias:
        for group in [slice(None)] if p.second is None else [p.second, ~p.second]:
            assert_allclose(optimum[group].sum(), p.start[group].sum(), atol=1e-9)


@machines
def test_a_part_of_the_problem_keeps_every_number_of_its_variables(name):
    p = MACHINES[name].problem
    index = np.array([5, 1, 17])
    part = p.take(index)
    assert len(part) == 3
    assert part.epsilon == p.epsilon
    assert part.bias == p.bias
    for field in ("z", "lo", "hi", "start"):
        assert_allclose(getattr(part, field), getattr(p, field)[index])
    assert_allclose(part.ridge_times(np.ones(3)), np.broadcast_to(p.ridge_times(np.ones(len(p))), len(p))[index])
    assert part.second is None or (part.second == p.second[index]).all()


def test_the_dual_has_a_variable_per_sample_and_the_primal_those_of_the_book_T34():
    assert len(svc(y, 1.0)) == len(svr(t, 1.0, 0.1)) == len(one_class(n, 0.5)) == len(nu_svc(y, 0.3)) == n
    assert len(nu_svr(t, 0.3, 1.0)) == 2 * n
    D = 4
    assert svc_primal(np.ones((n, D)), y, 1.0).n_variables == n + D + 1
    assert svc_primal(np.ones((n, D)), y, 1.0).n_constraints == 2 * n
    assert svr_primal(np.ones((n, D)), t, 1.0, 0.1).n_variables == 2 * n + D + 1


def test_signed_coefficients_stay_in_their_boxes_T23():
    b = solved(MACHINES["svr, a C for each"]).coef
    assert (np.abs(b) <= C).all()
    assert (np.abs(b) == C).any()
    a = y * solved(MACHINES["svc, a C for each"]).coef
    assert ((a >= 0.0) & (a <= C)).all()
    assert (a == C).any()


def test_weights_are_copies_of_samples_M16():
    """A sample of weight 2 is a sample listed twice, for every machine that takes weights."""
    copies = np.random.default_rng(0).integers(1, 4, n)
    index = np.repeat(np.arange(n), copies)
    w, gram = copies.astype(float), StoredGram(K)
    pairs = [
        (svc(y, 2.0 * w), svc(y[index], 2.0)),
        (svr(t, 2.0 * w, 0.1), svr(t[index], 2.0, 0.1)),
        (one_class(n, 0.3, w), one_class(len(index), 0.3)),
        (nu_svc(y, 0.3, w), nu_svc(y[index], 0.3)),
    ]
    for weighted, listed in pairs:
        one, many = solve(gram, weighted, tol=1e-7), solve(gram.sub(index), listed, tol=1e-7)
        assert_allclose(one.dual, many.dual, rtol=1e-6)
        assert_allclose(K @ one.coef, K[:, index] @ many.coef, atol=1e-4)


def test_a_sample_of_weight_zero_is_not_there_M16():
    w = np.where(np.arange(n) % 5 == 0, 0.0, 1.0)
    some = np.flatnonzero(w)
    one, many = (
        solve(StoredGram(K), svc(y, 2.0 * w), tol=1e-7),
        solve(StoredGram(K).sub(some), svc(y[some], 2.0), tol=1e-7),
    )
    assert_allclose(one.dual, many.dual, rtol=1e-6)
    assert_allclose(one.coef[some], many.coef, atol=1e-4)
    assert (one.coef[w == 0.0] == 0.0).all()


def test_nu_beyond_its_limit_is_refused_before_any_work_M19():
    sides = np.repeat([1.0, -1.0], [35, 25])
    limit = 2.0 * 25 / 60
    assert_allclose(limit, 0.8333, atol=5e-5)
    assert_allclose(np.abs(nu_svc(sides, limit).start).sum(), limit * 60)
    with pytest.raises(ValueError, match=r"nu must be at most .* = 0.8333 .*infeasible.*; got 0.84"):
        nu_svc(sides, 0.84)
