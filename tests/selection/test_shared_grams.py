"""Grams from kept pair statistics are the Grams of the kernels."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer.gram.row_centred import row_centred_array
from mercer.kernels import (
    ANOVA,
    RBF,
    ArcSine,
    Centred,
    Cosine,
    Exponential,
    Laplacian,
    Linear,
    Matern,
    Normalised,
    Periodic,
    Polynomial,
    RationalQuadratic,
    Sigmoid,
    White,
)  # fmt: skip
from mercer.selection.evaluation import grams_in_budget
from mercer.selection.groups import RefCountedGram
from mercer.selection.shared_grams import Grams

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 6))
n = len(X)
PAIRS = n * (n + 1) // 2
RADIAL = [RBF(0.7), RBF(2.0), Matern(1.5), Matern(1.0, nu=2.5), Exponential(2.0), RationalQuadratic(1.0)]
DOT = [Linear(), Polynomial(2), Polynomial(3, offset=1.0), Sigmoid(0.1)]
COMPOSITE = [RBF(1.0) * Linear(), 2.0 * RBF(0.5) + Polynomial(2), (RBF(1.0) + 1.0) ** 2, RBF(3.0) - 0.1 * Linear()]
OTHERS = [ArcSine(), Cosine(), ANOVA(2), ANOVA(2, base=RBF(0.9)), Normalised(Linear() + 1.0), RBF(1.0) + White(0.3)]


def grams(kernels, data=X, *, space=10):
    return Grams([(k, data) for k in kernels], room=space)


@pytest.mark.parametrize(
    ("kernels", "far"),
    [([*RADIAL, *DOT, *COMPOSITE, *OTHERS], 0.0), (RADIAL, 1e6)],
    ids=["many", "far from the origin"],
)
def test_grams_from_statistics_are_those_of_the_kernels(kernels, far):
    store = grams(kernels, X + far)
    for k in kernels:
        assert_allclose(store.gram(k), k(X + far), rtol=1e-12, atol=1e-12, err_msg=repr(k))


def sums(K):
    """c'Kc for many c whose entries add up to zero."""
    C = np.random.default_rng(1).normal(size=(n, 50))
    C -= C.mean(axis=0)
    return np.einsum("ik,ij,jk->k", C, K.astype(float), C)


@pytest.mark.parametrize("k", [RBF(1.0), RBF(1e3), RBF(1.0) + 1e3, Linear(), Polynomial(3, offset=1.0)], ids=repr)
def test_single_precision_takes_nothing_from_what_tells_values_apart(k):
    store = grams([k, RBF(2.0)], X + 3.0)
    exact = k(X + 3.0)
    for K in (store.gram(k, centred=True), row_centred_array(exact)):
        assert K.dtype == np.float32
        assert_allclose(sums(K), sums(exact), rtol=2e-5)
        assert_allclose(K, K.T)


@pytest.mark.parametrize("k", [Linear(), Polynomial(2, offset=1.0)], ids=repr)
def test_a_wild_item_does_not_take_the_digits_of_the_others(k):
    wild = X + 3.0
    wild[0] = 1e9
    exact, others = k(wild), slice(1, None)
    C = np.random.default_rng(1).normal(size=(n - 1, 50))
    C -= C.mean(axis=0)
    for K in (grams([k, RBF(2.0)], wild).gram(k, centred=True), row_centred_array(exact)):
        ours, theirs = (np.einsum("ik,ij,jk->k", C, M[others, others].astype(float), C) for M in (K, exact))
        assert_allclose(ours, theirs, rtol=2e-5)


def test_each_statistic_is_computed_once_whatever_the_number_of_kernels():
    store = grams([*RADIAL, *DOT, *COMPOSITE])
    for k in [*RADIAL, *DOT, *COMPOSITE]:
        store.gram(k)
    assert store.statistics == 2
    assert store.mapped == len([*RADIAL, *DOT, *COMPOSITE])
    assert store.evaluations == 2 * PAIRS


def test_absolute_distances_are_shared_by_laplacian_kernels():
    kernels = [Laplacian(l) for l in (0.5, 1.0, 2.0)]
    store = grams(kernels)
    for k in kernels:
        assert_allclose(store.gram(k), k(X), rtol=1e-12)
    assert store.evaluations == PAIRS


def test_a_kernel_that_is_alone_keeps_no_statistic():
    k = RBF(1.0)
    store = grams([k])
    assert_allclose(store.gram(k), k(X), rtol=1e-12)
    assert store.statistics == store.mapped == 0
    assert store.evaluations == PAIRS


def test_lengthscales_per_column_are_kernels_by_themselves():
    kernels = [RBF(tuple(rng.uniform(0.5, 2.0, 6))) for _ in range(4)]
    store = grams(kernels)
    for k in kernels:
        assert_allclose(store.gram(k), k(X), rtol=1e-12)
    assert store.statistics == 0
    assert store.evaluations == 4 * PAIRS


def test_without_room_kernels_are_evaluated_as_ever():
    store = grams(RADIAL, space=0)
    for k in RADIAL:
        assert_allclose(store.gram(k), k(X), rtol=1e-12)
    assert store.statistics == 0
    assert store.evaluations == len(RADIAL) * PAIRS


def test_sparse_rows_and_other_kinds_of_preparation():
    from scipy.sparse import random as sparse

    S = sparse(200, 400, 0.05, format="csr", random_state=0)
    kernels = [RBF(1.0), RBF(2.0), Linear(), ArcSine()]
    store = grams(kernels, S)
    for k in kernels:
        assert_allclose(store.gram(k), k(S), rtol=1e-10, atol=1e-12)
    waves = [Periodic(1.0), Periodic(2.0)]
    store = grams(waves)
    for k in waves:
        assert_allclose(store.gram(k), k(X), rtol=1e-12)


def test_a_kernel_that_has_learned_keeps_its_own_frame():
    fits = [Centred(RBF(1.0)).fit(X[:100]), Centred(RBF(1.0)).fit(X[100:])]
    store = grams(fits)
    for k in fits:
        assert_allclose(store.gram(k), k(X), rtol=1e-10, atol=1e-12)


def test_a_gram_is_made_once_and_freed_after_its_last_use():
    made = []

    def make():
        made.append(1)
        return np.eye(3)

    gram = RefCountedGram(make, 2)
    with gram as K:
        assert K.shape == (3, 3)
    with gram:
        pass
    assert len(made) == 1
    assert gram._K is None


def test_room_is_half_of_the_memory_budget():
    with mercer.configure(memory=2**24):
        assert grams_in_budget(512) == 4
        assert grams_in_budget(5000) == 0
