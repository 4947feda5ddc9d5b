"""The small QP inside the regularisation path (M23): exact, also where it is degenerate."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.solvers.active_set import bordered, box_qp
from mercer.testing.quadratic_program import QP, solve_qp


def problem(seed, n, rank):
    """Q of the given rank, p in its range, signs y, and a feasible vertex."""
    rng = np.random.default_rng(seed)
    F, y = rng.normal(size=(rank, n)), rng.choice([-1.0, 1.0], n)
    Q = F.T @ F
    return Q, Q @ rng.normal(size=n), y, rng.integers(0, 2, n).astype(float)


@pytest.mark.parametrize("rank", [12, 4, 1])
@pytest.mark.parametrize("seed", range(8))
def test_it_finds_the_optimum_of_the_box(seed, rank):
    Q, p, y, x = problem(seed, 12, rank)
    found = box_qp(Q, p, y, np.zeros(12), np.ones(12), x, np.zeros(12, bool))
    reference = solve_qp(QP(Q, p, np.vstack([-np.eye(12), np.eye(12)]), np.repeat([0.0, 1.0], 12), y[None], [y @ x]))
    assert ((found.x >= 0.0) & (found.x <= 1.0)).all()
    assert_allclose(y @ found.x, y @ x, atol=1e-12)
    assert_allclose(0.5 * found.x @ Q @ found.x + p @ found.x, reference.primal, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_its_multiplier_closes_the_kkt_conditions(seed):
    Q, p, y, x = problem(seed, 12, 12)
    found = box_qp(Q, p, y, np.zeros(12), np.ones(12), x, np.zeros(12, bool))
    slope = Q @ found.x + p + found.multiplier * y
    assert_allclose(slope[found.free], 0.0, atol=1e-10)
    assert (slope[found.x == 0.0] >= -1e-10).all()
    assert (slope[found.x == 1.0] <= 1e-10).all()


def test_one_sided_bounds_give_a_cone():
    """min 1/2 |d|^2 + d_1 + d_2 over d_1 = d_2: d = -1 unless one of them may only rise."""
    Q, p, y, none = np.eye(2), np.ones(2), np.array([1.0, -1.0]), np.full(2, np.inf)
    free = box_qp(Q, p, y, -none, none, np.zeros(2), np.ones(2, bool))
    assert_allclose(free.x, -1.0)
    held = box_qp(Q, p, y, np.array([0.0, -np.inf]), none, np.zeros(2), np.array([False, True]))
    assert_array_equal(held.x, 0.0)


def test_a_vertex_that_is_optimal_is_left_alone():
    found = box_qp(np.eye(2), np.array([-5.0, 5.0]), np.ones(2), np.zeros(2), np.ones(2), np.array([1.0, 0.0]),
                   np.zeros(2, bool))  # fmt: skip
    assert_array_equal(found.x, [1.0, 0.0])
    assert not found.free.any()
    assert np.isnan(found.multiplier)


def test_a_singular_bordered_system_has_its_least_solution():
    x, mu = bordered(np.ones((2, 2)), np.ones(2), np.array([3.0, 3.0]), 2.0)
    assert_allclose(x, 1.0)
    assert_allclose(mu, 1.0)
