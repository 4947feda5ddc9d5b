"""Calibration errors against their closed forms, and on predictions that are honest by construction (M35)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import log_loss

from mercer.comparison.calibration import (
    central_levels,
    coverage_error,
    expected_error,
    log_losses,
    normal_losses,
    reliability,
)

rng = np.random.default_rng(0)


def test_log_losses_are_scikit_learns():
    P = rng.dirichlet(np.ones(3), size=50)
    y = rng.integers(0, 3, 50)
    names = np.array(["a", "b", "c"])
    assert_allclose(log_losses(P, names, names[y]).mean(), log_loss(y, P))


def test_a_class_that_was_never_seen_has_the_largest_loss_there_is():
    found = log_losses(np.array([[0.5, 0.5], [1.0, 0.0], [0.5, 0.5]]), np.array([0, 2]), np.array([1, 2, 3]))
    assert_allclose(found, -np.log(np.finfo(float).eps))


def test_normal_losses_are_minus_the_log_density():
    from scipy.stats import norm

    mean, std, y = rng.normal(size=(3, 20)) ** 2 + 0.1
    assert_allclose(normal_losses(mean, std, y), -norm.logpdf(y, mean, std))


def test_honest_confidences_have_an_error_of_the_size_of_chance():
    confidence = rng.uniform(size=100_000)
    hit = rng.uniform(size=100_000) < confidence
    assert expected_error(confidence, hit) < 0.01
    assert_allclose([b.accuracy for b in reliability(confidence, hit)], np.linspace(0.05, 0.95, 10), atol=0.02)


@pytest.mark.parametrize(("stated", "share"), [(1.0, 0.7), (0.55, 0.9), (0.0, 0.25)])
def test_one_confidence_for_all_is_wrong_by_its_distance_from_the_share(stated, share):
    hit = np.arange(100) < 100 * share
    assert_allclose(expected_error(np.full(100, stated), hit), abs(stated - share))


def test_bins_hold_every_prediction_once_and_empty_ones_are_left_out():
    found = reliability([0.0, 0.1, 0.1000001, 0.95, 1.0], [0, 0, 1, 1, 1])
    assert [(b.low, b.high, b.count) for b in found] == [(0.0, 0.1, 2), (0.1, 0.2, 1), (0.9, 1.0, 2)]
    assert [b.accuracy for b in found] == [0.0, 1.0, 1.0]
    assert expected_error([], []) == 0.0


def test_coverage_of_honest_deviations_is_right_and_of_others_is_not():
    mean, std = rng.normal(size=50_000), np.exp(rng.normal(size=50_000))
    y = mean + std * rng.normal(size=50_000)
    assert coverage_error(central_levels(mean, std, y)) < 0.01
    assert coverage_error(central_levels(mean, 3.0 * std, y)) > 0.2
    assert coverage_error(central_levels(mean, std / 1e9, y)) == pytest.approx(0.5)


def test_levels_are_those_of_the_normal_distribution():
    y = np.array([0.0, 2.0, -2.0 * 1.959964])
    assert_allclose(central_levels(np.zeros(3), np.full(3, 2.0), y), [0.0, 0.6826895, 0.95], atol=1e-6)


@pytest.mark.parametrize(("confidence", "hit", "bins", "fault"), [
    ([0.5], [1, 0], 10, "one number each"),
    ([1.5], [1], 10, "between 0 and 1"),
    ([np.nan], [1], 10, "between 0 and 1"),
    ([0.5], [1], 0, "integer >= 1"),
])  # fmt: skip
def test_what_is_no_probability_is_refused(confidence, hit, bins, fault):
    with pytest.raises(ValueError, match=fault):
        reliability(confidence, hit, bins)
