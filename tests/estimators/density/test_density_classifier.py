"""Classes by their densities: Bayes' rule with kernel densities (S10)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn.neighbors import KernelDensity

import mercer
from mercer import KernelDensityClassifier
from mercer.estimators.density.classifier import BeyondReach
from mercer.solvers.bandwidth import select_bandwidth

rng = np.random.default_rng(0)
SAMPLES = rng.normal(size=(60, 2)), rng.normal(2.0, 0.7, size=(40, 2)), rng.normal((-2.0, 2.0), 1.0, size=(30, 2))
X = np.vstack(SAMPLES)
y = np.repeat(["a", "b", "c"], (60, 40, 30))


def test_S10_is_bayes_rule_with_scikit_learns_densities():
    machine = KernelDensityClassifier(0.4).fit(X, y)
    joint = [KernelDensity(bandwidth=0.4).fit(X[y == c]).score_samples(X) + np.log((y == c).mean()) for c in "abc"]
    P = np.exp(joint).T
    assert_allclose(machine.predict_proba(X), P / P.sum(axis=1, keepdims=True), rtol=1e-5, atol=1e-12)
    assert_allclose(machine.predict_proba(X).sum(axis=1), 1.0)
    assert_array_equal(machine.predict(X), machine.classes_[P.argmax(axis=1)])
    assert machine.score(X, y) > 0.8


def test_S10_gaussian_data_approach_the_bayes_rule():
    r = np.random.default_rng(1)
    labels = r.integers(0, 2, 4000)
    x = r.normal(2.0 * labels, 1.0)[:, None]
    grid = np.linspace(-2.0, 4.0, 50)[:, None]
    true = norm.pdf(grid, 2.0) / (norm.pdf(grid) + norm.pdf(grid, 2.0))
    found = KernelDensityClassifier("isj").fit(x, labels).predict_proba(grid)[:, 1]
    assert abs(found - true[:, 0]).max() < 0.08


def test_S10_far_rows_are_classified_by_logarithms():
    P = KernelDensityClassifier(0.1).fit(X, y).predict_proba([[1e3, 1e3], [-1e3, 1e3]])
    assert_array_equal(P.argmax(axis=1), [1, 2])
    assert np.isfinite(P).all()


def test_S10_beyond_a_compact_window_the_prior_is_taken_and_said():
    machine = KernelDensityClassifier(0.5, kernel="epanechnikov").fit(X, y)
    far = [[50.0, 0.0], X[0]]
    with pytest.warns(BeyondReach, match="1 of 2 rows are beyond the reach"):
        P = machine.predict_proba(far)
    assert_allclose(P[0], machine.class_prior_)
    assert_array_equal(machine.covered(far), [False, True])


def test_S10_weights_and_priors():
    w = rng.uniform(0.5, 2.0, len(X))
    machine = KernelDensityClassifier(0.5).fit(X, y, w)
    assert_allclose(machine.class_prior_, [w[y == c].sum() / w.sum() for c in "abc"])
    drop = np.where(np.arange(len(X)) % 7, 1.0, 0.0)
    kept = drop > 0.0
    one, two = KernelDensityClassifier().fit(X, y, drop), KernelDensityClassifier().fit(X[kept], y[kept])
    assert_allclose(one.predict_proba(X), two.predict_proba(X))
    priors = KernelDensityClassifier(0.5, priors=(0.2, 0.8, 0.0)).fit(X, y)
    assert (priors.predict(X) != "c").all()
    for wrong in ((0.5, 0.5), (0.5, 0.6, 0.2), (-1.0, 1.0, 1.0)):
        with pytest.raises(ValueError, match="sum 1"):
            KernelDensityClassifier(priors=wrong).fit(X, y)


def test_S10_bandwidths_by_class_and_column():
    machine = KernelDensityClassifier("silverman").fit(X, y)
    assert_allclose(machine.bandwidths_[1], X[y == "b"].std(axis=0, ddof=1) * 40.0 ** (-1.0 / 6.0))
    assert_allclose(KernelDensityClassifier((0.1, 2.0)).fit(X, y).bandwidths_, [[0.1, 2.0]] * 3)


def test_S10_a_column_that_is_constant_in_a_class_and_a_class_of_one_row():
    Z, labels = np.vstack([X, [[9.0, 9.0]]]), np.append(y, "d")
    machine = KernelDensityClassifier().fit(Z, labels)
    assert_array_equal(machine.pooled_.all(axis=1), [False, False, False, True])
    assert_allclose(machine.bandwidths_[3], select_bandwidth("silverman", Z))
    assert machine.predict([[9.0, 9.0]]) == ["d"]
    flat = KernelDensityClassifier().fit(np.c_[X[:, :1], np.ones(len(X))], y)
    assert_allclose(flat.bandwidths_[:, 1], 1.0)


@pytest.mark.parametrize("wrong", [0.0, -1.0, "best", np.nan, (1.0, 2.0, 3.0), None, True])
def test_S10_bandwidths_that_are_none(wrong):
    with pytest.raises(ValueError, match="bandwidth must be"):
        KernelDensityClassifier(wrong).fit(X, y)


def test_S10_model_files(tmp_path):
    machine = KernelDensityClassifier("isj", kernel="biweight").fit(X, y)
    mercer.save(machine, tmp_path / "model")
    assert_array_equal(mercer.load(tmp_path / "model").predict_log_proba(X), machine.predict_log_proba(X))


def test_S10_compare_knows_it():
    table = mercer.compare(X, y, methods=["kde", "lda"], kernel="rbf")
    assert "kde" in str(table)


def test_S10_every_class_is_a_density_that_can_be_proved_again():
    w = rng.uniform(0.5, 2.0, len(X))
    w[:3] = 0.0
    machine = KernelDensityClassifier("isj").fit(X, y, sample_weight=w)
    used = w > 0.0
    for c, density in zip("abc", machine.densities_, strict=True):
        alone = mercer.KernelDensity(bandwidth="isj").fit(X[used & (y == c)], sample_weight=w[used & (y == c)])
        assert_allclose(density.score_samples(X), alone.score_samples(X), rtol=1e-3)
        assert_allclose(density.bandwidth_, alone.bandwidth_)
    assert mercer.verify(machine, X, y, w).holds
    machine.densities_[1] = mercer.KernelDensity(bandwidth=0.1).fit(X[y == "b"] + 1.0)
    assert not mercer.verify(machine, X, y, w).holds
    with pytest.raises(ValueError, match="the labels of the fit"):
        mercer.verify(machine, X)
