"""Why a covariance matrix has no Cholesky factor: possible causes in the data and in the model, in words.

equal inputs, with equal or with different targets        no noise
a constant column                                         a lengthscale far beyond the data
a hyper-parameter at its bound                            a kernel that is not positive semi-definite
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from mercer.estimators.gaussian_process.covariance import Covariance
from mercer.items import Vectors
from mercer.kernels.stationary import Stationary
from mercer.linalg.cholesky import Factor
from mercer.parameters import value
from mercer.typing import Array

_QUIET = 1e-8  # noise below this share of the prior variance does not separate equal items
_BEYOND = 100.0  # a lengthscale above so many ranges of the data makes all items look alike
_FOLLOWS = 10.0  # a pivot below so many jitters is zero: the item is determined by those before it
_NAMED = 3  # pairs of rows that a message names


def causes(covariance: Covariance, Y: Array, at_bounds: list[str]) -> list[str]:
    """Everything found that makes the covariance nearly singular."""
    found = [*_equal_items(covariance, Y), *_quiet(covariance)]
    data = covariance.data
    if isinstance(data.items, Vectors) and not data.items.sparse:
        found += [*_constant_columns(data.items.values), *_long(data.kernel, data.items.values)]
    if data.kernel is not None and data.psd is not True:
        found.append(f"{data.kernel!r} is not known to be positive semi-definite: see mercer.certify")
    return found + [f"{name} is at its bound" for name in at_bounds]


def followers(factor: Factor) -> list[str]:
    """How many items are determined by those before them: those whose pivot is no more than the jitter."""
    left = np.diagonal(factor.A) ** 2 <= _FOLLOWS * factor.jitter
    if not left.any():
        return []
    rank = f"{int((~left).sum())} of {len(left)}"
    return [f"the numerical rank is {rank}: the other items are determined by those before them"]


def _equal_items(covariance: Covariance, Y: Array) -> list[str]:
    first: dict[Hashable, int] = {}
    pairs = [(first.setdefault(key, i), i) for i, key in enumerate(covariance.data.keys())]
    pairs = [(i, j) for i, j in pairs if i != j]
    differing = [(i, j) for i, j in pairs if not np.allclose(Y[i], Y[j], rtol=1e-10, atol=0.0)]
    texts = []
    if differing:
        texts.append(f"{len(differing)} inputs are equal to an earlier one but have other targets: {_rows(differing)}")
    if len(pairs) > len(differing):
        same = [pair for pair in pairs if pair not in set(differing)]
        texts.append(f"{len(same)} inputs are equal to an earlier one, targets too: {_rows(same)}")
    return texts


def _rows(pairs: list[tuple[int, int]]) -> str:
    named = ", ".join(f"rows {i} and {j}" for i, j in pairs[:_NAMED])
    return named + (", ..." if len(pairs) > _NAMED else "")


def _quiet(covariance: Covariance) -> list[str]:
    data = covariance.data
    diagonal = data.gram().diag()
    unit = float(np.mean(diagonal)) if len(diagonal) else 0.0
    least = covariance.noise.value + float(covariance.alpha.min(initial=np.inf))
    return (
        [f"the noise variance is {least:.1e}, negligible beside the prior variance {unit:.1e}"]
        if least <= _QUIET * unit
        else []
    )


def _constant_columns(V: Array) -> list[str]:
    constant = np.flatnonzero(np.ptp(V, axis=0) == 0.0) if len(V) > 1 else np.empty(0, dtype=int)
    return [f"constant columns do not distinguish items: {', '.join(map(str, constant))}"] if len(constant) else []


def _long(kernel: Any, V: Array) -> list[str]:
    """Kernels all of whose lengthscales are far longer than the range of their column."""
    texts, ranges = [], np.ptp(V, axis=0)
    for k in _nodes(kernel):
        if isinstance(k, Stationary) and ranges.any():
            ratio = np.broadcast_to(value(k.lengthscale), len(ranges))[ranges > 0.0] / ranges[ranges > 0.0]
            if ratio.min() > _BEYOND:
                texts.append(f"the lengthscale of {type(k).__name__} is {ratio.min():.0f} times the range of the data")
    return texts


def name_rows(error: ValueError, X: Any, y: Any) -> None:
    """Add to an error about NaN or infinity the first row that holds one."""
    for name, given in (("X", X), ("y", y)):
        wrong = _not_finite(given)
        if wrong.any():
            error.add_note(f"The first such row of {name} is {int(np.argmax(wrong))}, of {int(wrong.sum())}.")


def _not_finite(given: Any) -> Array:
    """Per row of an array, a list or a table of numbers whether it holds NaN or infinity; empty for other data."""
    try:
        V = np.asarray(given)
        V = V.astype(float) if V.dtype == object else V
    except (TypeError, ValueError):
        V = np.zeros(0)
    if not V.ndim or V.dtype.kind != "f":
        return np.zeros(0)
    return np.asarray(~np.isfinite(V).all(axis=tuple(range(1, V.ndim))))


def _nodes(kernel: Any) -> Any:
    yield kernel
    for child in kernel.children:
        yield from _nodes(child)
