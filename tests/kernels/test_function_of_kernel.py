"""Powers, polynomials and the exponential of a kernel: A6, A7, A9, A10."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer.errors import MemoryBudgetError
from mercer.kernels import RBF, Constant, Exp, Geometric, Linear, Polynomial, PolynomialOf, Power
from mercer.kernels.function_of_kernel import power

rng = np.random.default_rng(0)
X, Y = rng.normal(size=(7, 3)), rng.normal(size=(4, 3))


def smallest(K):
    return float(np.linalg.eigvalsh(K)[0])


# ---- A6


def test_one_plus_z_plus_z2_plus_z3_of_linear_is_the_geometric_kernel_A6_K7():
    assert_allclose(PolynomialOf(Linear(), (1, 1, 1, 1))(X, Y), Geometric(3)(X, Y), rtol=1e-12)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_a_power_of_linear_plus_constant_is_the_polynomial_kernel_A6_K5_K8(d):
    r, gamma = 0.7, 1.3
    expected = Polynomial(d, gamma=gamma, offset=r)(X, Y)
    assert_allclose(((gamma * Linear() + r) ** d)(X, Y), expected, rtol=1e-12)
    binomial = tuple(math.comb(d, m) * r ** (d - m) * gamma**m for m in range(d + 1))
    assert_allclose(PolynomialOf(Linear(), binomial)(X, Y), expected, rtol=1e-10)


@pytest.mark.parametrize("coefficients", [(1.0, -0.5), (), 3.0, (1.0, np.inf), (np.nan,), "ab", ((1.0,), (2.0,))])
def test_coefficients_are_numbers_not_below_zero_A6(coefficients):
    with pytest.raises(ValueError, match=r"PolynomialOf: coefficients must be .*; got "):
        PolynomialOf(Linear(), coefficients)


def test_the_features_of_a_polynomial_of_a_kernel_reproduce_it_A6():
    k = PolynomialOf(Polynomial(2), (0.5, 0.0, 2.0))
    phi = k.feature_map(X)
    assert phi.shape[1] == 1 + math.comb(10 + 2 - 1, 2) + 10
    assert_allclose(phi @ phi.T, k(X), rtol=1e-10)


# ---- A7, A9


def test_the_exponential_is_the_limit_of_its_partial_sums_A7_A9():
    K = Exp(Linear())(X)
    partial = [PolynomialOf(Linear(), [1.0 / math.factorial(m) for m in range(M + 1)])(X) for M in range(1, 40, 3)]
    errors = [abs(K - P).max() for P in partial]
    assert all(later < earlier for earlier, later in pairwise(errors[:9]))
    assert errors[-1] <= 1e-12 * K.max()


def test_partial_sums_gain_positivity_term_by_term_A9():
    sums = [PolynomialOf(Linear(), [1.0 / math.factorial(m) for m in range(M + 1)])(X) for M in range(12)]
    lowest = [smallest(P) for P in sums]
    noise = 10 * len(X) * np.finfo(float).eps * np.linalg.eigvalsh(sums[-1])[-1]
    assert all(later >= earlier - noise for earlier, later in pairwise(lowest))
    assert min(lowest) >= -noise
    assert lowest[-1] > noise, "seven different points: the limit is strictly positive"


def test_the_exponential_of_a_kernel_is_positive_A7():
    assert smallest(Exp(Linear())(X)) > 0.0
    assert Exp(Linear()).psd is True


@pytest.mark.parametrize(("k", "X"), [
    (Exp(Linear()), [[30.0]]),
    (Linear() ** 60, [[1e3]]),
    (PolynomialOf(Linear(), [0.0] * 40 + [1.0]), [[1e5]]),
    (Exp(Linear()), np.array([[10.0]], dtype=np.float32)),
], ids=["exp", "power", "polynomial", "exp in float32"])  # fmt: skip
def test_an_overflow_is_refused_not_returned_A7_K5(k, X):
    with pytest.raises(ValueError, match=r"k must be finite; got inf for items 0 and 0\. .*scale the data"):
        k(X)


# ---- A10


@pytest.mark.parametrize("m", [0, 1, 2, 3])
def test_the_economical_map_of_a_power_has_one_entry_per_monomial_A10(m):
    inner = Polynomial(1)  # four features
    phi = Power(inner, m).feature_map(X)
    assert phi.shape[1] == math.comb(4 + m - 1, m)
    assert_allclose(phi @ phi.T, (inner**m)(X), rtol=1e-10)


def test_the_economical_map_agrees_with_the_full_tensor_map_A10_A2():
    economical, full = (Linear() ** 2).feature_map(X), (Linear() * Linear()).feature_map(X)
    assert economical.shape[1] == 6
    assert full.shape[1] == 9
    assert_allclose(economical @ economical.T, full @ full.T, rtol=1e-10)
    x = X[0]
    twice = math.sqrt(2.0)
    expected = [x[0] ** 2, twice * x[0] * x[1], twice * x[0] * x[2], x[1] ** 2, twice * x[1] * x[2], x[2] ** 2]
    assert_allclose(economical[0], expected)


def test_a_map_too_big_to_be_meant_is_refused_before_it_is_made_A10_C17():
    with pytest.raises(MemoryBudgetError, match=r"has \d+ features for each of 7 items.*Use the kernel itself"):
        (Polynomial(3) ** 12).feature_map(X)


@pytest.mark.parametrize("exponent", [-1, 0.5, 2.0, True, "2", None])
def test_an_exponent_is_an_integer_not_below_zero_A10(exponent):
    with pytest.raises(ValueError, match=r"exponent must be an integer >= 0; got .* are not kernels"):
        RBF() ** exponent


def test_power_zero_is_the_constant_one_K6():
    assert_array_equal((Linear() ** 0)(X, Y), Constant(1.0)(X, Y))


@pytest.mark.parametrize("exponent", range(10))
def test_repeated_squaring_is_the_power(exponent):
    base = np.array([[-2.0, 0.0, 3.0]])
    before = base.copy()
    assert_array_equal(power(base, exponent), base**exponent)
    assert_array_equal(base, before)
