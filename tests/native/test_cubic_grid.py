"""Cubic weights on grids against Lagrange's formula in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import lagrange

from mercer.native import cubic_grid

rng = np.random.default_rng(0)


def weights(u, size):
    """A row of interpolation weights for a place u among so many nodes."""
    row, first = np.zeros(size), int(np.clip(int(u), 1, size - 3)) - 1
    nodes = np.arange(first, first + 4)
    for k in range(4):
        row[nodes[k]] = lagrange(nodes, np.eye(4)[k])(u)
    return row


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("D", [2, 3])
def test_spread_and_read_are_one_matrix_and_its_transpose(isa, dtype, D):
    sizes, n = np.array([7, 9, 6][:D], dtype=np.intp), 23
    X = rng.uniform(1.0, 3.9, size=(n, D)).astype(dtype)
    origin, per_step, w = np.zeros(D), np.ones(D), rng.uniform(size=n)
    rows = []
    for x in X.astype(float):
        row = weights(x[0], sizes[0])
        for d in range(1, D):
            row = np.multiply.outer(row, weights(x[d], sizes[d]))
        rows.append(row.ravel())
    M = np.array(rows)
    grid, values, out = np.zeros(M.shape[1]), rng.normal(size=M.shape[1]), np.empty(n)
    cubic_grid.spread(X, w, origin, per_step, sizes, grid)
    cubic_grid.read(X, origin, per_step, sizes, values, out)
    assert_allclose(grid, w @ M, atol=1e-12)
    assert_allclose(out, M @ values, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [0, 1, 255, 600])
def test_moments_of_bins(isa, dtype, n):
    x, w = rng.uniform(0.0, 5.0, n).astype(dtype), rng.uniform(size=n)
    for weight in (w, np.empty(0)):
        moments, expected = np.zeros((5, 4)), np.zeros((5, 4))
        cubic_grid.bin_moments(x, weight, 0.0, 1.0, moments)
        for value, share in zip(x.astype(float), w if len(weight) else np.ones(n), strict=True):
            expected[int(value)] += share * (value - int(value)) ** np.arange(4)
        assert_allclose(moments, expected, atol=1e-12)


def test_the_border_refuses():
    X, two = np.zeros((3, 2)), np.zeros(2)
    with pytest.raises(ValueError, match="sizes"):
        cubic_grid.spread(X, np.empty(0), two, two, np.array([3, 9], dtype=np.intp), np.zeros(27))
    with pytest.raises(ValueError, match="grid"):
        cubic_grid.spread(X, np.empty(0), two, two, np.array([4, 9], dtype=np.intp), np.zeros(27))
    with pytest.raises(ValueError, match="weight"):
        cubic_grid.bin_moments(np.zeros(3), np.zeros(2), 0.0, 1.0, np.zeros((4, 4)))
