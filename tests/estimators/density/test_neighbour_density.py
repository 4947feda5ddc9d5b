"""From kernel densities to nearest neighbours (S11)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import gamma
from sklearn.neighbors import KNeighborsClassifier

import mercer
from mercer import NeighbourDensity
from mercer.windows import Boxcar

rng = np.random.default_rng(2)
X, Q = rng.normal(size=(80, 3)), rng.normal(size=(25, 3))
y = np.digitize(X[:, 0], (-0.4, 0.4))


def distances(A, B):
    return np.sqrt(((A[:, None] - B) ** 2).sum(axis=2))


@pytest.mark.parametrize("K", [1, 4, 80])
def test_S11_density_is_its_formula(K):
    r = np.sort(distances(Q, X), axis=1)[:, K - 1]
    volume = np.pi**1.5 / gamma(2.5) * r**3
    machine = NeighbourDensity(K).fit(X)
    assert_allclose(np.exp(machine.score_samples(Q)), K / (80 * volume))
    assert_allclose(machine.score(Q), machine.score_samples(Q).sum())


def test_S11_posterior_is_that_of_scikit_learn():
    machine = NeighbourDensity(7).fit(X, y)
    rival = KNeighborsClassifier(7).fit(X, y)
    assert_allclose(machine.predict_proba(Q), rival.predict_proba(Q))
    assert_array_equal(machine.predict(Q), rival.predict(Q))


def test_S11_bayes_rule_joins_densities_and_posterior():
    machine = NeighbourDensity(7).fit(X, y)
    joint = np.exp(machine.class_log_densities(Q)) * np.bincount(y) / 80.0
    assert_allclose(joint.sum(axis=1), np.exp(machine.score_samples(Q)))
    assert_allclose(joint / joint.sum(axis=1, keepdims=True), machine.predict_proba(Q))


def test_S11_is_a_boxcar_density_with_the_kth_distance():
    machine = NeighbourDensity(6).fit(X)
    r = np.sort(distances(Q, X), axis=1)[:, 5] * (1.0 + 1e-12)
    found = [Boxcar().radial(X - q, h).mean() for q, h in zip(Q, r, strict=True)]
    assert_allclose(np.exp(machine.score_samples(Q)), found, rtol=1e-9)


def test_S11_ties_are_all_in_the_ball():
    corners = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [5.0, 5.0]])
    machine = NeighbourDensity(2).fit(corners, [0, 0, 0, 1, 1])
    assert_allclose(np.exp(machine.score_samples([[0.0, 0.0]])), 4.0 / (5.0 * np.pi))
    assert_allclose(machine.predict_proba([[0.0, 0.0]]), [[0.75, 0.25]])


def test_S11_copies_do_not_make_a_ball_of_no_volume():
    rows = np.array([[0.0], [0.0], [0.0], [2.0], [3.0]])
    machine = NeighbourDensity(2).fit(rows, [0, 0, 1, 1, 1])
    assert_allclose(np.exp(machine.score_samples([[0.0]])), 4.0 / (5.0 * 4.0))  # the ball grows to the row at 2
    assert_allclose(machine.predict_proba([[0.0]]), [[2.0 / 3.0, 1.0 / 3.0]])


def test_S11_the_density_does_not_integrate_to_one():
    machine = NeighbourDensity(3).fit(rng.normal(size=(30, 1)))
    totals = []
    for end in (1e2, 1e4):
        grid = np.concatenate([np.linspace(-10.0, 10.0, 4001), np.geomspace(10.0, end, 2000)[1:]])
        totals.append(np.trapezoid(np.exp(machine.score_samples(grid[:, None])), grid))
    assert totals[1] > totals[0] + 0.1  # it grows with log of the end


def test_S11_bad_input():
    for wrong in (0, 81, 2.0, True):
        with pytest.raises(ValueError, match="n_neighbors must be"):
            NeighbourDensity(wrong).fit(X)
    with pytest.raises(ValueError, match="two distinct rows"):
        NeighbourDensity(1).fit(np.ones((4, 2)))
    with pytest.raises(ValueError, match="Fit with labels"):
        NeighbourDensity().fit(X).predict_proba(Q)
    with pytest.raises(ValueError, match="labels, one per row"):
        NeighbourDensity().fit(X, y[:-1])


def test_S11_model_files(tmp_path):
    machine = NeighbourDensity(4).fit(X, y)
    mercer.save(machine, tmp_path / "model")
    loaded = mercer.load(tmp_path / "model")
    assert_array_equal(loaded.score_samples(Q), machine.score_samples(Q))
    assert_array_equal(loaded.predict_proba(Q), machine.predict_proba(Q))


def test_S11_densities_are_proved_again_from_all_distances():
    repeated = np.vstack([X, X[:10], X[:10]])
    for rows, K in ((X, 5), (repeated, 3)):
        machine = NeighbourDensity(K).fit(rows)
        assert mercer.verify(machine, rows).holds
        assert not mercer.verify(machine, 1.01 * rows).holds
    with pytest.raises(ValueError, match="3 columns"):
        mercer.verify(machine, repeated[:, :2])
