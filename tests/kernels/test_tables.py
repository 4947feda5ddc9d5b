"""On: kernels on columns of tables and matrices (A13), in every data frame library."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from mercer.kernels.categorical import Hamming
from mercer.kernels.constant import Constant, White
from mercer.kernels.documents import Bag, TfIdf
from mercer.kernels.dot import Linear, Sigmoid
from mercer.kernels.radial import RBF
from mercer.kernels.sets import Intersection
from mercer.kernels.strings import Spectrum
from mercer.kernels.tables import On
from mercer.parameters import Fixed
from mercer.testing import check_kernel

COLUMNS = {
    "text": ["the cat", "the dog", "a cat and a dog", "", "bird"],
    "age": [30.0, 41.5, 30.0, 25.0, 60.0],
    "bmi": [20, 25, 31, 22, 27],
    "city": ["Oslo", "Rome", "Oslo", "Lima", "Rome"],
    "tags": [["a", "b"], ["b"], [], ["a", "c", "b"], ["c"]],
    "smoker": [True, False, False, True, True],
}
MAKERS = {"dict": dict, "pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
ALL = (
    On("text", TfIdf()) * 0.5
    + On(["age", "bmi"], RBF((3.0, 5.0))) * On("city", Hamming())
    + On("tags", Intersection())
    + On("text", Spectrum(2))
    + On(["smoker", "city"], Hamming((1.0, 2.0)))
)
V = np.random.default_rng(0).normal(size=(7, 3))


@pytest.fixture(params=MAKERS)
def table(request):
    return MAKERS[request.param](COLUMNS)


def test_each_kernel_sees_its_own_columns(table):
    numbers = np.column_stack([COLUMNS["age"], COLUMNS["bmi"]])
    assert_array_equal(On(["age", "bmi"], RBF(4.0))(table), RBF(4.0)(numbers))
    assert_array_equal(On("text", TfIdf())(table), TfIdf()(COLUMNS["text"]))
    assert_array_equal(On("text", Spectrum(2))(table), Spectrum(2)(COLUMNS["text"]))
    assert_array_equal(On("tags", Intersection())(table), Intersection()(COLUMNS["tags"]))
    pairs = list(zip(COLUMNS["city"], COLUMNS["smoker"], strict=True))
    assert_array_equal(On(["city", "smoker"], Hamming())(table), Hamming()(pairs))


def test_an_expression_over_columns_has_equal_values_in_every_library(table):
    assert_array_equal(ALL(table), ALL(COLUMNS))


def test_what_was_learned_carries_to_new_rows(table):
    k = (On("text", TfIdf()) + On(["age", "bmi"], RBF(4.0))).fit(table)
    new = {"bmi": [21], "text": ["dog and unicorn"], "age": [33.0]}  # columns in another order
    expected = TfIdf().fit(COLUMNS["text"])(new["text"], COLUMNS["text"]) + RBF(4.0)(
        [[33.0, 21]], np.column_stack([COLUMNS["age"], COLUMNS["bmi"]])
    )
    assert_allclose(k(new, table), expected, rtol=1e-12)


def test_positions_and_names_mean_the_same(table):
    assert_array_equal(On([1, 2], RBF(4.0))(table), On(["age", "bmi"], RBF(4.0))(table))
    assert_array_equal(On(0, Bag())(table), On("text", Bag())(table))


def test_several_columns_of_counts_are_documents():
    X = {"cat": [2, 1, 0], "dog": [0, 0, 1], "name": ["x", "y", "z"]}
    assert_array_equal(On(["cat", "dog"], TfIdf())(X), TfIdf()(np.array([[2, 0], [1, 0], [0, 1]])))


def test_laws_on_a_matrix_and_on_a_frame():
    check_kernel(On([0, 2], RBF(0.7)) * On(1, 1 + Linear()), V, V[::-1] + 0.3)
    frame = pl.DataFrame(COLUMNS)
    check_kernel(On("text", Spectrum(2)) + On(["age", "bmi"], RBF((3.0, 5.0))) * On("city", Hamming(2.0)), frame)
    check_kernel(ALL, COLUMNS)


def test_the_ard_kernel_is_a_product_over_columns_A13_K2():
    scales = (0.5, 1.0, 2.0)
    product = On(0, RBF(scales[0])) * On(1, RBF(scales[1])) * On(2, RBF(scales[2]))
    assert_allclose(product(V), RBF(scales)(V), rtol=1e-12)


def test_the_all_subsets_kernel_is_a_product_over_columns_A13_K10():
    product = On(0, 1 + Linear()) * On(1, 1 + Linear()) * On(2, 1 + Linear())
    assert_allclose(product([[1.0, 2.0, 3.0]]), [[100.0]], rtol=1e-14)
    assert_allclose(product(V), np.prod(1.0 + V[:, None] * V[None], axis=2), rtol=1e-12)


def test_overlapping_column_groups_are_allowed_A13():
    k = On([0, 1], Linear()) + On([1, 2], Linear())
    assert_allclose(k(V), V @ np.diag([1.0, 2.0, 1.0]) @ V.T)


def test_sparse_columns_A13():
    S = csr_array(np.where(V > 0.5, V, 0.0))
    assert_allclose(On([2, 0], RBF())(S), RBF()(S.toarray()[:, [2, 0]]), rtol=1e-12)


def test_columns_and_whole_rows_in_one_expression():
    k = RBF(2.0) + On(0, Linear())
    assert_allclose(k(V), RBF(2.0)(V) + np.outer(V[:, 0], V[:, 0]))
    with pytest.raises(TypeError, match="RBF: the data must be vectors; got table"):
        k(COLUMNS)


def test_two_selections_do_not_share_what_is_not_theirs():
    """Kernels of one expression share rows by the identity of their items, which must therefore stay alive."""
    k = sum(On(j % 3, RBF(1.0)) * On((j + 1) % 3, Linear()) for j in range(30))
    one = [RBF(1.0)(V[:, [j % 3]]) * Linear()(V[:, [(j + 1) % 3]]) for j in range(30)]
    assert_allclose(k(V), sum(one), rtol=1e-12)


@given(st.permutations(range(5)), st.integers(1, 5))
def test_choosing_rows_commutes_with_the_kernel(order, n):
    rows = np.array(order[:n])
    k = On("text", Spectrum(2)) + On(["age", "bmi"], RBF(4.0)) * On("city", Hamming())
    A = k.check(COLUMNS)
    assert_allclose(k(A[rows]), k(A)[np.ix_(rows, rows)], rtol=1e-12)


def test_parameters_pass_through():
    k = On(["age", "bmi"], RBF((3.0, 5.0))) + On("city", Hamming(Fixed(2.0)))
    assert_allclose(k.theta, np.log([3.0, 5.0]))
    assert k.theta_names == ["RBF.lengthscale[0]", "RBF.lengthscale[1]"]
    moved = k.with_theta(np.log([1.0, 2.0]))
    assert moved == On(["age", "bmi"], RBF((1.0, 2.0))) + On("city", Hamming(Fixed(2.0)))
    assert k.with_params(k1__k1__lengthscale=7.0) == On(["age", "bmi"], RBF(7.0)) + On("city", Hamming(Fixed(2.0)))
    assert k.with_params(k1__columns="age").terms[0].columns == "age"


def test_flags_pass_through():
    assert On(0, RBF()).psd is True
    assert On(0, Sigmoid()).psd is False
    assert On("text", TfIdf()).learned
    assert not On("text", Bag()).learned
    assert On(0, RBF()).stationary
    assert not On(0, RBF()).isotropic


def test_feature_maps_pass_through():
    k = On("text", Bag()) + On(["age", "bmi"], Linear())
    phi = k.feature_map(COLUMNS)
    assert_allclose(phi @ phi.T, k(COLUMNS))


def test_constants_and_white_noise_on_rows():
    assert_allclose((On("age", RBF()) + Constant(2.0))(COLUMNS), On("age", RBF())(COLUMNS) + 2.0)
    assert_array_equal(White()(pd.DataFrame(COLUMNS)), np.eye(5))
    same_age = np.equal.outer(COLUMNS["age"], COLUMNS["age"])
    assert_array_equal(On("age", White())(COLUMNS), same_age)


def test_nested_selections():
    k = On(["age", "text"], On("text", Bag()) + On(0, RBF()))
    assert_array_equal(k(COLUMNS), On("text", Bag())(COLUMNS) + On("age", RBF())(COLUMNS))


def test_repr_reads_back():
    assert repr(On("text", TfIdf())) == "On('text', TfIdf())"
    assert repr(On(("age", "bmi"), RBF())) == "On(['age', 'bmi'], RBF(1.0))"
    for k in (On("text", TfIdf()), On(["age", "bmi"], RBF()), On([0, 2], RBF(2.0)), On(1, Linear()), ALL):
        assert eval(repr(k)) == k
        assert hash(eval(repr(k))) == hash(k)


def test_positions_may_come_from_numpy():
    assert On(np.arange(2), RBF()) == On(range(2), RBF()) == On((0, 1), RBF())


@pytest.mark.parametrize("columns", [[], True, 1.5, ["age", None], ()])
def test_columns_are_names_or_positions(columns):
    with pytest.raises(ValueError, match="a name, a position"):
        On(columns, RBF())


def test_the_inner_kernel_is_a_kernel():
    with pytest.raises(ValueError, match="kernel must be a kernel; got 'rbf'"):
        On("age", "rbf")


def test_an_unknown_column_lists_the_columns(table):
    with pytest.raises(ValueError, match=r"one of \['text', 'age'.*; got 'weight'"):
        On("weight", RBF())(table)
    with pytest.raises(ValueError, match="got 6"):
        On(6, RBF())(table)


@pytest.mark.parametrize("column", ["age", 3, -1])
def test_a_matrix_has_only_positions(column):
    with pytest.raises(ValueError, match=r"a position below 3 \(a matrix has no names\)"):
        On(column, RBF())(V)


def test_text_is_not_a_number_and_numbers_are_no_text(table):
    with pytest.raises(TypeError, match="columns of numbers; got 'the cat' in column 'text'"):
        On(["age", "text"], RBF())(table)
    with pytest.raises(TypeError, match="Numbers need a vector kernel"):
        On("age", Spectrum(2))(table)


def test_a_text_kernel_takes_one_column(table):
    with pytest.raises(ValueError, match="one column for a kernel on documents"):
        On(["text", "city"], Bag())(table)


def test_a_gap_is_named_with_its_row_and_column():
    gaps = {"age": [1.0, np.nan], "city": ["Oslo", None]}
    for X in (gaps, pd.DataFrame(gaps), pl.DataFrame(gaps, strict=False), pa.table(gaps)):
        with pytest.raises(ValueError, match="column 'age' must be finite numbers; got nan in row 1"):
            On("age", RBF())(X)
        with pytest.raises(ValueError, match="in row 1"):
            On("city", Hamming())(X)
        with pytest.raises(ValueError, match="in row 1"):
            On("city", Bag())(X)


def test_vectors_of_texts_and_lazy_frames_are_refused_with_a_cure():
    with pytest.raises(TypeError, match="Collect the lazy frame first"):
        On("age", RBF())(pl.DataFrame(COLUMNS).lazy())
    with pytest.raises(TypeError, match="data frame, a dict of columns or a matrix"):
        On(0, RBF())("text")


def test_empty_tables_give_empty_matrices_I2(table):
    k = On("text", Spectrum(2)) + On(["age", "bmi"], RBF(4.0)) * On("city", Hamming())
    empty = k.check(table)[:0]
    assert k(empty).shape == (0, 0)
    assert k(empty, table).shape == (0, 5)
    assert k(table, empty).shape == (5, 0)
