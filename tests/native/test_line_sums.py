"""Sums of powers near places of a line, against sums over all points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from tests.native.refusals import refuses
from tests.native.shapes import framed, numbers, seeds, sides

from mercer.native import line_sums

widths = st.sampled_from([1e-3, 0.1, 0.7, 5.0])


def plain(x, V, z, h, K, weight):
    u = (x[None] - z[:, None]) / h
    k = weight(u)
    out = np.empty((len(z), V.shape[1], K + 1))
    for p in range(K + 1):
        out[:, :, p] = (k * u**p) @ V
    return out.reshape(len(z), V.shape[1] * (K + 1))


def problem(n, m, c, seed):
    x, z = np.sort(numbers(seed, n, float)), np.sort(numbers(seed + 1, m, float, -1.5, 1.5))
    return x, framed(numbers(seed + 2, (n, c), float))[0], z


@settings(max_examples=20)
@given(n=sides, m=sides, c=st.sampled_from([1, 2, 3]), h=widths, seed=seeds)
def test_powers_under_a_gaussian(isa, n, m, c, h, seed):
    x, V, z = problem(n, m, c, seed)
    out, outside = framed(np.empty((m, 7 * c)))
    line_sums.gaussian_powers(x, V, z, h, out)
    outside.check()
    assert_allclose(out, plain(x, V, z, h, 6, lambda u: np.exp(-(u**2) / 2)), atol=1e-11 * max(n, 1))


@settings(max_examples=20)
@given(n=sides, m=sides, K=st.sampled_from([0, 1, 4, 12]), h=widths, seed=seeds, right=st.booleans())
def test_powers_in_a_window_and_in_half_of_it(isa, n, m, K, h, seed, right):
    x, V, z = problem(n, m, 2, seed)
    out, outside = framed(np.empty((m, 2 * (K + 1))))
    line_sums.window_powers(x, V, z, 0.0 if right else -h, h, h, right, out)
    outside.check()
    u = x[None] - z[:, None]
    inside = ((u > 0.0) & (z[:, None] + h >= x)) if right else ((z[:, None] - h <= x) & (z[:, None] + h >= x))
    assert_allclose(out, plain(x, V, z, h, K, lambda _: inside * 1.0), atol=1e-12 * max(n, 1))


@settings(max_examples=20)
@given(n=st.sampled_from([1, 5, 33]), m=sides, h=widths, seed=seeds, window=st.sampled_from([(0, 0), (2, 1), (3, 3)]))
def test_powers_of_points_near_each_place_but_one(isa, n, m, h, seed, window):
    x, V, z = problem(n, m, 2, seed)
    skip = np.random.default_rng(seed).integers(-1, n, m)
    shift = np.random.default_rng(seed).uniform(0.0, 0.0, m)
    a, b = window
    out = np.empty((m, 10))
    every = np.zeros(m, dtype=np.intp), np.full(m, n)
    line_sums.near_powers(x, V, z, np.full(m, h), shift, *every, skip, a, b, out)

    def weight(u):
        k = np.exp(-(u**2) / 2) if a == 0 else np.where(abs(u) <= 1, (1 - np.minimum(abs(u), 1) ** max(a, 1)) ** b, 0)
        k[np.arange(m)[skip >= 0], skip[skip >= 0]] = 0.0
        return k

    assert_allclose(out, plain(x, V, z, h, 4, weight), rtol=1e-9, atol=1e-9)


def test_wrong_arguments_are_named():
    x, z = np.arange(5.0), np.arange(3.0)
    arguments = {"x": x, "V": np.ones((5, 2)), "z": z, "h": 1.0, "out": np.empty((3, 4))}
    refuses(line_sums.gaussian_powers, arguments, {"out"}, free={"x", "z", "out", "V"})
    with pytest.raises(ValueError, match=r"^gaussian_powers: x must be ascending"):
        line_sums.gaussian_powers(**arguments | {"x": x[::-1].copy()})
    with pytest.raises(ValueError, match=r"^gaussian_powers: h must be positive"):
        line_sums.gaussian_powers(**arguments | {"h": 0.0})
    with pytest.raises(ValueError, match=r"^gaussian_powers: out must be one to 7 columns"):
        line_sums.gaussian_powers(**arguments | {"out": np.empty((3, 5))})
    with pytest.raises(ValueError, match=r"^window_powers: high - low must be positive"):
        line_sums.window_powers(x, np.ones((5, 1)), z, 1.0, 1.0, 1.0, False, np.empty((3, 2)))
