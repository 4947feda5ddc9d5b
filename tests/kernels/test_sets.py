"""Kernels on sets: common subsets (K32), measures of intersections and interval unions (K33)."""

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mercer.errors import MemoryBudgetError
from mercer.kernels.dot import Linear
from mercer.kernels.sets import Intersection, IntervalOverlap, SubsetCount
from mercer.kernels.subsets import AllSubsets
from mercer.testing import check_kernel

SETS = [{1, 2, 3}, {2, 3, 4}, set(), {1}, {"a", 1, ("b", 2)}]
LATER = [{3, 4}, {9, 1}, {9, 8}, set()]
WEIGHTS = {1: 0.5, 2: 2.0, 3: 0.0, 4: 1.0}
elements = st.sets(st.integers(0, 6), max_size=6)


def subsets(A):
    return {frozenset(c) for c in chain.from_iterable(combinations(A, m) for m in range(len(A) + 1))}


def test_the_worked_example_K32():
    phi = SubsetCount().feature_map([{1, 2, 3}, {2, 3, 4}])
    assert_array_equal(phi[0], [1, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0])
    assert_array_equal(phi[1], [1, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0])
    assert SubsetCount()([{1, 2, 3}], [{2, 3, 4}]).item() == phi[0] @ phi[1] == 4.0


@given(st.lists(elements, min_size=1, max_size=4), elements)
def test_the_kernel_counts_common_subsets_K32(X, B):
    assert_array_equal(SubsetCount()(X, [B]), [[len(subsets(A) & subsets(B))] for A in X])


@given(st.lists(elements, min_size=1, max_size=5))
def test_feature_maps_reproduce_the_kernels_K32_K33(X):
    phi = SubsetCount().feature_map(X)
    assert_array_equal(phi @ phi.T, SubsetCount()(X))
    phi = Intersection().feature_map(X)
    assert_array_equal((phi @ phi.T).toarray(), Intersection()(X))


def test_the_gram_of_all_16_subsets_is_positive_E27():
    X = sorted(subsets({1, 2, 3, 4}), key=sorted)
    K = SubsetCount()(X)
    assert np.linalg.eigvalsh(K).min() > 0.0  # the feature map of the subset lattice is invertible
    assert_array_equal(np.diag(K), [2.0 ** len(A) for A in X])


def test_on_indicators_it_is_the_all_subsets_kernel_K32_K10():
    X = [{0, 2}, {1}, set(), {0, 1, 2}]
    indicators = np.array([[float(j in A) for j in range(3)] for A in X])
    assert_array_equal(SubsetCount()(X), AllSubsets()(indicators))


def test_empty_sets_share_the_empty_subset_K32():
    assert_array_equal(SubsetCount()([set(), {1}], [set(), set()]), np.ones((2, 2)))


def test_big_sets_overflow_with_a_way_out_K32():
    X = [set(range(1100)), set(range(500, 1600))]
    with pytest.raises(ValueError, match=r"finite number; got 2\^1100.*log2"):
        SubsetCount()(X)
    assert_array_equal(SubsetCount().log2(X), [[1100.0, 600.0], [600.0, 1100.0]])
    assert SubsetCount()(X[:1], X[1:]).item() == 2.0**600


def test_the_explicit_map_is_guarded_C17():
    with pytest.raises(MemoryBudgetError, match="explicit map"):
        SubsetCount().feature_map([set(range(40))])


def test_laws_K32_K33():
    check_kernel(SubsetCount(), SETS, LATER)
    check_kernel(Intersection(), SETS, LATER)
    check_kernel(Intersection(dict.fromkeys([1, 2, 3, 4, 8, 9, "a", ("b", 2)], 0.7)), SETS, LATER)
    check_kernel(IntervalOverlap(), [[(0, 1)], [(0.5, 3), (4, 5)], [], [(1, 1)]], [[(0.2, 0.7), (2, 9)], [(-1, 6)]])


def test_the_counting_measure_is_linear_on_indicators_K33():
    X = [{0, 2}, {1}, set(), {0, 1, 2}]
    indicators = np.array([[float(j in A) for j in range(3)] for A in X])
    assert_array_equal(Intersection()(X), Linear()(indicators))


@given(st.lists(st.sets(st.sampled_from([1, 2, 3, 4])), min_size=1, max_size=4))
def test_a_weighted_measure_sums_the_weights_K33(X):
    expected = [[sum(WEIGHTS[e] for e in A & B) for B in X] for A in X]
    assert_allclose(Intersection(WEIGHTS)(X), expected, rtol=1e-12)


def test_lists_count_every_element_once_K33():
    assert_array_equal(Intersection()([[1, 1, 2]], [{1, 2, 3}]), [[2.0]])


@pytest.mark.parametrize("weight", [-1.0, np.inf, np.nan])
def test_negative_or_infinite_weights_are_refused_K33(weight):
    with pytest.raises(ValueError, match=r"finite numbers >= 0; got .* for 'a'"):
        Intersection({"a": weight})


@pytest.mark.parametrize("weights", [3, "ab", {"a": "b"}, ["a"]])
def test_weights_are_a_mapping_to_numbers(weights):
    with pytest.raises(ValueError, match="a mapping from elements to numbers"):
        Intersection(weights)


def test_an_element_without_weight_is_named_K33():
    with pytest.raises(ValueError, match="given for every element; got none for 7"):
        Intersection(WEIGHTS)([{1}, {2, 7}])


def test_a_weighted_kernel_is_a_value():
    k = Intersection({"b": 2, "a": 1.0})
    assert k == Intersection({"a": 1, "b": 2.0})
    assert hash(k) == hash(Intersection({"a": 1, "b": 2.0}))
    assert eval(repr(k)) == k
    assert Intersection(k.weights).weights is k.weights  # scikit-learn's clone asks for this


def test_weights_on_elements_of_several_types():
    k = Intersection({"a": 1.0, 1: 2.0, ("t", 1): 3.0})
    assert_allclose(k([{"a", ("t", 1)}], [{1, ("t", 1)}]), [[3.0]])


def naive_overlap(A, B):
    """The integral of the product of two indicators, on a grid that holds every end point."""
    edges = np.arange(0, 41) / 4.0
    middle = (edges[1:] + edges[:-1]) / 2.0
    inside = lambda U: np.any([(low < middle) & (middle < high) for low, high in U] + [np.zeros(40, bool)], axis=0)
    return 0.25 * np.sum(inside(A) & inside(B))


quarters = st.tuples(st.integers(0, 40), st.integers(0, 40)).map(lambda p: (min(p) / 4.0, max(p) / 4.0))


@given(st.lists(st.lists(quarters, max_size=4), min_size=1, max_size=3), st.lists(quarters, max_size=4))
def test_the_length_of_the_overlap_is_the_integral_of_indicators_K33(X, B):
    """Intervals of one union may overlap: what they share counts once."""
    assert_allclose(IntervalOverlap()(X, [B]), [[naive_overlap(A, B)] for A in X], atol=1e-12)
    assert_allclose(IntervalOverlap().diag(IntervalOverlap().prepare(X)), [naive_overlap(A, A) for A in X], atol=1e-12)


def test_an_infinite_interval_is_refused_K33():
    with pytest.raises(ValueError, match=r"finite, with low <= high; got .* in row 1"):
        IntervalOverlap()([[(0, 1)], [(0, np.inf)]])


def test_empty_data_give_empty_matrices_I2():
    for k, X in ((SubsetCount(), SETS), (Intersection(), SETS), (IntervalOverlap(), [[(0, 1)]])):
        assert k([], X).shape == (0, len(X))
