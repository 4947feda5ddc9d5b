"""The loops of lowess and loess against NumPy at every instruction set (S15)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.native.refusals import refuses
from tests.native.shapes import numbers, seeds

from mercer.native import loess, lowess
from mercer.solvers.loess.local_fits import Points, local_weights, polynomial_terms

sizes = st.sampled_from([3, 5, 8, 17, 33, 130, 300])


@settings(max_examples=15)
@given(n=sizes, d=st.integers(1, 4), seed=seeds, ties=st.booleans())
def test_radii_are_ranked_distances_S15(isa, n, d, seed, ties):
    Xt, at = numbers(seed, (d, n), float), numbers(seed + 1, (3, d), float)
    Xt = np.rint(3.0 * Xt) / 3.0 if ties else Xt
    count, rho = 1 + seed % n, np.empty(3)
    loess.squared_radii(Xt, at, count, 1.5, rho)
    wanted = 1.5 * np.sort(((Xt[None] - at[:, :, None]) ** 2).sum(axis=1), axis=1)[:, count - 1]
    assert_allclose(rho, wanted, rtol=1e-12)
    start, again = np.empty(3, dtype=np.intp), np.empty(3)
    if d == 1:
        loess.sorted_radii(np.sort(Xt[0]), at[:, 0].copy(), count, 1.5, start, again)
        assert_allclose(again, wanted, rtol=1e-12, atol=1e-15)


@settings(max_examples=15)
@given(n=st.sampled_from([40, 127, 129, 300]), d=st.integers(1, 3), degree=st.integers(0, 2), seed=seeds)
def test_local_fits_are_least_squares_S15(isa, n, d, degree, seed):
    points = Points(numbers(seed, (d, n), float), numbers(seed + 1, n, float, 0.5, 2.0), degree, n, 1.0)
    y, at, rho, k = (
        numbers(seed + 2, n, float),
        numbers(seed + 3, (2, d), float, -0.3, 0.3),
        np.full(2, 1.7),
        points.terms,
    )
    fit, inverse, noise, pivot = np.empty((2, d + 1)), np.empty((2, (d + 1) * k)), np.empty(2), np.empty(2)
    loess.local_fits(points.Xt, y, points.weight, degree, at, rho, np.zeros(2, dtype=np.intp), n, 0.0, fit, inverse,
                     noise, pivot)  # fmt: skip
    rows = np.empty((2 * (d + 1), n))
    loess.operator_rows(points.Xt, points.weight, degree, at, rho, inverse, rows)
    for c in range(2):
        root = np.sqrt(local_weights(points, at[c], rho[c]))
        T = polynomial_terms(points.Xt.T - at[c], degree) * root[:, None]
        wanted = np.zeros(d + 1)
        coef = np.linalg.lstsq(T, root * y, rcond=None)[0][: d + 1]
        wanted[: len(coef)] = coef
        assert_allclose(fit[c], wanted, atol=1e-7)
        own = rows[c * (d + 1) : (c + 1) * (d + 1)]
        assert_allclose(own @ y, wanted, atol=1e-7)
        assert_allclose(noise[c], (own[0] ** 2 / points.weight).sum(), rtol=1e-6)


def test_places_and_lines_between_them_S15(isa):
    x, places, out = np.array([0.0, 0.0, 1.0, 2.0, 3.0, 9.0]), np.empty(6, dtype=np.intp), np.empty(6)
    found = places[: lowess.line_places(x, 0.0, places)].copy()
    assert_array_equal(found, [0, 2, 3, 4, 5])
    found = places[: lowess.line_places(x, 2.0, places)].copy()
    assert_array_equal(found, [0, 3, 4, 5])
    lowess.between_places(x, found, np.array([0.0, 4.0, 6.0, 0.0]), out)
    assert_allclose(out, [0.0, 0.0, 2.0, 4.0, 6.0, 0.0])


def test_wrong_arguments_are_named():
    x = np.linspace(0.0, 1.0, 5)
    given = {"x": x, "y": x.copy(), "weight": np.ones(5), "count": 3, "at": x.copy(), "values": x.copy()}
    refuses(lowess.local_lines, given, {"values"}, free={"x", "at"})
    with pytest.raises(ValueError, match=r"^local_lines: count must be from 1 to 5; got 6"):
        lowess.local_lines(**given | {"count": 6})
    with pytest.raises(ValueError, match=r"^squared_radii: count must be from 1 to 5"):
        loess.squared_radii(x[None], x[:, None], 0, 1.0, np.empty(5))
    one, none = np.zeros(1, dtype=np.intp), np.full(1, -1)
    with pytest.raises(ValueError, match=r"^blend: below must be a later box"):
        loess.blend(one, np.zeros(1), one, one, none, np.array([[0, 1]]), np.array([[0.0], [1.0]]), np.zeros((1, 1)),
                    np.empty((1, 4), dtype=np.intp), np.empty((1, 4)))  # fmt: skip
