"""Hyper-parameters: fields, marks, transforms, and the free vector theta."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mercer.kernels import RBF, Constant, Linear, Matern, Polynomial, RationalQuadratic
from mercer.parameters import Bounded, Fixed, Log, LogOrZero, Real, as_number, value

TRANSFORMS = {Log: [1e-3, 1.0, 7.5], LogOrZero: [1e-3, 1.0, 7.5], Real: [-2.0, 0.0, 3.0]}


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda t: t.__name__)
def test_a_transform_and_its_inverse_cancel(transform):
    p = np.array(TRANSFORMS[transform])
    assert_allclose(transform.value(transform.theta(p)), p, rtol=1e-14)


@pytest.mark.parametrize("transform", TRANSFORMS, ids=lambda t: t.__name__)
def test_pull_is_the_chain_rule(transform):
    p, h = np.array(TRANSFORMS[transform]), 1e-6
    theta = transform.theta(p)
    dp = (transform.value(theta + h) - transform.value(theta - h)) / (2 * h)
    assert_allclose(transform.pull(np.ones_like(p), p), dp, rtol=1e-8)


def test_theta_holds_what_is_free_and_nothing_else():
    assert_allclose(RBF(2.0).theta, [np.log(2.0)])
    assert_allclose(RBF((2.0, 3.0)).theta, np.log([2.0, 3.0]))
    assert RBF(Fixed(2.0)).theta.size == 0
    assert Linear().theta.size == 0
    assert_allclose(Polynomial(2, gamma=Fixed(2.0), offset=-3.0).theta, [-3.0])


def test_a_value_that_theta_cannot_hold_is_a_choice_and_stays_K2_K8():
    k = RBF((2.0, np.inf, 0.5))
    assert_allclose(k.theta, np.log([2.0, 0.5]))
    assert k.theta_names == ["RBF.lengthscale[0]", "RBF.lengthscale[2]"]
    assert k.with_theta([0.0, 0.0]) == RBF((1.0, np.inf, 1.0))
    assert Constant(0.0).theta.size == 0
    assert (0.0 * RBF(Fixed(1.0))).with_theta([]) == 0.0 * RBF(Fixed(1.0))


def test_with_theta_keeps_the_marks():
    k = RationalQuadratic(Bounded(2.0, 1.0, 4.0), alpha=Fixed(3.0))
    assert k.with_theta([np.log(3.0)]) == RationalQuadratic(Bounded(np.exp(np.log(3.0)), 1.0, 4.0), alpha=Fixed(3.0))


def test_bounds_are_those_of_the_mark_or_of_the_kernel():
    assert_allclose(RBF(Bounded(2.0, 1.0, 4.0)).bounds, np.log([[1.0, 4.0]]))
    assert_allclose(RBF((2.0, np.inf, 3.0)).bounds, np.log([[1e-5, 1e5]] * 2))
    assert_array_equal((RBF(Fixed(1.0)) + Linear()).bounds, np.empty((0, 2)))
    assert_array_equal(Constant(Bounded(1.0, 0.0, 2.0)).bounds, [[-np.inf, np.log(2.0)]])


@given(st.floats(1e-4, 1e4), st.floats(1.001, 100.0))
def test_theta_may_stand_on_a_bound(low, ratio):
    """exp(log(p)) may be a rounding away from p; an optimiser that stops on a bound must not be refused."""
    k = RBF(Bounded(low * ratio**0.5, low, low * ratio))
    for end in k.bounds[0]:
        assert low <= value(k.with_theta([end]).lengthscale) <= low * ratio


def test_theta_beyond_a_bound_is_refused():
    with pytest.raises(ValueError, match=r"Bounded: value must be between low = 1.0 and high = 4.0; got 7.38"):
        RBF(Bounded(2.0, 1.0, 4.0)).with_theta([2.0])


@pytest.mark.parametrize("theta", [[], [0.0, 0.0], 0.0, [[0.0]]], ids=repr)
def test_theta_of_another_length_is_refused(theta):
    with pytest.raises(ValueError, match=r"RBF: theta must be 1 numbers; got shape .* see k.theta_names"):
        RBF().with_theta(theta)


@pytest.mark.parametrize("p", [1.5, 2, np.float32(0.5), np.int64(3)])
def test_numbers_become_plain_floats(p):
    assert type(as_number("owner", "name", p)) is float
    assert RBF(p) == RBF(float(p))
    assert hash(RBF(p)) == hash(RBF(float(p)))


@pytest.mark.parametrize("p", [(1.0, 2.0), [1, 2], np.array([1.0, 2.0]), np.array([1, 2], dtype=np.float32)])
def test_sequences_become_tuples_of_floats(p):
    assert RBF(p).lengthscale == (1.0, 2.0)
    assert RBF(p) == RBF((1.0, 2.0))


def test_what_is_plain_already_is_kept_as_the_same_object_so_that_clone_is_an_identity_I4():
    for p in (1.5, (1.0, 2.0), Fixed(1.5), Bounded(1.5, 1.0, 2.0)):
        assert RBF(p).lengthscale is p


@pytest.mark.parametrize("p", ["1.0", None, [], [[1.0]], [1.0, [2.0]], {}, True, 1j, 10**400, ["1.0"], Linear()],
                         ids=lambda p: repr(p)[:20])  # fmt: skip
def test_what_is_not_a_number_is_no_hyper_parameter(p):
    for make in (RBF, Fixed, lambda p: Bounded(p, 0.0, 2.0), lambda p: Bounded(1.0, p, 2.0)):
        with pytest.raises(ValueError, match=r"must be (a number|between).*; got "):
            make(p)


def test_one_number_is_one_number():
    with pytest.raises(ValueError, match=r"RationalQuadratic: alpha must be one number; got 2 numbers"):
        RationalQuadratic(alpha=(1.0, 2.0))


@pytest.mark.parametrize(
    ("low", "high"), [(2.0, 1.0), (1.5, 2.0), (0.1, 0.5), (1.0, 1.0), (np.nan, 2.0), ((0.1, 0.2), 2.0)]
)
def test_bounds_enclose_the_value(low, high):
    with pytest.raises(ValueError, match="Give low < high with the value inside"):
        Bounded(1.0, low, high)


def test_bounds_lie_where_the_hyper_parameter_may():
    with pytest.raises(ValueError, match=r"the bounds of lengthscale must be within the range of a positive number"):
        RBF(Bounded(1.0, -1.0, 2.0))


def test_parameters_are_named_like_an_estimators_I4():
    k = Matern((1.0, 2.0), nu=2.5)
    assert k.get_params() == {"lengthscale": (1.0, 2.0), "nu": 2.5}
    assert k.with_params(nu=0.5) == Matern((1.0, 2.0), nu=0.5)
    assert k == Matern((1.0, 2.0), nu=2.5), "with_params makes a copy"


@pytest.mark.parametrize("name", ["gamma", "k1__lengthscale", "nu__x", ""])
def test_an_unknown_parameter_is_refused_I5(name):
    with pytest.raises(ValueError, match=r"Matern: parameter must be one of \['lengthscale', 'nu'\]; got "):
        Matern().with_params(**{name: 1.0})


def test_an_unknown_parameter_of_a_child_is_refused_by_the_child_I5():
    with pytest.raises(ValueError, match=r"RBF: parameter must be one of \['lengthscale'\]; got nu"):
        (RBF() + Linear()).with_params(k1__nu=1.0)
    with pytest.raises(ValueError, match=r"Sum: parameter must be one of .*; got k3__lengthscale"):
        (RBF() + Linear()).with_params(k3__lengthscale=1.0)


def test_kernels_are_frozen_values():
    k = RBF(2.0)
    with pytest.raises(AttributeError):
        k.lengthscale = 3.0
    assert copy.deepcopy(k) == k
    assert len({k, RBF(2), RBF(np.float64(2.0)), RBF(3.0)}) == 2


def test_equal_degrees_of_any_type_are_the_same_kernel_K5():
    assert Polynomial(2.0) == Polynomial(2)
    assert Polynomial(2.0).psd is Polynomial(2).psd is True
    assert Polynomial(2.5).psd is None
