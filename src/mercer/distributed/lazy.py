"""Predictions of a Dask collection: a Dask array, of which each block is made when it is asked for.

The model is one reference in the graph, sent to the workers once.  `predictions` wraps a method of a machine: what is
not a Dask collection goes through it untouched.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from mercer.distributed.cluster import broadcast, one_task
from mercer.distributed.collections import is_frame, is_spread
from mercer.distributed.rows import array_of, as_frame

METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "transform", "score_samples")

F = TypeVar("F", bound=Callable[..., Any])


def predictions(method: F) -> F:
    """A method of one argument X that answers a Dask collection by a Dask array, block by block."""

    @wraps(method)
    def predicted(self: Any, X: Any, *args: Any, **options: Any) -> Any:
        if not is_spread(X):
            return method(self, X, *args, **options)
        far = getattr(self, "_on_workers", None)  # rows of the fit that stayed on the workers
        if far is not None:
            return far.lazily(self, X, *args, **options)
        return _lazy(self, method.__name__, X, args, options)

    return cast(F, predicted)


def _lazy(machine: Any, name: str, X: Any, args: Any, options: Any) -> Any:
    from dask.array import blockwise

    columns = X._meta.iloc[:0] if is_frame(X) else None
    array = array_of(X)
    if array.ndim == 2 and array.numblocks[1] > 1:
        array = array.rechunk({1: -1})
    sample = getattr(machine, name)(_one_row(array, columns), *args, **options)
    shared = broadcast(machine)

    def answer(one: Any, part: int | None) -> Any:
        wide = one.ndim > 1
        return blockwise(
            _Block(name, columns, args, options, one[:0], part), "ik" if wide else "i", array, "ij", shared, None,
            dtype=one.dtype, concatenate=True, align_arrays=False, meta=one[:0],
            **({"new_axes": {"k": one.shape[1]}} if wide else {}),
        )  # fmt: skip

    if isinstance(sample, tuple):  # a mean and its deviation, each computed when it is asked for
        return tuple(answer(one, part) for part, one in enumerate(sample))
    return answer(sample, None)


def _one_row(array: Any, columns: Any) -> Any:
    """A row to learn the shape of answers from: the first one of a frame, ones for an array."""
    if columns is None or all(getattr(kind, "kind", "O") in "fiub" for kind in columns.dtypes):
        row = np.ones((1, array.shape[1]), dtype=array.dtype)
    else:
        row = np.asarray(array.blocks[0].compute()[:1])
    return as_frame(row, columns)


class _Block:
    """The answer for one block."""

    def __init__(self, name: str, columns: Any, args: Any, options: Any, empty: Any, part: int | None) -> None:
        self.name, self.columns, self.args, self.options, self.empty = name, columns, args, options, empty
        self.part = part  # of an answer that is a tuple
        self.__name__ = name  # of its tasks on a dashboard

    def __call__(self, X: Any, parcel: Any) -> Any:
        if not len(X):
            return self.empty
        with one_task():
            found = getattr(parcel.value, self.name)(as_frame(X, self.columns), *self.args, **self.options)
            return found if self.part is None else found[self.part]
