"""lowess against its definition in plain loops, and its bad input (S15)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import mercer
from mercer.estimators.smoothing.lowess import NoLocalFit
from mercer.testing.reference.smoothing import lowess as reference


def scatter(seed, n, ties=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    x = np.round(x, 1) if ties else x
    return x, np.sin(3.0 * x) + 0.3 * rng.standard_t(2, size=n)


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), n=st.sampled_from([5, 17, 60]), frac=st.sampled_from([0.2, 0.5, 1.0]),
       it=st.sampled_from([0, 1, 3]))  # fmt: skip
def test_lowess_is_its_definition_S15(seed, n, frac, it):
    x, y = scatter(seed, n)
    assert_allclose(mercer.lowess(y, x, frac, it, return_sorted=False), reference(y, x, frac, it), atol=1e-9)


def test_lowess_reproduces_lines_and_is_equivariant_S15():
    x, y = scatter(0, 80)
    assert_allclose(mercer.lowess(3.0 + 2.0 * x, x, 0.3, return_sorted=False), 3.0 + 2.0 * x, atol=1e-12)
    plain = mercer.lowess(y, x, 0.3, return_sorted=False)
    moved = mercer.lowess(1e3 * y + 5.0, 1e-9 * x + 1e-7, 0.3, return_sorted=False)
    assert_allclose(moved, 1e3 * plain + 5.0, rtol=1e-6)


def test_the_order_of_points_does_not_matter_S15():
    x, y = scatter(1, 70, ties=True)
    order = np.random.default_rng(0).permutation(70)
    mixed = mercer.lowess(y[order], x[order], 0.4, return_sorted=False)
    assert_allclose(mixed, mercer.lowess(y, x, 0.4, return_sorted=False)[order], atol=1e-12)
    ascending = mercer.lowess(y, x, 0.4)
    assert_array_equal(ascending[:, 0], np.sort(x))


def test_values_at_given_places_are_those_of_the_curve_S15():
    x, y = scatter(2, 90)
    assert_allclose(mercer.lowess(y, x, 0.3, xvals=x), mercer.lowess(y, x, 0.3, return_sorted=False), atol=1e-12)


def test_delta_interpolates_between_fitted_points_S15():
    x, y = scatter(3, 200)
    exact, quick = (mercer.lowess(y, x, 0.5, delta=delta)[:, 1] for delta in (0.0, 0.05))
    assert 0.0 < np.abs(exact - quick).max() < 0.05


def test_windows_of_equal_x_have_their_mean_S15():
    x, y = np.repeat([0.0, 1.0, 2.0], 4), np.arange(12.0)
    fitted = mercer.lowess(y, x, 0.3, it=0, return_sorted=False)
    assert_allclose(fitted, np.repeat([1.5, 5.5, 9.5], 4))


def test_missing_numbers_are_dropped_or_refused_S15():
    x, y = scatter(4, 40)
    y[3] = np.nan
    fitted = mercer.lowess(y, x, return_sorted=False)
    assert np.isnan(fitted[3])
    assert_allclose(np.delete(fitted, 3), mercer.lowess(np.delete(y, 3), np.delete(x, 3), return_sorted=False))
    assert mercer.lowess(y, x).shape == (39, 2)
    with pytest.raises(ValueError, match="must be finite; got a NaN or infinite number at position 3"):
        mercer.lowess(y, x, missing="raise")


def test_places_without_a_line_are_nan_and_told_S15():
    x, y = np.arange(4.0), np.arange(4.0)
    with pytest.warns(NoLocalFit, match="1 of 1 values are NaN"):
        assert np.isnan(mercer.lowess(y, x, 0.5, xvals=[0.4])).all()


@pytest.mark.parametrize(("options", "words"), [
    ({"frac": 0.0}, "frac must be a number with 0 < frac <= 1"),
    ({"frac": 1.5}, "frac must be"),
    ({"it": -1}, "it must be an integer >= 0"),
    ({"delta": -1.0}, "delta must be a finite number >= 0"),
    ({"missing": "keep"}, "missing must be one of"),
    ({"x": [1.0, 2.0]}, "y must be as long as x"),
    ({"x": [[1.0], [2.0], [3.0]]}, "x must be one-dimensional"),
    ({"x": [np.nan] * 3}, "x must be two points or more"),
])  # fmt: skip
def test_bad_input_is_refused_S15(options, words):
    with pytest.raises(ValueError, match=words):
        mercer.lowess(**{"y": [1.0, 2.0, 3.0], "x": [1.0, 2.0, 3.0]} | options)
