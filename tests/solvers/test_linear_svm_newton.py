"""The Newton system of a linear machine, solved by rows, by columns and by conjugate gradients."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from mercer.solvers.linear_svm_newton import by_columns, by_products, by_rows, newton_step


def system(m, d, delta, seed=0):
    """Z, s, delta, gw, gr and the exact solution."""
    rng = np.random.default_rng(seed)
    Z, s, g = rng.normal(size=(m, d)), rng.uniform(0.5, 2.0, m), rng.normal(size=d + 1)
    A = np.column_stack([Z, s])
    H = A.T @ A + np.diag(np.append(np.ones(d), delta))
    return (Z, s, delta, g[:d], float(g[d])), -np.linalg.solve(H, g)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(("m", "d"), [(3, 9), (9, 3), (5, 5), (0, 4)])
def test_both_direct_ways_solve_the_system(m, d, sparse):
    (Z, *rest), exact = system(m, d, 0.3)
    for way in (by_rows, by_columns):
        dw, dr = way(csr_array(Z) if sparse else Z, *rest)
        assert_allclose(np.append(dw, dr), exact, rtol=1e-9)


def test_by_products_reach_a_twentieth_of_the_gradient():
    (Z, s, delta, gw, gr), exact = system(30, 20, 0.3)
    dw, dr, products = by_products(Z, s, delta, gw, gr)
    A = np.column_stack([Z, s])
    H = A.T @ A + np.diag(np.append(np.ones(20), delta))
    scale = np.sqrt(np.diag(H))
    left = (H @ np.append(dw, dr) + np.append(gw, gr)) / scale
    assert np.linalg.norm(left) <= 0.05 * np.linalg.norm(np.append(gw, gr) / scale)
    assert 0 < products <= 2 * 21
    assert np.append(gw, gr) @ np.append(dw, dr) < 0.0  # a way down
    assert_allclose(np.append(dw, dr), exact, atol=0.2 * np.abs(exact).max())


def test_a_step_without_curvature_in_the_intercept_leaves_it_alone():
    (Z, s, _, gw, _), _ = system(6, 4, 1.0)
    for way in (by_rows, by_columns):
        dw, dr = way(Z, 0.0 * s, 1.0, gw, 0.0)
        assert dr == 0.0
        assert_allclose(dw, -np.linalg.solve(np.eye(4) + Z.T @ Z, gw), rtol=1e-9)


def test_rounding_cannot_break_the_factorisation():
    """Ten equal rows of size 1e8: I + ZZ' is numerically singular, the step is still one down."""
    Z, s, g = np.full((10, 12), 1e8), np.ones(10), np.linspace(-1.0, 1.0, 12)
    dw, dr, _ = newton_step(Z, s, 1e-9, g, 0.5)
    assert np.isfinite(dw).all()
    assert g @ dw + 0.5 * dr < 0.0


def test_the_cheapest_way_is_taken():
    uses = [newton_step(*system(m, d, 0.3)[0])[2] for m, d in [(9, 3), (3, 200), (3, 9)]]
    assert uses == [3, 3, 9]


def test_columns_of_unlike_size_do_not_hurt_each_other():
    """Scaling a column scales its entry of the step, although 1e9 lies between the largest and the smallest."""
    (Z, s, delta, gw, gr), _ = system(3, 4, 0.3)
    scale = np.array([1e6, 1.0, 1e-3, 1.0])
    A = np.column_stack([Z * scale, s])
    dw, dr, _ = newton_step(Z * scale, s, delta, gw * scale, gr)
    H = A.T @ A + np.diag([1.0, 1.0, 1.0, 1.0, delta])
    left = (H @ np.append(dw, dr) + np.append(gw * scale, gr)) / np.append(scale, 1.0)
    assert np.abs(left).max() < 1e-4
