"""Data and loss as the solvers see them: sum_i c_i loss(y_i, f_i) as a function of the scores f (items, outputs).

    value(f), slopes(f), curvature(f)     the sum, its derivative, and the blocks of its second derivative
    balance(H, r)                         the offsets that minimise value(H + r); the slopes of each output then sum
                                          to zero, which is what the dual problem asks of them

Losses of one score are `Scored`, or `Given` when a user wrote the function; `Softmax` has one score per class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from mercer.errors import bad
from mercer.solvers.losses import Loss, SmoothLoss, log_softmax, softmax
from mercer.solvers.risk.curvature import Curvature, Diagonal, Simplex
from mercer.typing import Array

_EPS = float(np.finfo(float).eps)
_STEP = _EPS ** (1 / 3)  # of central differences, where truncation and rounding are equal


class Target(Protocol):
    """A convex function of the scores that is a sum over items."""

    outputs: int

    def value(self, f: Array) -> float: ...

    def slopes(self, f: Array) -> Array: ...

    def curvature(self, f: Array) -> Curvature: ...

    def balance(self, H: Array, r: Array) -> Array: ...

    def part(self, rows: Array, times: float) -> Target:
        """The sum over some items, so many times."""
        ...


class Scored:
    """c_i loss(z_i) with z = y f for a margin loss and z = y - f for a residual loss."""

    outputs = 1

    def __init__(self, loss: SmoothLoss, y: Array, c: Array) -> None:
        self.loss, self.y, self.c = loss, y, c
        self.sign = y if loss.margin else -np.ones(len(y))

    def part(self, rows: Array, times: float) -> Scored:
        return Scored(self.loss, self.y[rows], times * self.c[rows])

    def _z(self, f: Array) -> Array:
        return self.y * f[:, 0] if self.loss.margin else self.y - f[:, 0]

    def value(self, f: Array) -> float:
        return float(self.c @ self.loss.value(self._z(f)))

    def slopes(self, f: Array) -> Array:
        return np.asarray((self.c * self.sign * self.loss.slope(self._z(f)))[:, None])

    def curvature(self, f: Array) -> Diagonal:
        return Diagonal(self.c * self.loss.curvature(self._z(f)))

    def balance(self, H: Array, r: Array) -> Array:
        return balanced(self, H, r)


Function = Callable[[Array, Array], tuple[Any, ...]]


class Given:
    """c_i loss(y_i, f_i) for a function (y, f) -> (values, slopes in f) or (values, slopes, curvatures).

    Without curvatures, central differences of the slopes take their place.
    """

    outputs = 1

    def __init__(self, function: Function, y: Array, c: Array) -> None:
        self.function, self.y, self.c = function, y, c

    def part(self, rows: Array, times: float) -> Given:
        return Given(self.function, self.y[rows], times * self.c[rows])

    def _parts(self, f: Array) -> tuple[Array, ...]:
        found = tuple(np.asarray(part, dtype=float) for part in self.function(self.y, f[:, 0]))
        if len(found) not in (2, 3) or any(part.shape != self.y.shape for part in found):
            raise bad("loss", "what it returns", "(values, slopes), one of each per item", [p.shape for p in found],
                      "Return two arrays, or three with curvatures.")  # fmt: skip
        if np.isnan(found).any():
            raise bad("loss", "what it returns", "numbers", "NaN", "Values may be infinite, slopes may not.")
        return found

    def value(self, f: Array) -> float:
        return float(self.c @ self._parts(f)[0])

    def slopes(self, f: Array) -> Array:
        return np.asarray((self.c * self._parts(f)[1])[:, None])

    def curvature(self, f: Array) -> Diagonal:
        parts = self._parts(f)
        if len(parts) == 3:
            return Diagonal(self.c * np.maximum(parts[2], 0.0))
        h = _STEP * np.maximum(1.0, np.abs(f))
        rise = self._parts(f + h)[1] - self._parts(f - h)[1]
        return Diagonal(self.c * np.maximum(rise / (2.0 * h[:, 0]), 0.0))

    def balance(self, H: Array, r: Array) -> Array:
        return balanced(self, H, r)


AnyLoss = Loss | Function


def target_of(loss: AnyLoss, y: Array, c: Array) -> Target:
    """The summed loss as a function of the scores."""
    if isinstance(loss, SmoothLoss):
        return Scored(loss, y, c)
    if callable(loss):
        return Given(loss, y, c)
    raise bad("minimise_risk", "loss", "a loss of mercer.solvers.losses or a function (y, f) -> (values, slopes)",
              repr(loss), "Give it a slope and a curvature, or pass a function.")  # fmt: skip


class Softmax:
    """c_i (log sum_k exp(f_ik) - f_i,y): minus the log probability of the class y_i."""

    def __init__(self, codes: Array, classes: int, c: Array) -> None:
        self.codes, self.outputs, self.c = codes, classes, c
        self.rows = np.arange(len(codes))

    def part(self, rows: Array, times: float) -> Softmax:
        return Softmax(self.codes[rows], self.outputs, times * self.c[rows])

    def value(self, f: Array) -> float:
        return float(-self.c @ log_softmax(f)[self.rows, self.codes])

    def slopes(self, f: Array) -> Array:
        G = softmax(f)
        G[self.rows, self.codes] -= 1.0
        return np.asarray(self.c[:, None] * G)

    def curvature(self, f: Array) -> Simplex:
        return Simplex(softmax(f), self.c)

    def balance(self, H: Array, r: Array) -> Array:
        """By Newton's method in as many unknowns as classes."""
        best = self.value(H + r)
        for _ in range(100):
            G = self.slopes(H + r)
            slope = G.sum(axis=0)
            if np.abs(slope).sum() <= 4.0 * _EPS * np.abs(G).sum():
                break
            W = self.curvature(H + r)
            curved = [[W.entry(a, b).sum() for b in range(self.outputs)] for a in range(self.outputs)]
            step = -np.linalg.pinv(curved, rcond=1e-14, hermitian=True) @ slope
            step *= min(1.0, 5.0 / np.abs(step).max())
            new = self.value(H + (r + step))
            while new > best and np.abs(step).max() > _EPS * (1.0 + np.abs(r).max()):
                step *= 0.5
                new = self.value(H + (r + step))
            if new > best or np.array_equal(r + step, r):
                break
            r, best = r + step, new
        return np.asarray(r - r.mean())


def balanced(target: Target, H: Array, r: Array) -> Array:
    """The offset of one output at which the slopes sum to zero: Newton's method inside a shrinking bracket."""
    low, high, before = -np.inf, np.inf, np.inf
    width, x = 1.0 + float(np.ptp(H)), float(r[0])
    for _ in range(200):
        G = target.slopes(H + x)
        slope, curved = float(G.sum()), float(target.curvature(H + x).size().sum())
        if abs(slope) <= 4.0 * _EPS * float(np.abs(G).sum()):
            break
        low, high = (low, x) if slope > 0.0 else (x, high)
        slow, before = abs(slope) > 0.5 * before, abs(slope)
        new = x - slope / curved if curved > 0.0 else np.nan
        if np.isfinite(high - low) and (slow or not low < new < high):
            new = 0.5 * (low + high)
        elif not abs(new - x) <= width:
            new, width = x - np.sign(slope) * width, 2.0 * width
        if new in (x, low, high):
            break
        x = float(new)
    return np.array([x])
