"""Surrogate losses (T32, E9), regression losses (E8) and the representer theorem for all of them (T15)."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mercer.solvers.losses import (
    EpsilonInsensitive,
    Exponential,
    Hinge,
    Huber,
    Logistic,
    Pinball,
    SmoothLoss,
    Squared,
    SquaredHinge,
    zero_one,
)

MARGIN = [Hinge(), SquaredHinge(), Logistic(), Logistic(bits=True), Exponential()]
RESIDUAL = [Squared(), EpsilonInsensitive(0.3), EpsilonInsensitive(0.0), Huber(0.7), Pinball(0.2)]
ALL = [*MARGIN, *RESIDUAL]
KINKS = {Hinge(): [1.0], EpsilonInsensitive(0.3): [-0.3, 0.3], EpsilonInsensitive(0.0): [0.0], Pinball(0.2): [0.0]}

grid = np.linspace(-4.0, 4.0, 8001)
losses = pytest.mark.parametrize("loss", ALL, ids=str)


@losses
def test_second_differences_are_not_negative_T32(loss):
    assert (np.diff(loss.value(grid), 2) >= -1e-12).all()


@pytest.mark.parametrize("loss", [Hinge(), SquaredHinge(), Exponential(), Logistic(bits=True)], ids=str)
def test_it_bounds_the_zero_one_loss_and_touches_it_at_zero_T32(loss):
    assert (loss.value(grid) >= zero_one(grid)).all()
    assert loss.value(np.zeros(1)) == zero_one(np.zeros(1)) == 1.0


def test_the_natural_logistic_loss_is_no_bound_T32():
    assert_allclose(Logistic().value(np.zeros(1)), 0.6931, atol=5e-5)
    assert (Logistic().value(grid) < zero_one(grid)).any()
    assert_allclose(Logistic().value(grid), np.log(2.0) * Logistic(bits=True).value(grid), rtol=1e-14)


def test_the_hinge_has_an_interval_of_slopes_at_one_only_T32():
    low, high = Hinge().subgradient(np.array([0.999, 1.0, 1.001]))
    assert low.tolist() == [-1.0, -1.0, 0.0]
    assert high.tolist() == [-1.0, 0.0, 0.0]


@losses
def test_slopes_are_those_of_the_chords_on_either_side_T32(loss):
    points = np.concatenate([KINKS.get(loss, []), np.array([-2.0, -0.45, 0.1, 0.55, 2.0])])
    low, high = loss.subgradient(points)
    h = 1e-6
    assert_allclose(low, (loss.value(points) - loss.value(points - h)) / h, atol=1e-5)
    assert_allclose(high, (loss.value(points + h) - loss.value(points)) / h, atol=1e-5)
    assert ((high > low) == np.isin(points, KINKS.get(loss, []))).all()


@losses
def test_every_subgradient_supports_the_loss_from_below_T32(loss):
    for z in (-1.7, -0.3, 0.0, 0.3, 1.0, 2.2):
        for u in np.linspace(*(float(end) for end in loss.subgradient(np.array(z))), 5):
            assert (loss.value(grid) >= loss.value(np.array(z)) + u * (grid - z) - 1e-12).all()


@losses
def test_the_conjugate_is_the_best_line_below_the_loss(loss):
    wide = np.linspace(-60.0, 60.0, 240_001)
    low, high = (float(end[0]) for end in (loss.subgradient(np.array([-3.0]))[0], loss.subgradient(np.array([3.0]))[1]))
    for u in np.linspace(low, high, 9):
        assert_allclose(loss.conjugate(np.array(u)), (u * wide - loss.value(wide)).max(), atol=1e-3)


@losses
def test_fenchel_and_young_meet_exactly_at_subgradients_T17(loss):
    z = np.linspace(-3.0, 3.0, 13)
    for u in (*loss.subgradient(z), np.full_like(z, -0.15)):
        slack = loss.value(z) + loss.conjugate(u) - u * z
        assert (slack >= -1e-12).all()
        touching = (loss.subgradient(z)[0] <= u) & (u <= loss.subgradient(z)[1])
        assert_allclose(slack[touching], 0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("loss", "beyond"),
    [
        (Hinge(), [-1.01, 0.01]),
        (SquaredHinge(), [0.01]),
        (Logistic(), [-1.01, 0.01]),
        (Logistic(bits=True), [-1.45, 0.01]),
        (Exponential(), [0.01]),
        (EpsilonInsensitive(0.3), [-1.01, 1.01]),
        (Huber(0.7), [-0.71, 0.71]),
        (Pinball(0.2), [-0.81, 0.21]),
    ],
    ids=str,
)
def test_a_slope_the_loss_never_has_makes_the_conjugate_infinite(loss, beyond):
    assert (loss.conjugate(np.array(beyond)) == np.inf).all()


def test_the_logistic_loss_keeps_its_digits_for_large_margins_T32():
    for z in (-800.0, -40.0, 40.0, 700.0):
        exact = mpmath.log1p(mpmath.exp(-mpmath.mpf(z)))
        assert_allclose(Logistic().value(np.array(z)), float(exact), rtol=1e-14)
        slope = -1 / (1 + mpmath.exp(mpmath.mpf(z)))
        assert_allclose(Logistic().subgradient(np.array(z))[0], float(slope), rtol=1e-14)


@losses
def test_huge_arguments_give_no_nan_and_no_warning_T32(loss):
    z = np.array([-1e5, -800.0, 800.0, 1e5])
    assert not np.isnan(loss.value(z)).any()
    assert not np.isnan(loss.subgradient(z)).any()


def test_the_tube_costs_nothing_and_has_unit_slopes_outside_E8():
    loss = EpsilonInsensitive(0.3)
    inside = np.abs(grid) <= 0.3
    assert (loss.value(grid[inside]) == 0.0).all()
    assert_allclose(loss.value(grid[~inside]), np.abs(grid[~inside]) - 0.3)
    assert_allclose(loss.subgradient(grid[~inside])[0], np.sign(grid[~inside]))


def test_huber_is_squared_inside_and_straight_outside_E8():
    loss, inside = Huber(0.7), np.abs(grid) <= 0.7
    assert_allclose(loss.value(grid[inside]), Squared().value(grid[inside]))
    assert_allclose(np.abs(loss.subgradient(grid[~inside])[0]), 0.7)
    assert_allclose(Huber(100.0).value(grid), Squared().value(grid))


@pytest.mark.parametrize("tau", [0.1, 0.5, 0.8])
def test_the_best_constant_of_the_pinball_loss_is_a_quantile(tau):
    sample = np.random.default_rng(0).normal(size=401)
    costs = [Pinball(tau).value(sample - c).sum() for c in sample]
    assert sample[np.argmin(costs)] == np.quantile(sample, tau, method="inverted_cdf")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: EpsilonInsensitive(-0.1), "EpsilonInsensitive: epsilon must be a number >= 0; got -0.1"),
        (lambda: Huber(0.0), "Huber: delta must be a number > 0; got 0.0"),
        (lambda: Pinball(1.0), "Pinball: tau must be a number between 0 and 1; got 1.0"),
        (lambda: Huber(np.nan), "got nan"),
    ],
)
def test_a_parameter_without_meaning_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@given(st.sampled_from(ALL), st.floats(-30.0, 30.0), st.floats(-30.0, 30.0), st.floats(0.0, 1.0))
def test_losses_are_convex_and_lie_above_their_tangents_T32(loss, z, other, share):
    between = share * z + (1.0 - share) * other
    low, high = loss.subgradient(np.array(z))
    chord = share * loss.value(np.array(z)) + (1.0 - share) * loss.value(np.array(other))
    assert loss.value(np.array(between)) <= chord * (1.0 + 1e-12) + 1e-12
    for u in (low, high):
        tangent = loss.value(np.array(z)) + u * (other - z)
        assert loss.value(np.array(other)) >= tangent - 1e-9 * (1.0 + abs(tangent))


@given(st.sampled_from(ALL), st.floats(-20.0, 20.0), st.floats(-20.0, 20.0))
def test_fenchel_and_young_for_every_slope_and_every_point_T17(loss, z, at):
    """value(z) + conjugate(u) >= u z for any slope u, with equality where u is the slope at z."""
    for u in loss.subgradient(np.array(at)):
        slack = loss.value(np.array(z)) + loss.conjugate(u) - u * z
        assert slack >= -1e-9 * (1.0 + abs(u * z))
        touching = loss.value(np.array(at)) + loss.conjugate(u) - u * at
        assert abs(touching) <= 1e-9 * (1.0 + abs(u * at))


@losses
def test_losses_without_kinks_have_the_curvature_of_their_slopes_T32(loss):
    assert isinstance(loss, SmoothLoss) == (loss not in KINKS)
    assert loss.margin == (loss in MARGIN)
    if isinstance(loss, SmoothLoss):
        z, h = np.array([-3.0, -0.65, 0.1, 0.65, 0.95, 2.0]), 1e-6
        rise = (loss.subgradient(z + h)[0] - loss.subgradient(z - h)[0]) / (2.0 * h)
        assert_allclose(loss.curvature(z), rise, atol=1e-6, rtol=1e-6)
        assert (loss.curvature(np.array([-1e5, -800.0, 800.0, 1e5])) >= 0.0).all()


# ---- the representer theorem

rng = np.random.default_rng(4)
X, U = rng.normal(size=(15, 2)), rng.normal(size=(12, 2))  # the data, and other points of the space
labels, targets = np.where(X[:, 0] > 0.0, 1.0, -1.0), X[:, 0] ** 2
k = lambda A, B: np.exp(-0.5 * ((A[:, None] - B) ** 2).sum(axis=2))
everywhere = np.vstack([X, U])


def regularised_risk(loss, c):
    """1/2 |h|^2 + C sum loss for h = sum_j c_j k(., p_j) over all points, evaluated at the data."""
    h = k(X, everywhere) @ c
    z = labels * h if loss in MARGIN else targets - h
    return 0.5 * c @ k(everywhere, everywhere) @ c + 2.0 * loss.value(z).sum()


def split(c):
    """The parts of h in span{k(., x_i)} and orthogonal to it, both as coefficients on all points."""
    inside = np.zeros_like(c)
    inside[: len(X)] = np.linalg.solve(k(X, X), k(X, everywhere) @ c)
    return inside, c - inside


@losses
def test_a_direction_orthogonal_to_the_data_never_lowers_the_risk_T15(loss):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        inside, outside = split(rng.normal(size=len(everywhere)))
        assert_allclose(k(X, everywhere) @ outside, 0.0, atol=1e-8)  # it is not seen by the data
        assert regularised_risk(loss, inside) <= regularised_risk(loss, inside + outside)
        norm2 = outside @ k(everywhere, everywhere) @ outside
        for t in (1e-3, 0.1, 1.0):
            rise = regularised_risk(loss, inside + t * outside) - regularised_risk(loss, inside)
            assert_allclose(rise, 0.5 * t**2 * norm2, rtol=1e-4, atol=1e-9)


def test_a_direction_within_the_span_does_lower_some_risks_T15():
    """Orthogonality is what the theorem needs: other directions of the same size help."""
    start = split(rng.normal(size=len(everywhere)))[0]
    lowered = [regularised_risk(loss, 0.9 * start) < regularised_risk(loss, start) for loss in ALL]
    assert any(lowered)
