"""Kernels on groups that do not change when both items are multiplied from the left: k(s, t) = p(t^-1 s)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.errors import NotPositiveDefinite, bad
from mercer.items import Objects
from mercer.items.items import taken
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.kernels.frozen_matrix import Frozen, as_frozen
from mercer.kernels.groups import Group, group_of
from mercer.typing import Array, Index

_CLOSE = 1e-9  # relative to p(e)
_CURE = "Take another p: such a function is not of positive type."


@dataclass(eq=False)
class Elements:
    """Group elements: their positions in the list of all, or they themselves."""

    values: list[Any]
    at: Array | None
    frame = None

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(taken(self.values, index), None if self.at is None else self.at[index])


@kernel
class PositiveType(Kernel):
    """k(s, t) = p(t^-1 s) on a group, for a function p of positive type: sum_jk c_j* c_k p(s_j^-1 s_k) >= 0 for all c.

    `group` is "Z6", "Z", "R", "S4", "D5" or a `mercer.kernels.groups.Group`.  `p` has a value for each element, in the
    order of the group's list or by a mapping, or is a function of one element.  On Z and R it may be left out:
    `characters` are pairs (frequency, weight) with weights > 0, and p(t) = sum of weight exp(i frequency t), which is
    of positive type by Bochner's theorem.  On groups of at most 1000 elements p is checked, by the eigenvalues of its
    Gram; elsewhere a function is checked where it is used, by p(e) >= |p(s)| and p(s^-1) = p(s)*.
    """

    group: str | Group
    p: Any = None
    characters: tuple[tuple[float, float], ...] | None = None

    items = Objects

    def __post_init__(self) -> None:
        group = self._group
        if (self.p is None) == (self.characters is None):
            raise bad("PositiveType", "p", "given, or else characters", "both or neither", "Pass one of them.")
        if self.characters is not None:
            object.__setattr__(self, "characters", _pairs(self.characters, group))
        elif group.elements is not None:
            object.__setattr__(self, "p", _table(self.p, group))
            self._require_positive(self.matrix)
        elif not callable(self.p):
            raise bad("PositiveType", "p", "a function of one element", repr(self.p),
                      "Only groups of at most 1000 elements take a list of values.")  # fmt: skip

    @property
    def _group(self) -> Group:
        return group_of("PositiveType", self.group)

    @property
    def textual(self) -> bool:  # type: ignore[override]
        return isinstance(self.group, str) and not callable(self.p)

    @property
    def psd(self) -> bool | None:  # type: ignore[override]
        return None if callable(self.p) else True

    @property
    def psd_reason(self) -> str:  # type: ignore[override]
        if self.characters is not None:
            return "a sum of characters of the group with positive weights (Bochner)"
        return "a function on a finite group whose Gram over the whole group was found positive semi-definite"

    @property
    def matrix(self) -> Array:
        """k(s, t) over all elements of a finite group, in the order of its list."""
        if self._group.elements is None or self.p is None:
            raise bad(
                "PositiveType", "group", "finite, of at most 1000 elements", repr(self.group), "Call k(X) instead."
            )
        return np.asarray(self.p.values[self._group.quotients])

    def _require_positive(self, K: Array) -> None:
        _require_type(K[0, 0], K, K.T, "the group")
        lowest = float(np.linalg.eigvalsh((K + K.conj().T) / 2.0)[0])
        if lowest < -_CLOSE * len(K) * abs(K[0, 0]):
            raise NotPositiveDefinite(f"PositiveType: p must be of positive type on {self.group!r}; got the eigenvalue "
                                      f"{lowest:.6g} of its Gram. {_CURE}")  # fmt: skip

    def prepare_in(self, X: Objects, frame: Any, pool: Pool) -> Elements:
        group = self._group
        values = [self._read(s, row) for row, s in enumerate(X.values)]
        at = None if group.elements is None else np.array([group.places[s] for s in values], dtype=np.intp)
        return Elements(values, at)

    def _read(self, s: Any, row: int) -> Any:
        group = self._group
        try:
            found = group.read(s)
            outside = group.elements is not None and found not in group.places
        except (TypeError, ValueError) as error:
            raise bad(
                "PositiveType", "X", f"elements of {self.group!r}", f"{s!r} in row {row}", f"It is {error}."
            ) from None
        if outside:
            raise bad("PositiveType", "X", f"elements of {self.group!r}", f"{s!r} in row {row}", "Drop such items.")
        return found

    def block(self, A: Elements, B: Elements) -> Array:
        if A.at is not None and B.at is not None:
            return np.asarray(self.p.values[self._group.quotients[np.ix_(A.at, B.at)]])
        if self.characters is not None:
            return self._by_characters(np.subtract.outer(np.array(A.values, float), np.array(B.values, float)))
        group, p = self._group, self.p
        inverses = [group.invert(t) for t in B.values]
        quotients = [[group.multiply(t, s) for t in inverses] for s in A.values]
        K = np.array([[p(q) for q in row] for row in quotients]).reshape(len(A), len(B))
        mirror = np.array([[p(group.invert(q)) for q in row] for row in quotients]).reshape(K.shape)
        _require_type(p(group.identity), K, mirror, "these items")
        return K

    def _by_characters(self, T: Array) -> Array:
        """sum of weight exp(i frequency T); real if the pairs come with their opposites."""
        pairs = self.characters or ()
        K = sum((w * np.exp(1j * f * T) for f, w in pairs), start=np.zeros(T.shape, dtype=complex))
        real = {(-f, w) for f, w in pairs} == set(pairs)
        return np.asarray(K.real.copy() if real else K)

    def diag(self, A: Elements) -> Array:
        if self.characters is not None:
            p = sum(weight for _, weight in self.characters)
        else:
            p = (
                self.p(self._group.identity)
                if callable(self.p)
                else self.p.values[self._group.places[self._group.identity]]
            )
        return np.full(len(A), float(np.real(p)))


def _table(p: Any, group: Group) -> Frozen:
    """The value of p at every element of a finite group."""
    elements = group.elements or ()
    if isinstance(p, Mapping):
        missing = next((s for s in elements if s not in p), None)
        if missing is not None:
            raise bad("PositiveType", "p", "a value for every element", f"none for {missing!r}", "Add it.")
        p = [p[s] for s in elements]
    elif callable(p):
        p = [p(s) for s in elements]
    values = as_frozen("PositiveType", "p", p)
    if values.shape != (len(elements),):
        raise bad("PositiveType", "p", f"{len(elements)} numbers, one per element", f"shape {values.shape}",
                  "See Group.elements for their order.")  # fmt: skip
    return values


def _pairs(characters: Any, group: Group) -> tuple[tuple[float, float], ...]:
    pairs = as_frozen("PositiveType", "characters", characters).values
    if group.identity != 0 or group.elements is not None:
        raise bad("PositiveType", "group", "'Z' or 'R' where characters are given", "another one", "Pass p instead.")
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind == "c" or not (pairs[:, 1] > 0.0).all():
        raise bad("PositiveType", "characters", "pairs (frequency, weight) with weights > 0", repr(characters), _CURE)
    return tuple((float(f), float(w)) for f, w in pairs)


def _require_type(at_identity: Any, K: Array, mirror: Array, where: str) -> None:
    """p(e) real and >= 0, p(s^-1) = p(s)*, |p(s)| <= p(e); `mirror` holds p(s^-1) where K holds p(s)."""
    size = abs(at_identity)
    if abs(np.imag(at_identity)) > _CLOSE * size or np.real(at_identity) < 0.0:
        raise bad("PositiveType", "p(e)", "real and >= 0", at_identity, _CURE)
    if abs(K - np.conj(mirror)).max(initial=0.0) > _CLOSE * max(size, 1e-300):
        gap = abs(K - np.conj(mirror)).max()
        raise bad("PositiveType", "p", f"such that p(s^-1) = p(s)* on {where}", f"values {gap:.3g} apart", _CURE)
    if abs(K).max(initial=0.0) > (1.0 + _CLOSE) * size:
        raise bad("PositiveType", "|p(s)|", f"at most p(e) = {size:g} on {where}", f"{abs(K).max():g}", _CURE)
