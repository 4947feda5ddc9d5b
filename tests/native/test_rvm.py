"""Coordinate ascent on the evidence against the same in NumPy (rvm_twin.py)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.native import rvm_twin
from tests.native.refusals import refuses
from tests.native.rvm_calls import exchanges, singles
from tests.native.shapes import framed, off_alignment, seeds, sides

from mercer.native import rvm


@st.composite
def models(draw):
    """(P, Q, tau, grain) of a regression with some functions active, by their definition."""
    n, rng = draw(sides), np.random.default_rng(draw(seeds))
    Phi, y = rng.normal(size=(n + 20, n)) + 0.5 * rng.normal(size=(n + 20, 1)), 2.0 * rng.normal(size=n + 20)
    y += Phi[:, : n // 3].sum(axis=1)
    tau = np.where(rng.random(n) < draw(st.sampled_from([0.0, 0.3, 1.0])), rng.uniform(0.1, 2.0, n), 0.0)
    C = 0.5 * np.eye(n + 20) + (Phi * tau) @ Phi.T
    P, Q = Phi.T @ np.linalg.solve(C, Phi), Phi.T @ np.linalg.solve(C, y)
    grain = np.where(rng.random(n) < 0.1, np.inf, 1e-11)
    return (off_alignment(A, draw(st.integers(0, 3))) for A in (0.5 * (P + P.T), Q, tau, grain))


@given(model=models())
def test_singles(isa, model):
    P, Q, tau, grain = model
    S = np.diag(P).copy()
    for found, expected in zip(singles(S, Q, tau, grain), rvm_twin.singles(S, Q, tau, grain), strict=True):
        assert_allclose(found, expected, rtol=1e-9, atol=1e-11)


@given(model=models())
def test_exchanges(isa, model):
    P, Q, tau, grain = model
    S, A = np.diag(P).copy(), np.flatnonzero(tau)
    gain, partner, best = exchanges(P[A], A, S, Q, tau, grain)
    expected = rvm_twin.exchanges(P[A], A, S, Q, tau, grain)
    assert_allclose(gain, expected[0], rtol=1e-9, atol=1e-11)
    assert_array_equal(partner, expected[1])
    assert_allclose(best, expected[2], rtol=1e-9)


@given(model=models(), most=st.sampled_from([0, 1, 2, 7, 300]))
def test_ascend(isa, model, most):
    P, Q, tau, grain = model
    twin = P.copy(), Q.copy(), tau.copy()
    view, outside = framed(P)
    steps = rvm.ascend(view, Q, tau, grain, 1e-6, most)
    outside.check()
    assert steps == rvm_twin.ascend(*twin, grain, 1e-6, most)
    assert_array_equal(view, view.T)
    for found, expected in zip((view, Q, tau), twin, strict=True):
        assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_gains_are_right_however_small_or_large_they_are(isa):
    """With tau = 0 the gain is 1/2 (x - log(1 + x)), x = Q^2 / S - 1."""
    x = np.concatenate([np.logspace(-3, 12, 1001), [0.0, 1.0, 0.41421356, 0.41421357]])
    S = np.ones(len(x))
    Q = np.sqrt(1.0 + x)
    y = Q.astype(np.longdouble) ** 2 - 1.0
    gain, best = singles(S, Q, np.zeros(len(x)), np.zeros(len(x)))
    assert_allclose(best, y.astype(float), rtol=1e-12, atol=4e-16)
    assert_allclose(gain, (0.5 * (y - np.log1p(y))).astype(float), rtol=1e-12, atol=3e-16)


def test_numbers_that_are_not_finite_end_an_ascent(isa):
    P, Q, tau = np.full((9, 9), np.nan), np.ones(9), np.zeros(9)
    assert rvm.ascend(P, Q, tau, np.zeros(9), 1e-3, 100) == 0


def test_wrong_arguments_are_named():
    n, A = 5, np.array([0, 3])
    S, Q, tau, grain, gain, best = np.ones((6, n))
    refuses(rvm.singles, {"S": S, "Q": Q, "tau": tau, "grain": grain, "gain": gain, "best": best},
            {"gain", "best"}, free={"tau"})  # fmt: skip
    arguments = {"PA": np.ones((2, n)), "A": A, "S": S, "Q": Q, "tau": tau, "grain": grain, "gain": gain,
                 "partner": np.zeros(n, dtype=np.intp), "best": best}  # fmt: skip
    refuses(rvm.exchanges, arguments, {"gain", "partner", "best"}, free={"tau", "A"})
    for outside in (-1, n):
        with pytest.raises(ValueError, match=f"^exchanges: A must be indices from 0 to below 5; got {outside}"):
            rvm.exchanges(**arguments | {"A": np.array([0, outside])})
    refuses(rvm.ascend, {"P": np.ones((n, n)), "Q": Q, "tau": tau, "grain": grain, "tol": 1.0, "most": 1},
            {"P", "Q", "tau"}, free={"tau"})  # fmt: skip
