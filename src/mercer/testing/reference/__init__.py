"""Every formula once more, as plain loops over plain Python numbers.  Slow, obvious, and sharing nothing with the rest.

    gram(kernel, X, Y)     the matrix of k(x, y), one pair at a time

vectors.py             formulas of kernels of vectors
strings.py, items.py   of strings, and of other items
models.py              of probability models
vectors.py, items.py   formulas of kernels of vectors, and of other items
graphs.py              formulas of kernels of graphs
models.py              formulas of kernels of probability models
points.py              formulas of kernels of time series, point sets, subsets, rankings, groups
algebra.py             formulas of kernels made of kernels
bandwidths.py          rules for the width of a smoothing window
registry.py            where formulas are found
smoothing.py           lowess, and loess without interpolation

A formula is found by the name of the kernel's class and called with its fields; it returns a function of two items.
Items are what a user would write: sequences of numbers, strings, sets, dicts of columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mercer.testing.reference import (  # noqa: F401  # they register their formulas
    algebra,
    graphs,  # they register their formulas
    items,
    models,
    points,  # they register
    strings,
    vectors,
)
from mercer.testing.reference.registry import FORMULAS, LEARNED, Function


def gram(kernel: Any, X: Sequence[Any], Y: Sequence[Any] | None = None) -> list[list[Any]]:
    """k(x, y) for all pairs; kernels that learn do so from X."""
    k = function(kernel, X)
    return [[k(x, y) for y in (X if Y is None else Y)] for x in X]


def function(kernel: Any, training: Sequence[Any] = ()) -> Function:
    """A kernel as a function of two items."""
    name = type(kernel).__name__
    fields = {field: _plain(value, training) for field, value in kernel.get_params(deep=False).items()}
    return LEARNED[name](training, **fields) if name in LEARNED else FORMULAS[name](**fields)


def _plain(value: Any, training: Sequence[Any]) -> Any:
    """A field as plain data: kernels as functions, marked numbers as numbers, matrices as nested lists."""
    if hasattr(value, "get_params"):
        return function(value, training)
    if isinstance(value, (tuple, list)):
        return tuple(_plain(v, training) for v in value)
    if hasattr(value, "values"):
        return value.values.tolist()
    return getattr(value, "value", value)
