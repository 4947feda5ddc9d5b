"""Kernels over subsets of columns: all subsets (K10), subsets of one size (K11)."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from mercer.config import configure
from mercer.errors import MemoryBudgetError
from mercer.kernels.centred import Centred
from mercer.kernels.dot import Linear, Polynomial
from mercer.kernels.periodic import Periodic
from mercer.kernels.radial import RBF, Matern
from mercer.kernels.sets import SubsetCount
from mercer.kernels.subsets import ANOVA, AllSubsets, symmetric_polynomials

rng = np.random.default_rng(6)
X, Y = rng.normal(size=(7, 5)), rng.normal(size=(4, 5))
COUNTING = np.array([[1.0, 2.0, 3.0]])
FORMS = [np.asarray, sparse.csr_array]


def brute(factors, degree):
    """Sum over the subsets of `degree` columns of the product of their factors."""
    subsets = combinations(range(factors.shape[-1]), degree)
    return sum((np.prod(factors[..., list(s)], axis=-1) for s in subsets), start=np.zeros(factors.shape[:-1]))


# ---- all subsets


@pytest.mark.parametrize("form", FORMS)
def test_the_worked_examples_K10_K11(form):
    assert AllSubsets()(form(COUNTING)).item() == 100.0
    assert ANOVA(2)(form(COUNTING)).item() == 49.0


@pytest.mark.parametrize("form", FORMS)
def test_all_subsets_are_the_sum_over_their_sizes_K10(form):
    assert_allclose(AllSubsets()(form(X), form(Y)), sum(ANOVA(d)(form(X), form(Y)) for d in range(6)), rtol=1e-12)


def test_all_subsets_are_the_product_of_constant_plus_linear_over_columns_K10_A13():
    factors = [(1.0 + Linear())(X[:, [j]], Y[:, [j]]) for j in range(5)]
    assert_allclose(AllSubsets()(X, Y), np.prod(factors, axis=0), rtol=1e-13)


@given(st.lists(st.sets(st.integers(0, 7)), min_size=1, max_size=5))
def test_on_indicator_vectors_it_counts_common_subsets_K10_K32(sets):
    indicators = np.array([[float(j in A) for j in range(8)] for A in sets])
    assert_array_equal(AllSubsets()(indicators), SubsetCount()(sets))


def test_the_features_are_the_products_of_all_subsets_K10():
    phi = AllSubsets().feature_map(COUNTING)
    assert phi.tolist() == [[1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 6.0, 6.0]]  # {}, 1, 2, 12, 3, 13, 23, 123
    assert AllSubsets().feature_map(X).shape == (7, 2**5)


def test_an_overflow_points_to_the_logarithm_K10():
    wide = np.full((2, 2000), 2.0)
    with pytest.raises(ValueError, match=r"k must be finite; got inf for items 0 and 0\. Use k\.log"):
        AllSubsets()(wide)
    sign, log = AllSubsets().log(wide)
    assert_array_equal(sign, 1.0)
    assert_allclose(log, 2000 * math.log(5.0), rtol=1e-14)


@pytest.mark.parametrize("form", FORMS)
def test_the_logarithm_keeps_the_sign_K10(form):
    sign, log = AllSubsets().log(form(X), form(Y))
    assert_allclose(sign * np.exp(log), AllSubsets()(X, Y), rtol=1e-12)
    assert {-1.0, 1.0} <= set(sign.ravel())


def test_the_logarithm_of_large_and_small_factors_K10():
    """In exact integers: factors 1 - 7 v and 1 + 3 v, v up to 10^6."""
    v = rng.integers(1, 10**6, size=400)
    left, right = np.where(np.arange(400) % 3 == 0, -7, 3).astype(float)[None], v.astype(float)[None]
    exact = math.prod(1 + int(a) * int(b) for a, b in zip(left[0], right[0], strict=True))
    sign, log = AllSubsets().log(left, right)
    assert sign.item() == (1.0 if exact > 0 else -1.0)
    assert_allclose(log.item(), math.log(abs(exact)), rtol=1e-14)
    tiny = np.full((1, 3000), math.sqrt(0.75))
    assert_allclose(AllSubsets().log(tiny, -tiny)[1], 3000 * math.log(0.25), rtol=1e-12)


def test_a_product_that_is_zero_has_no_sign_K10():
    sign, log = AllSubsets().log([[2.0, 1.0]], [[-0.5, 1.0]])
    assert (sign.item(), log.item()) == (0.0, -np.inf)


def test_the_logarithm_obeys_the_memory_budget_and_refuses_complex_numbers():
    with configure(memory=2**16), pytest.raises(MemoryBudgetError, match=r"AllSubsets\.log"):
        AllSubsets().log(np.ones((100, 2)))
    with pytest.raises(ValueError, match="real"):
        AllSubsets().log(X + 1j)


# ---- subsets of one size


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("degree", range(8))
def test_the_recursion_is_the_sum_over_subsets_K11(degree, form):
    D = 8
    V, W = rng.normal(size=(5, D)), rng.normal(size=(3, D))
    assert_allclose(ANOVA(degree)(form(V), form(W)), brute(V[:, None] * W, degree), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("base", [None, Linear()])
def test_no_columns_give_one_and_too_many_give_zero_K11(base, form):
    assert_array_equal(ANOVA(0, base=base)(form(X), form(Y)), 1.0)
    assert_array_equal(ANOVA(6, base=base)(form(X), form(Y)), 0.0)
    k = ANOVA(6, base=base)
    assert_array_equal(k.diag(k.prepare(form(X))), 0.0)


def test_many_columns_take_one_pass_K11():
    """C(60, 30) = 10^17 subsets; in exact integers the coefficient of t^30 in prod_k (1 + x_k y_k t)."""
    x, y = rng.integers(-5, 6, size=60), rng.integers(-5, 6, size=60)
    coefficients = [1]
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        shifted = [0, *(a * b * c for c in coefficients)]
        coefficients = [p + q for p, q in zip([*coefficients, 0], shifted, strict=True)]
    assert_allclose(ANOVA(30)(x[None].astype(float), y[None].astype(float)).item(), float(coefficients[30]), rtol=1e-10)


def test_the_features_are_the_products_of_subsets_of_one_size_K11():
    assert ANOVA(2).feature_map(COUNTING).tolist() == [[2.0, 3.0, 6.0]]
    assert ANOVA(3).feature_map(X).shape == (7, math.comb(5, 3))
    assert ANOVA(6).feature_map(X).shape == (7, 0)


def test_any_kernel_may_stand_for_the_product_of_two_entries_K11():
    one_for_all = np.stack([RBF(0.7)(X[:, [j]], Y[:, [j]]) for j in range(5)], axis=-1)
    assert_allclose(ANOVA(2, base=RBF(0.7))(X, Y), brute(one_for_all, 2), rtol=1e-12)
    bases = (RBF(0.7), Linear(), Matern(1.1), Polynomial(2), Periodic(1.0, period=3.0))
    each_its_own = np.stack([k(X[:, [j]], Y[:, [j]]) for j, k in enumerate(bases)], axis=-1)
    assert_allclose(ANOVA(3, base=bases)(X, Y), brute(each_its_own, 3), rtol=1e-12)
    assert_allclose(ANOVA(2, base=Linear())(X, Y), ANOVA(2)(X, Y), rtol=1e-12)


def test_flags_follow_the_base():
    assert ANOVA(2, base=RBF()).stationary
    assert not ANOVA(2).stationary
    assert ANOVA(2, base=(RBF(), Polynomial(2, offset=-1.0))).psd is None
    assert ANOVA(2, base=RBF()).psd is True
    assert ANOVA(2, base=Centred(RBF())).learned
    assert not ANOVA(2, base=RBF()).learned


def test_the_derivative_does_not_depend_on_how_the_rows_are_cut(monkeypatch):
    from mercer.kernels import subsets

    k = ANOVA(3, base=(RBF(0.7), Linear(), Matern(1.1), Polynomial(2), RBF(2.0)))
    A, W = k.prepare(X), rng.normal(size=(7, 4))
    B = k.prepare(Y, A.frame)
    whole = k.vjp(A, B, W)
    monkeypatch.setattr(subsets, "_SCRATCH", 100)
    assert_allclose(k.vjp(A, B, W), whole, rtol=1e-12)


def test_bad_arguments_are_refused_K11():
    for wrong in (-1, 1.5, "two"):
        with pytest.raises(ValueError, match="degree must be an integer >= 0"):
            ANOVA(wrong)
    with pytest.raises(ValueError, match="base must be a kernel on vectors"):
        ANOVA(2, base="rbf")
    with pytest.raises(ValueError, match="base must be a kernel on vectors"):
        ANOVA(2, base=SubsetCount())
    with pytest.raises(ValueError, match=r"one per column \(5\); got 2 kernels"):
        ANOVA(2, base=(RBF(), RBF()))(X)
    with pytest.raises(ValueError, match="k must be finite; got inf"):
        ANOVA(3)(np.full((2, 4), 1e60))
    with pytest.raises(ValueError, match="k must be finite; got inf"):
        ANOVA(3, base=Linear())(np.full((2, 4), 1e60))
    with pytest.raises(NotImplementedError):
        ANOVA(2, base=RBF()).feature_map(X)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("k", [AllSubsets(), ANOVA(2)], ids=repr)
def test_complex_vectors_give_hermitian_positive_grams_K37(k, form):
    Z = X + 1j * rng.normal(size=X.shape)
    K = k(form(Z))
    assert_array_equal(K, K.conj().T)
    assert np.linalg.eigvalsh(K).min() > -1e-10 * abs(K).max()
    phi = k.feature_map(Z)
    assert_allclose(phi @ phi.conj().T, K, rtol=1e-11, atol=1e-11)


def test_symmetric_polynomials_are_coefficients():
    """prod_k (1 + f_k t) = sum_s e_s t^s."""
    f = rng.normal(size=(6, 3))
    e = symmetric_polynomials(f, 6)
    for t in (0.3, -1.7):
        assert_allclose(sum(c * t**s for s, c in enumerate(e)), np.prod(1 + t * f, axis=0), rtol=1e-10)
