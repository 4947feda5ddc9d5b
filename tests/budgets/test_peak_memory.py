"""Streaming keeps O(n): peak bytes beyond the data, as assertions (C5)."""

from __future__ import annotations

import tracemalloc
from contextlib import contextmanager

import numpy as np
import pytest

from mercer import LazyGram, MemoryBudgetError, configure
from mercer.engine.tiles import SIDE
from mercer.kernels import RBF, Centred, Linear, Matern

n, MiB = 4000, 2**20
X = np.random.default_rng(0).normal(size=(n, 6))
V = np.random.default_rng(1).normal(size=n)
TILE = 8 * SIDE**2
WHOLE = 8 * n**2  # 122 MiB


@contextmanager
def peak():
    """Bytes allocated above what there was, at the worst moment inside the block."""
    found = {}
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    try:
        yield found
        found["bytes"] = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


STREAMS = {
    "product": lambda k: LazyGram(k, X) @ V,
    "cross product": lambda k: LazyGram(k, X, X[: n // 2]) @ V[: n // 2],
    "nearest": lambda k: LazyGram(k, X).nearest(3),
    "top": lambda k: LazyGram(k, X).top(3),
    "a few rows": lambda k: LazyGram(k, X).rows([1, 2, 3]),
    "centring": lambda k: Centred(k).fit(X),
}


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
@pytest.mark.parametrize("k", [RBF(), 2.0 * RBF() + Matern() * Linear()], ids=["rbf", "expression"])
def test_a_streamed_result_needs_a_few_tiles_per_thread_not_the_matrix_C5(stream, k):
    stream(k)  # what is imported once does not count
    with configure(threads=2), peak() as found:
        stream(k)
    linear = 8 * n * (6 + 16 + 8)  # prepared data, partial sums of the product, results
    assert found["bytes"] <= 2 * 6 * TILE + linear < WHOLE / 5


def test_the_partial_sums_of_a_wide_product_are_bounded_C5():
    """They may take 128 MiB, or twice the result where that is more: not sixteen times."""
    wide = np.ones((n, 1000))
    with configure(threads=2), peak() as found:
        LazyGram(RBF(), X) @ wide
    assert found["bytes"] <= 128 * MiB + 3 * wide.nbytes + 12 * TILE


def test_a_dense_gram_is_allocated_once_C5():
    RBF()(X[:500])
    with configure(threads=2), peak() as found:
        RBF()(X)
    assert found["bytes"] <= WHOLE + 12 * TILE + 10 * X.nbytes


@pytest.mark.parametrize("refused", [
    lambda: RBF()(X),
    lambda: RBF()(X, X[: n // 2]),
    lambda: LazyGram(RBF(), X).dense(),
    lambda: LazyGram(RBF(), X).rows(np.arange(n // 2)),
], ids=["k(X)", "k(X, Y)", "dense", "rows"])  # fmt: skip
def test_a_refusal_allocates_nothing_to_speak_of_C5(refused):
    with configure(memory=16 * MiB), peak() as found, pytest.raises(MemoryBudgetError):
        refused()
    assert found["bytes"] < 2 * MiB


def test_the_gradient_needs_no_tensor_C5():
    """Six lengthscales, one weight matrix: the derivative takes tiles, not six more matrices."""
    k, W = RBF((1.0,) * 6), np.ones((1500, 1500))
    K = LazyGram(k, X[:1500])
    K.vjp(W)
    with configure(threads=2), peak() as found:
        K.vjp(W)
    assert found["bytes"] < W.nbytes
