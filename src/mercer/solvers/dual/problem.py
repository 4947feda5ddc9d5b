"""The one problem behind every support vector machine, in signed variables b.

    minimise  1/2 b' (K + diag(ridge)) b - z'b + epsilon |b|_1
    subject to  lo <= b <= hi,   the sum of b fixed within each group (no such constraint without a bias)

    C-SVC          b = y a,       z = y,  box [0, C] or [-C, 0]
    epsilon-SVR    b = a - a',    z = y,  box [-C, C]
    one-class      b = a,         z = 0,  box [0, 1],  sum nu n
    nu-SVC         b = y a,       z = 0,  box [0, 1] or [-1, 0],  each class sums to nu n / 2 in size
    nu-SVR         b = (a, -a'),  z = (y, y),  boxes [0, C] and [-C, 0] on items listed twice,  each half C nu n / 2

The decision function is f = K b + bias.  With signed variables no loop needs the signs y_i y_j.  A quadratic slack
penalty C sum xi^2 is an infinite box with ridge 1 / (2 C).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.native import dual_proof
from mercer.typing import Array

_NONE = np.empty(0)


@dataclass(frozen=True, eq=False)
class DualProblem:
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
    def fits_native_loops(self) -> bool:
        """Whether it has one group, a bias and no ridge."""
        return self.bias and self.second is None and not len(self.ridge)

    @property
    def groups(self) -> list[Array]:
        """Masks of the variables whose sum is fixed, one per group; none without a bias."""
        if not self.bias:
            return []
        return [np.ones(len(self), dtype=bool)] if self.second is None else [~self.second, self.second]

    def grouped(self, index: Array) -> Array:
        """The positions `index` with the first group before the second, as SMO needs them."""
        return index if self.second is None else index[np.argsort(self.second[index], kind="stable")]

    def feasible(self, b: Array, sums: list[float] | None = None) -> Array:
        """A point near b in the box whose groups have these sums, by default those of `start`."""
        sums = [float(self.start[group].sum()) for group in self.groups] if sums is None else sums
        b = np.clip(b, self.lo, self.hi)
        for group, total in zip(self.groups, sums, strict=True):
            dual_proof.move_to_sum(b, self.lo, self.hi, group, total, np.empty(len(b)))
        return np.clip(b, self.lo, self.hi)

    def take(self, index: Array | slice) -> Self:
        """The problem of a subset of the variables; the others stay fixed."""
        second = None if self.second is None else self.second[index]
        ridge = self.ridge[index] if len(self.ridge) else self.ridge
        z, lo, hi, start = self.z[index], self.lo[index], self.hi[index], self.start[index]
        return type(self)(z, lo, hi, start, self.epsilon, second, self.bias, ridge)

    def ridge_times(self, b: Array) -> Array:
        """diag(ridge) b."""
        return self.ridge * b if len(self.ridge) else np.zeros(len(b))


def svc(y: Array, C: Array | float, *, bias: bool = True, squared: bool = False) -> DualProblem:
    """C-SVC: 1/2 |w|^2 + sum C_i max(0, 1 - y_i f_i), or with the squares of the slacks; y holds -1 and +1."""
    y = np.asarray(y, dtype=np.float64)
    C = np.broadcast_to(np.asarray(C, dtype=np.float64), y.shape)
    top = np.full(y.shape, np.inf) if squared else C
    lo, hi = np.where(y > 0.0, 0.0, -top), np.where(y > 0.0, top, 0.0)
    return DualProblem(y, lo, hi, np.zeros(len(y)), bias=bias, ridge=_slack_ridge(C, squared))


def svr(y: Array, C: Array | float, epsilon: float, *, bias: bool = True, squared: bool = False) -> DualProblem:
    """epsilon-SVR: 1/2 |w|^2 + sum C_i max(0, |y_i - f_i| - epsilon), or with the squares of the slacks."""
    y = np.asarray(y, dtype=np.float64)
    C = np.broadcast_to(np.asarray(C, dtype=np.float64), y.shape)
    top = np.full(y.shape, np.inf) if squared else np.array(C)
    return DualProblem(y, -top, top, np.zeros(len(y)), float(epsilon), bias=bias, ridge=_slack_ridge(C, squared))


def _slack_ridge(C: Array, squared: bool) -> Array:
    return np.asarray(0.5 / C) if squared else _NONE


def one_class(n: int, nu: float, weight: Array | None = None) -> DualProblem:
    """One-class SVM: 1/2 |w|^2 - rho + 1/(nu n) sum xi, scaled by nu n; weights scale the boxes."""
    hi = np.ones(n) if weight is None else np.array(weight, dtype=np.float64)
    return DualProblem(np.zeros(n), np.zeros(n), hi, _filled(hi, nu * n if weight is None else nu * hi.sum()))


def nu_svc(y: Array, nu: float, weight: Array | None = None) -> DualProblem:
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
    return DualProblem(np.zeros(len(y)), lo, hi, start, second=y > 0.0)


def nu_svr(y: Array, nu: float, C: Array | float) -> DualProblem:
    """nu-SVR on items listed twice: first a in [0, C], then -a' in [-C, 0]; the coefficients of f are their sums."""
    y = np.asarray(y, dtype=np.float64)
    top = np.array(np.broadcast_to(np.asarray(C, dtype=np.float64), y.shape))
    half = _filled(top, nu * top.sum() / 2.0)
    zero = np.zeros(len(y))
    return DualProblem(
        np.tile(y, 2), np.concatenate([zero, -top]), np.concatenate([top, zero]),
        np.concatenate([half, -half]), second=np.repeat([False, True], len(y)),
    )  # fmt: skip


def _filled(top: Array, total: float) -> Array:
    """A point of the box [0, top] with the given sum: the first entries at their bound."""
    return np.asarray(np.diff(np.minimum(np.cumsum(top), total), prepend=0.0))


@dataclass(frozen=True, eq=False)
class DualProblems:
    """Problems of one kind on items of one Gram: problem p has the places ends[p]:ends[p + 1] of all arrays.

    `joined` has the variables of all problems in long arrays, `index` their positions in the Gram.  `task` is
    "classification", "regression" or "novelty".
    """

    joined: DualProblem
    index: Array
    ends: Array
    task: str

    @classmethod
    def of(cls, problems: Sequence[DualProblem], places: Sequence[Array], task: str) -> Self:
        """Problems of one kind, each with the positions of its items in the Gram."""
        names = ["z", "lo", "hi", "start", "ridge", *([] if problems[0].second is None else ["second"])]
        joined: dict[str, Any] = {name: np.concatenate([getattr(p, name) for p in problems]) for name in names}
        ends = np.cumsum([0, *map(len, problems)], dtype=np.intp)
        index = np.concatenate(places).astype(np.intp, copy=False)
        return cls(replace(problems[0], **joined), index, ends, task)

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, p: int) -> DualProblem:
        return self.joined.take(self.span(p))

    def span(self, p: int) -> slice:
        """The places of problem p in the long arrays."""
        return slice(int(self.ends[p]), int(self.ends[p + 1]))

    @property
    def sizes(self) -> Array:
        """The number of variables of each problem."""
        return np.diff(self.ends)
