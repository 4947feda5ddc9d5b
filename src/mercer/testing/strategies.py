"""Hypothesis strategies: items of several kinds, kernels, and random expressions of kernels.

    @given(vectors(width=3), expressions(leaves(width=3)))
    def test_(X, k): ...

Numbers are of modest size and expressions shallow, so that values neither overflow nor get lost in rounding.  Duplicate
rows, zero vectors, empty strings and empty sets do occur.  This module needs Hypothesis; nothing else here does.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from mercer.kernels import (
    RBF,
    Bounded,
    Constant,
    Exp,
    Exponential,
    Fixed,
    GaussianOf,
    Geometric,
    Homogeneous,
    Kernel,
    Linear,
    Matern,
    Normalised,
    Polynomial,
    PolynomialOf,
    Power,
    RationalQuadratic,
    Sigmoid,
    White,
)
from mercer.typing import Array

Strategy = st.SearchStrategy

_MOST = 6  # items of one dataset


def numbers(low: float, high: float) -> Strategy[float]:
    """Floats between two bounds, 0 where they would be so small that only rounding is left of their square."""
    return st.floats(low, high).map(lambda x: x if abs(x) > 2.0**-20 else 0.0)


def vectors(width: int = 3, *, dtype: Any = np.float64, least: int = 1) -> Strategy[Array]:
    """Dense arrays of up to six rows with entries in [-2, 2]."""
    shapes = st.tuples(st.integers(least, _MOST), st.just(width))
    return arrays(dtype, shapes, elements=numbers(-2.0, 2.0).map(dtype))


def sparse_vectors(width: int = 3, *, dtype: Any = np.float64, least: int = 1) -> Strategy[Any]:
    """CSR matrices, about half of whose entries are stored."""
    patterns = arrays(np.bool_, (_MOST, width))
    return st.builds(lambda X, keep: csr_array(X * keep[: len(X)]), vectors(width, dtype=dtype, least=least), patterns)


def any_vectors(width: int = 3, *, least: int = 1) -> Strategy[Any]:
    """Dense or CSR, in double or single precision."""
    return st.one_of(
        [make(width, dtype=t, least=least) for make in (vectors, sparse_vectors) for t in (np.float64, np.float32)]
    )


def strings(alphabet: str = "ab", *, longest: int = 6, least: int = 1) -> Strategy[list[str]]:
    """Lists of strings over a few letters."""
    return st.lists(st.text(alphabet, max_size=longest), min_size=least, max_size=_MOST)


def sets(universe: str = "abcd", *, least: int = 1) -> Strategy[list[frozenset[str]]]:
    """Lists of subsets of a small universe."""
    return st.lists(st.frozensets(st.sampled_from(universe)), min_size=least, max_size=_MOST)


def marked(values: Strategy[float]) -> Strategy[Any]:
    """Hyper-parameters: a number, or one marked as fixed or as bounded."""
    return st.one_of(values, values.map(Fixed), values.map(lambda p: Bounded(p, p / 2.0, 2.0 * p)))


def leaves(width: int = 3) -> Strategy[Kernel]:
    """Kernels on vectors of that width."""
    positive = numbers(0.5, 2.0)
    scale = marked(positive)
    per_column = st.lists(positive, min_size=width, max_size=width).map(tuple)
    return st.one_of(
        st.builds(RBF, scale | per_column),
        st.builds(Matern, scale | per_column, nu=st.sampled_from([0.5, 1.5, 2.5, 0.8])),
        st.builds(Exponential, scale | per_column),
        st.builds(RationalQuadratic, scale, alpha=scale),
        st.just(Linear()),
        st.builds(Polynomial, st.integers(1, 3), gamma=scale, offset=numbers(0.0, 1.0)),
        st.builds(Homogeneous, st.integers(0, 2)),
        st.builds(Geometric, st.integers(0, 2)),
        st.builds(Sigmoid, scale, offset=numbers(-1.0, 1.0)),
        st.builds(Constant, scale),
        st.builds(White, scale),
    )


def expressions(leaf: Strategy[Kernel] | None = None, *, most: int = 5) -> Strategy[Kernel]:
    """Kernels made of up to `most` leaves by every operation of the algebra."""
    return st.recursive(leaves() if leaf is None else leaf, _composed, max_leaves=most)


def _composed(k: Strategy[Kernel]) -> Strategy[Kernel]:
    factor = marked(numbers(0.5, 2.0))
    cosine = st.builds(Normalised, k.filter(lambda a: a.psd is True))  # between -1 and 1, so that no power is large
    coefficients = st.lists(numbers(0.0, 1.0), min_size=1, max_size=4).map(tuple)
    return st.one_of(
        st.builds(operator.add, k, k),
        st.builds(operator.sub, k, k),
        st.builds(operator.mul, k, k),
        st.builds(operator.mul, factor, k),
        st.builds(operator.neg, k),
        cosine,
        st.builds(Power, cosine, st.integers(0, 3)),
        st.builds(PolynomialOf, cosine, coefficients),
        st.builds(Exp, cosine),
        st.builds(GaussianOf, cosine, factor),
    )
