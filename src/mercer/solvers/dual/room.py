"""How many items a solver may store the Gram of, within the byte budget of mercer.configure(memory=...).

The sizes that suit the processor are upper bounds.  A small budget makes them smaller, down to a few dozen items, whose
Gram fits the smallest budget there is.
"""

from __future__ import annotations

from math import isqrt

from mercer.config import config

SMALLEST = 32  # items
LEAST = 2**16  # bytes, the least that mercer.configure takes


def room_for(most: int, pair: int) -> int:
    """At most so many items, and no more than have `pair` bytes for every pair of them in the budget."""
    return min(most, max(SMALLEST, isqrt(int(config().memory) // pair)))


def part_of_budget(parts: int) -> int:
    """The bytes that each of several problems has which are solved at the same time."""
    return max(int(config().memory) // max(parts, 1), LEAST)
