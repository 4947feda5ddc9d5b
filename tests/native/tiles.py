"""Operands of the loops that fill a tile: dense rows, sparse rows, and the tile itself with marks around it."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.sparse import csr_array
from tests.native.shapes import Outside, framed, numbers, off_alignment, seeds, sides

REAL = (np.float32, np.float64)
ALL = (np.float32, np.float64, np.complex64, np.complex128)

real = st.sampled_from(REAL)
every = st.sampled_from(ALL)
indices = st.sampled_from((np.int32, np.int64))
widths = st.sampled_from((0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 31, 37, 70))  # numbers of columns


def entries(seed: int, shape: Any, dtype: Any, low: float = -1.0, high: float = 1.0) -> np.ndarray:
    """Uniform numbers; of complex ones, both parts."""
    if np.dtype(dtype).kind != "c":
        return numbers(seed, shape, dtype, low, high)
    return (numbers(seed, shape, float, low, high) + 1j * numbers(seed + 1, shape, float, low, high)).astype(dtype)


@st.composite
def rows(draw: Any, dtypes: Any = real, low: float = -1.0, high: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """X and Y with as many columns; rows may be further apart than they are long, or start off alignment."""
    dtype, d = draw(dtypes), draw(widths)
    X, Y = (entries(draw(seeds), (draw(sides), d), dtype, low, high) for _ in range(2))
    return _placed(draw, X), _placed(draw, Y)


def _placed(draw: Any, A: np.ndarray) -> np.ndarray:
    return framed(A)[0] if draw(st.booleans()) else off_alignment(A, draw(st.integers(0, 3)))


@st.composite
def sparse_rows(draw: Any, dtypes: Any = real, low: float = -1.0, high: float = 1.0) -> tuple[csr_array, csr_array]:
    """A and B with as many columns, few of which a row holds; zeros may be stored."""
    dtype, d, share = (
        draw(dtypes),
        draw(st.sampled_from((1, 2, 5, 17, 40))),
        draw(st.sampled_from((0.0, 0.1, 0.6, 1.0))),
    )
    return tuple(_sparse(draw(seeds), (draw(sides), d), dtype, low, high, share) for _ in range(2))


def _sparse(seed: int, shape: Any, dtype: Any, low: float, high: float, share: float) -> csr_array:
    V = entries(seed, shape, dtype, low, high)
    held = np.random.default_rng(seed).random(shape) < share
    found = csr_array(np.where(held, V, 0), dtype=dtype)
    if found.nnz > 2:
        found.data[1] = 0.0  # stored all the same
    return found


def parts(index: Any, *matrices: Any) -> list[np.ndarray]:
    """indptr, indices and data of each matrix, positions of one type."""
    return [part for V in matrices for part in (V.indptr.astype(index), V.indices.astype(index), V.data)]


def tile(X: Any, Y: Any) -> tuple[np.ndarray, Outside]:
    """Room for one number for each pair of rows, and its outside."""
    return framed(np.full((X.shape[0], Y.shape[0]), 99, dtype=X.dtype))


def wide(A: Any) -> np.ndarray:
    """The same numbers as a dense array in double precision."""
    A = A.toarray() if hasattr(A, "toarray") else A
    return A.astype(np.result_type(A.dtype, np.float64))


def turned(A: np.ndarray) -> np.ndarray:
    """The transpose as a contiguous array."""
    return np.ascontiguousarray(A.T)


def eps(A: np.ndarray) -> float:
    """The rounding of a number of this type."""
    return float(np.finfo(A.dtype).eps)
