"""SMO as the textbooks have it: the laws of M17, the trace of E20, and the edges of M15 and M16."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from tests.solvers.machines import C as BOUNDS
from tests.solvers.machines import K, n, y

from mercer.gram import StoredGram
from mercer.solvers.dual import solve, svc
from mercer.solvers.smo import _can_rise_and_fall, _move, bias_of, objectives, smo
from mercer.testing.quadratic_program import solve_qp
from mercer.testing.svm_programs import svc_dual

bounds = pytest.mark.parametrize("C", [0.01, 2.0, 100.0, np.inf, BOUNDS], ids=["0.01", "2", "100", "hard", "each"])


def steps(C, count):
    """alpha after 0, 1, 2, ... steps, fewer when it converges before."""
    count = min(count, smo(K, y, C, max_iter=count).n_iter + 1)
    assert count > 10
    return [smo(K, y, C, max_iter=k).alpha for k in range(count)]


@bounds
def test_the_equality_and_the_box_hold_after_every_step_M17(C):
    for alpha in steps(C, 40):
        assert_allclose(alpha @ y, 0.0, atol=1e-12 * max(1.0, alpha.max()))
        assert (alpha >= 0.0).all()
        assert (alpha <= C).all()


@bounds
def test_every_step_raises_the_dual_M17_E20(C):
    dual = np.array([d for _, d in smo(K, y, C).trace])
    assert (np.diff(dual) >= -1e-12 * np.abs(dual[:-1])).all()
    assert (np.diff(dual)[: len(dual) // 2] > 0.0).all()


@pytest.mark.parametrize("C", [0.01, 2.0, 100.0, BOUNDS], ids=["0.01", "2", "100", "each"])
def test_the_best_primal_falls_until_the_gap_is_closed_E20(C):
    found = smo(K, y, C, tol=1e-8)
    primal, dual = np.array(found.trace).T
    best = np.minimum.accumulate(primal)
    assert (primal >= dual - 1e-9 * np.abs(dual)).all()  # weak duality on the way (T17)
    assert best[0] > best[len(best) // 2] > best[-1]
    assert_allclose(best[-1], dual[-1], rtol=1e-7)
    assert_allclose([found.primal, found.dual], [primal[-1], dual[-1]])


@bounds
def test_two_coefficients_move_by_the_formula_of_the_book_M17(C):
    """E = f - y, eta = K_ii + K_jj - 2 K_ij, a_j' = clip(a_j + y_j (E_i - E_j) / eta, L, H), y_i a_i follows."""
    C = np.broadcast_to(C, n)
    before = np.zeros(n)
    for after in steps(C, 30)[1:]:
        i, j = np.flatnonzero(before != after)
        E = K @ (before * y) - y
        eta = K[i, i] + K[j, j] - 2.0 * K[i, j]
        if y[i] != y[j]:
            L, H = max(0.0, before[j] - before[i]), min(C[j], C[i] + before[j] - before[i])
        else:
            L, H = max(0.0, before[i] + before[j] - C[i]), min(C[j], before[i] + before[j])
        expected = np.clip(before[j] + y[j] * (E[i] - E[j]) / eta, L, H)
        assert_allclose(after[j], expected, atol=1e-10)
        assert_allclose(after[i], before[i] + y[i] * y[j] * (before[j] - after[j]), atol=1e-10)
        before = after


@bounds
def test_it_moves_the_worst_violator_and_the_largest_difference_of_errors_M17(C):
    C = np.broadcast_to(C, n)
    before = np.zeros(n)
    for after in steps(C, 30)[1:]:
        moved = set(np.flatnonzero(before != after))
        E = K @ (before * y) - y
        rise = np.where(y > 0, before < C, before > 0.0)
        fall = np.where(y > 0, before > 0.0, before < C)
        first, second = np.argmin(np.where(rise, E, np.inf)), np.argmax(np.where(fall, E, -np.inf))
        assert moved == {first, second}
        before = after


@bounds
def test_it_ends_at_the_optimum_of_the_quadratic_program_M17(C):
    found, reference = smo(K, y, C, tol=1e-9), solve_qp(svc_dual(K, y, C))
    assert found.converged
    assert_allclose(found.dual, -reference.primal, rtol=1e-7)
    assert_allclose(found.alpha, reference.x, atol=1e-4 * max(1.0, reference.x.max()))


@bounds
def test_the_fast_engine_is_its_twin_M17(C):
    slow, fast = smo(K, y, C, tol=1e-9), solve(StoredGram(K), svc(y, C), tol=1e-9)
    assert_allclose(fast.dual, slow.dual, rtol=1e-9)
    assert_allclose(y * fast.coef, slow.alpha, atol=1e-5 * max(1.0, slow.alpha.max()))
    assert_allclose(fast.bias, slow.bias, atol=1e-6)


def test_the_heuristics_need_far_fewer_steps_than_random_pairs_M17():
    def random_steps(seed, tol):
        """Steps to the same tolerance when any violating pair may move."""
        rng = np.random.default_rng(seed)
        alpha, F, C = np.zeros(n), -y.copy(), np.full(n, 10.0)
        for step in range(200_000):
            rise, fall = _can_rise_and_fall(alpha, y, C)
            if F[fall].max() - F[rise].min() <= tol:
                return step
            i, j = rng.choice(np.flatnonzero(rise)), rng.choice(np.flatnonzero(fall))
            if F[j] - F[i] > 0.0:
                _move(K, alpha, F, y, C, i, j)
        return np.inf

    chosen = smo(K, y, 10.0, tol=1e-2).n_iter
    assert 3 * chosen < np.median([random_steps(seed, 1e-2) for seed in range(3)])


@given(st.integers(0, 10_000), st.sampled_from([0.1, 1.0, 30.0]))
@settings(max_examples=25)
def test_random_problems_end_with_a_closed_gap_T18(seed, C):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(12, rng.integers(2, 6)))
    labels = np.where(rng.random(12) < 0.4, 1.0, -1.0)
    found = smo(A @ A.T, labels, C, tol=1e-8)
    assert found.converged
    assert -1e-9 <= found.gap <= 1e-5 * max(1.0, C)
    assert_allclose(found.alpha @ labels, 0.0, atol=1e-10 * C)


# ---- edges


def test_duplicates_have_no_curvature_and_go_to_an_end_M17():
    """eta = 0 between equal points of opposite classes: the step ends at the bound."""
    twice, labels = np.ones((2, 2)), np.array([1.0, -1.0])
    found = smo(twice, labels, 3.0)
    assert found.converged
    assert_allclose(found.alpha, 3.0)
    assert_allclose([found.primal, found.dual], 6.0)


def test_an_indefinite_kernel_goes_to_an_end_too_M17():
    indefinite = np.array([[0.0, 2.0], [2.0, 0.0]])  # eta = -4
    found = smo(indefinite, np.array([1.0, -1.0]), 3.0)
    assert found.converged
    assert_allclose(found.alpha, 3.0)


def test_inseparable_classes_have_no_hard_margin_M15():
    with pytest.raises(ValueError, match="cannot be separated"):
        smo(np.ones((2, 2)), np.array([1.0, -1.0]), np.inf)


def test_the_cap_on_steps_is_kept_and_told_M17():
    found = smo(K, y, 2.0, max_iter=5)
    assert found.n_iter == 5
    assert len(found.trace) == 6
    assert not found.converged
    assert found.reason == "max_iter"
    assert found.gap > 0.0


def test_one_class_alone_has_nothing_to_move_I5():
    found = smo(K, np.ones(n), 2.0)
    assert found.converged
    assert found.n_iter == 0
    assert (found.alpha == 0.0).all()


def test_without_free_support_vectors_the_bias_is_the_middle_M16():
    """Two points at their bound: any bias with y f <= 1 at both will do, and the middle is 0 by symmetry."""
    x = np.array([-1.0, 1.0])
    G, labels = np.outer(x, x), np.array([-1.0, 1.0])
    found = smo(G, labels, 0.1)
    assert_allclose(found.alpha, 0.1)
    assert_allclose(found.bias, 0.0, atol=1e-12)
    shifted = bias_of(found.alpha, G @ (found.alpha * labels) - labels + 0.25, labels, np.full(2, 0.1))
    assert_allclose(shifted, -0.25)


def test_the_objectives_are_those_of_the_book_M16():
    rng = np.random.default_rng(0)
    C = np.full(n, 2.0)
    a = np.minimum(rng.uniform(0.0, 1.0, n), 2.0)
    a[y > 0] *= a[y < 0].sum() / a[y > 0].sum() if a[y > 0].sum() > a[y < 0].sum() else 1.0
    a[y < 0] *= a[y > 0].sum() / a[y < 0].sum()
    F = K @ (a * y) - y
    primal, dual = objectives(a, F, y, C)
    norm2 = (a * y) @ K @ (a * y)
    hinge = np.maximum(0.0, 1.0 - y * (K @ (a * y) + bias_of(a, F, y, C)))
    assert_allclose(dual, a.sum() - 0.5 * norm2)
    assert_allclose(primal, 0.5 * norm2 + 2.0 * hinge.sum())
