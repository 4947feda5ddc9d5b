"""Platt's probabilities (M20) and the coupling of pairs into class probabilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit

from mercer.solvers.platt import couple, platt

rng = np.random.default_rng(6)
y = np.where(rng.random(200) < 0.3, 1.0, -1.0)
f = 0.8 * y + rng.normal(size=200)


def log_loss(p, target):
    return -(target * np.log(p) + (1.0 - target) * np.log1p(-p)).mean()


def gradient(fit, f, y, target):
    p = fit.probability(f)
    return np.array([((p - target) * f).mean(), (p - target).mean()])


def smoothed(y):
    positive, negative = (y > 0).sum(), (y < 0).sum()
    return np.where(y > 0, (positive + 1.0) / (positive + 2.0), 1.0 / (negative + 2.0))


def test_the_gradient_is_zero_at_the_fit_M20():
    fit = platt(f, y)
    assert fit.converged
    assert fit.gradient <= 1e-10
    assert_allclose(gradient(fit, f, y, smoothed(y)), 0.0, atol=1e-10)


def test_probability_grows_with_f_M20():
    fit = platt(f, y)
    assert fit.A > 0.0
    assert (np.diff(fit.probability(np.linspace(-9.0, 9.0, 99))) > 0.0).all()
    assert_allclose(platt(-f, y).A, -fit.A)


def test_the_sign_of_f_and_the_likelier_class_may_differ_M20():
    fit = platt(f, y)
    assert fit.B < 0.0  # the negatives are more
    assert fit.probability(0.5 * -fit.B / fit.A) < 0.5


def test_with_plain_targets_it_is_no_worse_than_the_raw_sigmoid_M20():
    plain, target = platt(f, y, smooth=False), (y > 0).astype(float)
    assert log_loss(plain.probability(f), target) <= log_loss(expit(f), target)
    # nor than any fit nearby: it is the minimum
    for dA, dB in np.random.default_rng(0).normal(scale=0.05, size=(20, 2)):
        nearby = expit((plain.A + dA) * f + plain.B + dB)
        assert log_loss(plain.probability(f), target) <= log_loss(nearby, target)


def test_the_mean_probability_is_the_mean_target_M20():
    assert_allclose(platt(f, y).probability(f).mean(), smoothed(y).mean(), atol=1e-10)


def test_separated_values_keep_a_finite_slope_M20():
    fit = platt(y * np.linspace(1.0, 2.0, 200), y)
    assert fit.converged
    assert 0.0 < fit.A < 50.0
    p = fit.probability(y)
    assert (p > 0.0).all()
    assert (p < 1.0).all()


def test_separated_values_with_plain_targets_end_without_overflow_M20():
    fit = platt(y * np.linspace(1.0, 2.0, 200), y, smooth=False)
    assert np.isfinite([fit.A, fit.B]).all()
    assert_allclose(fit.probability(3.0 * y), (y > 0).astype(float), atol=1e-6)


@pytest.mark.parametrize("value", [0.0, 1e8, -3.0])
def test_constant_values_give_the_base_rate_M20(value):
    fit = platt(np.full(200, value), y)
    assert fit.A == 0.0
    assert_allclose(fit.probability(f), smoothed(y).mean())


def test_a_weight_is_a_number_of_copies_M20():
    copies = np.random.default_rng(1).integers(0, 4, 200)
    weighted, copied = platt(f, y, sample_weight=copies), platt(np.repeat(f, copies), np.repeat(y, copies))
    assert_allclose([weighted.A, weighted.B], [copied.A, copied.B], rtol=1e-9)


@pytest.mark.parametrize(("unit", "shift"), [(1e-8, 0.0), (1e8, 0.0), (3.0, 1e4)])
def test_the_unit_and_origin_of_f_do_not_matter_M20(unit, shift):
    assert_allclose(platt(unit * f + shift, y).probability(unit * f + shift), platt(f, y).probability(f), rtol=1e-6)


@given(st.integers(2, 7), st.integers(0, 10**6))
def test_coupling_recovers_probabilities_that_agree_M20(k, seed):
    p = np.random.default_rng(seed).dirichlet(np.ones(k), size=5) + 1e-3
    p /= p.sum(axis=1, keepdims=True)
    i, j = np.triu_indices(k, 1)
    assert_allclose(couple(p[:, i] / (p[:, i] + p[:, j])), p, rtol=1e-9)


@given(st.integers(2, 6), st.integers(0, 10**6))
def test_coupling_minimises_the_disagreement_of_the_pairs_M20(k, seed):
    """sum_{i != j} (r_ji p_i - r_ij p_j)^2, against random points of the simplex."""
    rng = np.random.default_rng(seed)
    pairs = rng.choice([0.0, 0.5, 1.0, rng.random()], size=(1, k * (k - 1) // 2))
    R = np.zeros((k, k))
    i, j = np.triu_indices(k, 1)
    R[i, j], R[j, i] = pairs[0], 1.0 - pairs[0]

    def disagreement(p):
        return ((R.T * p[:, None] - R * p) ** 2).sum()

    p = couple(pairs)[0]
    assert_allclose(p.sum(), 1.0)
    assert (p >= 0.0).all()
    for other in rng.dirichlet(np.ones(k), size=20):
        assert disagreement(p) <= disagreement(other) + 1e-12
        mixed = 0.999 * p + 0.001 * other
        assert disagreement(p) <= disagreement(mixed) + 1e-12


def test_two_classes_need_no_coupling_M20():
    assert_allclose(couple([[0.3], [0.0], [1.0]]), [[0.3, 0.7], [0.0, 1.0], [1.0, 0.0]])


def test_a_circle_of_winners_is_a_draw_M20():
    assert_allclose(couple([[1.0, 0.0, 1.0]]), np.full((1, 3), 1.0 / 3.0))


def test_samples_are_coupled_one_by_one_M20():
    pairs = np.random.default_rng(2).random((30, 6))
    assert_array_equal(couple(pairs)[7], couple(pairs[7:8])[0])


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="both present"):
        platt(f, np.ones(200))
    with pytest.raises(ValueError, match="both present"):
        platt(f, y, sample_weight=(y > 0).astype(float))
    with pytest.raises(ValueError, match="f must be finite"):
        platt(f * np.nan, y)
    with pytest.raises(ValueError, match="vectors of one length"):
        platt(f[:5], y)
    with pytest.raises(ValueError, match="not negative"):
        platt(f, y, sample_weight=-np.ones(200))
    with pytest.raises(ValueError, match=r"k \(k - 1\) / 2 columns"):
        couple(np.full((2, 4), 0.5))
