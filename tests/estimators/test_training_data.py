"""Kernel expansions: items under a kernel, or columns of a given matrix, behind one interface (I3, I7)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.estimators.training_data import GivenGram, KernelItems
from mercer.kernels import RBF, Linear, Spectrum, TfIdf

rng = np.random.default_rng(0)
X, Z = rng.normal(size=(30, 3)), rng.normal(size=(500, 3))
k = RBF(1.3)
some = np.array([7, 2, 11, 29])
C = rng.normal(size=(4, 2))


@pytest.fixture(params=["items", "matrix"])
def data(request):
    """The training items and how new items come to them."""
    return (KernelItems.of(k, X), Z) if request.param == "items" else (GivenGram.of(k(X)), k(Z, X))


def test_both_evaluate_the_same_expansion_over_the_kept_items_I3(data):
    training, new = data
    kept = training.keep(some)
    assert len(kept) == 4
    assert_allclose(kept.evaluate(new, C), k(Z, X[some]) @ C, atol=1e-12)
    assert_allclose(kept.evaluate(new, C[:, 0]), k(Z, X[some]) @ C[:, 0], atol=1e-12)
    assert_allclose(kept.cross(new).block(slice(3, 9), slice(1, 3)), k(Z[3:9], X[some[1:3]]), atol=1e-12)


def test_both_give_the_training_gram_and_that_of_k_plus_one_M28(data):
    training, _ = data
    assert_allclose(training.gram().dense(), k(X), atol=1e-12)
    assert_allclose(training.plus_one().gram().dense(), k(X) + 1.0, atol=1e-12)


def test_what_is_kept_holds_no_other_items_I7():
    kept = KernelItems.of(k, X).keep(some)
    assert_array_equal(kept.items.values, X[some])
    assert len(kept.prepared) == 4
    assert GivenGram.of(k(X)).keep(some).K is None


def test_the_linear_kernel_is_evaluated_by_its_weights():
    kept = KernelItems.of(Linear(), X).keep(some)
    assert_allclose(kept.evaluate(Z, C), Z @ X[some].T @ C, atol=1e-12)


def test_items_in_single_precision_are_proved_in_double():
    single = KernelItems.of(k, X.astype(np.float32))
    assert single.gram().dtype == np.float32
    assert single.double().gram().dtype == np.float64
    assert KernelItems.of(k, X).double().prepared.dtype == np.float64


def test_a_learned_kernel_keeps_what_it_learned_when_items_are_dropped():
    docs = ["a b", "a c", "b c c", "a a"]
    data = KernelItems.of(TfIdf(), docs)
    assert_allclose(data.keep(np.array([1])).evaluate(docs, np.ones(1)), TfIdf().fit(docs)(docs)[:, 1])


def test_a_matrix_of_the_wrong_width_is_refused_I3():
    with pytest.raises(ValueError, match=r"30 columns wide; got shape \(4, 29\)"):
        GivenGram.of(k(X)).keep(some).evaluate(np.ones((4, 29)), C)


def test_complex_kernels_are_refused_where_numbers_must_be_real():
    with pytest.raises(ValueError, match="real for this machine; got complex numbers"):
        KernelItems.of(Linear(), X + 1j * X).gram()


def test_strings_are_kept_as_they_came():
    assert KernelItems.of(Spectrum(2), ["abc", "bcd", "cde"]).keep(np.array([2, 0])).items.values == ["cde", "abc"]
