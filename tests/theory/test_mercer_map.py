"""The finite Mercer map (T5), and that feature maps are not unique (T13)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.errors import NotPositiveDefinite
from mercer.items import Objects
from mercer.kernels import RBF, Geometric, Homogeneous, Kernel, Linear, Matern, Sigmoid, kernel
from mercer.theory import mercer_map

rng = np.random.default_rng(0)
X = rng.normal(size=(20, 2))
Z = rng.normal(size=(15, 3)) + 1j * rng.normal(size=(15, 3))


@kernel
class SharedLetters(Kernel):
    """How many distinct letters two words share."""

    items = Objects

    def block(self, A, B):
        return np.array([[float(len(set(s) & set(t))) for t in B.values] for s in A.values])


CASES = [
    (RBF(1.0), X, 20),
    (Matern(0.5), X, 20),
    (Linear(), X, 2),
    (Geometric(3), X, 1 + 2 + 3 + 4),
    (Linear(), Z, 3),
    (SharedLetters(), ["abc", "bcd", "cab", "", "xyz"], 3),
]


@pytest.mark.parametrize(("k", "items", "rank"), CASES, ids=lambda c: repr(c) if isinstance(c, Kernel) else "")
def test_the_map_reproduces_the_gram_in_as_many_dimensions_as_its_rank_T5(k, items, rank):
    found = mercer_map(k, items)
    assert found.phi.shape == (len(items), rank)
    assert_allclose(found.phi @ found.phi.conj().T, k(items), atol=1e-10)


@pytest.mark.parametrize(("k", "items", "rank"), CASES, ids=lambda c: repr(c) if isinstance(c, Kernel) else "")
def test_the_out_of_sample_map_agrees_on_the_training_items_T5(k, items, rank):
    found = mercer_map(k, items)
    small = np.sqrt(found.eigenvalues[-1] / found.eigenvalues[0])  # rounding of K is divided by sqrt(lambda)
    assert_allclose(found.transform(items), found.phi, atol=1e-12 / small)


def test_a_kernel_of_finite_rank_is_mapped_exactly_on_new_items_T5():
    found, new = mercer_map(Geometric(2), X), rng.normal(size=(8, 2))
    assert_allclose(found.transform(new) @ found.phi.T, Geometric(2)(new, X), rtol=1e-8)
    assert_allclose(found.transform(new) @ found.transform(new).T, Geometric(2)(new), rtol=1e-8)


def test_the_map_projects_a_new_item_on_the_span_of_the_training_items_T5():
    found, new = mercer_map(RBF(0.5), X), rng.normal(size=(8, 2))
    assert np.all((found.transform(new) ** 2).sum(axis=1) < 1.0)  # |phi(x)|^2 = k(x, x) = 1 before


def test_an_indefinite_similarity_has_no_map_T5_K12():
    with pytest.raises(NotPositiveDefinite, match=r"mercer_map: .*smallest eigenvalue -0\.0908666"):
        mercer_map(Sigmoid(), np.array([[1.0], [2.0]]))


def test_three_and_four_dimensional_maps_give_the_same_kernel_T13():
    x, y = X.T
    three = np.column_stack([x**2, np.sqrt(2.0) * x * y, y**2])
    four = np.column_stack([x**2, y**2, x * y, y * x])
    for phi in (three, four, Homogeneous(2).feature_map(X), mercer_map(Homogeneous(2), X).phi):
        assert_allclose(phi @ phi.T, Homogeneous(2)(X), atol=1e-10)


def test_a_kernel_method_cannot_tell_two_maps_of_one_kernel_apart_T13():
    def maps(P):
        x, y = P.T
        yield np.column_stack([x**2, np.sqrt(2.0) * x * y, y**2])
        yield np.column_stack([x**2, y**2, x * y, y * x])

    target, new = rng.normal(size=20), rng.normal(size=(6, 2))
    three, four = (
        Linear()(star, phi) @ np.linalg.solve(Linear()(phi) + 0.1 * np.eye(20), target)
        for phi, star in zip(maps(X), maps(new), strict=True)
    )
    assert_allclose(three, four, rtol=1e-8)
