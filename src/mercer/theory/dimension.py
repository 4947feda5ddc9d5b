"""How many features an explicit map has, counted without making it."""

from __future__ import annotations

from mercer.kernels.base import Kernel


def dimension(kernel: Kernel, D: int) -> int | None:
    """The features of a kernel on D columns of numbers; None if there are infinitely many, or no formula is known."""
    return kernel.dimension(D)
