"""The search along a Newton direction."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mercer.solvers.losses import Exponential, SquaredHinge
from mercer.solvers.risk.line_search import line_search, root
from mercer.solvers.risk.summed_loss import Scored

y = np.array([1.0, -1.0, 1.0])
always = lambda t: True


def test_a_full_step_is_taken_where_it_is_right():
    assert root(lambda t: t - 1.0, always, -1.0) == 1.0


@pytest.mark.parametrize("share", [1e-6, 0.01, 0.3, 3.0, 1e4])
@pytest.mark.parametrize("bend", [0.3, 1.0, 5.0])
def test_shorter_and_longer_steps_are_found(share, bend):
    slope = lambda t: (t / share) ** bend - 1.0
    assert abs(slope(root(slope, always, -1.0))) <= 0.1


@given(st.floats(1e-4, 1e3))
def test_a_slope_that_is_infinite_beyond_a_wall_is_no_obstacle(wall):
    slope = lambda t: np.inf if t > wall else -1.0 + t / (2.0 * wall)
    t = root(slope, always, -1.0)
    assert 0.9 * wall <= t <= wall


def test_a_direction_that_does_not_descend_gives_nothing():
    target = Scored(SquaredHinge(), y, np.ones(3))
    assert line_search(target, np.zeros((3, 1)), np.zeros((3, 1)), 1.0, 1.0, 1.0) == 0.0


def test_a_step_that_comes_out_higher_is_not_taken_and_overflow_is_no_warning():
    target = Scored(Exponential(), y, np.ones(3))
    dF = 1e4 * y[:, None] * np.array([[1.0], [1.0], [-0.01]])
    F = np.zeros((3, 1))
    t = line_search(target, F, dF, 0.0, 0.0, float((target.slopes(F) * dF).sum()))
    assert target.value(F + t * dF) < target.value(F)
