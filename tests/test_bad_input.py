"""What is refused, with which exception, and in which words (I1, I2, I5): every message has fault, value and cure."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csr_array

from mercer import LazyGram, NotPositiveDefinite
from mercer.kernels import (
    RBF,
    Bilinear,
    ChiSquared,
    Constant,
    Exp,
    Exponential,
    GaussianOf,
    Geometric,
    Hamming,
    Homogeneous,
    Linear,
    Mahalanobis,
    Matern,
    Normalised,
    On,
    Polynomial,
    Power,
    Product,
    RationalQuadratic,
    Scaled,
    Sigmoid,
    Spectrum,
    Sum,
    TfIdf,
    White,
)

HOUSE_FORM = re.compile(r"^.+: .+ must be .+; got .+\. .+", re.DOTALL)

X = np.random.default_rng(0).normal(size=(5, 3))


def holding(value, dtype=float):
    """X with one entry replaced."""
    out = X.astype(dtype)
    out[1, 2] = value
    return out


def single(entry):
    return csr_array(np.array([[0.0, entry]]))


VECTOR_KERNELS = [
    RBF(), RBF((1.0, 2.0, 3.0)), Matern(), Linear(), Polynomial(2), Sigmoid(),
    2.0 * RBF() + Linear() ** 2, Normalised(Linear()), GaussianOf(Linear()),
]  # fmt: skip

# what is passed as X                                 exception     words of the message
BAD_VECTORS = {
    "NaN": (holding(np.nan), ValueError, "finite numbers; got nan at row 1, column 2. Drop, impute or clip"),
    "infinity": (holding(-np.inf), ValueError, "finite numbers; got -inf at row 1, column 2"),
    "NaN in float32": (holding(np.nan, np.float32), ValueError, "finite numbers; got nan"),
    "NaN in complex": (holding(np.nan, complex), ValueError, "finite numbers; got"),
    "NaN in CSR": (single(np.nan), ValueError, "finite numbers; got nan at stored entry 0"),
    "one dimension": (X[0], ValueError, r"2-dimensional.* got 1 dimension\(s\), shape \(3,\). Use X.reshape"),
    "three dimensions": (X[None], ValueError, r"2-dimensional.* got 3 dimension"),
    "a number": (3.0, TypeError, "a 2-d array of numbers; got float"),
    "an iterator": (iter(X), TypeError, "a 2-d array of numbers; got"),
    "no columns": (np.empty((4, 0)), ValueError, r"at least one column wide; got shape \(4, 0\)"),
    "no columns in CSR": (csr_array((4, 0)), ValueError, r"at least one column; got shape \(4, 0\)"),
    "a ragged list": ([[1.0, 2.0], [3.0]], ValueError, "rows of one length; got 2 entries in row 0 and 1 in row 1"),
    "a list of numbers and lists": ([[1.0], 2.0], ValueError, "rows of one length"),
    "a flat list": ([1.0, 2.0], ValueError, "2-dimensional"),
    "one text": ("abc", TypeError, "a 2-d array of numbers; got str"),
    "texts": (["ab", "cd"], TypeError, "an array of numbers; got dtype <U2 holding 'ab'"),
    "an array of texts": (np.array([["a", "b"]]), TypeError, "an array of numbers"),
    "objects": (np.array([[1.0, "a"]], dtype=object), TypeError, "dtype object holding 'a'. Encode text"),
    "objects with a gap": (np.array([[1.0, None]], dtype=object), (TypeError, ValueError), "must be"),
    "a table with text": (pd.DataFrame({"a": [1.0], "b": ["x"]}), TypeError, "holding 'x'.* choose columns with On"),
    "a table with a gap": (pd.DataFrame({"a": [1.0, None]}), ValueError, "finite numbers; got nan"),
    "sets": ([{1, 2}, {3}], (TypeError, ValueError), "must be"),
    "dates": (np.array([["2020-01-01"]], dtype="datetime64[D]"), TypeError, "an array of numbers"),
}  # fmt: skip


@pytest.mark.parametrize("k", VECTOR_KERNELS, ids=repr)
@pytest.mark.parametrize(("data", "exception", "words"), BAD_VECTORS.values(), ids=BAD_VECTORS)
def test_data_that_are_no_vectors_are_refused_I1_I2_I5(k, data, exception, words):
    with pytest.raises(exception, match=words) as caught:
        k(data)
    assert HOUSE_FORM.match(str(caught.value))
    with pytest.raises(exception, match=words):
        k(X, data)


@pytest.mark.parametrize("k", [*VECTOR_KERNELS, White(), Constant(), On([0], RBF())], ids=repr)
@pytest.mark.parametrize("form", [np.asarray, csr_array, np.float32], ids=["dense", "csr", "float32"])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_two_widths_are_refused_and_both_are_named_I2(k, form, width):
    Y = np.ones((4, width))
    for compute in (lambda: k(form(X), form(Y)), lambda: LazyGram(k, form(X), form(Y))):
        with pytest.raises(ValueError, match=rf"Y must be as many columns wide as X \(3\); got {width} columns. Pass"):
            compute()


@pytest.mark.parametrize("k", [*VECTOR_KERNELS, White(), Constant()], ids=repr)
def test_no_items_and_one_item_are_no_fault_I2_I5(k):
    none = np.empty((0, 3))
    assert k(none).shape == (0, 0)
    assert k(none, X).shape == (0, 5)
    assert k(X, none).shape == (5, 0)
    assert k([], X).shape == (0, 5)
    assert k(X[:1]).shape == (1, 1)
    assert np.isfinite(k(X[:1])).all()


DRESSES = {
    "list": X.tolist(),
    "float16": X.astype(np.float16),
    "bool": X > 0,
    "int": (10 * X).astype(int),
    "strided": X[:, ::-1],
    "fortran": np.asfortranarray(X),
    "frame": pd.DataFrame(X),
    "coo": coo_array(X),
    "objects": np.array(X, dtype=object),
}


@pytest.mark.parametrize("data", DRESSES.values(), ids=DRESSES)
def test_numbers_in_any_dress_are_taken_I1(data):
    plain = data.toarray() if hasattr(data, "toarray") else np.asarray(data, dtype=float)
    np.testing.assert_allclose(RBF()(data), RBF()(plain), rtol=1e-12)


# ---- hyper-parameters

BAD_PARAMETERS = {
    "zero lengthscale": (lambda: RBF(0.0), "lengthscale must be a positive number"),
    "negative lengthscale": (lambda: Matern(-1.0), "lengthscale must be a positive number"),
    "one bad lengthscale": (lambda: RBF((1.0, 0.0)), r"a positive number \(or one per column\); got \(1.0, 0.0\)"),
    "NaN lengthscale": (lambda: Exponential(np.nan), "lengthscale must be a positive number"),
    "lengthscale of a word": (lambda: RBF("long"), "lengthscale must be a number"),
    "fixed zero lengthscale": (lambda: RBF((0.0,)), "a positive number"),
    "zero gamma": (lambda: RBF.from_gamma(0.0), "gamma must be a positive number; got 0.0"),
    "negative gamma": (lambda: Polynomial(2, gamma=-1.0), "gamma must be a positive number"),
    "infinite offset": (lambda: Polynomial(2, offset=np.inf), "offset must be a finite number"),
    "zero degree": (lambda: Polynomial(0), "degree must be a positive integer"),
    "degree of a word": (lambda: Polynomial("two"), "degree must be a positive integer"),
    "half a degree": (lambda: Homogeneous(0.5), "degree must be an integer >= 0"),
    "negative degree": (lambda: Geometric(-1), "degree must be an integer >= 0"),
    "zero nu": (lambda: Matern(nu=0.0), r"nu must be a positive number \(or inf\)"),
    "nu of a word": (lambda: Matern(nu="rough"), "nu must be a positive number"),
    "infinite alpha": (lambda: RationalQuadratic(alpha=np.inf), "The limit alpha = inf is RBF"),
    "negative constant": (lambda: Constant(-1.0), "value must be a number >= 0"),
    "infinite constant": (lambda: Constant(np.inf), "value must be a number >= 0"),
    "negative noise": (lambda: White(-0.1), "variance must be a number >= 0"),
    "negative factor": (lambda: -2.0 * RBF(), "the factor must be a number >= 0"),
    "negative factor by name": (lambda: Scaled(RBF(), -2.0), "factor must be a number >= 0"),
    "fractional power": (lambda: RBF() ** 0.5, "exponent must be an integer >= 0"),
    "power of nothing": (lambda: Power(2.0, 2), "kernel must be a kernel"),
    "sum of one": (lambda: Sum((RBF(),)), "terms must be two kernels or more"),
    "product with a number": (lambda: Product((RBF(), 2.0)), "terms must be two kernels or more"),
    "singular covariance": (lambda: Mahalanobis([[1.0, 1.0], [1.0, 1.0]]), "must be positive definite; got smallest"),
    "asymmetric covariance": (lambda: Mahalanobis([[1.0, 0.5], [0.0, 1.0]]), "must be symmetric"),
    "covariance not square": (lambda: Mahalanobis([[1.0, 0.5]]), "a square matrix; got shape"),
    "indefinite form": (lambda: Bilinear([[1.0, 2.0], [2.0, 1.0]]), "got smallest eigenvalue -1"),
    "unknown parameter": (lambda: RBF().with_params(gamma=1.0), "parameter must be one of .*; got gamma"),
    "long theta": (lambda: RBF().with_theta([0.0, 0.0]), "theta must be 1 number"),
    "short theta": (lambda: (RBF() + Matern()).with_theta([0.0]), "theta must be 2 numbers"),
}  # fmt: skip


@pytest.mark.parametrize(("make", "words"), BAD_PARAMETERS.values(), ids=BAD_PARAMETERS)
def test_a_parameter_that_means_nothing_is_refused_when_it_is_given_I5(make, words):
    with pytest.raises(ValueError, match=words) as caught:
        make()
    assert HOUSE_FORM.match(str(caught.value))


def test_a_matrix_that_is_not_positive_has_its_own_exception_K1_K9():
    with pytest.raises(NotPositiveDefinite):
        Mahalanobis(np.ones((2, 2)))


# ---- data that do not fit the kernel

MISFITS = {
    "too few lengthscales": (RBF((1.0, 2.0)), X, ValueError, r"one per column \(3\); got 2"),
    "covariance of another size": (Mahalanobis(np.eye(2)), X, ValueError, "3 x 3, as X has 3 columns; got 2 x 2"),
    "form of another size": (Bilinear(np.eye(4)), X, ValueError, "must be 3 x 3.*; got 4 x 4"),
    "negative histogram": (ChiSquared(), X, ValueError, "non-negative .*; got an entry -"),
    "negative counts": (TfIdf(), X, ValueError, "must be .*; got "),
    "vectors for strings": (Spectrum(2), X, TypeError, "the data must be"),
    "numbers for strings": (Spectrum(2), [1.0, 2.0], TypeError, "the data must be"),
    "one string": (Spectrum(2), "abab", TypeError, "Put it in a list"),
    "one row of categories": (Hamming(), ["red", "blue"], TypeError, "rows of categories"),
    "unknown column": (On("age", RBF()), {"size": [1.0]}, ValueError, r"one of \['size'\].*; got 'age'"),
    "unknown position": (On(5, RBF()), X, ValueError, "a position below 3.*; got 5"),
    "a name in a matrix": (On("age", RBF()), X, ValueError, r"a matrix has no names\); got 'age'"),
    "text in a column of numbers": (On("a", RBF()), {"a": ["x"]}, TypeError, "numbers; got 'x' in column 'a'"),
    "polynomial overflow": (Polynomial(200), 1e3 * X, ValueError, r"must be finite; got inf .*\. Scale the data down"),
    "geometric overflow": (Geometric(40), 1e10 * X, ValueError, "k must be finite; got inf"),
    "overflow of a product": (Linear() ** 64, 1e6 * X, ValueError, "k must be finite; got inf"),
    "exponential overflow": (Exp(Linear()), 1e3 * X, ValueError, "k must be finite; got inf"),
    "overflow of a norm": (Linear(), 1e200 * X, ValueError, "within the range of float64; got an overflow"),
    "overflow in float32": (RBF(), (1e30 * X).astype(np.float32), ValueError, "within the range of float32"),
}  # fmt: skip


@pytest.mark.parametrize(("k", "data", "exception", "words"), MISFITS.values(), ids=MISFITS)
def test_data_that_do_not_fit_the_kernel_are_refused_I2_I5(k, data, exception, words):
    with pytest.raises(exception, match=words) as caught:
        k(data)
    assert HOUSE_FORM.match(str(caught.value))


def test_mixed_kinds_are_refused_when_the_expression_is_made_I1():
    with pytest.raises(
        TypeError, match=r"of one kind for all operands; got RBF\(1.0\) on vectors, Spectrum\(\) on strings"
    ):
        RBF() + Spectrum()


def test_a_large_value_that_still_fits_is_no_fault():
    assert np.isfinite(Polynomial(100)(X)).all()
    assert RBF()(1e150 * X)[0, 1] == 0.0
