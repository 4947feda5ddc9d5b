"""Groups by name: the integers modulo n, the integers, the reals, permutations, symmetries of a polygon.

    "Z6"    0, ..., 5, added modulo 6            "Z", "R"   integers, real numbers, added
    "S4"    permutations, tuples of 0, ..., 3    "D5"       (turn, flip): symmetries of a pentagon, flip 0 or 1

Any other group is a `Group` of a user's functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations, product
from math import factorial
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.typing import Array

LISTED = 1000  # elements of a group that are listed, with the table of their products


@dataclass(frozen=True)
class Group:
    """multiply(s, t), invert(s) and the identity; `elements` lists all of them, if they are finitely many.

    `read` turns what a user passes for an element into its normal form, or raises ValueError.
    """

    multiply: Callable[[Any, Any], Any]
    invert: Callable[[Any], Any]
    identity: Any
    elements: tuple[Hashable, ...] | None = None
    read: Callable[[Any], Any] = lambda s: s

    @cached_property
    def places(self) -> dict[Hashable, int]:
        """The position of every element."""
        return {s: i for i, s in enumerate(self.elements or ())}

    @cached_property
    def quotients(self) -> Array:
        """(|G|, |G|): the position of t^-1 s in row s and column t."""
        elements = self.elements or ()
        inverses = [self.invert(t) for t in elements]
        try:
            table = [[self.places[self.multiply(t, s)] for t in inverses] for s in elements]
        except KeyError as error:
            raise bad("Group", "multiply", "closed: s t is one of the elements", f"the product {error}",
                      "List all elements, or mend multiply and invert.") from None  # fmt: skip
        return np.array(table, dtype=np.intp).reshape(len(elements), len(elements))


def group_of(owner: str, given: Any) -> Group:
    """A group from its name, or itself."""
    if isinstance(given, Group):
        return given
    found = _named(given) if isinstance(given, str) else None
    if found is None:
        raise bad(owner, "group", "a name like 'Z6', 'Z', 'R', 'S4' or 'D5', or a Group", repr(given),
                  "Write Group(multiply, invert, identity, elements) for another one.")  # fmt: skip
    return found


@cache
def _named(name: str) -> Group | None:
    if name in ("Z", "R"):
        return Group(lambda s, t: s + t, lambda s: -s, 0, read=_integer if name == "Z" else _real)
    read = re.fullmatch(r"([ZSD])([1-9]\d{0,8})", name)
    return {"Z": _cyclic, "S": _symmetric, "D": _dihedral}[read[1]](int(read[2])) if read else None


def _cyclic(n: int) -> Group:
    elements = tuple(range(n)) if n <= LISTED else None
    return Group(lambda s, t: (s + t) % n, lambda s: -s % n, 0, elements, lambda s: _integer(s) % n)


def _symmetric(n: int) -> Group:
    def read(s: Any) -> tuple[int, ...]:
        t = tuple(_integer(v) for v in s) if hasattr(s, "__iter__") and not isinstance(s, str) else ()
        if sorted(t) != list(range(n)):
            raise ValueError(f"not a permutation of 0, ..., {n - 1}")
        return t

    def invert(s: Any) -> tuple[int, ...]:
        return tuple(sorted(range(n), key=s.__getitem__))

    elements = tuple(permutations(range(n))) if n < 13 and factorial(n) <= LISTED else None
    return Group(lambda s, t: tuple(s[v] for v in t), invert, tuple(range(n)), elements, read)


def _dihedral(n: int) -> Group:
    def multiply(s: Any, t: Any) -> tuple[int, int]:
        return ((s[0] - t[0]) if s[1] else (s[0] + t[0])) % n, s[1] ^ t[1]

    def read(s: Any) -> tuple[int, int]:
        turn, flip = (_integer(v) for v in s)
        if flip not in (0, 1):
            raise ValueError("not a pair (turn, flip) with flip 0 or 1")
        return turn % n, flip

    elements = tuple((turn, flip) for flip, turn in product((0, 1), range(n))) if 2 * n <= LISTED else None
    return Group(multiply, lambda s: s if s[1] else (-s[0] % n, 0), (0, 0), elements, read)


def _integer(s: Any) -> int:
    s = _single(s)
    if isinstance(s, (bool, str)) or s != int(s):
        raise ValueError("not an integer")
    return int(s)


def _real(s: Any) -> float:
    s = _single(s)
    if isinstance(s, (bool, str)) or not np.isfinite(s):
        raise ValueError("not a finite number")
    return float(s)


def _single(s: Any) -> Any:
    """A number; a row of one column holds one."""
    return s.item() if isinstance(s, (np.ndarray, np.generic)) and s.size == 1 else s
