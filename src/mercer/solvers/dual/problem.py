"""The one problem behind every support vector machine, in signed variables b.

    minimise  1/2 b' (K + diag(ridge)) b - z'b + epsilon |b|_1
    subject to  lo <= b <= hi,   the sum of b fixed within each group (no such constraint without a bias)

    C-SVC          b = y a,       z = y,  box [0, C] or [-C, 0]
    epsilon-SVR    b = a - a',    z = y,  box [-C, C]
    one-class      b = a,         z = 0,  box [0, 1],  sum nu n
    nu-SVC         b = y a,       z = 0,  box [0, 1] or [-1, 0],  each class sums to nu n / 2 in size
    nu-SVR         b = (a, -a'),  z = (y, y),  boxes [0, C] and [-C, 0] on items listed twice,  each half C nu n / 2

The decision function is f = K b + bias.  No sign y_i y_j appears in any loop.  A quadratic slack penalty
C sum xi^2 is an infinite box with ridge 1 / (2 C).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from mercer.errors import bad
from mercer.typing import Array

_NONE = np.empty(0)


@dataclass(frozen=True, eq=False)
class Problem:
    """One instance; `start` is a feasible b, `second` marks the second of two groups."""

    z: Array
    lo: Array
    hi: Array
    start: Array
    epsilon: float = 0.0
    second: Array | None = None
    bias: bool = True
    ridge: Array = field(default_factory=lambda: _NONE)

    def __len__(self) -> int:
        return len(self.z)

    @property
    def plain(self) -> bool:
        """Whether it has one group, a bias and no ridge: the kind that native loops solve."""
        return self.bias and self.second is None and not len(self.ridge)

    def take(self, index: Array) -> Self:
        """The problem of a subset of the variables, all others held where they are."""
        second = None if self.second is None else self.second[index]
        ridge = self.ridge[index] if len(self.ridge) else self.ridge
        parts = {name: getattr(self, name)[index] for name in ("z", "lo", "hi", "start")}
        return replace(self, **parts, second=second, ridge=ridge)

    def ridge_times(self, b: Array) -> Array:
        """diag(ridge) b."""
        return self.ridge * b if len(self.ridge) else np.zeros(len(b))


def svc(y: Array, C: Array | float, *, bias: bool = True, squared: bool = False) -> Problem:
    """C-SVC: 1/2 |w|^2 + sum C_i max(0, 1 - y_i f_i), or with the squares of the slacks; y holds -1 and +1."""
    y = np.asarray(y, dtype=np.float64)
    C = np.broadcast_to(np.asarray(C, dtype=np.float64), y.shape)
    top = np.full(y.shape, np.inf) if squared else C
    lo, hi = np.where(y > 0.0, 0.0, -top), np.where(y > 0.0, top, 0.0)
    return Problem(y, lo, hi, np.zeros(len(y)), bias=bias, ridge=_slack_ridge(C, squared))


def svr(y: Array, C: Array | float, epsilon: float, *, bias: bool = True, squared: bool = False) -> Problem:
    """epsilon-SVR: 1/2 |w|^2 + sum C_i max(0, |y_i - f_i| - epsilon), or with the squares of the slacks."""
    y = np.asarray(y, dtype=np.float64)
    C = np.broadcast_to(np.asarray(C, dtype=np.float64), y.shape)
    top = np.full(y.shape, np.inf) if squared else np.array(C)
    return Problem(y, -top, top, np.zeros(len(y)), float(epsilon), bias=bias, ridge=_slack_ridge(C, squared))


def _slack_ridge(C: Array, squared: bool) -> Array:
    return np.asarray(0.5 / C) if squared else _NONE


def one_class(n: int, nu: float, weight: Array | None = None) -> Problem:
    """One-class SVM: 1/2 |w|^2 - rho + 1/(nu n) sum xi, scaled by nu n; weights scale the boxes."""
    hi = np.ones(n) if weight is None else np.array(weight, dtype=np.float64)
    return Problem(np.zeros(n), np.zeros(n), hi, _filled(hi, nu * n if weight is None else nu * hi.sum()))


def nu_svc(y: Array, nu: float, weight: Array | None = None) -> Problem:
    """nu-SVC: 1/2 |w|^2 - nu rho + 1/n sum xi, scaled by n; feasible while nu <= 2 min(n+, n-) / n."""
    y = np.asarray(y, dtype=np.float64)
    top = np.ones(len(y)) if weight is None else np.array(weight, dtype=np.float64)
    total = nu * top.sum() / 2.0
    start = np.zeros(len(y))
    for sign in (1.0, -1.0):
        side = y == sign
        if top[side].sum() < total * (1.0 - 1e-12):
            most = 2.0 * min(top[y > 0].sum(), top[y < 0].sum()) / top.sum()
            raise bad("nu-SVC", "nu", f"at most 2 min(n+, n-) / n = {most:.4g} for these classes (infeasible)", nu,
                      "Lower nu, or balance the classes.")  # fmt: skip
        start[side] = sign * _filled(top[side], total)
    lo, hi = np.where(y > 0.0, 0.0, -top), np.where(y > 0.0, top, 0.0)
    return Problem(np.zeros(len(y)), lo, hi, start, second=y > 0.0)


def nu_svr(y: Array, nu: float, C: Array | float) -> Problem:
    """nu-SVR on items listed twice: first a in [0, C], then -a' in [-C, 0]; the coefficients of f are their sums."""
    y = np.asarray(y, dtype=np.float64)
    top = np.array(np.broadcast_to(np.asarray(C, dtype=np.float64), y.shape))
    half = _filled(top, nu * top.sum() / 2.0)
    zero = np.zeros(len(y))
    return Problem(
        np.tile(y, 2), np.concatenate([zero, -top]), np.concatenate([top, zero]),
        np.concatenate([half, -half]), second=np.repeat([False, True], len(y)),
    )  # fmt: skip


def _filled(top: Array, total: float) -> Array:
    """A point of the box [0, top] with the given sum: the first entries at their bound."""
    return np.asarray(np.diff(np.minimum(np.cumsum(top), total), prepend=0.0))


@dataclass(frozen=True, eq=False)
class Problems:
    """Problems on items of one Gram, in long arrays: problem p has the places ends[p]:ends[p + 1] of each.

    `index` are positions in the Gram, `epsilon` has one number per problem, and `task` says what the items are to the
    user: "classification", "regression" or "novelty".
    """

    index: Array
    ends: Array
    z: Array
    lo: Array
    hi: Array
    start: Array
    epsilon: Array
    task: str
    second: Array | None = None
    bias: bool = True
    ridge: Array = field(default_factory=lambda: _NONE)

    @classmethod
    def of(cls, problems: Sequence[Problem], places: Sequence[Array], task: str) -> Self:
        """Problems of one kind, each on its places in the Gram."""
        joined = {name: np.concatenate([getattr(p, name) for p in problems]) for name in ("z", "lo", "hi", "start")}
        first = problems[0]
        second = None if first.second is None else np.concatenate([np.asarray(p.second) for p in problems])
        return cls(
            index=np.concatenate(places).astype(np.intp, copy=False),
            ends=np.cumsum([0, *map(len, problems)], dtype=np.intp), epsilon=np.array([p.epsilon for p in problems]),
            task=task, second=second, bias=first.bias, ridge=np.concatenate([p.ridge for p in problems]), **joined,
        )  # fmt: skip

    @classmethod
    def cut(cls, every: Problem, index: Array, ends: Array, task: str) -> Self:
        """One long problem cut into several, for kinds in which every item stands for itself."""
        epsilon = np.full(len(ends) - 1, every.epsilon)
        return cls(
            index, ends, every.z, every.lo, every.hi, every.start, epsilon, task, every.second, every.bias, every.ridge
        )

    def __len__(self) -> int:
        return len(self.ends) - 1

    def span(self, p: int) -> slice:
        """The places of problem p in the long arrays."""
        return slice(int(self.ends[p]), int(self.ends[p + 1]))

    @property
    def sizes(self) -> Array:
        """The number of variables of each."""
        return np.diff(self.ends)

    @property
    def plain(self) -> bool:
        """Whether they have one group, a bias and no ridge: the kind that native loops solve."""
        return self.bias and self.second is None and not len(self.ridge)

    def __getitem__(self, p: int) -> Problem:
        s = self.span(p)
        second = None if self.second is None else self.second[s]
        ridge = self.ridge[s] if len(self.ridge) else self.ridge
        return Problem(
            self.z[s], self.lo[s], self.hi[s], self.start[s], float(self.epsilon[p]), second, self.bias, ridge
        )
