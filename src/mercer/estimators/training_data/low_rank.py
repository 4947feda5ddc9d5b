"""Items behind landmarks: k~(x, y) = k(x, Z) K_mm^-1 k(Z, y) = <phi(x), phi(y)>, phi(x) = L^-1 k(Z, x), K_mm = L L'.

A machine that is fitted to such data solves its problem for k~, on the features phi, and proves that.  Features are
made a panel of rows at a time from any other kind of data.  Prediction needs k(x, Z) alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from mercer.config import config
from mercer.engine.fill import require_memory
from mercer.engine.tiles import cuts
from mercer.errors import bad
from mercer.estimators.training_data.data import Data
from mercer.gram.features import FeatureGram
from mercer.gram.row_squares import row_squares
from mercer.kernels import Kernel
from mercer.solvers.landmarks import RULES, LandmarkFactor, chosen, factor_of
from mercer.solvers.ridge.blocks import RowBlock, S, add_up
from mercer.typing import Array

_PANEL = 2**24  # kernel values at a time, at most
_SHARE = 128  # and at most this part of the budget in bytes: 1/16 of it for a panel, which is copied a few times
_MORE = 4  # times the kernel values of the features that may be computed for a sharper bound
GIVEN = "given"


@dataclass(frozen=True)
class Approximation:
    """How far k~ is from k on the training items.

    kind          "nystrom"
    rank          landmarks that were used: those that others explain are left out
    landmarks     the rule by which they were chosen, or "given"
    trace_error   sum_i (k(x_i, x_i) - k~(x_i, x_i)), which bounds every error of the Gram; weighted, if items are
    relative_trace_error    the same as a share of sum_i k(x_i, x_i)
    sampled       whether the trace was estimated from a part of the rows
    """

    kind: str
    rank: int
    landmarks: str
    trace_error: float
    relative_trace_error: float
    sampled: bool = False

    def __str__(self) -> str:
        about = "about " if self.sampled else ""
        return (f"{self.kind}: rank {self.rank}, landmarks {self.landmarks}; the trace of the Gram is missed by "
                f"{about}{self.relative_trace_error:.2e} of itself.")  # fmt: skip


@dataclass(frozen=True, eq=False)
class LowRankItems(Data):
    """Items `inner` and landmarks: items `places` of `centres`; `marks` are the landmarks alone.

    `positions` are theirs among the training items, -1 for items that a user gave.  After `keep`, `inner` are the
    items that have coefficients; where they cannot be compared again, their features `Phi` are kept.
    """

    inner: Data
    centres: Data
    places: Array
    marks: Data
    factor: LandmarkFactor
    rule: str
    positions: Array
    Phi: Any = None
    measured: Approximation | None = None
    kernel: Kernel | None = field(default=None)

    @classmethod
    def of(
        cls, owner: str, inner: Data, count: int, landmarks: Any, seed: int, *, single: bool = False, summed: int = 0
    ) -> Self:
        """Choose the landmarks of these items, or take the given ones; `single`, `summed`: solvers/landmarks.py."""
        inner = inner.double()
        if isinstance(landmarks, str) and landmarks in RULES:
            centres, places = inner, chosen(inner.gram(), count, landmarks, seed)
            at, rule = places, landmarks
        else:
            centres, places = inner.prototypes(owner, landmarks)
            _require_distinct(owner, centres, places)
            at, rule = places if centres is inner else np.full(len(places), -1), GIVEN
        K = np.asarray(centres.double().gram().values(places, places), dtype=float)
        factor = factor_of(K, single=single, summed=summed)
        places, at = places[factor.kept], at[factor.kept]
        marks = centres.keep(places)
        if inner.recomputable:
            centres, places = marks, np.arange(len(marks))
        return cls(inner, centres, places, marks, factor, rule, at, kernel=inner.kernel)

    def __len__(self) -> int:
        return len(self.inner)

    @property
    def rank(self) -> int:
        """Landmarks."""
        return len(self.factor.L)

    @property
    def psd(self) -> bool | None:
        """Always: k~ is an inner product of features."""
        return True

    # ---- panels

    def panel(self, rows: Array, out: Array | None = None) -> Array:
        """k(items `rows`, landmarks), in `out` if given; computed in double precision and then rounded as it needs.

        (Distances that are computed in single precision have errors that all rows of a column share, and add up.)
        """
        K = np.empty((len(rows), len(self.places))) if out is None else out
        self.inner.between(rows, self.centres, self.places).fill(K)
        return K

    @property
    def rows_at_once(self) -> int:
        return min(panel_rows(self.rank), self.inner.rows_at_once)

    def _panels(self) -> Iterator[tuple[slice, Array]]:
        """Slices of all items, and their features."""
        for r in cuts(len(self), self.rows_at_once):
            yield r, self.factor.features(self.panel(np.arange(r.start, r.stop)))

    def features(self) -> Array:
        """phi of every item."""
        return self._features if self.Phi is None else self.Phi

    @cached_property
    def _features(self) -> Array:
        n, r = len(self), self.rank
        require_memory(f"{r} features of {n} items", 8 * n * r, "Choose fewer landmarks, or raise the budget.")
        Phi = np.empty((n, r))
        for rows, F in self._panels():
            Phi[rows] = F
        return Phi

    # ---- the protocol

    def gram(self) -> FeatureGram:
        """The Gram of the features."""
        return FeatureGram(self.features())

    def keep(self, index: Array) -> Self:
        """The landmarks, and these items or their features."""
        index = np.asarray(index, dtype=np.intp)
        Phi = None if self.inner.recomputable else self.features()[index]
        return replace(self, inner=self.inner.keep(index), Phi=Phi, measured=self.approximation)

    def landmarks_only(self, measured: Approximation) -> Self:
        """The landmarks as the items that have coefficients: k~(x, z) = k(x, z) for each of them."""
        return replace(self, inner=self.marks, Phi=None if self.inner.recomputable else self.factor.L,
                       measured=measured)  # fmt: skip

    def take(self, index: Array) -> Self:
        return replace(self, inner=self.inner.take(index), Phi=self.features()[index])

    def cross(self, X: Any) -> FeatureGram:
        """<phi(x), phi(item)>."""
        return FeatureGram(self.map(X), self.features())

    def map(self, X: Any) -> Array:
        """phi of new items."""
        cross = self.marks.cross(X)
        F = np.empty((cross.shape[0], self.rank))
        for r in cuts(len(F), panel_rows(self.rank)):
            F[r] = self.factor.features(np.array(cross.rows(np.arange(r.start, r.stop)), dtype=float))
        return F

    def evaluate(self, X: Any, coefficients: Array) -> Array:
        """k(X, Z) L^-T Phi'c: no item but the landmarks is compared with X."""
        return np.asarray(self.marks.cross(X) @ self._on_landmarks(np.asarray(coefficients)))

    def _on_landmarks(self, c: Array) -> Array:
        """L^-T Phi'c, which is made once for the same coefficients."""
        if self.inner is self.marks:
            return c
        before: tuple[Array, Array] | None = self.__dict__.get("_last")
        if before is None or not np.array_equal(before[0], c):
            if self.Phi is None and "_features" not in self.__dict__:
                w = np.asarray(sum(F.T @ c[r] for r, F in self._panels()))
            else:
                w = self.features().T @ c
            before = c.copy(), self.factor.back(w)
            self.__dict__["_last"] = before
        return before[1]

    def plus_one(self) -> Self:
        Phi = self.features()
        return replace(self, Phi=np.column_stack([Phi, np.ones(len(Phi))]))

    @property
    def evaluates_at_once(self) -> bool:
        return True

    @property
    def approximation(self) -> Approximation:
        """How far k~ is from k."""
        if self.measured is not None:
            return self.measured
        diagonal = np.asarray(self.inner.gram().diag(), dtype=float)
        explained = float(row_squares(self.features()).sum())
        return self.missing(float(diagonal.sum()), float(diagonal.sum() - explained))

    def missing(self, trace: float, missed: float, *, sampled: bool = False) -> Approximation:
        """The record of an approximation that misses so much of the trace."""
        missed = max(missed, 0.0)
        return Approximation("nystrom", self.rank, self.rule, missed, missed / max(trace, 1e-300), sampled)

    def missed_square(self, index: Array, B: Array) -> float | None:
        """The number itself where that takes at most 4 times the kernel values of the features; else a bound.

        K - K~ is positive semi-definite.  With its diagonal d, b'(K - K~) b <= (sum_i |b_i| sqrt(d_i))^2.
        """
        Phi, B = self.features(), B.reshape(len(index), -1)
        some = np.flatnonzero(B.any(axis=1))
        own, B = np.asarray(index, dtype=np.intp)[some], B[some]
        F, inner = Phi[own], self.inner.gram()
        if len(own) ** 2 <= _MORE * Phi.size:
            whole = float(np.sum(B * (inner.part(own, own) @ B)))
            return max(whole - float(np.sum((F.T @ B) ** 2)), 0.0)
        return self._missed_at_most(own, B)

    def _missed_at_most(self, index: Array, B: Array) -> float:
        """The bound by the diagonal of K - K~."""
        d = np.asarray(self.inner.gram().diag(), dtype=float)[index] - row_squares(self.features()[index])
        return float(np.sum((np.sqrt(np.maximum(d, 0.0)) @ np.abs(B)) ** 2))

    # ---- items

    @cached_property
    def items(self) -> Any:
        """The items."""
        return self.inner.items

    def as_passed(self) -> Any:
        return self.inner.as_passed()

    def keys(self) -> Sequence[Hashable]:
        return self.inner.keys()

    # ---- one pass

    def blocks(self, Y: Array, weight: Array) -> PanelBlocks:
        """The items in blocks with targets and weights, for solvers of one pass; items of weight 0 are left out."""
        return PanelBlocks(self, Y, weight, np.flatnonzero(weight))


def panel_rows(width: int) -> int:
    """Rows of k(items, landmarks) that are made at a time."""
    return max(256, min(_PANEL, config().memory // _SHARE) // max(width, 1))


@dataclass(frozen=True, eq=False)
class LandmarkBlocks:
    """Items behind landmarks with targets and weights; `used` are the positions of those with a weight above 0."""

    data: LowRankItems
    Y: Array
    weight: Array
    used: Array

    @property
    def width(self) -> int:
        return self.data.rank

    @property
    def outputs(self) -> int:
        return int(self.Y.shape[1])


@dataclass(frozen=True, eq=False)
class PanelBlocks(LandmarkBlocks):
    """Blocks of rows (solvers/ridge/blocks.py) of items in memory."""

    @cached_property
    def _diagonal(self) -> Array:
        return np.asarray(self.data.inner.gram().diag(), dtype=float)

    def some(self, most: int) -> RowBlock:
        """Rows at equal distances."""
        most = min(most, self.data.rows_at_once)
        own = self.used[:: -(-len(self.used) // most)]
        return self._block(own, self.data.panel(own))

    def added(self, make: Callable[[], S], *, single: bool = False, every: int = 1, enough: float = np.inf) -> S:
        return add_up(self._rows(single=single, every=every), make(), enough)

    def _rows(self, *, single: bool, every: int = 1) -> Iterator[RowBlock]:
        """Panels of k(items, landmarks), one written over the other: fresh memory would cost as much as its values."""
        rows = cuts(len(self.used), self.data.rows_at_once)[::every]
        most = max((r.stop - r.start for r in rows), default=0)
        K = np.empty((most, self.width), dtype=np.float32 if single else float)
        for r in rows:
            own = self.used[r]
            yield self._block(own, self.data.panel(own, K[: len(own)]))

    def _block(self, own: Array, K: Array) -> RowBlock:
        return RowBlock(K, self._diagonal[own], self.Y[own], self.weight[own])


def _require_distinct(owner: str, centres: Data, places: Array) -> None:
    """Refuse landmarks of which two are equal."""
    if not len(places):
        raise bad(owner, "landmarks", "one item or more", "none", "Pass items, or the name of a rule.")
    kept = centres.distinct(places)
    if len(kept) < len(places):
        seen: dict[Hashable, int] = {}
        keys = centres.keys()
        for position, place in enumerate(places.tolist()):
            if keys[place] in seen:
                raise bad(owner, "landmarks", "different items", f"items {seen[keys[place]]} and {position} that are "
                          "equal", "Leave one of them out.")  # fmt: skip
            seen[keys[place]] = position
        raise bad(owner, "landmarks", "different items", f"{len(places) - len(kept)} repeated ones", "Leave them out.")
