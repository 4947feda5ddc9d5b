"""What the border refuses, and how it says so."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided
from numpy.testing import assert_array_equal

from mercer import native
from mercer.native import radial


def read_only(A):
    A.setflags(write=False)
    return A


def not_aligned(shape):
    """Numbers at an odd address."""
    room = np.zeros(8 * int(np.prod(shape)) + 8, dtype=np.uint8)
    start = -room.ctypes.data % 8 + 1
    return room[start : start + 8 * int(np.prod(shape))].view(np.float64).reshape(shape)


WRONG_TILES = {
    "a list": ([[1.0]], TypeError, "an array; got list"),
    "integers": (np.ones((2, 2), dtype=np.int64), TypeError, "an array of float32 or float64; got int64"),
    "half precision": (np.ones((2, 2), dtype=np.float16), TypeError, "an array of float32 or float64"),
    "complex numbers": (np.ones((2, 2), dtype=complex), TypeError, "an array of float32 or float64; got complex128"),
    "long double": (np.ones((2, 2), dtype=np.longdouble), TypeError, "an array of float32 or float64"),
    "objects": (np.ones((2, 2), dtype=object), TypeError, "an array of float32 or float64"),
    "records": (np.ones(3, dtype=[("a", "f8")]), TypeError, "an array of float32 or float64"),
    "bytes of the other order": (np.ones((2, 2), dtype=">f8"), TypeError, "an array of float32 or float64"),
    "a number": (np.array(1.0), ValueError, r"a matrix; got shape \(\)"),
    "a vector": (np.ones(3), ValueError, r"a matrix; got shape \(3\)"),
    "a stack": (np.ones((2, 2, 2)), ValueError, r"a matrix; got shape \(2, 2, 2\)"),
    "columns first": (np.ones((3, 2)).T, TypeError, "contiguous along its rows"),
    "every other column": (np.ones((3, 4))[:, ::2], TypeError, "contiguous along its rows"),
    "rows backwards": (np.ones((3, 4))[::-1], TypeError, "contiguous along its rows"),
    "one row many times": (as_strided(np.ones(4), (3, 4), (0, 8)), TypeError, "contiguous along its rows"),
    "rows that overlap": (as_strided(np.ones(8), (3, 4), (16, 8)), TypeError, "contiguous along its rows"),
    "read-only": (read_only(np.ones((2, 2))), TypeError, "writable; got a read-only array"),
    "bytes": (b"12345678", TypeError, "an array of float32 or float64; got uint8"),
    "an odd address": (not_aligned((2, 2)), TypeError, "aligned in memory"),
}


@pytest.mark.parametrize(("tile", "error", "message"), WRONG_TILES.values(), ids=WRONG_TILES)
def test_a_wrong_matrix_is_refused_by_name(tile, error, message):
    with pytest.raises(error, match=f"^exponential: S must be {message}"):
        radial.exponential(tile, 1.0)


WRONG_COEFFICIENTS = {
    "single precision": (np.ones(2, dtype=np.float32), TypeError, "an array of float64; got float32"),
    "a matrix": (np.ones((2, 2)), ValueError, r"a vector; got shape \(2, 2\)"),
    "every other one": (np.ones(4)[::2], TypeError, "contiguous; got a strided array"),
    "backwards": (np.ones(4)[::-1], TypeError, "contiguous; got a strided array"),
    "a list": ([1.0], TypeError, "an array; got list"),
}


@pytest.mark.parametrize(("coefficients", "error", "message"), WRONG_COEFFICIENTS.values(), ids=WRONG_COEFFICIENTS)
def test_a_wrong_vector_is_refused_by_name_and_nothing_is_written(coefficients, error, message):
    S = np.ones((2, 2))
    with pytest.raises(error, match=f"^polynomial_exponential: coefficients must be {message}"):
        radial.polynomial_exponential(S, 1.0, coefficients)
    assert_array_equal(S, np.ones((2, 2)))


def test_what_is_read_only_may_be_read():
    S = np.zeros((2, 3))
    radial.polynomial_exponential(S, 1.0, read_only(np.ones(2)))
    assert_array_equal(S, np.ones((2, 3)))


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_empty_arrays_are_fine_whatever_their_strides(shape):
    radial.exponential(np.ones(shape), 1.0)
    radial.exponential(np.ones(shape[::-1]).T, 1.0)


def test_one_row_or_one_column_is_contiguous_whatever_its_strides():
    column, row = np.zeros((4, 3))[:, :1], np.zeros((4, 3))[1:2]
    radial.exponential(column, 1.0)
    radial.exponential(row, 1.0)
    assert_array_equal(column, np.ones((4, 1)))
    assert_array_equal(row, np.ones((1, 3)))


TILE = np.ones((2, 2))


@pytest.mark.parametrize("arguments", [(), (TILE,), (TILE, "1"), (TILE, 1.0, 2.0), (None, 1.0)])
def test_wrong_arguments_are_a_type_error(arguments):
    with pytest.raises(TypeError, match="exponential"):
        radial.exponential(*arguments)


def test_buffers_are_given_back_after_a_fault():
    S = np.ones((2, 2), dtype=np.int64)
    before = sys.getrefcount(S)
    for _ in range(50):
        with pytest.raises(TypeError):
            radial.exponential(S, 1.0)
    assert sys.getrefcount(S) == before
    S.resize((3, 3), refcheck=False)  # NumPy refuses while a buffer is out


def test_instruction_sets_are_listed_from_the_lowest():
    order = ["plain", "v2", "v3", "v4"]
    found = native.available_isas()
    assert found
    assert found == sorted(found, key=order.index)
    assert native.isa() in found


def test_an_unknown_instruction_set_is_refused_and_the_choice_stays():
    before = native.isa()
    with pytest.raises(RuntimeError, match=f"must be one of .*{before}.*; got v9"):
        native.choose_isa("v9")
    assert native.isa() == before


def python(code, **environment):
    """What a fresh interpreter answers with an environment of its own: exit code, output, complaints."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | environment)
    return run.returncode, run.stdout.strip(), run.stderr.strip()


@pytest.mark.parametrize("name", native.available_isas())
def test_the_environment_names_the_instruction_set(name):
    assert python("from mercer import native; print(native.isa())", MERCER_ISA=name) == (0, name, "")


def test_the_best_instruction_set_is_the_default():
    code = "from mercer import native; print(native.isa() == native.available_isas()[-1])"
    assert python(code, MERCER_ISA="") == (0, "True", "")


def test_flags_of_discarded_results_do_not_reach_numpy(isa):
    radial.ornstein_uhlenbeck_slope(np.zeros((4, 40)), 1.0)  # 0 / 0, which is not used
    assert_array_equal(np.linalg.eigvalsh(np.eye(3)), 1.0)  # raised LinAlgError where the flag was left
