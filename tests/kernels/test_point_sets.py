"""Kernels of sets of points: pyramid match (K25), mean embeddings, sliced Wasserstein."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mercer.kernels import RBF, GaussianOf, Linear, MeanEmbedding, Normalised, PyramidMatch, SlicedWasserstein, Spectrum

rng = np.random.default_rng(0)
SETS = [rng.normal(size=(m, 3)) for m in (4, 1, 900, 6, 700, 7)]


def test_the_example_of_the_pyramid_K25():
    K = PyramidMatch(4)([[1, 4, 9], [0, 5, 15], []])
    assert_allclose(K, [[3.0, 1.125, 0.0], [1.125, 3.0, 0.0], [0.0, 0.0, 0.0]], rtol=1e-14)
    cosine = Normalised(PyramidMatch(4))([[1, 4, 9], [0, 5, 15]])
    assert_allclose(cosine[0, 1], 0.375)


def test_more_levels_than_needed_change_nothing_K25():
    X = [abs(points) for points in SETS[:4:3]]
    assert_allclose(PyramidMatch(30, side=0.1)(X), PyramidMatch(7, side=0.1)(X), rtol=1e-12)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 999), st.floats(0.05, 3.0), st.integers(0, 8))
def test_the_pyramid_is_positive_on_random_sets_K25(seed, side, levels):
    r = np.random.default_rng(seed)
    X = [r.normal(size=(r.integers(0, 8), 2)) for _ in range(8)]
    K = PyramidMatch(levels, side=side, offset=-6.0)(X)
    assert np.linalg.eigvalsh(K)[0] > -1e-10
    assert_allclose(np.diagonal(K), [len(points) for points in X], atol=1e-12)


def test_means_over_all_pairs_in_pieces():
    """The larger sets do not fit into one piece of the sum."""
    k = MeanEmbedding(RBF(1.3))
    expected = [[RBF(1.3)(a, b).mean() for b in SETS] for a in SETS]
    assert_allclose(k(SETS), expected, rtol=1e-12)
    assert_allclose(MeanEmbedding(Linear()).feature_map(SETS), [points.mean(axis=0) for points in SETS], atol=1e-12)


def test_the_gaussian_of_means_is_that_of_the_discrepancy():
    a, b = SETS[0], SETS[5]
    square = RBF(1.0)(a).mean() + RBF(1.0)(b).mean() - 2.0 * RBF(1.0)(a, b).mean()
    assert_allclose(GaussianOf(MeanEmbedding(RBF(1.0)), lengthscale=0.5)([a, b])[0, 1], np.exp(-2.0 * square))


def test_sets_of_one_size_are_matched_at_best():
    """On a line the best matching of equally many points is that of their order."""
    X, Y = rng.normal(size=(5, 20)), rng.normal(size=(4, 20))
    k = SlicedWasserstein(1.5, quantiles=20)
    squares = ((np.sort(X)[:, None] - np.sort(Y)) ** 2).mean(axis=2)
    assert_allclose(k(X[:, :, None], Y[:, :, None]), np.exp(-squares / 4.5), rtol=1e-12)


def test_the_sliced_distance_of_moved_sets():
    """A set moved by v: a direction sees <v, direction>, whose mean square tends to |v|^2 / 3 in three dimensions."""
    moved = SETS[0] + np.array([0.3, 0.0, 0.4])
    k = SlicedWasserstein(1.0, projections=4000, quantiles=4)
    assert_allclose(-2.0 * np.log(k([SETS[0]], [moved])[0, 0]), 0.25 / 3.0, rtol=0.1)


def test_order_of_points_does_not_count():
    for k in (PyramidMatch(5), MeanEmbedding(RBF()), SlicedWasserstein()):
        assert_allclose(k([SETS[0][::-1]], SETS[:4]), k([SETS[0]], SETS[:4]), rtol=1e-10)


def test_bad_sets_are_refused():
    for k in (MeanEmbedding(RBF()), SlicedWasserstein()):
        with pytest.raises(ValueError, match="an empty list in row 1"):
            k([[1.0], []])
        with pytest.raises(ValueError, match="columns wide"):
            k([[[1.0, 2.0]]], [[1.0]])
    with pytest.raises(ValueError, match="MeanEmbedding: kernel must be a kernel on vectors"):
        MeanEmbedding(Spectrum(2))
    with pytest.raises(ValueError, match="PyramidMatch: side must be a positive number"):
        PyramidMatch(3, side=0.0)
    with pytest.raises(ValueError, match="PyramidMatch: levels must be"):
        PyramidMatch(-1)
    with pytest.raises(ValueError, match="PyramidMatch: side must be at least"):
        PyramidMatch(3, side=1e-300)([[1.0]])
    for name in ("projections", "quantiles"):
        with pytest.raises(ValueError, match=f"SlicedWasserstein: {name} must be an integer >= 1"):
            SlicedWasserstein(1.0, **{name: 0})
    with pytest.raises(ValueError, match="seed must be"):
        SlicedWasserstein(1.0, seed=-1)


def test_long_and_short_sets_have_the_mean_over_all_pairs():
    """Sets of some points, in the mean, are summed one by one, shorter ones all at once."""
    draw = np.random.default_rng(5)
    for sizes in ((40, 3, 900, 17), (1, 2, 1, 5)):
        sets = [draw.normal(size=(size, 3)) for size in sizes]
        expected = [[RBF(0.8)(a, b).mean() for b in sets] for a in sets]
        assert_allclose(MeanEmbedding(RBF(0.8))(sets), expected, rtol=1e-12)
