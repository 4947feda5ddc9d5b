"""Parts of a stored matrix are indexing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from tests.native.dual_problems import refuses
from tests.native.shapes import framed, seeds, sides

from mercer.native import gather


@given(rows=sides, columns=sides, n=st.sampled_from([1, 2, 5, 20]), m=st.sampled_from([1, 3, 17]), seed=seeds,
       dtype=st.sampled_from([np.float32, np.float64]))  # fmt: skip
def test_gather(isa, rows, columns, n, m, seed, dtype):
    rng = np.random.default_rng(seed)
    K, around = framed(rng.normal(size=(n, m)).astype(dtype))
    I, J = rng.integers(0, n, rows), rng.integers(0, m, columns)
    out, outside = framed(np.zeros((rows, columns), dtype=dtype))
    gather.gather(K, I, J, out)
    assert_array_equal(out, K[np.ix_(I, J)])
    outside.check()
    around.check()


def arguments():
    return {"K": np.eye(3), "rows": np.arange(3), "columns": np.arange(2), "out": np.zeros((3, 2))}


def test_an_empty_matrix_has_empty_parts(isa):
    none = np.empty(0, dtype=np.intp)
    gather.gather(np.empty((0, 0)), none, none, np.empty((0, 0)))
    gather.gather(np.eye(3), none, np.arange(3), np.empty((0, 3)))
    gather.gather(np.eye(3), np.arange(3), none, np.empty((3, 0)))


def test_wrong_arrays_are_refused_by_name():
    says = {"K": "out|rows|columns", "rows": "out", "columns": "out"}
    refuses(gather.gather, arguments(), {"out"}, free={"K"}, says=says)
    with pytest.raises(TypeError, match=r"^gather: out must be an array of float64; got float32"):
        gather.gather(**arguments() | {"out": np.zeros((3, 2), dtype=np.float32)})
    with pytest.raises(TypeError, match=r"^gather: rows must be an array of int64; got int32"):
        gather.gather(**arguments() | {"rows": np.arange(3, dtype=np.int32)})


@pytest.mark.parametrize("wrong", [-1, 3])
@pytest.mark.parametrize(("name", "count"), [("rows", 3), ("columns", 2)])
def test_places_that_are_not_there_are_refused(name, count, wrong):
    places = np.zeros(count, dtype=np.intp)
    places[-1] = wrong
    given = arguments() | {name: places}
    with pytest.raises(ValueError, match=f"^gather: {name} must be indices from 0 to below 3; got {wrong}"):
        gather.gather(**given)
    assert_array_equal(given["out"], 0.0)
