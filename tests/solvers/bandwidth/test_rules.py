"""Bandwidth rules: closed forms, definitions as plain loops, equivariance, weights, and what is refused (S13, S14)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar
from scipy.stats import gaussian_kde

from mercer.solvers.bandwidth import RULES, common_bandwidth, select_bandwidth
from mercer.solvers.bandwidth.sample import Sample
from mercer.solvers.bandwidth.scale import NORMAL_MAD, median, robust_deviation
from mercer.testing.reference.bandwidths import sheather_jones
from mercer.windows import Epanechnikov, Gaussian, TriCube

rules = pytest.mark.parametrize("rule", RULES)
rng = np.random.default_rng(7)
X1, X3 = rng.gamma(3.0, size=(80, 1)), rng.normal(size=(60, 3)) * (1.0, 5.0, 0.2) + (0.0, 9.0, -4.0)


def test_S13_constants_of_the_normal_reference():
    x = np.arange(100.0)
    x = (x - x.mean()) / x.std(ddof=1)
    assert_allclose(select_bandwidth("silverman", x), 0.4216846063, rtol=1e-9)
    assert_allclose(select_bandwidth("silverman", x) * 100**0.2, 1.0592238410, rtol=1e-9)


def test_S13_minimises_the_asymptotic_error_for_normal_data():
    n = 500
    x = rng.normal(size=n)
    sigma = x.std(ddof=1)
    roughness = 3.0 / (8.0 * np.sqrt(np.pi) * sigma**5)  # of the second derivative of a normal density

    def amise(log_h):
        h = np.exp(log_h)
        return 1.0 / (2.0 * np.sqrt(np.pi) * n * h) + h**4 * roughness / 4.0

    best = np.exp(minimize_scalar(amise, (-3.0, 0.0), tol=1e-12).x)
    assert_allclose(select_bandwidth("silverman", x), best, rtol=1e-5)


def test_S13_scott_and_silverman_are_those_of_scipy():
    kde = gaussian_kde(X3.T)
    sigma = X3.std(axis=0, ddof=1)
    assert_allclose(select_bandwidth("scott", X3), kde.scotts_factor() * sigma)
    assert_allclose(select_bandwidth("silverman", X3), kde.silverman_factor() * sigma)
    h = select_bandwidth("silverman", X3)
    assert_allclose(common_bandwidth(h), np.prod(h) ** (1.0 / 3.0))


def test_S14_median_absolute_deviation():
    assert_allclose(NORMAL_MAD, 1.4826022185, rtol=1e-10)
    x = np.random.default_rng(0).normal(size=20_001)
    w = np.full(len(x), 1.0 / len(x))
    assert_allclose(robust_deviation(x, w, len(x)), 1.0, atol=0.03)
    wild = x.copy()
    wild[: len(x) // 2 - 500] = 1e12
    assert robust_deviation(wild, w, len(x)) < 10.0
    h = select_bandwidth("normal", x)
    assert_allclose(h, (4.0 / (3.0 * len(x))) ** 0.2 * NORMAL_MAD * np.median(abs(x - np.median(x))), rtol=1e-12)


def test_S14_median_of_an_even_number_and_with_weights():
    assert median(np.array([4.0, 1.0, 2.0, 3.0]), np.full(4, 0.25)) == 2.5
    assert median(np.array([1.0, 2.0, 3.0]), np.array([0.2, 0.2, 0.6])) == 3.0


def test_S14_more_than_half_ties_fall_back_to_the_deviation_and_say_so():
    x = np.r_[np.zeros(30), np.arange(1.0, 11.0)]
    with pytest.warns(UserWarning, match="median absolute deviation is 0"):
        assert_allclose(select_bandwidth("normal", x), select_bandwidth("silverman", x))


@rules
@pytest.mark.parametrize("scale", [1e-250, 3e-7, 1e7, 1e250])
def test_S13_every_rule_is_equivariant(rule, scale):
    factors = np.array([scale, 1.0, -0.3])
    h = select_bandwidth(rule, X3)
    assert_allclose(select_bandwidth(rule, X3 * factors), h * abs(factors), rtol=1e-10)
    h = select_bandwidth(rule, X1)
    assert_allclose(select_bandwidth(rule, X1 * scale), h * scale, rtol=1e-10)
    assert_allclose(select_bandwidth(rule, X1 + 8.0), h, rtol=1e-10)
    assert_allclose(select_bandwidth(rule, X1[::-1]), h, rtol=1e-10)


@rules
def test_S9_weights_of_bandwidths(rule):
    h = select_bandwidth(rule, X3)
    assert_allclose(select_bandwidth(rule, X3, np.full(len(X3), 7.0)), h, rtol=1e-12)
    more, w = np.vstack([X3, X3[:5] + 3.0]), np.r_[np.ones(len(X3)), np.zeros(5)]
    assert_allclose(select_bandwidth(rule, more, w), h, rtol=1e-12)
    w = rng.uniform(0.5, 1.5, len(X3))
    weighted = select_bandwidth(rule, X3, w)
    assert_allclose(select_bandwidth(rule, X3, 1e-200 * w), weighted, rtol=1e-10)
    assert (abs(weighted / h - 1.0) < 0.3).all()
    assert (weighted != h).any()


@rules
@pytest.mark.parametrize("window", [Epanechnikov(), TriCube()], ids=["epanechnikov", "tricube"])
def test_S13_other_windows_smooth_equally(rule, window):
    ratio = window.canonical(3) / Gaussian().canonical(3)
    assert_allclose(select_bandwidth(rule, X3, window=window), ratio * select_bandwidth(rule, X3))


def test_S13_bandwidth_of_the_epanechnikov_window():
    h = select_bandwidth("silverman", X1, window=Epanechnikov()) / select_bandwidth("silverman", X1)
    assert_allclose(h, (0.6 / 0.04 / 0.28209479177387814) ** 0.2, rtol=1e-12)  # 2.214


@rules
def test_S9_bandwidths_of_degenerate_data(rule):
    for X in ([[1.0]], [[1.0, 2.0]]):
        with pytest.raises(ValueError, match="two rows or more"):
            select_bandwidth(rule, X)
    with pytest.raises(ValueError, match="column 1"):
        select_bandwidth(rule, np.c_[X1, np.full(len(X1), 0.1)])
    with pytest.raises(ValueError, match="finite"):
        select_bandwidth(rule, [[0.0], [np.nan]])
    with pytest.raises(ValueError, match="weights must be finite"):
        select_bandwidth(rule, X1, -np.ones(len(X1)))
    with pytest.raises(ValueError, match="one per row"):
        select_bandwidth(rule, X1, [1.0])


@rules
@pytest.mark.filterwarnings("ignore:.*has no solution")
@pytest.mark.filterwarnings("ignore:.*absolute deviation is 0")
@settings(max_examples=15, deadline=None)
@given(values=st.lists(st.integers(-20, 20), min_size=2, max_size=40).filter(lambda v: len(set(v)) > 1))
def test_S9_bandwidths_of_ties_are_positive(rule, values):
    h = select_bandwidth(rule, np.array(values, dtype=float))
    assert np.isfinite(h).all()
    assert (h > 0.0).all()
    assert (h <= 4.0 * (max(values) - min(values))).all()


def test_S9_copies_of_all_rows_do_not_drive_the_bandwidth_to_zero():
    for rule in ("lcv", "lscv"):
        assert_allclose(select_bandwidth(rule, np.repeat(X1, 2, axis=0)), select_bandwidth(rule, X1), rtol=0.02)


def test_S9_unknown_rule():
    with pytest.raises(ValueError, match="one of scott"):
        select_bandwidth("best", X1)


@pytest.mark.parametrize("draw", ["normal", "standard_cauchy", "exponential"])
def test_S13_sheather_jones_is_its_definition(draw):
    x = getattr(np.random.default_rng(3), draw)(size=120)
    assert_allclose(select_bandwidth("sj", x), sheather_jones(x.tolist()), rtol=1e-4)


def test_S13_plug_in_rules_on_normal_data():
    """The best bandwidth for 10 000 standard normal numbers is 0.1704, the asymptotic one 0.1679."""
    samples = [np.random.default_rng(seed).normal(size=10_000) for seed in range(12)]
    assert_allclose(np.mean([select_bandwidth("isj", x) for x in samples]), 0.171, atol=0.004)
    assert_allclose(np.mean([select_bandwidth("sj", x) for x in samples]), 0.167, atol=0.004)


def test_S13_plug_in_rules_find_narrow_modes_that_the_normal_reference_misses():
    r = np.random.default_rng(0)
    claw = np.r_[r.normal(size=1500), *(r.normal(k / 2.0 - 1.0, 0.1, size=300) for k in range(5))]
    assert select_bandwidth("silverman", claw)[0] > 4.0 * select_bandwidth("isj", claw)[0]


def test_S13_far_outliers_leave_the_plug_in_rules_alone():
    x = np.random.default_rng(0).normal(size=500)
    for rule in ("isj", "sj"):
        assert_allclose(select_bandwidth(rule, np.r_[x, 1e9]), select_bandwidth(rule, x), rtol=0.05)


def test_S13_too_few_rows_for_a_plug_in_rule_are_said():
    with pytest.warns(UserWarning, match="no solution for column 0"):
        assert_allclose(select_bandwidth("isj", [0.0, 1.0]), select_bandwidth("silverman", [0.0, 1.0]))


def test_S9_effective_size():
    assert Sample.of("here", X1, np.r_[np.ones(40), np.full(40, 1e-300)]).size == pytest.approx(40.0)
