"""Inner products and squared distances of sparse rows against the same of dense ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from tests.native.refusals import refuses
from tests.native.shapes import framed
from tests.native.tiles import eps, every, indices, parts, sparse_rows, tile, wide

from mercer.native import sparse


@given(AB=sparse_rows(every), index=indices)
def test_dots(isa, AB, index):
    A, B = AB
    out, outside = tile(A, B)
    sparse.dots(*parts(index, A, B.tocsc()), out)
    assert_allclose(out, wide(A) @ wide(B).T, rtol=20 * eps(out), atol=80 * eps(out))
    outside.check()


@given(AB=sparse_rows(), index=indices, equal=st.booleans())
def test_from_dots_keeps_the_digits_of_near_pairs(isa, AB, index, equal):
    A, B = AB if not equal else (AB[0], AB[0] * AB[0].dtype.type(1.001))
    x, y = wide(A), wide(B)
    G, xx, yy = (part.astype(A.dtype) for part in (x @ y.T, (x * x).sum(axis=1), (y * y).sum(axis=1)))
    out, outside = framed(G)
    sparse.from_dots(out, xx, yy, *parts(index, A, B))
    exact = ((x[:, None, :] - y) ** 2).sum(axis=2)
    assert_allclose(out, exact, rtol=64 * (A.shape[1] + 8) * eps(A), atol=np.finfo(A.dtype).tiny)
    outside.check()


NAMES = ("aptr", "acol", "aval", "cptr", "crow", "cval")


def operands():
    """The arguments of `dots` for a 2 x 3 and a 4 x 3 matrix without zeros."""
    A, B = csr_array(np.ones((2, 3))), csr_array(np.ones((4, 3)))
    return dict(zip(NAMES, parts(np.int32, A, B.tocsc()), strict=True)) | {"out": np.zeros((2, 4))}


WRONG = {
    "a column beyond the last": ("acol", 4, 3, "indices from 0 to below 3; got 3"),
    "a column before the first": ("acol", 4, -1, "indices from 0 to below 3; got -1"),
    "a row beyond the last": ("crow", 0, 4, "indices from 0 to below 4; got 4"),
    "a start after the end": ("aptr", 1, 7, "ascending from 0 to at most 6; got 7 after 0"),
    "a start before the one before": ("aptr", 2, 2, "ascending from 0 to at most 6; got 2 after 3"),
    "a negative start": ("cptr", 0, -1, "ascending from 0 to at most 12; got -1 after 0"),
}


@pytest.mark.parametrize(("name", "place", "value", "message"), WRONG.values(), ids=WRONG)
def test_places_outside_of_an_array_are_refused(name, place, value, message):
    arguments = operands()
    arguments[name][place] = value
    with pytest.raises(ValueError, match=f"^dots: {name} must be {message}"):
        sparse.dots(**arguments)


def test_wrong_arguments_are_named():
    refuses(sparse.dots, operands(), {"out"}, free={"aval", "cval", "out"}, chooses={"out"})
    with pytest.raises(ValueError, match=r"^dots: acol must be as long as aval; got 6 positions of 5 entries"):
        sparse.dots(**operands() | {"aval": np.ones(5)})
    with pytest.raises(ValueError, match=r"^dots: cptr must be at least one long"):
        sparse.dots(**operands() | {"cptr": np.empty(0, dtype=np.int32)})
    with pytest.raises(TypeError, match=r"^dots: cptr must be an array of int32; got int64"):
        sparse.dots(**operands() | {"cptr": np.arange(0, 13, 4)})
    A, B = csr_array(np.ones((2, 3))), csr_array(np.ones((4, 3)))
    rows = dict(zip(("aptr", "acol", "aval", "bptr", "bcol", "bval"), parts(np.int32, A, B), strict=True))
    arguments = {"G": np.zeros((2, 4)), "xx": np.ones(2), "yy": np.ones(4), **rows}
    refuses(sparse.from_dots, arguments, {"G"}, free={"G", "aval", "bval"}, chooses={"G"})
