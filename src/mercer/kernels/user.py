"""Kernels given by a function of the user: a feature map, or any similarity of two items.

    FeatureMap(phi)     phi(X) gives a row of features for every item; k is their inner product, so it is a kernel
    Similarity(s)       s(x, y) gives one number; nothing is known of it, so it is checked where it is used

Both get the items as they were passed: rows of an array, strings, graphs, any objects.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.items import Anything, Items, Vectors
from mercer.items.items import taken
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.dot import Dot
from mercer.kernels.prepared_rows import ORIGIN, Rows, rows
from mercer.kernels.pullback import applied
from mercer.typing import Array, Index

_TRIED = 8  # rows and columns of a tile off the diagonal whose symmetry is checked
_CLOSE = 1e-6  # relative difference that may be rounding, also in single precision


def _require_callable(owner: str, name: str, function: Any) -> None:
    if not callable(function):
        raise bad(owner, name, "a function", repr(function), "Pass the function itself, not its result.")


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", repr(function)))


@kernel
class FeatureMap(Dot):
    """k(x, y) = <phi(x), phi(y)>, where phi takes all items at once and returns one row of numbers for each."""

    phi: Callable[[Any], Any]

    items = Anything
    textual = False
    psd_reason = "an inner product of features"

    def __post_init__(self) -> None:
        _require_callable("FeatureMap", "phi", self.phi)

    def prepare_in(self, X: Items, frame: Any, pool: Pool) -> Rows:
        if not len(X):
            return rows(np.empty((0, 1)), ORIGIN)
        features = Vectors.check(applied(repr(self), self.phi, X), repr(self))
        return rows(features.values, ORIGIN)

    def shape(self, G: Array) -> bool:
        return True

    def feature_map(self, X: Any) -> Any:
        return self.prepare(X).values

    def __repr__(self) -> str:
        return f"FeatureMap({_name(self.phi)})"


@dataclass(eq=False)
class Chosen:
    """Some items of one dataset, and their positions in it, by which a tile on the diagonal is recognised."""

    values: Any
    positions: Array
    dataset: object
    frame = None

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, index: Index) -> Self:
        values = taken(self.values, index) if isinstance(self.values, list) else self.values[index]
        return type(self)(values, self.positions[index], self.dataset)

    def same(self, other: Chosen) -> bool:
        """Whether both are the same items of the same dataset."""
        return self.dataset is other.dataset and np.array_equal(self.positions, other.positions)


@kernel
class Similarity(Kernel):
    """s(x, y) for any function s of two items; with `symmetrize`, (s(x, y) + s(y, x)) / 2.

    With `pairwise` the function takes two datasets and returns the matrix.  Without `symmetrize` an s that is found
    not to be symmetric is refused; all pairs are compared in a tile on the diagonal of k(X), a few in other tiles.
    Nothing is known of positivity: ask mercer.certify.
    """

    function: Callable[[Any, Any], Any]
    symmetrize: bool = False
    pairwise: bool = False

    items = Anything
    textual = False

    def __post_init__(self) -> None:
        _require_callable("Similarity", "function", self.function)

    def prepare_in(self, X: Items, frame: Any, pool: Pool) -> Chosen:
        values: Any = getattr(X, "values", X)
        if not self.pairwise:
            values = [values[i] for i in range(len(X))]
        return Chosen(values, np.arange(len(X)), object())

    def block(self, A: Chosen, B: Chosen) -> Array:
        S = self._evaluate(A, B)
        if self.symmetrize:
            return np.asarray((S + self._evaluate(B, A).T) / 2)
        if A.same(B):
            self._compare(S, S.T)
        else:
            self._compare(S[:_TRIED, :_TRIED], self._evaluate(B[:_TRIED], A[:_TRIED]).T)
        return S

    def _compare(self, S: Array, T: Array) -> None:
        gap = abs(S - T)
        if gap.max() > _CLOSE * abs(S).max():
            at = np.unravel_index(int(np.argmax(gap)), gap.shape)
            raise bad(repr(self), "s(x, y)", "symmetric", f"s(x, y) = {S[at]} and s(y, x) = {T[at]}",
                      "Pass symmetrize=True to have their mean.")  # fmt: skip

    def _evaluate(self, A: Chosen, B: Chosen) -> Array:
        """s for all pairs, as a matrix of real numbers."""
        if self.pairwise:
            S = np.asarray(self.function(A.values, B.values))
        else:
            S = np.array([[self.function(x, y) for y in B.values] for x in A.values])
        if S.dtype.kind not in "fiub" or S.shape != (len(A), len(B)):
            raise bad(repr(self), "s", f"one real number per pair, here {len(A)} x {len(B)}", f"{S.dtype} {S.shape}",
                      "With pairwise=True s takes two datasets, else two items.")  # fmt: skip
        return S if S.dtype == np.float32 else S.astype(np.float64, copy=False)

    def __repr__(self) -> str:
        options = [f"{name}=True" for name in ("symmetrize", "pairwise") if getattr(self, name)]
        return f"Similarity({', '.join([_name(self.function), *options])})"
