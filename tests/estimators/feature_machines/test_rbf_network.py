"""RBF networks: XOR, bandwidths, where prototypes come from, and moving them (M1, E1, E2)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer import (
    FeatureGLMClassifier,
    L2VMClassifier,
    L2VMRegressor,
    RBFNetworkClassifier,
    RBFNetworkRegressor,
)
from mercer.estimators.feature_machines.design import Design
from mercer.estimators.feature_machines.moving_prototypes import Moving
from mercer.estimators.feature_machines.placement import medoids
from mercer.estimators.training_data import GivenGram, KernelItems
from mercer.kernels import RBF, Matern, Normalised, Polynomial, Spectrum

rng = np.random.default_rng(0)
CORNERS = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
XOR = np.repeat(CORNERS, 25, axis=0) + 0.1 * rng.normal(size=(100, 2))
xor = np.repeat([0, 0, 1, 1], 25)


# ---- E1


@pytest.mark.parametrize("placed", [
    {"prototypes": CORNERS},
    {"prototypes": 4, "init": "kmeans", "random_state": 0},
    {"prototypes": 4, "init": "grid"},
    {"prototypes": 4, "init": "medoids", "random_state": 0},
    {"prototypes": "all"},
], ids=["given", "kmeans", "grid", "medoids", "all"])  # fmt: skip
def test_four_prototypes_solve_xor_E1(placed):
    m = RBFNetworkClassifier(RBF(0.3), alpha=0.1, **placed).fit(XOR, xor)
    assert m.score(XOR, xor) == 1.0
    assert m.score(CORNERS, [0, 0, 1, 1]) == 1.0
    assert len(m.support_) == (100 if isinstance(m.prototypes, str) else 4)


def powers(X):
    """x_1, ..., x_1^10, x_2, ..., x_2^10: no products of two columns."""
    return np.hstack([X**d for d in range(1, 11)])


def test_powers_of_each_column_cannot_solve_xor_but_their_product_can_E1():
    """f(00) + f(11) = f(01) + f(10) for every sum of functions of one column, so one corner is always wrong."""
    additive = FeatureGLMClassifier(powers, alpha=1e-6, max_iter=500).fit(XOR, xor)
    f = additive.decision_function(CORNERS)
    assert_allclose(f[0] + f[1], f[2] + f[3], atol=1e-9 * np.abs(f).max())
    assert additive.score(CORNERS, [0, 0, 1, 1]) < 1.0
    assert additive.score(XOR, xor) < 0.9
    assert FeatureGLMClassifier(2, alpha=1e-3).fit(XOR, xor).score(XOR, xor) == 1.0


# ---- E2

x = np.linspace(0.0, 20.0, 21)[:, None]
y = -1.5 * x[:, 0] + x[:, 0] ** 2 / 9.0 + 2.0 * rng.normal(size=21)


def ten(bandwidth):
    m = RBFNetworkRegressor(RBF(bandwidth), prototypes=10, init="grid", alpha=1e-3, fit_intercept=False).fit(x, y)
    return m, RBF(bandwidth)(x, m.prototypes_)


def test_ten_centres_are_equispaced_E2():
    assert_allclose(ten(1.0)[0].prototypes_[:, 0], np.linspace(0.0, 20.0, 10))


def test_a_small_bandwidth_is_zero_away_from_the_centres_E2():
    m, _ = ten(0.1)
    between = 0.5 * (m.prototypes_[1:] + m.prototypes_[:-1])
    assert np.abs(m.predict(between)).max() < 1e-10
    assert np.abs(m.predict(m.prototypes_[[0, -1]])).min() > 1e-3  # where an item is near


def test_a_large_bandwidth_is_a_straight_line_E2():
    m, Phi = ten(50.0)
    assert Phi.min() > 0.92
    values = np.linalg.svd(Phi, compute_uv=False)
    assert (values / values[0] > 1e-3).sum() == 2
    grid = np.linspace(0.0, 20.0, 200)
    f = m.predict(grid[:, None])
    line = np.polyval(np.polyfit(grid, f, 1), grid)
    assert np.abs(f - line).max() < 0.05 * np.ptp(f)


def test_a_bandwidth_between_bends_as_the_data_do_E2():
    truth = -1.5 * x[:, 0] + x[:, 0] ** 2 / 9.0
    error = {b: np.mean((ten(b)[0].predict(x) - truth) ** 2) for b in (0.1, 2.5, 50.0)}
    assert error[2.5] < 0.5 * error[0.1]
    assert error[2.5] < 0.8 * error[50.0]


# ---- prototypes


@pytest.mark.parametrize("alpha", [1.0, 1e-3])
def test_all_items_as_prototypes_are_the_L2VM_M1(alpha):
    three = np.arange(100) % 3
    one, other = RBFNetworkClassifier(RBF(0.5), alpha=alpha), L2VMClassifier(RBF(0.5), alpha=alpha)
    assert_allclose(one.fit(XOR, three).predict_proba(XOR), other.fit(XOR, three).predict_proba(XOR))
    one, other = RBFNetworkRegressor(RBF(0.5), alpha=alpha), L2VMRegressor(RBF(0.5), alpha=alpha)
    assert_allclose(one.fit(XOR, xor).predict(XOR), other.fit(XOR, xor).predict(XOR))
    given = RBFNetworkRegressor(RBF(0.5), alpha=alpha, prototypes=XOR)
    assert_allclose(given.fit(XOR, xor).predict(XOR), one.predict(XOR), atol=1e-8)


def test_positions_choose_prototypes_of_a_precomputed_matrix_I3():
    some = np.array([3, 30, 60, 90])
    K = RBF(0.3)(XOR)
    one = RBFNetworkClassifier("precomputed", prototypes=some).fit(K, xor)
    other = RBFNetworkClassifier(RBF(0.3), prototypes=XOR[some]).fit(XOR, xor)
    assert_array_equal(one.support_, some)
    assert_array_equal(one.prototypes_, some)
    assert_allclose(one.predict_proba(K), other.predict_proba(XOR), atol=1e-9)
    with pytest.raises(ValueError, match="positions of training items"):
        RBFNetworkClassifier("precomputed", prototypes=[100]).fit(K, xor)


def test_prototypes_of_any_kind_are_given_or_found_among_the_items_M1():
    words = ["".join(rng.choice(list("ab" if c else "cd"), size=8)) for c in xor]
    k = Normalised(Spectrum(2))
    given = RBFNetworkClassifier(k, prototypes=["abab", "cdcd"], alpha=0.1).fit(words, xor)
    assert given.score(words, xor) > 0.95
    assert given.prototypes_ == ["abab", "cdcd"]
    found = RBFNetworkClassifier(k, prototypes=2, init="medoids", alpha=0.1, random_state=0).fit(words, xor)
    assert found.score(words, xor) > 0.95
    assert set(found.prototypes_) <= set(words)
    for init in ("kmeans", "grid"):
        with pytest.raises(ValueError, match="'medoids' or 'random' for items that are not real vectors"):
            RBFNetworkClassifier(k, prototypes=2, init=init).fit(words, xor)


def test_no_prototypes_leave_the_best_constant_M1():
    m = RBFNetworkClassifier(prototypes=0).fit(XOR, xor == 1)
    assert_allclose(m.predict_proba(XOR), 0.5)
    assert len(m.support_) == 0
    assert_allclose(RBFNetworkRegressor(prototypes=0).fit(XOR, XOR[:, 0]).predict(XOR), XOR[:, 0].mean())
    assert_allclose(RBFNetworkRegressor(prototypes=0, fit_intercept=False).fit(XOR, XOR[:, 0]).predict(XOR), 0.0)


def test_equal_items_are_one_prototype_M1():
    X, t = np.repeat(CORNERS, 5, axis=0), np.repeat([0, 0, 1, 1], 5)
    for init in ("kmeans", "medoids", "random"):
        m = RBFNetworkClassifier(RBF(0.3), prototypes=4, init=init, random_state=0).fit(X, t)
        assert_allclose(np.unique(m.prototypes_, axis=0), np.unique(CORNERS, axis=0), atol=1e-12)
        with pytest.raises(ValueError, match=r"distinct training items \(4\); got 5"):
            RBFNetworkClassifier(prototypes=5, init=init).fit(X, t)


def test_a_grid_has_few_columns_and_m_points_a_side_M1():
    X = rng.normal(size=(600, 5))
    with pytest.raises(ValueError, match="'kmeans', 'medoids' or 'random' for more than 4 columns; got 5 columns"):
        RBFNetworkRegressor(prototypes=32, init="grid").fit(X, X[:, 0])
    m = RBFNetworkRegressor(prototypes=16, init="grid").fit(X[:, :4], X[:, 0])
    assert_allclose(np.unique(m.prototypes_[:, 2]), [X[:, 2].min(), X[:, 2].max()])
    with pytest.raises(ValueError, match=r"a number m\^2 for a grid over 2 columns; got 5. The nearest is 4"):
        RBFNetworkRegressor(prototypes=5, init="grid").fit(X[:, :2], X[:, 0])


def test_medoids_end_where_no_cluster_has_a_better_item_M8():
    X = np.concatenate([rng.normal(size=10), rng.normal(size=10) + 8.0])
    D = (X[:, None] - X) ** 2
    M = medoids(D, 2, np.random.RandomState(1))
    near = np.argmin(D[:, M], axis=1)
    for k in range(2):
        own = np.flatnonzero(near == k)
        assert D[np.ix_(own, own)].sum(axis=1).argmin() == np.flatnonzero(own == M[k])[0]
    assert sorted(M // 10) == [0, 1]
    line = np.array([0.0, 0.0, 0.0, 4.0, 10.0])
    assert medoids((line[:, None] - line) ** 2, 1, np.random.RandomState(0)).tolist() == [3]  # SPEC's d^2 example


def test_equal_items_are_found_by_themselves_or_by_their_rows():
    items, some = CORNERS[[0, 1, 0, 2, 1]], np.array([0, 2, 3, 4])
    assert_array_equal(KernelItems.of(RBF(), items).distinct(some), [0, 3, 4])
    assert_array_equal(GivenGram.of(RBF()(items)).distinct(some), [0, 3, 4])


def test_the_seed_decides_M1():
    one, two, other = (RBFNetworkClassifier(prototypes=3, random_state=s).fit(XOR, xor).prototypes_ for s in (1, 1, 2))
    assert_array_equal(one, two)
    assert not np.array_equal(one, other)


# ---- moving prototypes


@pytest.mark.parametrize("kernel", [RBF(0.4), Matern(0.7, nu=2.5), Polynomial(2) * RBF(1.0)], ids=repr)
@pytest.mark.parametrize(("machine", "target"), [
    (RBFNetworkRegressor(alpha=0.1), XOR[:, 0] ** 2),
    (RBFNetworkClassifier(alpha=0.1, tol=1e-14), xor),
    (RBFNetworkClassifier(alpha=0.1, tol=1e-14), np.arange(100) % 3),
], ids=["gaussian", "bernoulli", "softmax"])  # fmt: skip
def test_the_slope_in_the_prototypes_M1(kernel, machine, target):
    mu, w = rng.normal(size=(3, 2)), rng.uniform(0.5, 2.0, 100)
    machine.classes_ = np.unique(target)
    data = KernelItems.of(kernel, XOR)
    moving = Moving.of(machine, data, np.arange(100), Design(XOR, target, w, data, np.arange(0)))
    value, slope = moving.loss(mu)
    h = 1e-5
    for j, d in ((0, 0), (1, 1), (2, 0)):
        E = np.zeros_like(mu)
        E[j, d] = h
        difference = (moving.loss(mu + E)[0] - moving.loss(mu - E)[0]) / (2.0 * h)
        assert_allclose(slope[j, d], difference, rtol=1e-4, atol=1e-6 * value)


def test_moved_prototypes_have_a_smaller_loss_M1():
    t = np.sin(3.0 * XOR[:, 0])
    settings = {"kernel": RBF(0.3), "prototypes": 3, "alpha": 0.01, "random_state": 0}
    still = RBFNetworkRegressor(**settings).fit(XOR, t)
    moved = RBFNetworkRegressor(**settings, optimise=True, n_init=1).fit(XOR, t)
    again = RBFNetworkRegressor(**settings, optimise=True, n_init=4).fit(XOR, t)
    assert moved.certificate_.primal < 0.9 * still.certificate_.primal
    assert again.certificate_.primal <= moved.certificate_.primal * (1.0 + 1e-9)
    assert again.prototypes_.shape == (3, 2)


def test_items_that_are_no_points_cannot_be_moved_M1():
    words = ["ab", "ba", "aa", "bb"]
    with pytest.raises(ValueError, match="optimise must be False for items that are not dense vectors"):
        RBFNetworkRegressor(Spectrum(1), prototypes=2, init="random", optimise=True).fit(words, np.arange(4.0))
