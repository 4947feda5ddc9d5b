"""The best multiple of a function as an upper bound of the optimum, for many problems at once.

    P(m) = m^2/2 |w|^2 + m r'b + sum_i max_{lo <= c <= hi} [ c (z - m f) - epsilon |c| - ridge c^2 / 2 ]

P is the primal value of m f, offset r included; it is convex in m, and its minimum is found by halving an interval.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.typing import Array

_HALVINGS = 24  # of [0, 2]: m to 1e-7, enough because P is flat near its minimum


@dataclass(frozen=True, eq=False)
class Multiples:
    """Functions f of problems in one long array, `sizes` items each, and |w|^2 and r'b of every problem."""

    f: Array
    z: Array
    lo: Array
    hi: Array
    epsilon: float
    ridge: Array  # one number per item, or none
    sizes: Array
    norm2: Array
    rb: Array

    def best(self) -> Array:
        """The least P of every problem."""
        low, high = np.zeros(len(self.sizes)), np.full(len(self.sizes), 2.0)
        for _ in range(_HALVINGS):
            m = 0.5 * (low + high)
            falls = m * self.norm2 + self.rb < self._sums(self._maximiser(self._left(m)) * self.f)
            low, high = np.where(falls, m, low), np.where(falls, high, m)
        return np.asarray(np.fmin(self._value(low), self._value(high)))

    def _value(self, m: Array) -> Array:
        t = self._left(m)
        c = self._maximiser(t)
        gain = c * t - self.epsilon * np.abs(c)
        if len(self.ridge):
            gain -= 0.5 * self.ridge * c * c
        return np.asarray(0.5 * m * m * self.norm2 + m * self.rb + self._sums(gain))

    def _left(self, m: Array) -> Array:
        """z - m f."""
        return np.asarray(self.z - np.repeat(m, self.sizes) * self.f)

    def _maximiser(self, t: Array) -> Array:
        """The c at which c t - epsilon |c| - ridge c^2 / 2 is largest."""
        beyond = np.sign(t) * np.maximum(np.abs(t) - self.epsilon, 0.0)
        if len(self.ridge):
            return np.clip(beyond / self.ridge, self.lo, self.hi)
        return np.where(beyond > 0.0, self.hi, np.where(beyond < 0.0, self.lo, 0.0))

    def _sums(self, x: Array) -> Array:
        """The sum of every problem."""
        return np.asarray(np.add.reduceat(x, np.cumsum(self.sizes) - self.sizes))
