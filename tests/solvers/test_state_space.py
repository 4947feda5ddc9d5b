"""Processes on a line in O(n) are the exact ones: evidence, slope, mean and variance (M31, M32, T30)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mercer.kernels import Matern
from mercer.linalg.cholesky import factorise
from mercer.solvers.gaussian_process import condition
from mercer.solvers.state_space import LineProcess

rng = np.random.default_rng(0)


def line(n=40, nu=1.5, lengthscale=0.7, variance=2.0, seed=0, h=1, q=1):
    draw = np.random.default_rng(seed)
    x = np.sort(draw.uniform(0.0, 5.0, n))
    x[n // 2 : n // 2 + 2] = x[n // 2]  # a repeated place
    H = np.stack([x**k for k in range(h)], axis=1) if h else np.empty((n, 0))
    noise = draw.uniform(0.05, 0.3, n)
    return LineProcess(x, draw.normal(size=(n, q)), H, noise, nu, lengthscale, variance)


def exact(p):
    """The same by a Cholesky factor."""
    k = Matern(p.lengthscale, nu=p.nu)
    M = p.variance * k(p.places[:, None]) + np.diag(p.noise)
    return k, condition(factorise(M), p.Y, p.H)


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5])
@pytest.mark.parametrize("h", [0, 1, 2])
def test_the_evidence_is_the_exact_one_M32(nu, h):
    p = line(nu=nu, h=h, q=2)
    assert_allclose(p.evidence()[0], exact(p)[1].evidence, rtol=1e-10)


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5])
@pytest.mark.parametrize("h", [0, 2])
def test_slopes_are_differences_M32(nu, h):
    p = line(nu=nu, h=h)

    def value(t):
        moved = LineProcess(p.places, p.Y, p.H, p.noise + t[2], nu, p.lengthscale * np.exp(t[0]),
                            p.variance * np.exp(t[1]))  # fmt: skip
        return moved.evidence()[0]

    steps = 1e-5 * np.eye(3)
    expected = [(value(s) - value(-s)) / 2e-5 for s in steps]
    assert_allclose(p.evidence(slopes=True)[1], expected, rtol=1e-5, atol=1e-6)


@given(st.sampled_from([0.5, 1.5, 2.5]), st.floats(0.05, 20.0), st.integers(0, 2), st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_moments_at_new_places_are_the_exact_ones_M31(nu, lengthscale, h, seed):
    p = line(nu=nu, lengthscale=lengthscale, h=h, seed=seed)
    k, found = exact(p)
    new = np.concatenate([np.random.default_rng(seed).uniform(-2.0, 7.0, 15), p.places[:3]])
    H = np.stack([new**j for j in range(h)], axis=1) if h else np.empty((len(new), 0))
    K = p.variance * k(new[:, None], p.places[:, None])
    mean = K @ found.coef + H @ found.weights
    u = np.linalg.solve(found.root, H.T).T - K @ found.explained if h else H
    variance = p.variance - (K * found.factor.solve(K.T).T).sum(axis=1) + (u**2).sum(axis=1)
    got_mean, got_variance = p.moments(new, H)
    assert_allclose(got_mean, mean, rtol=1e-7, atol=1e-7 * abs(p.Y).max())
    assert_allclose(got_variance, variance, rtol=1e-6, atol=1e-8 * p.variance)


def test_many_places_close_together_keep_their_digits_M32():
    x = np.sort(rng.uniform(0.0, 1.0, 300))
    y = np.sin(9.0 * x)[:, None]
    p = LineProcess(x, y, np.ones((300, 1)), np.full(300, 1e-4), 2.5, 0.5, 1.0)
    assert_allclose(p.evidence()[0], exact(p)[1].evidence, rtol=1e-8)


def test_places_out_of_order_are_refused_I5():
    with pytest.raises(ValueError, match="ascending"):
        LineProcess(np.array([1.0, 0.0]), np.zeros((2, 1)), np.empty((2, 0)), np.ones(2), 0.5, 1.0, 1.0)
