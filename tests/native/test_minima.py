"""What two sparse rows have in common, against the same of dense rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from tests.native.refusals import refuses
from tests.native.tiles import eps, indices, parts, sparse_rows, tile, wide

from mercer.native import minima


@given(AB=sparse_rows(low=0.0), index=indices)
def test_minima(isa, AB, index):
    A, B = AB
    out, outside = tile(A, B)
    minima.minima(*parts(index, A, B.tocsc()), out)
    assert_allclose(out, np.minimum(wide(A)[:, None], wide(B)).sum(axis=2), rtol=50 * eps(out), atol=80 * eps(out))
    outside.check()


def test_wrong_arguments_are_named():
    A, B = csr_array(np.ones((2, 3))), csr_array(np.ones((4, 3)))
    names = ("aptr", "acol", "aval", "cptr", "crow", "cval")
    arguments = dict(zip(names, parts(np.int32, A, B.tocsc()), strict=True)) | {"out": np.zeros((2, 4))}
    refuses(minima.minima, arguments, {"out"}, free={"aval", "cval", "out"}, chooses={"out"})
