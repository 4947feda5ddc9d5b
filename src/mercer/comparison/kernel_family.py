"""Kernels of one family: the same expression with other lengthscales, and with other sizes of what it looks at.

All lengthscales are multiplied by one factor.  A size is how far a kernel of sequences or graphs looks: the letters of
a word, the rounds of Weisfeiler and Lehman; all kernels of one class get the same one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from mercer.kernels import GappedKmer, GapWeighted, Kernel, Spectrum, WeightedDegree, WeisfeilerLehman
from mercer.parameters import Bounded, Fixed

FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
FEW_FACTORS = (0.5, 1.0, 2.0)  # beside sizes, or where each column has a lengthscale of its own

# {class: (what its size is called, field, sizes)}
SIZES: dict[type[Kernel], tuple[str, str, tuple[int, ...]]] = {
    Spectrum: ("letters", "k", (2, 3, 4, 5, 6)),
    GappedKmer: ("letters", "g", (5, 6, 8, 10)),
    GapWeighted: ("letters", "length", (2, 3, 4)),
    WeightedDegree: ("letters", "degree", (2, 3, 5, 8)),
    WeisfeilerLehman: ("rounds", "rounds", (1, 2, 3, 4, 5)),
}


@dataclass(frozen=True)
class Member:
    """A kernel of a family, and what distinguishes it, e.g. {"lengthscale": 0.5, "letters": 3.0}."""

    varied: dict[str, float]
    kernel: Kernel


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


def family(kernel: Kernel) -> list[Member]:
    """All combinations; only the kernel itself if it has neither free lengthscales nor sizes."""
    parts = list(dict.fromkeys(type(leaf) for leaf in _leaves(kernel) if type(leaf) in SIZES))
    sizes = [_tried(part, kernel) for part in parts]
    scales = lengthscales(kernel).values()
    few = sizes or any(isinstance(scale, tuple) for scale in scales)
    factors = (FEW_FACTORS if few else FACTORS) if scales else (1.0,)
    out = []
    for factor, chosen in product(factors, product(*sizes)):
        member = stretched(kernel, factor)
        varied = _stretch_words(kernel, factor)
        for part, size in zip(parts, chosen, strict=True):
            name, field, _ = SIZES[part]
            member = _changed(member, part, {field: size})
            varied[name if name not in varied else f"{name} of {part.__name__}"] = float(size)
        out.append(Member(varied, member))
    return out


def _stretch_words(kernel: Kernel, factor: float) -> dict[str, float]:
    """The lengthscale itself if there is just one, else the factor of all of them."""
    scales = list(lengthscales(kernel).values())
    if not scales:
        return {}
    alone = len(scales) == 1 and isinstance(scales[0], float)
    return {"lengthscale": factor * scales[0]} if alone else {"lengthscale factor": factor}


def _tried(part: type[Kernel], kernel: Kernel) -> tuple[int, ...]:
    """The sizes of a class, and those that its kernels have."""
    _, field, sizes = SIZES[part]
    leaves = [leaf for leaf in _leaves(kernel) if type(leaf) is part]
    own = {int(getattr(leaf, field)) for leaf in leaves}
    least = max((leaf.k for leaf in leaves if isinstance(leaf, GappedKmer)), default=0)  # words have as many letters
    return tuple(sorted({size for size in sizes if size >= least} | own))


def _leaves(kernel: Kernel) -> Iterator[Kernel]:
    if not kernel.children:
        yield kernel
    for child in kernel.children:
        yield from _leaves(child)


def _changed(kernel: Kernel, part: type[Kernel], fields: dict[str, int]) -> Kernel:
    """The kernel with other fields of every leaf of class `part`."""
    if not kernel.children:
        return kernel.with_params(**fields) if type(kernel) is part else kernel
    return kernel.with_children(tuple(_changed(child, part, fields) for child in kernel.children))


def _times(value: Any, factor: float) -> Any:
    if isinstance(value, Bounded):
        return Bounded(_clipped(value, factor), value.low, value.high)
    return tuple(factor * one for one in value) if isinstance(value, tuple) else factor * value


def _clipped(value: Bounded, factor: float) -> Any:
    moved = np.clip(factor * np.asarray(value.value), value.low, value.high)
    return tuple(moved.tolist()) if moved.ndim else float(moved)
