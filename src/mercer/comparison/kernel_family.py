"""Kernels of one family: the same expression with all its lengthscales multiplied by one factor."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.kernels import Kernel
from mercer.parameters import Bounded, Fixed

FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)


def lengthscales(kernel: Kernel) -> dict[str, Any]:
    """The free lengthscales of a kernel, by the names of `get_params`."""
    return {
        name: value
        for name, value in kernel.get_params().items()
        if name.rsplit("__", 1)[-1] == "lengthscale" and not isinstance(value, Fixed)
    }


def stretched(kernel: Kernel, factor: float) -> Kernel:
    """The kernel with every free lengthscale times `factor`, within its bounds."""
    return kernel.with_params(**{name: _times(value, factor) for name, value in lengthscales(kernel).items()})


def family(kernel: Kernel) -> dict[float, Kernel]:
    """{factor: kernel}; only the kernel itself if it has no free lengthscale."""
    return {f: stretched(kernel, f) for f in FACTORS} if lengthscales(kernel) else {1.0: kernel}


def _times(value: Any, factor: float) -> Any:
    if isinstance(value, Bounded):
        return Bounded(_clipped(value, factor), value.low, value.high)
    return tuple(factor * one for one in value) if isinstance(value, tuple) else factor * value


def _clipped(value: Bounded, factor: float) -> Any:
    moved = np.clip(factor * np.asarray(value.value), value.low, value.high)
    return tuple(moved.tolist()) if moved.ndim else float(moved)
