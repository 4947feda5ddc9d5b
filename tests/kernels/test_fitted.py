"""Kernels bound to what they have learned from a dataset."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.kernels import RBF, Centred, Fitted, GaussianOf, Linear
from mercer.testing import check_kernel

rng = np.random.default_rng(0)
train, test = rng.normal(size=(6, 2)), rng.normal(size=(3, 2))


def test_a_kernel_with_nothing_to_learn_is_its_own_fit():
    k = RBF() + Linear()
    assert k.fit(train) is k


def test_a_kernel_that_learns_refuses_two_datasets_until_it_is_fitted():
    with pytest.raises(ValueError, match=r"Use k.fit\(train\) and call the kernel it returns"):
        Centred(RBF())(test, train)
    assert Centred(RBF()).fit(train)(test, train).shape == (3, 6)


def test_learning_reaches_through_an_expression():
    k = 2.0 * GaussianOf(Centred(Linear())) + RBF()
    assert k.learned
    fitted = k.fit(train)
    assert isinstance(fitted, Fitted)
    assert not fitted.learned
    assert_array_equal(fitted(train), k(train))
    check_kernel(fitted, test, train)


def test_values_do_not_depend_on_the_other_items_of_a_call():
    k = Centred(RBF()).fit(train)
    assert_allclose(k(test)[:2, :2], k(test[:2]), rtol=1e-12)


def test_fits_to_different_items_are_different_kernels():
    k = Centred(RBF())
    one, other = k.fit(train), k.fit(test)
    assert one == one.with_params(kernel=k)
    assert hash(one) == hash(one.with_params(kernel=k))
    assert one != other
    assert one != k


def test_a_fitted_kernel_prints_what_it_is_and_keeps_its_flags():
    k = Centred(RBF(2.0)).fit(train)
    assert repr(k) == "Centred(RBF(2.0)).fit(...)"
    assert repr((Centred(RBF(2.0)) + RBF(3.0)).fit(train)) == "(Centred(RBF(2.0)) + RBF(3.0)).fit(...)"
    assert k.psd is True
    assert not k.textual
    assert not (k + RBF()).textual


def test_a_fitted_kernel_survives_pickling():
    k = Centred(RBF(2.0)).fit(train)
    assert_array_equal(pickle.loads(pickle.dumps(k))(test), k(test))
