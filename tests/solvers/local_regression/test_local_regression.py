"""Local least squares: three ways to its sums, exact leave-one-out, slopes of criteria (S12, S15)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mercer.solvers.local_regression import (
    CRITERIA,
    LocalProblem,
    Places,
    Width,
    best_width,
    criterion,
    local_fit,
    prove,
    smoother_rows,
)
from mercer.solvers.local_regression.problem import solved
from mercer.solvers.local_regression.rows import row_sums
from mercer.windows import NAMES

WINDOWS = ["gaussian", "epanechnikov", "tricube", "boxcar", "triweight", "cosine", "exponential"]
windows = st.sampled_from(WINDOWS)


def problem(window="gaussian", degree=1, n=40, d=1, c=0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (n, d))
    codes = rng.integers(0, 3, (n, c)).astype(float)
    Y = np.stack([np.sin(3.0 * X.sum(axis=1)) + codes.sum(axis=1), X[:, 0] ** 2], axis=1)
    return LocalProblem(X, codes, (3, 0)[:c], Y, rng.uniform(0.5, 2.0, n), NAMES[window], degree)


def plain(p, width, z, code):
    """The fit at one place by weighted least squares, with loops."""
    k = p.w.copy()
    for i in range(len(p)):
        for j in range(p.X.shape[1]):
            k[i] *= p.window.profile(abs(p.X[i, j] - z[j]) / width.h[j])
        for j, levels in enumerate(p.levels):
            apart = abs(p.codes[i, j] - code[j])
            same = 1.0 - width.rates[j] if apart == 0.0 else width.rates[j] / max(levels - 1, 1)
            k[i] *= same if levels else width.rates[j] ** apart
    U = p.X - z
    columns = [np.ones(len(p))] + [U[:, j] for j in range(U.shape[1]) if p.degree]
    columns += [U[:, i] * U[:, j] for i in range(U.shape[1]) for j in range(i, U.shape[1]) if p.degree == 2]
    s = np.sqrt(k)[:, None]
    return np.linalg.lstsq(s * np.stack(columns, axis=1), s * p.Y, rcond=None)[0][0]


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize(("d", "c"), [(1, 0), (2, 0), (1, 2)])
def test_fits_are_weighted_least_squares_at_every_place_S15(window, degree, d, c, monkeypatch):
    monkeypatch.setattr("mercer.solvers.local_regression.problem.FEW_PAIRS", 0)  # tiles, not rows
    p = problem(window, degree, 30, d, c)
    width = Width(np.full(d, 1.3), np.array([0.3, 0.4][:c]))
    Z, codes = np.array([[0.1, -0.3], [0.5, 0.2], [-0.7, 0.6]])[:, :d], np.array([[0.0, 1], [2, 0], [1, 2]])[:, :c]
    found = local_fit(p, width, Places(Z, codes))
    assert not found.dropped.any()
    assert_allclose(found.values, [plain(p, width, z, code) for z, code in zip(Z, codes, strict=True)], atol=1e-8)


@settings(max_examples=25)
@given(window=windows, degree=st.sampled_from([0, 1, 2]), d=st.sampled_from([1, 2]), h=st.sampled_from([0.3, 0.9, 4.0]),
       seed=st.integers(0, 99))  # fmt: skip
def test_sums_on_a_line_and_in_tiles_are_those_of_all_points_S15(window, degree, d, h, seed):
    p, width = problem(window, degree, 150, d, seed=seed), Width(np.full(d, h), np.empty(0))
    for places in (p.own, p.others):
        found = local_fit(p, width, places, gradient=True, variance=True)
        parts = [solved(sums) for _, sums in row_sums(p, width, places, True, True)]
        sound = ~found.dropped & ~found.empty & (found.spread < 20.0)
        for name, axis in (("values", 0), ("slopes", 1), ("spread", 0)):
            expected = np.concatenate([getattr(part, name) for part in parts], axis=axis)
            mine = getattr(found, name)
            assert_allclose(np.compress(sound, mine, axis), np.compress(sound, expected, axis), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize(("d", "c", "neighbours"), [(1, 0, None), (2, 0, None), (1, 2, None), (1, 0, 9), (2, 0, 12)])
def test_leave_one_out_equals_refits_S9(window, d, c, neighbours):
    p = problem(window, 1, 25, d, c)
    width = Width(np.full(d, 1.0), np.array([0.3, 0.4][:c]), neighbours)
    found = local_fit(p, width, p.others)
    for i in range(0, 25, 4):
        rest = np.delete(np.arange(25), i)
        less = LocalProblem(p.X[rest], p.codes[rest], p.levels, p.Y[rest], p.w[rest], p.window, 1)
        again = local_fit(less, width, Places(p.X[[i]], p.codes[[i]]))
        if not found.dropped[i]:
            assert_allclose(found.values[i], again.values[0], atol=1e-7)


@pytest.mark.parametrize("kind", CRITERIA)
@pytest.mark.parametrize("window", ["gaussian", "tricube", "exponential"])
def test_slopes_of_criteria_are_those_of_differences(kind, window):
    p = problem(window, 1, 50, 2, 2)
    theta, step = np.array([np.log(0.8), np.log(1.1), 0.3, 0.4]), 1e-5

    def at(theta):
        return criterion(p, Width(np.exp(theta[:2]), theta[2:]), kind)

    slopes = at(theta)[1]
    for j, one in enumerate(np.eye(4) * step):
        assert_allclose(slopes[j], (at(theta + one)[0] - at(theta - one)[0]) / (2 * step), rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("kind", CRITERIA)
def test_the_bandwidth_found_is_the_best_of_a_fine_grid_S9(kind):
    p = problem("gaussian", 1, 120)
    p.Y[:] += 0.2 * np.random.default_rng(1).normal(size=p.Y.shape)
    found, search = best_width(p, Width(np.array([0.3]), np.empty(0)), kind)
    grid = [criterion(p, Width(np.array([h]), np.empty(0)), kind)[0] for h in np.geomspace(0.01, 20.0, 200)]
    assert search.converged
    assert search.value <= min(grid) + 1e-12
    assert found.h[0] > 0.0


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_weights_sum_to_one_reproduce_the_fit_and_give_its_trace_S15(degree):
    p, width = problem("epanechnikov", degree), Width(np.array([0.8]), np.empty(0))
    L = smoother_rows(p, width, p.own)
    fit = local_fit(p, width, p.own, variance=True)
    assert_allclose(L.sum(axis=1), 1.0, atol=1e-10)
    assert_allclose(L @ p.Y, fit.values, atol=1e-9)
    assert_allclose(np.diag(L), p.w * fit.own, atol=1e-10)
    assert_allclose((L**2 / p.w).sum(axis=1), fit.spread, atol=1e-10)
    assert prove(p, width, p.own, fit.values).converged
    assert not prove(p, width, p.own, fit.values + 1e-3).converged


def test_places_without_points_are_empty_and_singular_designs_leave_terms_out_S15():
    X = np.array([[0.0], [0.0], [5.0], [5.1], [5.2]])
    p = LocalProblem(X, np.empty((5, 0)), (), np.array([[1.0], [3], [5], [5.1], [5.2]]), np.ones(5),
                     NAMES["epanechnikov"], 1)  # fmt: skip
    found = local_fit(p, Width(np.array([0.5]), np.empty(0)), Places(np.array([[0.1], [2.0], [5.1]]), np.empty((3, 0))))
    assert found.empty.tolist() == [False, True, False]
    assert found.dropped.tolist() == [True, False, False]
    assert_allclose(found.values[[0, 2], 0], [2.0, 5.1])
    assert np.isnan(found.values[1, 0])


def test_far_from_all_points_a_gaussian_sees_the_nearest_S12():
    p = problem("gaussian", 0)
    found = local_fit(p, Width(np.array([0.01]), np.empty(0)), Places(np.array([[90.0], [-70.0]]), np.empty((2, 0))))
    assert_allclose(found.values, p.Y[[np.argmax(p.X[:, 0]), np.argmin(p.X[:, 0])]])
