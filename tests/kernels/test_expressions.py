"""Random expressions of kernels: what holds for the parts holds for the whole (I2, A1 to A14)."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mercer.gram import LazyGram
from mercer.kernels import (
    Exp,
    GaussianOf,
    Intersection,
    Negated,
    Normalised,
    PolynomialOf,
    Power,
    Product,
    Scaled,
    Spectrum,
    SubsetCount,
    Sum,
    parse,
)
from mercer.parameters import value
from mercer.testing import check_kernel, reference
from mercer.testing.strategies import any_vectors, expressions, leaves, sets, strings, vectors

many, few = settings(max_examples=60), settings(max_examples=20)


def cosines(C, d, e):
    root = np.sqrt(np.maximum(d, 0.0))[:, None] * np.sqrt(np.maximum(e, 0.0))
    return np.divide(C, root, where=root > 0.0, out=np.zeros_like(C))


def gaussians(C, d, e, scale):
    return np.exp(-np.maximum(d[:, None] + e - 2.0 * C, 0.0) / (2.0 * scale**2))


def gram_by_parts(k, X, Y):
    """The same operations on the Grams of the leaves."""
    if not k.children:
        return k(X, Y)
    parts = [gram_by_parts(child, X, Y) for child in k.children]
    first = parts[0]
    match k:
        case Sum():
            return reduce(np.add, parts)
        case Product():
            return reduce(np.multiply, parts)
        case Scaled():
            return value(k.factor) * first
        case Negated():
            return -first
        case Power():
            return first**k.exponent
        case PolynomialOf():
            return sum(c * first**m for m, c in enumerate(k.coefficients))
        case Exp():
            return np.exp(first)
        case Normalised() | GaussianOf():
            d, e = (np.diagonal(gram_by_parts(k.kernel, Z, Z)) for Z in (X, Y))
            return cosines(first, d, e) if isinstance(k, Normalised) else gaussians(first, d, e, value(k.lengthscale))


def close(found, expected, rtol=1e-9):
    assert_allclose(found, expected, rtol=rtol, atol=rtol * max(abs(np.asarray(expected)).max(initial=0.0), 1e-3))


@many
@given(expressions(), vectors(), vectors())
def test_the_gram_of_an_expression_is_the_expression_of_grams(k, X, Y):
    close(k(X, Y), gram_by_parts(k, X, Y))


@many
@given(expressions(), vectors(), vectors())
def test_an_expression_agrees_with_its_formula_in_plain_loops(k, X, Y):
    close(k(X, Y), reference.gram(k, X.tolist(), Y.tolist()), rtol=1e-8)


@settings(max_examples=200)
@given(expressions())
def test_an_expression_reads_back_from_its_text(k):
    assert parse(repr(k)) == k
    assert hash(parse(repr(k))) == hash(k)


@many
@given(expressions(), st.data())
def test_with_theta_reaches_every_free_hyper_parameter_and_no_other(k, data):
    low, high = k.bounds.T if k.theta.size else (np.empty(0), np.empty(0))
    share = data.draw(st.floats(0.25, 0.75))
    moved = k.with_theta(low + share * (high - low))
    assert_allclose(moved.theta, low + share * (high - low), atol=1e-12)
    assert moved.theta_names == k.theta_names
    assert moved.with_theta(k.theta).theta == pytest.approx(k.theta, abs=1e-12)


@few
@given(expressions(), any_vectors(least=2))
def test_an_expression_obeys_every_law_on_any_form_of_vectors_I1_I2(k, X):
    check_kernel(k, X, tol=1e-8)


@few
@given(expressions(st.sampled_from([Spectrum(1), Spectrum(2)]), most=4), strings(least=2))
def test_an_expression_on_strings_obeys_every_law_I1(k, texts):
    check_kernel(k, texts, tol=1e-8)


@few
@given(expressions(st.sampled_from([Intersection(), SubsetCount()]), most=4), sets(least=2))
def test_an_expression_on_sets_obeys_every_law_I1(k, collections):
    check_kernel(k, collections, tol=1e-8)


@few
@given(expressions(leaves(width=2)), vectors(width=2))
def test_a_lazy_gram_streams_what_the_dense_one_stores(k, X):
    K, V = k(X), np.arange(len(X)) - 1.5
    close(LazyGram(k, X) @ V, K @ V)


@many
@given(expressions())
def test_an_expression_is_as_positive_as_its_parts_prove_A14(k):
    """True exactly where every leaf is proved and nothing is subtracted."""

    def proved(node):
        own = not isinstance(node, Negated) if node.children else node.psd is True
        return own and all(map(proved, node.children))

    assert (k.psd is True) == proved(k)
    assert k.psd is not False or not k.children


def test_the_strategies_reach_every_operation():
    """Were one left out, the tests above would say nothing of it."""
    seen = set()

    @settings(max_examples=300, database=None)
    @given(expressions(most=4))
    def look(k):
        seen.update(type(k).__name__ for k in walk(k))

    def walk(k):
        return [k, *(node for child in k.children for node in walk(child))]

    look()
    operations = {"Sum", "Product", "Scaled", "Negated", "Power", "PolynomialOf", "Exp", "Normalised", "GaussianOf"}
    assert operations <= seen
