"""Matrices that are known to break Cholesky: fitted, and the reason is told (M31, T30, I5)."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer import GaussianProcessRegressor as Gp
from mercer import NotPositiveDefinite
from mercer.estimators.gaussian_process.regressor import Redundant
from mercer.estimators.gaussian_process.report import AtBound
from mercer.kernels import RBF, Bounded, Linear, Sigmoid

rng = np.random.default_rng(0)
X = rng.normal(size=(50, 2))
y = X[:, 0] + 0.5
line = rng.normal(size=500)
k = RBF(1.0)


def fit(X, y, kernel=k, **more):
    more = {"alpha": 0.0, "optimizer": None} | more
    return Gp(kernel, **more).fit(X, y)


HARD = {
    "equal inputs": (np.vstack([X, X[:5]]), np.append(y, y[:5]), RBF(1.0), "rows 0 and 50.*noise variance"),
    "other targets": (np.vstack([X, X[:5]]), np.append(y, y[:5] + 1.0), RBF(1.0), "other targets: rows 0 and 50"),
    "five equal points": (np.ones((5, 2)), np.ones(5), RBF(1.0), "rank is 1 of 5.*rows 0 and 1.*constant columns"),
    "long lengthscale": (X, y, RBF(1e3 * np.ptp(X)), "times the range of the data"),
    "near-collinear": (np.column_stack([line, line + 1e-9 * rng.normal(size=500)]), np.sin(line), RBF(1.0),
                       "numerical rank is .* of 500"),
    "constant column": (np.column_stack([X, np.ones(50)]), y, Linear(), "constant columns do not distinguish items: 2"),
}  # fmt: skip


@pytest.mark.parametrize("case", HARD.values(), ids=HARD)
def test_a_matrix_that_breaks_cholesky_is_fitted_with_its_reason_M31(case):
    points, t, kernel, reason = case
    gp = fit(points, t, kernel)
    assert 0.0 < gp.jitter_ <= 1e-6 * kernel.diag(kernel.prepare(points)).mean()
    mean, std = gp.predict(points, return_std=True)
    assert np.isfinite(mean).all()
    assert np.isfinite(std).all()
    assert re.search(reason, str(gp.fit_report_), re.DOTALL)


@pytest.mark.parametrize("case", HARD.values(), ids=HARD)
@pytest.mark.filterwarnings("ignore::mercer.estimators.gaussian_process.report.AtBound")
def test_their_hyper_parameters_can_be_searched_M32(case):
    points, t, kernel, _ = case
    gp = Gp(1.0 * kernel, alpha=0.0, noise="learn").fit(points, t)
    assert np.isfinite(gp.log_marginal_likelihood_value_)
    assert np.isfinite(gp.predict(points)).all()


def test_equal_targets_of_equal_inputs_are_still_interpolated_T30():
    points, t, kernel, _ = HARD["equal inputs"]
    assert_allclose(fit(points, t, kernel).predict(points), t, atol=1e-4)
    points, t, kernel, _ = HARD["other targets"]
    assert_allclose(fit(points, t, kernel).predict(points[:5]), t[:5] + 0.5, atol=1e-3)


def test_a_lengthscale_at_its_bound_is_named_M32():
    with pytest.warns(AtBound, match="RBF.lengthscale ended at its upper bound 10000"):
        gp = Gp(RBF(Bounded(1.0, 0.5, 1e4)), alpha=0.0).fit(X, np.ones(50))
    assert gp.jitter_ > 0.0
    assert "RBF.lengthscale" in gp.fit_report_.at_bounds
    assert "RBF.lengthscale is at its bound" in gp.fit_report_.remarks


def test_a_well_posed_fit_needs_no_jitter_and_no_remarks():
    gp = fit(X, y, alpha=0.1)
    assert gp.jitter_ == 0.0
    assert gp.rank_ == 50
    assert gp.fit_report_.remarks == ()


def test_a_kernel_that_is_not_positive_is_refused_by_its_name():
    with pytest.raises(NotPositiveDefinite, match=r"Sigmoid.*not known to be positive.*noise='learn'"):
        fit(X, y, Sigmoid(5.0, offset=-1.0), check_psd="off")


def test_a_rounded_matrix_is_conditioned_on_the_items_that_determine_the_others_M31():
    """Digits of a given matrix that were dropped make it indefinite by more than any jitter mends."""
    points = np.linspace(-1.0, 1.0, 300)[:, None]
    K = np.round(RBF(1.0)(points), 6)
    with pytest.warns(Redundant, match="items determine the others"):
        gp = fit(K, np.sin(points[:, 0]), "precomputed")
    assert 3 <= gp.rank_ < 20
    assert len(gp.support_) == gp.rank_
    assert_allclose(gp.predict(K), np.sin(points[:, 0]), atol=1e-2)
    with pytest.raises(ValueError, match="rank"):
        gp.leave_one_out()


def test_rows_that_are_not_numbers_are_named_I5():
    wrong = X.copy()
    wrong[17, 1] = np.nan
    with pytest.raises(ValueError, match="NaN") as caught:
        fit(wrong, y)
    assert "row of X is 17" in caught.value.__notes__[0]
    import pandas as pd

    for table in (wrong.tolist(), pd.DataFrame(wrong, columns=["a", "b"])):
        with pytest.raises(ValueError, match="NaN") as caught:
            fit(table, y)
        assert "row of X is 17" in caught.value.__notes__[0]
    t = y.copy()
    t[3] = np.inf
    with pytest.raises(ValueError, match="infinity") as caught:
        fit(X, t)
    assert "row of y is 3" in caught.value.__notes__[0]
