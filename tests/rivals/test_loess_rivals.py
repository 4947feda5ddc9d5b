"""lowess and Loess against statsmodels and Cleveland's code in scikit-misc, where these are installed (S15)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer


def scatter(n, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, np.sin(3.0 * x) + rng.standard_t(2, size=n)


@pytest.mark.parametrize("options", [
    {}, {"frac": 0.05}, {"frac": 1.0, "it": 0}, {"delta": 0.1, "frac": 0.1}, {"xvals": np.linspace(-4.0, 4.0, 50)},
    {"return_sorted": False, "it": 1},
], ids=lambda options: "-".join(options) or "defaults")  # fmt: skip
@pytest.mark.parametrize("ties", [False, True])
def test_lowess_is_that_of_statsmodels_S15(options, ties):
    lowess = pytest.importorskip("statsmodels.api").nonparametric.lowess
    x, y = scatter(300)
    x = np.round(x, 1) if ties and options.get("frac", 1.0) > 0.05 else x
    assert_allclose(mercer.lowess(y, x, **options), lowess(y, x, **options), atol=1e-10)


def as_they_read(X):
    """The same rows, arranged as skmisc reads several columns: it takes (n, p) numbers for (p, n)."""
    return np.ascontiguousarray(X.T).reshape(X.shape)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("options", [
    {}, {"degree": 1, "span": 0.3}, {"family": "symmetric"}, {"statistics": "exact"},
    {"surface": "direct", "statistics": "exact"},
], ids=lambda options: "-".join(options) or "defaults")  # fmt: skip
def test_loess_is_that_of_cleveland_S15(d, options):
    loess = pytest.importorskip("skmisc.loess").loess
    rng = np.random.default_rng(d)
    X, Z = rng.uniform(size=(200, d)), rng.uniform(0.05, 0.95, size=(50, d))
    y = np.sin(6.0 * X[:, 0]) + X[:, -1] ** 2 + 0.3 * rng.standard_t(3, size=200)
    theirs = loess(as_they_read(X), y, **options)
    theirs.fit()
    ours = mercer.Loess(**options, extrapolate="fit").fit(X, y)
    predicted = theirs.predict(as_they_read(Z), stderror=True)
    values, std = ours.predict(Z, return_std=True)
    assert_allclose(ours.fitted_values_, theirs.outputs.fitted_values, atol=1e-8)
    assert_allclose(values, predicted.values, atol=1e-8)
    assert_allclose(std, predicted.stderr, rtol=1e-8)
    assert_allclose([ours.enp_, ours.scale_], [theirs.outputs.enp, theirs.outputs.residual_scale], rtol=1e-8)
