"""Distances of sparse rows that are sums over columns, against the same of dense rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from tests.native.refusals import refuses
from tests.native.tiles import eps, indices, parts, sparse_rows, tile, wide

from mercer.native import sparse_pairs


def near(AB, equal):
    """The two matrices, or one and a slightly larger copy of it."""
    return AB if not equal else (AB[0], AB[0] * AB[0].dtype.type(1.001))


def close(found, expected, A):
    """Equal up to the rounding of a sum over columns, of which 1/64 may be left."""
    assert_allclose(found, expected, rtol=64 * (A.shape[1] + 8) * eps(found), atol=np.finfo(found.dtype).tiny)


@given(AB=sparse_rows(), index=indices, equal=st.booleans())
def test_absolute(isa, AB, index, equal):
    A, B = near(AB, equal)
    out, outside = tile(A, B)
    sparse_pairs.absolute(*parts(index, A, B, B.tocsc()), out)
    close(out, np.abs(wide(A)[:, None, :] - wide(B)).sum(axis=2), A)
    outside.check()


@given(AB=sparse_rows(low=0.0), index=indices, equal=st.booleans())
def test_chi_squared(isa, AB, index, equal):
    A, B = near(AB, equal)
    out, outside = tile(A, B)
    sparse_pairs.chi_squared(*parts(index, A, B, B.tocsc()), out)
    D, total = wide(A)[:, None, :] - wide(B), wide(A)[:, None, :] + wide(B)
    close(out, np.divide(D**2, total, out=np.zeros_like(D), where=total > 0.0).sum(axis=2), A)
    outside.check()


NAMES = ("aptr", "acol", "aval", "bptr", "bcol", "bval", "cptr", "crow", "cval")


@pytest.mark.parametrize("name", ["absolute", "chi_squared"])
def test_wrong_arguments_are_named(name):
    A, B = csr_array(np.ones((2, 3))), csr_array(np.ones((4, 3)))
    arguments = dict(zip(NAMES, parts(np.int32, A, B, B.tocsc()), strict=True)) | {"out": np.zeros((2, 4))}
    free = {"aval", "bval", "cval", "out"}
    refuses(getattr(sparse_pairs, name), arguments, {"out"}, free=free, chooses={"out"})
    arguments["bcol"][2] = 3
    with pytest.raises(ValueError, match=f"^{name}: bcol must be indices from 0 to below 3; got 3"):
        getattr(sparse_pairs, name)(**arguments)
