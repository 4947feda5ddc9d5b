"""Problems of support vector machines for the tests of their loops, and what NumPy says of them.

minimise  1/2 b'Kb - z'b + epsilon |b|_1   subject to  lo <= b <= hi,   the sum of b fixed
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from tests.native.shapes import off_alignment, seeds

SIDES = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 65)
NEVER = 1e30  # what the loops have for infinity
kinds = st.sampled_from(["classification", "regression", "mixed"])


@dataclass(frozen=True, eq=False)
class Case:
    """A problem, and a point of its box with its gradient."""

    K: np.ndarray
    z: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    epsilon: float
    b: np.ndarray

    @property
    def F(self) -> np.ndarray:
        """K b - z at b, in double precision."""
        return self.gradient(self.b)

    def gradient(self, b: np.ndarray) -> np.ndarray:
        return np.asarray(self.K.astype(float) @ b - self.z)

    def objective(self, b: np.ndarray) -> float:
        return float(0.5 * b @ self.K.astype(float) @ b - self.z @ b + self.epsilon * np.abs(b).sum())

    def single(self) -> np.ndarray:
        """The Gram in single precision."""
        return self.K.astype(np.float32)

    def inside(self, b: np.ndarray) -> bool:
        return bool(((self.lo <= b) & (b <= self.hi)).all())


def offsets(b: np.ndarray, lo: np.ndarray, hi: np.ndarray, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """(up, down): what the kink at 0 and the bounds add to the gain of rising and to the cost of falling."""
    up = np.where(b >= hi, -NEVER, np.where(b >= 0.0, -epsilon, epsilon))
    down = np.where(b <= lo, NEVER, np.where(b > 0.0, -epsilon, epsilon))
    return up, down


def violation(b: np.ndarray, F: np.ndarray, lo: np.ndarray, hi: np.ndarray, epsilon: float) -> float:
    """The largest gain less the smallest cost; below 0 where no pair can move."""
    up, down = offsets(b, lo, hi, epsilon)
    return float((up - F).max(initial=-NEVER) - (down - F).min(initial=NEVER))


@st.composite
def cases(draw: Any, sizes: Any = SIDES, *, start: bool = True, hard: bool = True) -> Case:
    """Problems of every kind on random rows; with `start` at a random point of the box, else at 0.

    Where `hard` is allowed some boxes have no upper end.  "mixed" boxes may be empty, one-sided or around 0.
    """
    n, rng, kind = draw(st.sampled_from(sizes)), np.random.default_rng(draw(seeds)), draw(kinds)
    X = rng.normal(size=(n, 3))
    K = np.exp(-0.25 * ((X[:, None] - X) ** 2).sum(axis=2)).astype(np.float32).astype(float)  # the same in both types
    C = draw(st.sampled_from([0.1, 1.0, 30.0])) * rng.uniform(0.5, 1.0, n)
    if hard:
        C[rng.random(n) < 0.2] = np.inf
    sign = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    if kind == "classification":
        z, epsilon, lo, hi = sign, 0.0, np.where(sign > 0, 0.0, -C), np.where(sign > 0, C, 0.0)
    else:
        z, epsilon, lo, hi = rng.normal(size=n).round(1), draw(st.sampled_from([0.0, 0.1])), -C, C
    if kind == "mixed":
        lo, hi = np.where(rng.random(n) < 0.2, 0.0, lo), np.where(rng.random(n) < 0.2, 0.0, hi)
    b = np.zeros(n)
    if start:
        low, high = np.maximum(lo, -2.0), np.minimum(hi, 2.0)
        b = np.clip(low + (high - low) * rng.uniform(-0.3, 1.3, n), low, high)
        b[rng.random(n) < 0.3] = 0.0
    by = draw(st.integers(0, 3))
    return Case(K, *(off_alignment(a, by) for a in (z, lo, hi)), epsilon, off_alignment(b, by))


def refuses(
    function: Callable[..., Any],
    arguments: dict[str, Any],
    written: Set[str],
    *,
    free: Set[str] = frozenset(),
    says: dict[str, str] | None = None,
) -> None:
    """Try wrong arrays for every argument of a function in turn; each must be refused by name.

    Half precision, a list, one more dimension, a strided view, a longer one unless the size is `free`, a read-only one
    where it is written.  `says` names the arguments that are complained of in the place of another.
    """
    for key in (key for key, value in arguments.items() if isinstance(value, np.ndarray)):
        for wrong, error in _wrong(arguments[key], key in written, key not in free):
            named = (says or {}).get(key, key)
            with pytest.raises(error, match=f"^{function.__name__}: ({named}|{key}) must be "):
                function(**{**arguments, key: wrong})


def _wrong(A: np.ndarray, written: bool, sized: bool) -> Iterator[tuple[Any, Any]]:
    yield A.tolist(), TypeError
    yield A.astype(np.float16), TypeError
    yield A[..., None], ValueError
    yield np.repeat(A, 2, axis=-1)[..., ::2], TypeError
    if sized:
        for axis in range(A.ndim):
            yield np.concatenate([A, A], axis=axis), (TypeError, ValueError)
    if written:
        locked = A.copy()
        locked.setflags(write=False)
        yield locked, TypeError
