"""Kernels of rankings, by the pairs of things that two of them put in the same order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.engine.tiles import cuts
from mercer.errors import bad
from mercer.items import Rankings
from mercer.kernels.base import Kernel, Pool, kernel
from mercer.native import inversions, radial
from mercer.parameters import Parameter, hyper, value
from mercer.typing import Array, Index

_PRODUCTS = 600  # up to this many things a product of signs is faster than sorting
_THINGS = 64  # whose pairs with all others are compared at a time; float32 holds such sums exactly


@dataclass(eq=False)
class Places:
    """(n, d) places of things, and things in order of their places; `frame` numbers the things."""

    places: Array
    orders: Array
    frame: dict[Any, int]

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, index: Index) -> Self:
        return type(self)(self.places[index], self.orders[index], self.frame)

    @property
    def pairs(self) -> int:
        return int(self.places.shape[1] * (self.places.shape[1] - 1) // 2)


@kernel
class _OfPairs(Kernel):
    """A kernel of the number of pairs that two rankings order differently."""

    items = Rankings
    psd = True
    bound = 1.0

    def prepare_in(self, X: Rankings, frame: Any, pool: Pool) -> Places:
        owner = type(self).__name__
        number = frame or {thing: t for t, thing in enumerate(X.things)}
        things = list(number)
        if len(X) and len(things) < 2:
            raise bad(owner, "X", "rankings of two things or more", f"{len(things)}", "There are no pairs to compare.")
        if len(X) and set(X.values[0]) != set(number):
            raise bad(owner, "X", f"rankings of {_shown(things)}", f"{_shown(X.values[0])}",
                      "Rank the same things in both datasets.")  # fmt: skip
        orders = np.array([[number[thing] for thing in x] for x in X.values], dtype=np.int32)
        orders = orders.reshape(len(X), len(things))
        return Places(np.argsort(orders, axis=1).astype(np.int32), orders, number)

    def diag(self, A: Places) -> Array:
        return np.ones(len(A))


def _shown(things: Any) -> str:
    text = ", ".join(map(repr, things[:6]))
    return f"{text}, ..." if len(things) > 6 else text


def discordant(A: Places, B: Places) -> Array:
    """The number of pairs that are ordered differently, for all pairs of rankings."""
    out = np.zeros((len(A), len(B)))
    if A.places.shape[1] > _PRODUCTS:
        inversions.discordant(A.places, B.orders, out)
        return out
    for things in cuts(A.places.shape[1], _THINGS):
        out -= _signs(A, things) @ _signs(B, things).T
    out += A.pairs  # concordant - discordant = pairs - 2 discordant
    out *= 0.5
    return out


def _signs(A: Places, things: slice) -> Array:
    """A column for each pair i < j with i among these things: +1 where i stands before j, else -1."""
    P = A.places
    before = [P[:, i, None] < P[:, i + 1 :] for i in range(things.start, things.stop)]
    signs = np.concatenate(before, axis=1).astype(np.float32)
    signs *= 2.0
    signs -= 1.0
    return signs


@kernel
class Kendall(_OfPairs):
    """k(x, y) = (pairs in the same order - pairs in the other order) / all pairs: Kendall's tau of two rankings.

    A ranking lists the same things as all others, the best first.
    """

    psd_reason = "an inner product of features: a sign for each pair of things"

    def block(self, A: Places, B: Places) -> Array:
        K = discordant(A, B)
        K *= -2.0 / max(A.pairs, B.pairs, 1)
        K += 1.0
        return K

    def feature_map(self, X: Any) -> Array:
        A = self.prepare(X)
        return np.asarray(_signs(A, slice(0, A.places.shape[1])).astype(float) / np.sqrt(max(A.pairs, 1)))


@kernel
class Mallows(_OfPairs):
    """k(x, y) = exp(-decay d), where d counts the pairs that two rankings order differently (Jiao and Vert, 2015)."""

    decay: Parameter = hyper(0.1)

    psd_reason = "a product over pairs of things (Schur) of 1 or, where the order differs, exp(-decay)"

    def block(self, A: Places, B: Places) -> Array:
        K = discordant(A, B)
        radial.exponential(K, value(self.decay))
        return K

    def parameter_gradients(self, A: Places, B: Places, W: Array) -> dict[str, Any]:
        D = discordant(A, B)
        return {"decay": -float(np.sum(W * D * np.exp(-value(self.decay) * D)))}
