"""Arrays of awkward shapes for the tests of the loops, made by Hypothesis.

    @given(S=matrices(np.float32, 0.0, 5.0))
    def test_it(isa, S):
        view, outside = framed(S)      # the same numbers in the middle of a larger array
        radial.exponential(view, 0.5)
        ...
        outside.check()                # nothing around them was written to

Sides are 0, 1, below, at and above the lengths of vector registers.  Numbers come from a seed, so that a large array
costs Hypothesis one draw.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

SIDES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 31, 33, 63, 65, 100)
MARK = 77  # stands around an array that is written to

sides = st.sampled_from(SIDES)
seeds = st.integers(0, 2**32 - 1)


def numbers(seed: int, shape: Any, dtype: Any, low: float = -1.0, high: float = 1.0) -> np.ndarray:
    """Uniform numbers of a given type and shape."""
    return np.random.default_rng(seed).uniform(low, high, shape).astype(dtype)


@st.composite
def vectors(draw: Any, dtype: Any, low: float = -1.0, high: float = 1.0, size: int | None = None) -> np.ndarray:
    """A contiguous vector, which may start anywhere within a vector register."""
    n = draw(sides) if size is None else size
    return off_alignment(numbers(draw(seeds), n, dtype, low, high), draw(st.integers(0, 3)))


@st.composite
def matrices(
    draw: Any, dtype: Any, low: float = -1.0, high: float = 1.0, rows: int | None = None, cols: int | None = None
) -> np.ndarray:
    """A C-contiguous matrix, which may start anywhere within a vector register."""
    shape = draw(sides) if rows is None else rows, draw(sides) if cols is None else cols
    return off_alignment(numbers(draw(seeds), shape, dtype, low, high), draw(st.integers(0, 3)))


def off_alignment(A: np.ndarray, by: int) -> np.ndarray:
    """A copy of A that starts `by` elements after the start of its memory and ends where that ends.

    So it is not aligned to vector registers, and AddressSanitizer sees the first access behind it.
    """
    room = np.empty(by + A.size, dtype=A.dtype)
    room[by:] = A.ravel()
    return room[by:].reshape(A.shape)


@dataclass(frozen=True)
class Outside:
    """All that lies around an array in the larger one that holds it."""

    whole: np.ndarray
    inside: np.ndarray

    def check(self) -> None:
        assert (self.whole[~self.inside] == MARK).all(), "an element outside of the array was written to"


def framed(A: np.ndarray) -> tuple[np.ndarray, Outside]:
    """The numbers of a vector or matrix as a view of a larger array, rows further apart than long, and its outside."""
    whole = np.full([n + 5 for n in A.shape], MARK, dtype=A.dtype)
    middle = tuple(slice(2, n + 2) for n in A.shape)
    whole[middle] = A
    inside = np.zeros(whole.shape, dtype=bool)
    inside[middle] = True
    return whole[middle], Outside(whole, inside)
