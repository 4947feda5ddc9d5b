"""The search of hyper-parameters on functions whose optimum is known (M32)."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from mercer.solvers.evidence_climb import Prior
from mercer.solvers.evidence_search import TOL, search

SHAPE = np.diag([1.0, 4.0, 0.1])
WIDE = np.array([[-10.0, 10.0]] * 3)


class Bowl:
    """-n/2 (t - centre)' A (t - centre), steeper the more items there are."""

    def __init__(self, centre, size=1000, A=SHAPE, has_curvature=True):
        self.centre, self.size, self.A, self.has_curvature = np.asarray(centre, dtype=float), size, A, has_curvature
        self.asked = []

    def value_and_slope(self, theta, *, at_least=-np.inf):
        value = self.value(theta)
        return value, self.slope() if np.isfinite(value) and value >= at_least else None

    def value(self, theta):
        self.asked.append(theta)
        self.last = theta - self.centre
        return -0.5 * self.size / 1000 * float(self.last @ self.A @ self.last)

    def slope(self):
        return -self.size / 1000 * (self.A @ self.last)

    def curvature(self, theta):
        return self.size / 1000 * self.A if self.has_curvature else None


class Ridge(Bowl):
    """Rosenbrock's valley, with its maximum 0 at (1, 1)."""

    def value(self, theta):
        self.asked.append(theta)
        self.x, self.y = theta
        return -float((1 - self.x) ** 2 + 10 * (self.y - self.x**2) ** 2)

    def slope(self):
        t = self.y - self.x**2
        return np.array([2 * (1 - self.x) + 40 * t * self.x, -20 * t])

    def curvature(self, theta):
        return None


def test_a_bowl_is_climbed_to_its_top_with_and_without_information():
    for has_curvature in (True, False):
        found = search([Bowl([1.0, -2.0, 3.0], has_curvature=has_curvature)], [np.zeros(3)], WIDE, tol=1e-8)
        assert found.best.converged
        assert found.best.value > -1e-6
        assert_allclose(found.best.theta, [1.0, -2.0, 3.0], atol=1e-2)


def test_a_curved_valley_is_followed_to_its_end():
    found = search([Ridge([0, 0])], [np.array([-1.2, 1.0])], WIDE[:2], tol=1e-10)
    assert_allclose(found.best.theta, 1.0, atol=1e-4)


def test_a_parameter_ends_at_its_bound_when_the_top_is_beyond():
    bounds = np.array([[-1.0, 0.5], [-1.0, 1.0], [-10.0, 10.0]])
    bowl = Bowl([1.0, -2.0, 3.0])
    found = search([bowl], [np.zeros(3)], bounds, tol=1e-8)
    assert_allclose(found.best.theta, [0.5, -1.0, 3.0], atol=1e-2)
    assert all((bounds[:, 0] <= t).all() and (t <= bounds[:, 1]).all() for t in bowl.asked)


def test_most_evaluations_are_on_subsets_M32():
    steep = 100.0 * np.diag([1.0, 4.0, 2.0])
    small, large = Bowl([1.0, 1.0, 1.0], 100, steep), Bowl([1.05, 1.0, 0.9], 1000, steep)
    found = search([small, large], [np.zeros(3)], WIDE)
    assert len(large.asked) <= 3 < len(small.asked)
    assert_allclose(found.best.theta, [1.05, 1.0, 0.9], atol=np.sqrt(2.0 * TOL / 100.0))  # as little is to be gained
    assert [climb.size for climb in found.climbs] == [100, 1000]


def test_what_a_subset_does_not_determine_stays_near_its_start():
    flat = Bowl([0.0, 0.0, 50.0], 100, np.diag([1.0, 1.0, 1e-3]))
    found = search([flat, Bowl([0.0] * 3)], [np.zeros(3)], WIDE)
    assert abs(found.climbs[0].theta[2]) < 2.0


def test_the_best_of_several_starts_goes_on():
    class Twins(Bowl):
        def value(self, theta):
            return max(super().value(theta), -1.0) if theta[0] < 0 else super().value(theta)

    found = search([Twins([3.0] * 3, 100), Bowl([3.0] * 3)], [np.full(3, -5.0), np.full(3, 2.0)], WIDE)
    assert [climb.size for climb in found.climbs] == [100, 100, 1000, 1000, 1000]  # the last by L-BFGS-B
    assert_allclose(found.best.theta, 3.0, atol=0.3)


def test_a_prior_is_weighed_against_the_evidence_M32():
    bowl = Bowl([2.0, 0.0, 0.0], A=np.eye(3))
    found = search([bowl], [np.zeros(3)], WIDE, prior=Prior(np.zeros(3), 1.0), tol=1e-10)
    assert_allclose(found.best.theta, [1.0, 0.0, 0.0], atol=1e-4)


def test_a_start_without_a_value_is_reported_and_a_step_without_one_is_shortened():
    class Cliff(Bowl):
        def value(self, theta):
            value = super().value(theta)
            return -np.inf if theta[0] > 1.5 else value

    bad = search([Cliff([1.0, 0.0, 0.0])], [np.full(3, 2.0)], WIDE)
    assert bad.best.reason == "not finite"
    good = search([Cliff([1.4, 0.0, 0.0], A=np.eye(3))], [np.array([-8.0, 0.0, 0.0])], WIDE, tol=1e-8)
    assert_allclose(good.best.theta, [1.4, 0.0, 0.0], atol=1e-3)


class Twins(Bowl):
    """Two maxima, at -2 and +2 of the first parameter; the second is higher by `more`."""

    def __init__(self, more, size=1000):
        super().__init__([0.0, 0.0, 0.0], size)
        self.more = more

    def value(self, theta):
        self.asked.append(theta)
        self.t = np.asarray(theta)
        return -float(
            (self.t[0] ** 2 - 4.0) ** 2 / 16.0 - self.more * self.t[0] / 4.0 + self.t[1] ** 2 + self.t[2] ** 2
        )

    def slope(self):
        t = self.t
        return -np.array([t[0] * (t[0] ** 2 - 4.0) / 4.0 - self.more / 4.0, 2.0 * t[1], 2.0 * t[2]])

    def curvature(self, theta):
        return np.diag([2.0, 2.0, 2.0])


def test_a_hint_that_leads_to_a_higher_maximum_is_followed_beside_the_start_M32():
    start, hint = np.array([-2.5, 0.5, 0.0]), np.array([2.5, 0.5, 0.0])
    higher = search([Twins(1.0, 100), Twins(1.0)], [start], WIDE, hints=[hint])
    assert higher.best.theta[0] > 1.0
    assert [climb.size for climb in higher.climbs] == [100, 100, 1000, 1000]
    misled = search([Twins(1.0, 100), Twins(-1.0)], [start], WIDE, hints=[hint])  # only the subset likes it
    assert misled.best.theta[0] < -1.0
    assert misled.climbs[-1] is misled.best


def test_restarts_never_end_below_plain_lbfgs_on_all_items_M32():
    """The subset leads away from the maximum next to the start; where restarts are asked for, that one is found too."""
    start, other = np.array([-0.3, 0.5, 0.0]), np.array([-2.0, 0.0, 0.0])
    alone = search([Twins(-12.0, 100), Twins(2.0)], [start], WIDE)
    more = search([Twins(-12.0, 100), Twins(2.0)], [start, other], WIDE)
    plain = minimize(lambda t: (-(every := Twins(2.0)).value(t), -every.slope()), start, jac=True, method="L-BFGS-B")
    assert alone.best.value < -plain.fun - 0.5
    assert more.best.value >= -plain.fun - 1e-6


def test_parameters_stay_near_their_start_on_subsets_but_not_pulled_to_it_M32():
    evidences = [Bowl([3.0, 0.0, 9.0], size, 100.0 * SHAPE) for size in (100, 1000)]
    found = search(evidences, [np.zeros(3)], WIDE, tol=1e-6)
    assert_allclose(found.climbs[0].theta[0], 3.0, atol=0.5)
    assert found.climbs[0].theta[2] <= 3.5
    assert_allclose(found.best.theta, [3.0, 0.0, 9.0], atol=1e-2)


class Slope(Bowl):
    """A long ridge: log(1 + t), whose slope is soon small and which still gains a nat from t = 10 to 30."""

    def value(self, theta):
        self.t = float(theta[0])
        return float(np.log1p(self.t))

    def slope(self):
        return np.array([1.0 / (1.0 + self.t)])

    def curvature(self, theta):
        return None


def test_one_level_is_climbed_until_the_slope_is_nothing_M32():
    found = search([Slope([0.0])], [np.zeros(1)], np.array([[0.0, 40.0]]), tol=0.1)
    assert_allclose(found.best.theta, 40.0)


def test_a_last_level_without_information_ends_by_lbfgs_M38():
    class Large(Slope):
        has_curvature = False
        least_gain = 1e-2

    evidences = [Large([0.0], 100, has_curvature=False), Large([0.0], 1000, has_curvature=False)]
    found = search(evidences, [np.zeros(1)], np.array([[0.0, 40.0]]), tol=0.1)
    assert_allclose(found.best.theta, 40.0)
