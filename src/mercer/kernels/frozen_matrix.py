"""Frozen: a matrix that can be a field of a kernel.

Kernels are values: they compare, hash and print themselves.  An ndarray does not, so a kernel that is given
a matrix keeps it as `Frozen`, which is read-only and prints as the nested lists that make it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.typing import Array


@dataclass(frozen=True, eq=False, repr=False)
class Frozen:
    """A read-only array of finite float64 or complex128 numbers, equal when its numbers are."""

    values: Array

    def __post_init__(self) -> None:
        wide = np.complex128 if np.iscomplexobj(self.values) else np.float64
        values = np.array(self.values, dtype=wide, order="C")
        values += 0.0  # -0.0 becomes 0.0: equal numbers, equal hash
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    @property
    def shape(self) -> tuple[int, ...]:
        found: tuple[int, ...] = self.values.shape
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Frozen) and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash((self.shape, self.values.astype(np.complex128).tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Frozen, (self.values,)  # an array comes out of a pickle writable

    def __repr__(self) -> str:
        return repr(self.values.tolist())


def as_frozen(owner: str, name: str, x: Any) -> Frozen:
    """x as a frozen array; the same object when it already is one, so that `clone` is an identity."""
    if isinstance(x, Frozen):
        return x
    try:
        values = np.asarray(x.toarray() if hasattr(x, "toarray") else x)
    except ValueError:  # ragged lists
        values = np.empty(0, dtype=object)
    if values.dtype.kind not in "fiubc":
        raise bad(owner, name, "an array of numbers", repr(x), "Pass a nested list or a NumPy array.")
    if not np.isfinite(values).all():
        raise bad(owner, name, "an array of finite numbers", "NaN or infinity in it", "Mend or drop such entries.")
    return Frozen(values)
