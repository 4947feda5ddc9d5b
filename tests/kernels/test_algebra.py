"""Sums, products, scalings and differences of kernels: A1, A2, A3, A13, A14."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from mercer.gram import LazyGram
from mercer.items import Strings
from mercer.kernels import (
    RBF,
    AllSubsets,
    Bounded,
    Centred,
    Constant,
    Exp,
    Fixed,
    GaussianOf,
    Kernel,
    Linear,
    Matern,
    Modulated,
    Negated,
    Normalised,
    On,
    Polynomial,
    PolynomialOf,
    Power,
    Product,
    Pullback,
    Scaled,
    Sigmoid,
    Sum,
    White,
    kernel,
)

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(6, 3)), rng.normal(size=(4, 3))


@kernel
class Letters(Kernel):
    """A kernel on another kind of item."""

    items = Strings


# ---- A1: sums


def test_a_sum_adds_grams_A1():
    assert_array_equal((RBF() + Linear() + 2.0)(X, Y), RBF()(X, Y) + Linear()(X, Y) + 2.0)


def test_the_features_of_a_sum_are_both_sets_of_features_A1():
    k = Linear() + Polynomial(2)
    phi = np.hstack([X, Polynomial(2).feature_map(X)])
    assert_array_equal(k.feature_map(X), phi)
    assert_allclose(phi @ phi.T, k(X), rtol=1e-10)


def test_sum_and_zero_work_as_with_numbers_A1():
    assert sum([RBF(), Linear()]) == RBF() + Linear()
    assert 0 + RBF() == RBF() + 0.0 == RBF()


def test_a_number_in_a_sum_is_a_constant_kernel_K8():
    assert RBF() + 2 == Sum((RBF(), Constant(2.0)))
    assert 2 + RBF() == Sum((Constant(2.0), RBF()))
    assert Fixed(2.0) + RBF() == Sum((Constant(Fixed(2.0)), RBF()))


def test_sums_are_flat_and_keep_products_apart():
    a, b, c = RBF(), Linear(), Matern()
    assert (a + b) + c == a + (b + c) == Sum((a, b, c)) == Sum([a, Sum((b, c))])
    assert (a + b) * c == Product((Sum((a, b)), c))
    assert ((a + b) * c)(X)[0, 1] != (a + b * c)(X)[0, 1]


def test_the_difference_of_kernels_has_no_known_sign_A1():
    k = RBF(0.5) - RBF(2.0)
    assert k.psd is None
    assert_array_equal(k(X), RBF(0.5)(X) - RBF(2.0)(X))
    assert_array_equal((1.0 - RBF())(X), 1.0 - RBF()(X))


# ---- A2: products


def test_a_product_multiplies_grams_entry_by_entry_A2():
    assert_array_equal((RBF() * Linear() * Matern())(X, Y), RBF()(X, Y) * Linear()(X, Y) * Matern()(X, Y))


def test_the_features_of_a_product_are_all_products_of_features_A2():
    phi = (Linear() * Polynomial(2)).feature_map(X)
    assert phi.shape[1] == 3 * 10
    assert_allclose(phi @ phi.T, (Linear() * Polynomial(2))(X), rtol=1e-10)


@pytest.mark.parametrize("number", [float, complex])
def test_entrywise_products_of_positive_matrices_are_positive_A2(number):
    for _ in range(20):
        factors = rng.normal(size=(2, 5, 3)).astype(number)
        if number is complex:
            factors += 1j * rng.normal(size=factors.shape)
        F, G = factors
        assert np.linalg.eigvalsh((F @ F.conj().T) * (G @ G.conj().T))[0] >= -1e-12


def test_the_matrix_product_of_grams_is_no_gram_A2():
    items = np.array([[1.0, 1.0], [1.0, 0.0]])
    K1, K2 = On([0], Linear())(items), On([1], Linear())(items)
    assert_array_equal(K1, [[1, 1], [1, 1]])
    assert_array_equal(K2, np.diag([1, 0]))
    assert_array_equal(K1 @ K2, [[1, 0], [1, 0]])  # not symmetric
    assert_array_equal((On([0], Linear()) * On([1], Linear()))(items), K1 * K2)


# ---- A3: scaling


def test_scaling_scales_the_spectrum_A3():
    assert_allclose(np.linalg.eigvalsh((2.5 * RBF())(X)), 2.5 * np.linalg.eigvalsh(RBF()(X)), rtol=1e-12)
    assert (2.5 * RBF()) == RBF() * 2.5 == Scaled(RBF(), 2.5)
    assert not (0.0 * RBF())(X).any()


@pytest.mark.parametrize("factor", [-1.0, -2, np.float32(-0.5)])
def test_a_negative_factor_is_refused_A3(factor):
    with pytest.raises(ValueError, match=r"the factor must be a number >= 0; got .* Write k1 - k2"):
        factor * RBF()


# ---- A13: columns


def test_an_ard_gaussian_is_a_product_over_columns_A13_K2():
    k = On(0, RBF(0.5)) * On(1, RBF(1.0)) * On(2, RBF(2.0))
    assert_allclose(k(X, Y), RBF((0.5, 1.0, 2.0))(X, Y), rtol=1e-12)


def test_all_subsets_is_a_product_over_columns_A13_K10():
    k = (1.0 + On(0, Linear())) * (1.0 + On(1, Linear())) * (1.0 + On(2, Linear()))
    assert_allclose(k(X, Y), AllSubsets()(X, Y), rtol=1e-12)


def test_a_direct_sum_adds_over_columns_that_may_overlap_A13():
    k = On([0, 1], RBF()) + On([1, 2], Linear())
    assert_allclose(k(X, Y), RBF()(X[:, :2], Y[:, :2]) + Linear()(X[:, 1:], Y[:, 1:]), rtol=1e-12)


# ---- A14: what is known of positivity

YES, NO, UNKNOWN = RBF(), Sigmoid(), Polynomial(2, offset=-1.0)

OPERATORS = {
    "k + k": lambda k: k + RBF(),
    "k * k": lambda k: k * RBF(),
    "2 k": lambda k: 2.0 * k,
    "k ** 2": lambda k: Power(k, 2),
    "p(k)": lambda k: PolynomialOf(k, (1.0, 2.0)),
    "exp k": Exp,
    "normalised": Normalised,
    "gaussian of": GaussianOf,
    "centred": Centred,
    "modulated": lambda k: Modulated(k, len),
    "deeply nested": lambda k: Exp(2.0 * Normalised(k + 1.0) ** 2) * White(),
}
KEEPERS = {
    "pullback": lambda k: Pullback(k, abs),
    "fitted": lambda k: Centred(k).fit(X),
    "columns": lambda k: On([0], k),
}
LOSERS = {"k - k": lambda k: k - RBF(), "k0 - k": lambda k: RBF() - k, "-k": Negated, "-(-k)": lambda k: Negated(-k)}


@pytest.mark.parametrize("make", OPERATORS.values(), ids=OPERATORS)
def test_closure_rules_keep_what_is_proved_and_claim_no_more_A14(make):
    assert make(YES).psd is True
    assert make(NO).psd is None, "never False: the sum of a non-kernel and a kernel may be a kernel"
    assert make(UNKNOWN).psd is None


@pytest.mark.parametrize("make", KEEPERS.values(), ids=KEEPERS)
def test_a_change_of_items_keeps_the_flag_A14(make):
    assert make(YES).psd is True
    assert make(NO).psd in (False, None)
    assert make(UNKNOWN).psd is None


@pytest.mark.parametrize("make", LOSERS.values(), ids=LOSERS)
@pytest.mark.parametrize("k", [YES, NO, UNKNOWN], ids=["yes", "no", "unknown"])
def test_differences_prove_nothing_A14(make, k):
    assert make(k).psd is None


# ---- kinds, parameters, derivatives


@pytest.mark.parametrize("combine", [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b])
def test_kernels_on_different_items_do_not_combine_I1(combine):
    with pytest.raises(TypeError, match=r"of one kind .* got RBF\(1.0\) on vectors, -?Letters\(\) on strings"):
        combine(RBF(), Letters())


def test_kernels_that_never_look_inside_combine_with_any_I1():
    assert (Letters() + 1.0).items is Strings
    assert (White() + 1.0)(["a", "b", "a"]).tolist() == [[2, 1, 2], [1, 2, 1], [2, 1, 2]]


@pytest.mark.parametrize("other", ["rbf", None, [1.0], True, 1j, np.ones(2)], ids=repr)
def test_what_is_neither_kernel_nor_number_does_not_combine(other):
    for combine in (operator.add, operator.mul, operator.sub):
        with pytest.raises(TypeError, match="a kernel or a number"):
            combine(RBF(), other)
        with pytest.raises(TypeError, match="a kernel or a number"):
            combine(other, RBF())


def test_a_kernel_is_divided_by_a_number():
    assert RBF(2.0) / 2 == 0.5 * RBF(2.0)
    assert RBF(2.0) / np.float64(4.0) == 0.25 * RBF(2.0)
    with pytest.raises(TypeError):
        2.0 / RBF(2.0)


@pytest.mark.parametrize("divisor", [0, -1.0, np.inf, np.nan, True, "2", None, Linear(), Fixed(2.0)], ids=repr)
def test_a_divisor_that_is_no_positive_number_is_refused(divisor):
    with pytest.raises(ValueError, match="the divisor must be a number > 0; got"):
        RBF(2.0) / divisor


def test_numpy_scalars_are_numbers():
    assert np.float64(2.0) * RBF() == RBF() * np.float32(2.0) == np.int64(2) * RBF() == 2.0 * RBF()
    assert repr(np.float64(2.0) * RBF()) == "2.0 * RBF(1.0)"


def test_flags_of_a_sum_are_those_all_terms_have_I2():
    assert (RBF() + Matern() * 2.0).stationary
    assert (RBF() + Matern()).isotropic
    assert not (RBF() + Linear()).stationary
    assert (RBF() + RBF((1.0, 2.0, 3.0))).stationary
    assert not (RBF() + RBF((1.0, 2.0, 3.0))).isotropic


def test_parameters_of_an_expression_are_named_like_estimators_I4():
    k = 2.0 * RBF(1.5) + Linear() ** 2
    assert k.get_params()["k1__k1__lengthscale"] == 1.5
    assert k.with_params(k1__k1__lengthscale=3.0, k1__factor=5.0) == 5.0 * RBF(3.0) + Linear() ** 2
    assert k.with_params(k1__kernel=Matern(), k1__k1__nu=0.5) == 2.0 * Matern(nu=0.5) + Linear() ** 2
    assert k.with_params() == k


def test_clone_returns_the_kernel_itself_which_never_changes_I4():
    learned = Centred(RBF(1.0)).fit(np.eye(3))
    for k in (
        RBF((1.0, 2.0)),
        2 * RBF(Fixed(3)) + Linear() ** 2,
        Normalised(Centred(Matern(Bounded(1, 0.5, 2)))),
        learned,
    ):
        assert clone(k) is k
        assert clone(k, safe=False) is k


def test_theta_of_an_expression_is_that_of_its_parts_in_order():
    k = 2.0 * RBF(3.0) + Matern(Fixed(4.0)) * Polynomial(2, gamma=5.0, offset=6.0)
    assert_allclose(k.theta, [np.log(2.0), np.log(3.0), np.log(5.0), 6.0])
    assert k.theta_names == ["Scaled.factor", "RBF.lengthscale", "Polynomial.gamma", "Polynomial.offset"]
    assert k.with_theta([0.0, 0.0, 0.0, 7.0]) == 1.0 * RBF(1.0) + Matern(Fixed(4.0)) * Polynomial(2, offset=7.0)


def test_rows_shared_in_an_expression_are_measured_once():
    """One matrix product serves every kernel of inner products and distances in a tile."""
    k = RBF(2.0) + Matern() * Linear() + Polynomial(2)
    parts = k.prepare(X).parts
    assert parts[0] is parts[1].parts[0]
    assert parts[1].parts[1] is parts[2]


def test_the_gradient_of_a_long_product_needs_no_division():
    k = (0.0 * RBF()) * Matern() * Polynomial(1)  # a zero factor would break a rule that divides by it
    W = rng.normal(size=(6, 6))
    assert not LazyGram(k, X).vjp(W).any()
