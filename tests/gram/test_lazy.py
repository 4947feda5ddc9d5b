"""The lazy Gram does tile by tile what the dense one does at once."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from mercer import LazyGram, MemoryBudgetError, configure
from mercer.engine.tiles import SIDE, cuts
from mercer.kernels import RBF, Centred, Constant, Kernel, Linear, Matern, Polynomial, Spectrum, White, kernel

rng = np.random.default_rng(0)
k = 2.0 * RBF(0.8) + Polynomial(2) * Matern()
SIZES = [0, 1, 5, SIDE, SIDE + 1, 900]
SHAPES = [(0, 5), (5, 0), (1, 1), (1, SIDE + 1), (SIDE + 1, 2), (500, 700)]


def items(n, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 3))


def close(found, expected):
    """Equal but for the order of sums."""
    assert np.shape(found) == np.shape(expected)
    assert_allclose(found, expected, rtol=1e-9, atol=1e-11 * max(abs(np.asarray(expected)).max(initial=0.0), 1.0))


# ---- every method, every shape


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("trailing", [(), (1,), (4,), (0,)], ids=str)
def test_products_need_no_matrix(n, trailing):
    X = items(n)
    V = rng.normal(size=(n, *trailing))
    close(LazyGram(k, X) @ V, k(X) @ V)


@pytest.mark.parametrize(("n", "m"), SHAPES)
@pytest.mark.parametrize("trailing", [(), (3,)], ids=str)
def test_products_with_cross_grams_need_no_matrix(n, m, trailing):
    X, Y = items(n), items(m, seed=1)
    V = rng.normal(size=(m, *trailing))
    close(LazyGram(k, X, Y) @ V, k(X, Y) @ V)


@pytest.mark.parametrize("n", SIZES)
def test_dense_and_diag_are_those_of_the_kernel(n):
    K = LazyGram(k, items(n))
    assert_array_equal(K.dense(), k(items(n)))
    assert_array_equal(K.diag(), np.diag(k(items(n))))
    assert len(K) == n
    assert K.shape == (n, n)


@pytest.mark.parametrize("n", SIZES[1:])
def test_rows_and_sub_grams_are_slices(n):
    K, dense = LazyGram(k, items(n)), k(items(n))
    chosen = rng.integers(0, n, size=7)
    close(K.rows(chosen), dense[chosen])
    close(K.sub(chosen).dense(), dense[np.ix_(chosen, chosen)])
    V = rng.normal(size=7)
    close(K.sub(chosen) @ V, dense[np.ix_(chosen, chosen)] @ V)


NAMES = [[], [2], 2, [-1, 0], slice(1, 4), np.arange(6) % 2 == 0, np.array([3, 3], dtype=np.int8)]


@pytest.mark.parametrize("index", NAMES, ids=str)
def test_rows_are_named_by_position_slice_or_mask(index):
    X = items(6)
    expected = np.atleast_1d(np.arange(6)[index])
    close(LazyGram(k, X).rows(index), k(X)[expected])
    close(LazyGram(k, X).sub(index).dense(), k(X)[np.ix_(expected, expected)])


def test_a_row_that_does_not_exist_is_refused():
    with pytest.raises(IndexError):
        LazyGram(k, items(6)).rows([6])


@pytest.mark.parametrize("n", [1, 5, SIDE + 1, 900])
def test_the_gradient_is_streamed(n):
    X, W = items(n), rng.normal(size=(n, n))
    A = k.prepare(X)
    assert_allclose(LazyGram(k, X).vjp(W), k.vjp(A, A, W), rtol=1e-9, atol=1e-9 * n)


@pytest.mark.parametrize(("n", "m"), [(1, SIDE + 1), (500, 700)])
def test_the_gradient_of_a_cross_gram_is_streamed(n, m):
    X, Y, W = items(n), items(m, seed=1), rng.normal(size=(n, m))
    A = k.prepare(X)
    assert_allclose(LazyGram(k, X, Y).vjp(W), k.vjp(A, k.prepare(Y, A.frame), W), rtol=1e-9, atol=1e-7)


def test_of_symmetric_weights_only_tiles_on_and_under_the_diagonal_are_read():
    n = 2 * SIDE + 7
    X, W = rng.normal(size=(n, 2)), rng.normal(size=(n, n))
    W = W + W.T
    K = LazyGram(RBF((0.7, 1.3)), X)
    expected = K.vjp(W)
    for r in cuts(n):
        W[r, r.stop :] = np.nan
    assert_allclose(K.vjp(W, mirrored=True), expected, rtol=1e-10)


def test_the_gradient_of_nothing_is_zero():
    assert_array_equal(LazyGram(RBF(), items(0)).vjp(np.empty((0, 0))), [0.0])
    assert LazyGram(Linear(), items(4)).vjp(np.ones((4, 4))).shape == (0,)


# ---- neighbours


def sorted_rows(values, count, sign):
    """The reference: a stable sort of every row, so that ties keep their position."""
    index = np.argsort(sign * values, axis=1, kind="stable")[:, :count]
    return index, np.take_along_axis(values, index, axis=1)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, SIDE + 1), (500, 700)])
@pytest.mark.parametrize("count", [1, 4])
def test_top_finds_the_largest_entries_of_every_row(n, m, count):
    X, Y, count = items(n), items(m, seed=1), min(count, m)
    index, values = LazyGram(k, X, Y).top(count)
    expected_index, expected = sorted_rows(k(X, Y), count, -1)
    assert_array_equal(index, expected_index)
    assert_allclose(values, expected, rtol=1e-12)


@pytest.mark.parametrize("n", [1, SIDE + 1, 700])
def test_nearest_finds_neighbours_by_kernel_distance_T12(n):
    X = items(n)
    count = min(5, n)
    index, squared = LazyGram(Linear(), X).nearest(count)
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    assert_array_equal(index[:, 0], np.arange(n), err_msg="an item is its own nearest")
    assert_array_equal(squared[:, 0], 0.0)
    assert_allclose(squared, np.sort(D, axis=1)[:, :count], atol=1e-12)
    assert_allclose(np.take_along_axis(D, index, axis=1), squared, atol=1e-12)


def test_ties_are_broken_by_position_across_tiles():
    X = np.repeat(np.arange(3.0), 400)[:, None]  # every item 400 times
    index, squared = LazyGram(RBF(), X).nearest(3)
    assert_array_equal(index, np.repeat([[0, 1, 2], [400, 401, 402], [800, 801, 802]], 400, axis=0))
    assert not squared.any()
    index, values = LazyGram(Constant(2.0), X).top(4)
    assert_array_equal(index, np.tile(np.arange(4), (1200, 1)))
    assert_array_equal(values, 2.0)


def test_all_neighbours_may_be_asked_for():
    X = items(6)
    assert_array_equal(np.sort(LazyGram(k, X).top(6)[0], axis=1), np.tile(np.arange(6), (6, 1)))


@pytest.mark.parametrize("count", [0, 7, -1])
def test_a_count_beyond_the_columns_is_refused_I5(count):
    with pytest.raises(ValueError, match=r"count must be between 1 and the number of columns \(6\); got "):
        LazyGram(k, items(6)).nearest(count)


# ---- number types and kinds of items


def test_single_precision_tiles_are_summed_in_double():
    X = items(900).astype(np.float32)
    K = LazyGram(RBF(), X)
    assert K.dtype == np.float32
    found = K @ np.ones(900, dtype=np.float32)
    assert found.dtype == np.float64
    assert_allclose(found, RBF()(X.astype(float)).sum(axis=1), rtol=1e-6)


def test_sparse_rows_stream_like_dense_ones():
    X = items(900) * (rng.random((900, 3)) < 0.5)
    V = rng.normal(size=900)
    close(LazyGram(RBF(), csr_array(X)) @ V, LazyGram(RBF(), X) @ V)


def test_complex_grams_and_complex_vectors_keep_their_imaginary_part_K37():
    Z, V = items(500) + 1j * items(500, seed=1), rng.normal(size=500)
    close(LazyGram(Linear(), Z) @ V, Linear()(Z) @ V)
    close(LazyGram(Linear(), Z) @ (1j * V), Linear()(Z) @ (1j * V))
    single = LazyGram(RBF(), items(500).astype(np.float32)) @ (1j * V)
    assert_allclose(single.imag, LazyGram(RBF(), items(500)) @ V, atol=1e-4)


def test_complex_values_have_a_distance_but_no_order_K37():
    Z = items(6) + 1j * items(6, seed=1)
    with pytest.raises(ValueError, match=r"K in top must be real; got complex values.*Use nearest"):
        LazyGram(Linear(), Z).top(2)
    D = (abs(Z[:, None] - Z) ** 2).sum(axis=2)
    assert_array_equal(LazyGram(Linear(), Z).nearest(6)[0], np.argsort(D, axis=1))


def test_any_items_stream_I1():
    texts = ["abab", "baba", "", "aab"]
    K, V = LazyGram(Spectrum(2), texts), np.arange(4.0)
    assert_array_equal(K @ V, Spectrum(2)(texts) @ V)
    assert_array_equal(LazyGram(White(), texts).top(1)[0][:, 0], np.arange(4))


def test_the_first_dataset_is_the_one_a_kernel_learns_from_A12():
    X, Y = items(30), items(20, seed=1)
    expected = Centred(RBF()).fit(X)(X, Y)
    close(LazyGram(Centred(RBF()), X, Y).dense(), expected)


# ---- threads, memory, errors


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("number", [np.float64, np.float32])
def test_the_number_of_threads_changes_no_bit(threads, number):
    X = items(1500).astype(number)
    V, W = rng.normal(size=(1500, 2)), rng.normal(size=(1500, 1500))

    def results():
        K = LazyGram(k, X)
        return [K.dense(), K @ V, K.vjp(W), *K.nearest(3), *K.top(3), LazyGram(k, X, X[:700]) @ V[:700]]

    with configure(threads=1):
        expected = results()
    with configure(threads=threads):
        for found, single in zip(results(), expected, strict=True):
            assert_array_equal(found, single)


def test_a_dense_gram_over_budget_is_refused_and_a_lazy_one_is_not_C5():
    X = items(400)
    with configure(memory=2**20):
        with pytest.raises(
            MemoryBudgetError, match=r"400 x 400 needs 1.22 MiB; the memory budget is 1.00 MiB. Use .*Lazy"
        ):
            RBF()(X)
        with pytest.raises(MemoryBudgetError, match=r"350 x 400"):
            LazyGram(RBF(), X).rows(np.arange(350))
        streamed = LazyGram(RBF(), X) @ np.ones(400)
    close(streamed, RBF()(X).sum(axis=1))


def test_an_error_in_a_tile_surfaces():
    @kernel
    class Fragile(Kernel):
        def block(self, A, B):
            if A.values[0, 0] > 500.0:
                raise FloatingPointError("tile")
            return np.ones((len(A), len(B)))

    X = np.arange(1200.0)[:, None]
    for threads in (1, 3):
        with configure(threads=threads):
            for compute in (lambda: Fragile()(X), lambda: LazyGram(Fragile(), X) @ X):
                with pytest.raises(FloatingPointError, match="tile"):
                    compute()


def test_progress_counts_tiles_to_the_end():
    calls = []
    K, V = LazyGram(RBF(), items(1500)), np.ones(1500)
    with configure(progress=lambda done, total: calls.append((done, total))):
        K @ V
        assert calls[-1] == (10, 10)  # 4 x 4 tiles, on and under the diagonal
        K.top(1)
        assert calls[-1] == (16, 16)
        K.dense()
        assert calls[-1] == (10, 10)


@pytest.mark.parametrize("V", [np.ones(5), np.ones((7, 2)), np.ones((6, 2, 2)), 1.0], ids=lambda V: str(np.shape(V)))
def test_a_vector_of_another_length_is_refused_I5(V):
    with pytest.raises(ValueError, match=r"V in K @ V must be 6 long; got shape"):
        LazyGram(k, items(6)) @ V


def test_weights_of_another_shape_are_refused_I5():
    with pytest.raises(ValueError, match=r"W in vjp must be of shape \(6, 6\); got \(6, 5\)"):
        LazyGram(k, items(6)).vjp(np.ones((6, 5)))


@pytest.mark.parametrize("what", ["diag", "sub"])
def test_what_needs_a_square_gram_says_so_I5(what):
    K = LazyGram(k, items(6), items(4))
    with pytest.raises(ValueError, match=rf"{what} must be asked of k\(X, X\); got a 6 x 4 cross Gram. Leave Y out."):
        K.diag() if what == "diag" else K.sub([0])


def test_a_lazy_gram_prints_what_it_is():
    assert repr(LazyGram(RBF(2.0), items(6), items(4))) == "LazyGram(RBF(2.0), 6 x 4)"
