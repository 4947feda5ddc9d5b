"""The Hilbert space of a kernel, built from the kernel alone (T11)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.errors import NotPositiveDefinite
from mercer.items import Objects
from mercer.kernels import RBF, Homogeneous, Kernel, Linear, Matern, Polynomial, Sigmoid, kernel
from mercer.theory import RKHSFunction, certify, section

rng = np.random.default_rng(0)


def reals(n):
    return rng.normal(size=(n, 2))


def complexes(n):
    return rng.normal(size=(n, 2)) + 1j * rng.normal(size=(n, 2))


@kernel
class SharedLetters(Kernel):
    """How many distinct letters two words share."""

    items = Objects

    def block(self, A, B):
        return np.array([[float(len(set(s) & set(t))) for t in B.values] for s in A.values])


def words(n):
    return ["".join(rng.choice(list("abcde"), size=3)) for _ in range(n)]


SPACES = [
    (RBF(1.0), reals),
    (Polynomial(2), reals),
    (Linear(), complexes),
    (Homogeneous(2), complexes),
    (SharedLetters(), words),
]
each_space = pytest.mark.parametrize(("k", "draw"), SPACES, ids=lambda p: repr(p) if isinstance(p, Kernel) else "")


def random_function(k, draw, n=5):
    a = rng.normal(size=n) + (1j * rng.normal(size=n) if draw is complexes else 0.0)
    return RKHSFunction(k, draw(n), a)


@each_space
def test_evaluation_is_the_inner_product_with_a_section_T11(k, draw):
    f, X = random_function(k, draw), draw(6)
    assert_allclose([f.inner(section(k, x)) for x in X], f(X), rtol=1e-10)


@each_space
def test_values_and_inner_products_are_the_plain_sums_T11(k, draw):
    x, y, a, b = draw(3), draw(2), rng.normal(size=3) + 1j * rng.normal(size=3), rng.normal(size=2) - 2j
    f, g = RKHSFunction(k, x, a), RKHSFunction(k, y, b)
    K = k(x, y)
    assert_allclose(f(y), sum(a[j] * K[j] for j in range(3)), rtol=1e-10)
    assert_allclose(f.inner(g), sum(a[j] * np.conj(b[m]) * K[j, m] for j in range(3) for m in range(2)), rtol=1e-10)


@each_space
def test_sections_have_the_kernel_for_inner_product_T11(k, draw):
    X = draw(4)
    K = [[section(k, x).inner(section(k, y)) for y in X] for x in X]
    assert_allclose(K, k(X), rtol=1e-10)


@each_space
def test_the_space_is_linear_and_its_inner_product_hermitian_T11(k, draw):
    f, g, h = (random_function(k, draw) for _ in range(3))
    c = 0.7 - (0.4j if draw is complexes else 0.0)
    X = draw(4)
    assert_allclose((c * f + g - h)(X), c * f(X) + g(X) - h(X), rtol=1e-10)
    assert_allclose((c * f + g).inner(h), c * f.inner(h) + g.inner(h), rtol=1e-10)
    assert_allclose(h.inner(f * c), np.conj(c) * h.inner(f), rtol=1e-10)
    assert_allclose(f.inner(g), np.conj(g.inner(f)), rtol=1e-10)
    assert_allclose((-f).norm(), f.norm())


@each_space
def test_a_value_is_bounded_by_the_norm_T11(k, draw):
    X = draw(50)
    for _ in range(5):
        f = random_function(k, draw)
        assert np.all(np.abs(f(X)) <= f.norm() * np.sqrt(np.diag(k(X)).real) * (1.0 + 1e-10))


@each_space
def test_redundant_expansions_are_one_function_T11(k, draw):
    X, g = draw(3), random_function(k, draw)
    f = RKHSFunction(k, X, [1.0, 2.0, -1.0])
    doubled = RKHSFunction(k, [*X, *X], [3.0, 2.0, -1.0, -2.0, 0.0, 0.0])
    assert_allclose(doubled.inner(g), f.inner(g), atol=1e-10)
    assert_allclose(doubled.norm(), f.norm(), rtol=1e-10)
    assert (f - doubled).norm() < 1e-6 * f.norm()


def test_dependent_points_are_one_function_too_T11():
    x, y, other = np.array([[1.0, 2.0]]), np.array([[3.0, -1.0]]), random_function(Linear(), reals)
    f = RKHSFunction(Linear(), np.vstack([x, y]), [1.0, 1.0])
    g = RKHSFunction(Linear(), x + y, [1.0])
    assert_allclose(f.inner(other), g.inner(other))
    assert (f - g).norm() == 0.0


def test_a_function_of_norm_zero_vanishes_everywhere_T11():
    X = rng.normal(size=(5, 2))
    null = np.linalg.svd(Linear()(X))[0][:, -1]
    f = RKHSFunction(Linear(), X, null)
    assert f.norm() < 1e-7
    assert_allclose(f(rng.normal(size=(20, 2))), 0.0, atol=1e-12)
    assert RKHSFunction(RBF(), X, null).norm() > 0.01


@each_space
def test_the_gram_of_functions_is_positive_semi_definite_T11(k, draw):
    functions = [random_function(k, draw) for _ in range(6)]
    G = np.array([[np.real(f.inner(g)) for g in functions] for f in functions])
    assert certify(G, tol=1e-10 * np.trace(G)).psd


def test_the_dimension_of_the_space_is_the_rank_of_the_gram_T11():
    X = rng.normal(size=(9, 2))
    for k, dimension in ((Linear(), 2), (Polynomial(2), 6), (Matern(1.0), 9)):
        functions = [RKHSFunction(k, X, rng.normal(size=9)) for _ in range(12)]
        values = np.array([f(X) for f in functions])
        assert np.linalg.matrix_rank(values) == np.linalg.matrix_rank(k(X)) == dimension


def test_what_is_not_a_function_of_the_space_is_refused_T11():
    X = np.array([[1.0], [2.0]])
    f = RKHSFunction(RBF(), X, [1.0, 2.0])
    with pytest.raises(ValueError, match="Each kernel has a space of its own"):
        f + RKHSFunction(RBF(2.0), X, [1.0, 2.0])
    with pytest.raises(ValueError, match="Each kernel has a space of its own"):
        f.inner(RKHSFunction(RBF(2.0), X, [1.0, 2.0]))
    with pytest.raises(ValueError, match="one number per point"):
        RKHSFunction(RBF(), X, [1.0])
    with pytest.raises(TypeError):
        f * f


def test_an_indefinite_similarity_has_functions_of_negative_square_K12_T11():
    X = np.array([[1.0], [2.0]])
    u = certify(Sigmoid(), X).witness
    with pytest.raises(NotPositiveDefinite, match=r"got -0\.0908666"):
        RKHSFunction(Sigmoid(), X, u).norm()
