"""Leave-one-out scores of bandwidths, and the rules that optimise them (S9)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.neighbors import KernelDensity

from mercer.solvers.bandwidth import best_of, leave_one_out_densities, leave_one_out_likelihoods, select_bandwidth
from mercer.solvers.bandwidth.lscv import Criterion, binned_pairs, exact_pairs
from mercer.testing.reference import bandwidths as reference
from mercer.windows import Boxcar, Epanechnikov, Exponential

rng = np.random.default_rng(5)
X = rng.normal(size=(40, 2))
WIDTHS = [0.05, 0.3, 0.9, 4.0]


@pytest.mark.parametrize(
    ("name", "window"),
    [("gaussian", None), ("epanechnikov", Epanechnikov()), ("tophat", Boxcar()), ("exponential", Exponential())],
    ids=["gaussian", "epanechnikov", "boxcar", "exponential"],
)
def test_S9_equals_n_refits(name, window):
    found = leave_one_out_densities(X, WIDTHS, window=window)
    for h, row in zip(WIDTHS, found, strict=True):
        rival = KernelDensity(kernel=name, bandwidth=h)
        refits = [rival.fit(np.delete(X, i, 0)).score_samples(X[[i]])[0] for i in range(40)]
        assert_allclose(row, refits, rtol=1e-9)


def test_S9_equals_plain_loops_and_many_bandwidths_share_exponentials():
    ladder = 0.2 * 2.0 ** (np.arange(12) / 4.0)  # two chains of squares
    found = leave_one_out_densities(X, ladder)
    assert_allclose(found, [reference.leave_one_out(X.tolist(), h) for h in ladder], rtol=1e-9, atol=1e-10)


def test_S9_far_rows_have_finite_logarithms():
    far = np.vstack([X, [[1e3, 0.0]]])
    found = leave_one_out_densities(far, [1e-3])
    assert np.isfinite(found).all()
    nearest = ((far[:-1] - far[-1]) ** 2).sum(axis=1).min()
    assert_allclose(found[0, -1], -nearest / 2e-6, rtol=1e-6)


def test_S9_weights_of_leave_one_out():
    w = rng.uniform(size=40)
    found = leave_one_out_densities(X, [0.5], w)[0]
    for i in (0, 17):
        rest, others = np.delete(X, i, 0), np.delete(w, i)
        assert_allclose(found[i], KernelDensity(bandwidth=0.5).fit(rest, sample_weight=others).score_samples(X[[i]])[0])
    assert_allclose(leave_one_out_likelihoods(X, [0.5], w)[0], 40.0 * np.average(found, weights=w))


def test_S9_isolated_rows_under_a_compact_window():
    far = np.vstack([X, [[50.0, 0.0]]])
    scores = leave_one_out_likelihoods(far, [1.0, 100.0], window=Epanechnikov())
    assert scores[0] == -np.inf
    assert np.isfinite(scores[1])
    assert best_of(far, [1.0, 100.0], window=Epanechnikov()) == 100.0
    with pytest.raises(ValueError, match="large enough"):
        best_of(far, [1.0, 2.0], window=Epanechnikov())


@pytest.mark.parametrize("bad", [[], [0.0], [-1.0], [np.nan], [[1.0]]])
def test_S9_bandwidths_that_are_none(bad):
    with pytest.raises(ValueError, match="positive numbers"):
        leave_one_out_densities(X, bad)


def test_S9_one_row_cannot_be_left_out():
    with pytest.raises(ValueError, match="two rows"):
        leave_one_out_densities(X[:1], [1.0])


def test_S9_optimum_is_interior_and_a_maximum():
    sigma = X.std(axis=0, ddof=1)
    h = select_bandwidth("lcv", X) / sigma
    assert_allclose(h, h[0])
    around = leave_one_out_likelihoods(X / sigma, h[0] * np.array([0.2, 0.9, 0.999, 1.0, 1.001, 1.1, 5.0]))
    assert np.argmax(around) == 3
    assert best_of(X / sigma, [0.01, h[0], 9.0]) == h[0]


@pytest.mark.parametrize("D", [1, 2, 3])
def test_S9_least_squares_minimises_its_criterion(D):
    Z = np.random.default_rng(D).normal(size=(30, D))
    sigma = Z.std(axis=0, ddof=1)
    h = float((select_bandwidth("lscv", Z) / sigma)[0])
    values = [reference.squared_error((Z / sigma).tolist(), h * part) for part in (0.98, 1.0, 1.02)]
    assert np.argmin(values) == 1


@pytest.mark.parametrize("equal", [True, False])
def test_S9_criterion_on_a_grid_and_on_pairs(equal):
    x = rng.normal(size=300)
    w = np.full(300, 1.0 / 300) if equal else rng.dirichlet(np.ones(300))
    rates = 0.5 / np.array([0.1, 0.3, 1.0]) ** 2
    exact, grid = Criterion(exact_pairs(x[None], w), 1, w), Criterion(binned_pairs(x - x.min(), w, 2**14), 1, w)
    assert_allclose(grid.values(rates), exact.values(rates), rtol=1e-4)
    if equal:
        assert_allclose(exact.values(rates), [reference.squared_error(x[:, None].tolist(), h) for h in (0.1, 0.3, 1.0)])
    for u in (-2.0, 0.0):
        step = 1e-5
        ends = exact.values(0.5 * np.exp(-2.0 * np.array([u - step, u + step])))
        assert_allclose(exact.slope(u), (ends[1] - ends[0]) / (2.0 * step) * np.exp(u), rtol=1e-6)


def test_S9_many_rows_are_drawn_and_the_bandwidth_is_reduced(monkeypatch):
    Z = np.random.default_rng(0).normal(size=(1500, 2))
    full = select_bandwidth("lcv", Z)
    monkeypatch.setattr("mercer.solvers.bandwidth.lcv.MOST", 500)
    assert_allclose(select_bandwidth("lcv", Z), full, rtol=0.15)
