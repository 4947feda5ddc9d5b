"""NadarayaWatson and LocalRegression: closed forms, limits, bands, flags, categories, searches (S12 to S15, E17)."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.model_selection import GridSearchCV, KFold

import mercer
from mercer import KernelSearchCV, LocalRegression, NadarayaWatson
from mercer.estimators.smoothing.local_smoother import Unsupported

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(-1.0, 1.0, 80))
X = x[:, None]
y = np.sin(4.0 * x) + 0.2 * rng.normal(size=80)
SMALL = np.array([[-1.0], [0.0], [1.0]])


def test_three_points_have_the_value_of_the_formula_S12():
    machine = NadarayaWatson(0.5).fit(SMALL, [1.0, 0.0, 1.0])
    assert_allclose(machine.predict([[0.0]]), 0.2130139578, atol=1e-10)


@settings(max_examples=20)
@given(h=st.sampled_from([1e-6, 0.05, 0.5, 1e6]), window=st.sampled_from(["gaussian", "epanechnikov", "tricube"]))
def test_local_means_are_averages_with_weights_of_sum_one_S12(h, window):
    machine = NadarayaWatson(h, window=window).fit(X, y)
    f, L = machine.predict(X), machine.smoother(X)
    assert ((f >= y.min() - 1e-12) & (f <= y.max() + 1e-12)).all()
    assert (L >= 0.0).all()
    assert_allclose(L.sum(axis=1), 1.0)
    assert_allclose(NadarayaWatson(h, window=window).fit(X, np.full(80, 7.0)).predict(X), 7.0)


def test_wide_windows_give_the_mean_and_narrow_ones_the_nearest_neighbour_S12():
    assert_allclose(NadarayaWatson(1e6).fit(X, y).predict(X), y.mean(), atol=1e-9)
    new = x[:-1] + 0.3 * np.diff(x)
    assert_allclose(NadarayaWatson(1e-9).fit(X, y).predict(new[:, None]), y[:-1])


def test_local_means_are_the_conditional_mean_of_the_joint_density_S12():
    h, at = 0.2, 0.3
    t = np.linspace(-4.0, 4.0, 4001)
    joint = np.exp(-((at - x[:, None]) ** 2 + (t - y[:, None]) ** 2) / (2 * h**2)).sum(axis=0)
    assert_allclose(NadarayaWatson(h).fit(X, y).predict([[at]])[0], (t * joint).sum() / joint.sum(), atol=1e-8)


def test_lines_come_back_at_the_ends_and_means_are_biased_there_S15():
    u = np.linspace(0.0, 1.0, 101)[:, None]
    line = 3.0 + 2.0 * u[:, 0]
    assert_allclose(LocalRegression(0.1).fit(u, line).predict([[0.0]]), 3.0, atol=1e-12)
    assert NadarayaWatson(0.1).fit(u, line).predict([[0.0]])[0] > 3.05
    V = rng.normal(size=(60, 2))
    quadratic = 1.0 + V[:, 0] - V[:, 0] * V[:, 1] + V[:, 1] ** 2
    assert_allclose(LocalRegression(2.0, degree=2).fit(V, quadratic).predict(V), quadratic, atol=1e-9)


@pytest.mark.parametrize("window", ["gaussian", "epanechnikov"])
def test_degree_zero_is_kernel_regression_S15(window):
    assert_allclose(LocalRegression(0.3, degree=0, window=window).fit(X, y).predict(X),
                    NadarayaWatson(0.3, window=window).fit(X, y).predict(X))  # fmt: skip


def test_the_normal_bandwidth_uses_the_median_deviation_S13_S14():
    sigma = 1.4826022185 * np.median(abs(x - np.median(x)))
    assert_allclose(NadarayaWatson("normal").fit(X, y).bandwidth_, (4.0 / (3.0 * 80)) ** 0.2 * sigma)


@pytest.mark.filterwarnings("ignore:After 0.17:FutureWarning")
def test_bandwidths_and_fits_are_those_of_statsmodels_S12_S15():
    KernelReg = pytest.importorskip("statsmodels.nonparametric.kernel_regression").KernelReg
    for machine, kind in ((LocalRegression(), "ll"), (NadarayaWatson(), "lc")):
        theirs = KernelReg(y, x, "c", reg_type=kind, bw="cv_ls")
        machine.fit(X, y)
        assert_allclose(machine.bandwidth_, abs(theirs.bw), rtol=1e-2)
        assert_allclose(machine.set_params(bandwidth=abs(theirs.bw)).fit(X, y).fitted_values_, theirs.fit()[0],
                        atol=1e-10)  # fmt: skip


@pytest.mark.filterwarnings("ignore:After 0.17:FutureWarning")
def test_categories_weigh_as_in_statsmodels_S15():
    KernelReg = pytest.importorskip("statsmodels.nonparametric.kernel_regression").KernelReg
    g, o = rng.integers(0, 3, 80), rng.integers(0, 4, 80)
    V, t = np.column_stack([x, g, o]), y + g + 0.5 * o
    theirs = KernelReg(t, V, "cuo", reg_type="lc", bw=[0.3, 0.2, 0.4], okertype="wangryzin_reg")
    ours = NadarayaWatson((0.3, 0.2, 0.4), categorical=[1], ordered=[2]).fit(V, t)
    assert_allclose(ours.fitted_values_, theirs.fit()[0], atol=1e-10)


def test_categories_may_be_texts_and_new_ones_are_flagged():
    V = np.empty((80, 2), dtype=object)
    V[:, 0], V[:, 1] = x, np.array(["cat", "dog"])[np.arange(80) % 2]
    t = y + 3.0 * (np.arange(80) % 2)
    machine = LocalRegression(categorical=[1]).fit(V, t)
    assert machine.bandwidth_[1] < 0.05
    assert machine.score(V, t) > 0.95
    new = V[:1].copy()
    new[0, 1] = "emu"
    with pytest.warns(Unsupported, match="1 outside of the data"):
        machine.predict(new)


@pytest.mark.parametrize("kind", ["loo", "gcv", "aicc"])
def test_bandwidths_follow_the_units_of_x_and_y(kind):
    one = LocalRegression(kind).fit(X, y)
    other = LocalRegression(kind).fit(1e-3 * X + 5.0, 1e4 * y)
    assert_allclose(other.bandwidth_, 1e-3 * one.bandwidth_, rtol=1e-4)
    assert_allclose(one.criterion(kind), one.search_.value)


def test_weights_are_copies_at_a_fixed_bandwidth_and_zero_leaves_out():
    w = rng.integers(0, 3, 80)
    copies = np.repeat(np.arange(80), w)
    a = LocalRegression(0.3).fit(X, y, sample_weight=w)
    b = LocalRegression(0.3).fit(X[copies], y[copies])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Unsupported)
        assert_allclose(a.predict(X), b.predict(X), atol=1e-9)
    assert len(a.leave_one_out()) == (w > 0).sum()


def test_bands_cover_a_line_as_often_as_they_say():
    inside, u = [], np.linspace(0.0, 1.0, 60)[:, None]
    for seed in range(60):
        t = 2.0 * u[:, 0] + np.random.default_rng(seed).normal(size=60)
        low, high = LocalRegression(0.2).fit(u, t).interval(u, 0.9)
        inside.append(((low <= 2.0 * u[:, 0]) & (2.0 * u[:, 0] <= high)).mean())
    assert abs(np.mean(inside) - 0.9) < 0.04


def test_gaps_are_filled_as_asked_and_never_silently_S12():
    V, t = np.array([[0.0], [0.1], [5.0]]), np.array([1.0, 2.0, 9.0])
    for gaps, value in (("nearest", 2.0), ("mean", 4.0), ("nan", np.nan)):
        machine = NadarayaWatson(0.5, window="boxcar", gaps=gaps).fit(V, t)
        with pytest.warns(Unsupported, match="1 in gaps, 1 outside of the data"):
            assert_allclose(machine.predict([[2.0], [0.05], [5.1]]), [value, 1.5, 9.0])
        flags = machine.flags([[2.0], [0.05], [5.1]])
        assert flags.empty.tolist() == [True, False, False]
        assert flags.outside.tolist() == [False, False, True]


def test_several_outputs_share_a_bandwidth_and_fit_alone():
    both = LocalRegression(0.3).fit(X, np.column_stack([y, y**2]))
    assert_allclose(both.predict(X)[:, 1], LocalRegression(0.3).fit(X, y**2).predict(X))
    assert both.sigma_.shape == (2,)


@pytest.mark.filterwarnings("ignore::mercer.estimators.smoothing.local_smoother.Unsupported")
@pytest.mark.parametrize("search", [GridSearchCV, KernelSearchCV])
def test_searches_find_bandwidths_and_neighbours(search):
    cv = KFold(5, shuffle=True, random_state=0)
    found = search(NadarayaWatson(), {"bandwidth": [0.001, 0.1, 3.0]}, cv=cv).fit(X, y)
    assert found.best_params_ == {"bandwidth": 0.1}
    grid = search(LocalRegression(window="tricube"), {"neighbours": [0.3, 1.0]}, cv=cv).fit(X, y)
    assert grid.best_params_ == {"neighbours": 0.3}


def test_proofs_hold_and_wrong_models_are_found_out():
    machine = LocalRegression(0.3).fit(X, y)
    assert mercer.verify(machine, X, y).converged
    machine.fitted_values_ = machine.fitted_values_ + 1e-4
    assert not mercer.verify(machine, X, y).converged


BAD = [
    ({"bandwidth": 0.0}, "bandwidth must be positive"),
    ({"bandwidth": -1.0}, "bandwidth must be positive"),
    ({"bandwidth": "wide"}, "bandwidth must be numbers or one of"),
    ({"bandwidth": [1.0, 2.0]}, "bandwidth must be one number"),
    ({"degree": 3}, "degree must be 0, 1 or 2"),
    ({"gaps": "zero"}, "gaps must be one of"),
    ({"neighbours": 81}, "neighbours must be at most"),
    ({"neighbours": 1.5}, "neighbours must be a whole number"),
    ({"window": "round"}, "window must be"),
    ({"categorical": [4]}, "categorical must be names of columns"),
]


@pytest.mark.parametrize(("options", "words"), BAD, ids=[f"{next(iter(o))}-{i}" for i, (o, _) in enumerate(BAD)])
def test_bad_options_are_refused(options, words):
    with pytest.raises(ValueError, match=f"^LocalRegression: {words}"):
        LocalRegression(**options).fit(X, y)


def test_a_fit_through_all_points_has_no_standard_errors():
    with pytest.raises(ValueError, match="residual_df_ must be 1 or more"):
        NadarayaWatson(1e-6).fit(X, y).interval(X)
