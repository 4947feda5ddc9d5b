"""The summed loss as a function of the scores: slopes, curvature and the best offsets (M12)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mercer.solvers.losses import Exponential, Huber, Logistic, Squared, SquaredHinge
from mercer.solvers.risk.summed_loss import Given, Scored, Softmax, log_softmax

rng = np.random.default_rng(0)
n = 40
y, t, c = np.where(rng.random(n) < 0.4, 1.0, -1.0), rng.normal(size=n), rng.uniform(0.2, 2.0, n)
codes = rng.integers(0, 3, n)


def cosh(y, f):
    return np.log(np.cosh(y - f)), -np.tanh(y - f)


TARGETS = {
    "squared hinge": Scored(SquaredHinge(), y, c),
    "logistic": Scored(Logistic(), y, c),
    "exponential": Scored(Exponential(), y, c),
    "squared": Scored(Squared(), t, c),
    "huber": Scored(Huber(0.4), t, c),
    "given": Given(cosh, t, c),
    "softmax": Softmax(codes, 3, c),
}
targets = pytest.mark.parametrize("name", TARGETS)


def scores(target, seed=1):
    return np.random.default_rng(seed).normal(size=(n, target.outputs))


@targets
def test_slopes_are_those_of_the_value_M12(name):
    target = TARGETS[name]
    F, h = scores(target), 1e-6
    for i, k in ((0, 0), (7, target.outputs - 1)):
        e = np.zeros_like(F)
        e[i, k] = h
        assert_allclose(target.slopes(F)[i, k], (target.value(F + e) - target.value(F - e)) / (2 * h), atol=1e-7)


@targets
def test_the_curvature_is_that_of_the_slopes_and_has_a_root_M12(name):
    target = TARGETS[name]
    F, h, k = scores(target), 1e-6, target.outputs
    W = target.curvature(F)
    for b in range(k):
        e = np.eye(k)[b] * h
        rise = (target.slopes(F + e) - target.slopes(F - e)) / (2 * h)
        unit = np.tile(np.eye(k)[b], (n, 1))
        product = W.root(W.root_transposed(unit))
        for a in range(k):
            assert_allclose(W.entry(a, b), rise[:, a], atol=1e-5)
            assert_allclose(product[:, a], W.entry(a, b), atol=1e-12)
    some = np.array([3, 11, 12])
    assert_allclose(W.take(some).size(), W.size()[some])


@targets
def test_balanced_slopes_sum_to_zero_whatever_the_start_M12(name):
    target = TARGETS[name]
    H = 3.0 * scores(target, 2)
    found = [target.balance(H, np.full(target.outputs, start)) for start in (0.0, 30.0, -30.0)]
    for r in found:
        G = target.slopes(H + r)
        assert_allclose(G.sum(axis=0), 0.0, atol=1e-12 * np.abs(G).sum())
        assert_allclose(target.value(H + r), target.value(H + found[0]), rtol=1e-12)


def test_a_balance_is_found_far_away_and_on_straight_parts_M12():
    """Huber's loss has no curvature at all when every residual is large."""
    target = Scored(Huber(0.1), t + 1e4, np.ones(n))
    r = target.balance(np.zeros((n, 1)), np.zeros(1))
    assert abs(target.slopes(np.zeros((n, 1)) + r).sum()) < 1e-10
    assert 1e4 - 3.0 < r[0] < 1e4 + 3.0


def test_the_offsets_of_a_softmax_alone_give_the_shares_of_the_classes():
    r = Softmax(codes, 3, np.ones(n)).balance(np.zeros((n, 3)), np.zeros(3))
    assert_allclose(np.exp(log_softmax(r[None]))[0], np.bincount(codes) / n, rtol=1e-12)
    assert_allclose(r.sum(), 0.0, atol=1e-14)


@given(st.lists(st.floats(-1e4, 1e4), min_size=2, max_size=6))
def test_the_softmax_keeps_its_digits_for_large_scores(f):
    L = log_softmax(np.array([f]))
    assert np.isfinite(L).all()
    assert_allclose(np.exp(L).sum(), 1.0, rtol=1e-12)
    assert_allclose(log_softmax(np.array([f]) + 7.0), L, atol=1e-11)


def test_curvatures_that_are_given_are_used_and_others_are_differences():
    second = Given(lambda y, f: (*cosh(y, f), 1.0 - np.tanh(y - f) ** 2), t, c)
    F = scores(second)
    assert_allclose(second.curvature(F).size(), TARGETS["given"].curvature(F).size(), atol=1e-8)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda y, f: (y - f,), r"loss: what it returns must be \(values, slopes\)"),
        (lambda y, f: (y - f, 1.0), "one of each per item"),
        (lambda y, f: (y - f, np.full(n, np.nan)), "must be numbers; got NaN"),
    ],
)
def test_a_function_that_returns_something_else_is_refused(function, message):
    with pytest.raises(ValueError, match=message):
        Given(function, t, c).slopes(np.zeros((n, 1)))
