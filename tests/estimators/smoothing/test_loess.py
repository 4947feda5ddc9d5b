"""Loess: closed forms, its definition in plain loops, standard errors, traces, bad input (S15)."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.model_selection import GridSearchCV

import mercer
from mercer.estimators.smoothing.loess import Extrapolated, SingularFit
from mercer.testing.reference.smoothing import loess_direct


def data(n=120, d=1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, d))
    return X, np.sin(6.0 * X[:, 0]) + X[:, -1] ** 2 + 0.2 * rng.normal(size=n)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("surface", ["interpolate", "direct"])
def test_polynomials_are_reproduced_S15(d, degree, surface):
    X, _ = data(150, d)
    y = (np.full(150, 2.0), 3.0 + 2.0 * X.sum(axis=1), 1.0 + (X**2).sum(axis=1))[degree]
    model = mercer.Loess(degree=degree, surface=surface).fit(X, y)
    assert_allclose(model.predict(X), y, atol=1e-10)


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize(("degree", "span"), [(0, 0.3), (1, 0.5), (2, 0.75), (2, 1.4)])
def test_a_direct_surface_is_its_definition_S15(d, degree, span):
    X, y = data(80, d)
    Z = data(7, d, seed=1)[0]
    model = mercer.Loess(span, degree=degree, surface="direct", normalize=False, extrapolate="fit").fit(X, y)
    assert_allclose(model.predict(Z), loess_direct(X, y, Z, span, degree), atol=1e-9)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("surface", ["interpolate", "direct"])
def test_weights_sum_to_one_and_make_values_errors_and_traces_S15(d, surface):
    X, y = data(70, d)
    model = mercer.Loess(degree=1, surface=surface, statistics="exact").fit(X, y)
    L = model.smoother(X)
    assert_allclose(L.sum(axis=1), 1.0, atol=1e-10)
    values, std = model.predict(X, return_se=True)
    assert_allclose(L @ y, values, atol=1e-10)
    assert_allclose(std, model.sigma_ * np.linalg.norm(L, axis=1), rtol=1e-8)
    M = (np.eye(70) - L) @ (np.eye(70) - L).T
    assert_allclose([model.df_, model.delta1_, model.delta2_], [np.trace(L), np.trace(M), np.trace(M @ M)], rtol=1e-8)
    assert_allclose(model.sigma_**2, ((y - values) ** 2).sum() / model.delta1_, rtol=1e-10)


def test_the_formulas_are_near_the_exact_traces_S15():
    X, y = data(400, 2)
    exact, near = (mercer.Loess(statistics=how).fit(X, y) for how in ("exact", "approximate"))
    assert_allclose(near.df_, exact.df_, rtol=1e-10)
    assert_allclose([near.delta1_, near.delta2_], [exact.delta1_, exact.delta2_], rtol=0.01)


def test_intervals_hold_as_often_as_they_say_S15():
    hits, rng, x = [], np.random.default_rng(3), np.linspace(0.0, 1.0, 200)[:, None]
    for _ in range(40):
        y = 2.0 * x[:, 0] ** 2 + rng.normal(size=200)
        low, high = mercer.Loess().fit(x, y).interval(x[20::40], level=0.9)
        hits.append((low <= 2.0 * x[20::40, 0] ** 2) & (2.0 * x[20::40, 0] ** 2 <= high))
    assert 0.8 < np.mean(hits) < 0.98


def test_outliers_move_a_symmetric_fit_less_S15():
    X, y = data(200)
    spoiled = y.copy()
    spoiled[::20] += 30.0
    moved = {family: np.abs(mercer.Loess(0.4, family=family).fit(X, spoiled).fitted_values_
                            - mercer.Loess(0.4).fit(X, y).fitted_values_).max()
             for family in ("gaussian", "symmetric")}  # fmt: skip
    assert moved["symmetric"] < 0.1 * moved["gaussian"]


@pytest.mark.parametrize("d", [1, 2])
def test_order_of_rows_and_weightless_rows_do_not_matter_S15(d):
    X, y = data(90, d)
    plain = mercer.Loess(0.5).fit(X, y)
    order = np.random.default_rng(0).permutation(90)
    assert_allclose(mercer.Loess(0.5).fit(X[order], y[order]).fitted_values_, plain.fitted_values_[order], atol=1e-9)
    more = mercer.Loess(0.5).fit(np.vstack([X, X[:9] + 5.0]), np.r_[y, y[:9]], np.r_[np.ones(90), np.zeros(9)])
    assert_allclose(more.fitted_values_[:90], plain.fitted_values_, atol=1e-12)


def test_places_outside_are_flagged_S15():
    X, y = data()
    far = np.array([[0.5], [3.0]])
    with pytest.warns(Extrapolated, match="1 of 2 rows lie outside"):
        clipped = mercer.Loess().fit(X, y).predict(far)
    assert np.isfinite(clipped).all()
    missing = mercer.Loess(extrapolate="nan").fit(X, y)
    assert np.isnan(missing.predict(far)).tolist() == missing.outside(far).tolist() == [False, True]
    line = mercer.Loess(degree=1, extrapolate="fit").fit(X, 2.0 * X[:, 0])
    assert_allclose(line.predict(far), [1.0, 6.0])
    with pytest.raises(ValueError, match="X must be inside of the box"):
        mercer.Loess(extrapolate="raise").fit(X, y).predict(far)


def test_singular_designs_have_the_fit_of_least_norm_and_say_so_S15():
    x = np.repeat([0.0, 1.0], 20)[:, None]
    with pytest.warns(SingularFit, match="local fits are not unique"):
        model = mercer.Loess(degree=2).fit(x, x[:, 0])
    assert_allclose(model.predict([[0.0], [1.0]]), [0.0, 1.0], atol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SingularFit)
        assert_allclose(mercer.Loess(degree=1).fit(np.ones((9, 2)), np.arange(9.0)).predict([[1.0, 1.0]]), 4.0)


@pytest.mark.parametrize(("options", "words"), [
    ({"span": 0.0}, "span must be a positive number"),
    ({"span": 0.02}, "span must be large enough for 4 rows in each local fit of degree 2"),
    ({"degree": 3}, "degree must be 0, 1 or 2"),
    ({"family": "poisson"}, "family must be one of"),
    ({"cell": 0.0}, "cell must be"),
    ({"iterations": -1}, "iterations must be an integer >= 0"),
    ({"surface": "flat"}, "surface must be one of"),
])  # fmt: skip
def test_bad_options_are_refused_S15(options, words):
    with pytest.raises(ValueError, match=f"^Loess: {words}"):
        mercer.Loess(**options).fit(*data())


def test_bad_data_are_refused_S15():
    X, y = data(12, 2)
    with pytest.raises(ValueError, match="NaN"):
        mercer.Loess().fit(np.where(X > 0.5, np.nan, X), y)
    with pytest.raises(ValueError, match="large enough for 7 rows"):
        mercer.Loess().fit(X[:7], y[:7])
    with pytest.raises(ValueError, match="level must be"):
        mercer.Loess(degree=1).fit(X, y).interval(X, level=95)


def test_a_proof_that_no_polynomial_fits_better_S15():
    X, y = data(100, 2)
    model = mercer.Loess().fit(X, y)
    assert model.certificate_.converged
    assert mercer.verify(model, X, y).relative_gap < 1e-8
    model._surface.numbers[:] += 0.1
    assert not mercer.verify(model, X, y).converged


@pytest.mark.filterwarnings("ignore::mercer.estimators.smoothing.loess.Extrapolated")
def test_searches_find_the_span_S15(tmp_path):
    X, y = data(150)
    grid = {"span": [0.2, 0.4, 0.9], "degree": [1, 2]}
    ours, theirs = (search(mercer.Loess(), grid).fit(X, y) for search in (mercer.KernelSearchCV, GridSearchCV))
    assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], rtol=1e-10)
    row = next(iter(mercer.compare(X, y, methods=["loess"], tune=True)))
    assert row.error is None
    assert "span" in row.settings
    mercer.save(ours.best_estimator_, tmp_path / "loess.mercer")
    again = mercer.load(tmp_path / "loess.mercer")
    assert_allclose(again.predict(X, return_se=True), ours.best_estimator_.predict(X, return_se=True))
