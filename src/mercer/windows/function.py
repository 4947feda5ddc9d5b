"""A window from a function of the user, checked by quadrature when it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial.legendre import leggauss

from mercer.errors import bad
from mercer.typing import Array
from mercer.windows.window import Window

_PANELS, _NODES = 256, 8  # of the quadrature
_SYMMETRY = 1e-9  # of f(0): how far f(-x) may be from f(x)
_TAIL = 1e-10  # the share of the mass beyond the point where a window of infinite radius is cut


@dataclass(frozen=True)
class FunctionWindow(Window):
    """A window with f(x) = function(x) / function(0), for a vectorised function of numbers of either sign.

    function   >= 0, symmetric around 0, never rising with the distance, and of finite variance; its integral need
               not be 1
    radius     it counts as 0 beyond this distance; inf if it is positive everywhere
    """

    function: Callable[[Array], Array]
    radius: float = 1.0  # type: ignore[misc]

    def __post_init__(self) -> None:
        if not float(self.radius) > 0.0:
            raise bad("FunctionWindow", "radius", "positive", self.radius, "Pass inf for a window without an end.")
        top = np.asarray(self.function(np.zeros(1)), dtype=np.float64)
        if top.shape != (1,) or not np.isfinite(top[0]) or not top[0] > 0.0:
            raise bad("FunctionWindow", "function(0)", "a positive number", top, "It must take and give arrays.")
        object.__setattr__(self, "_top", float(top[0]))
        self._check_shape()
        self._check_moments()

    def _check_shape(self) -> None:
        """Symmetric, >= 0, and never rising."""
        r = np.linspace(0.0, self._end(), 2049)
        right, left = self._raw(r), self._raw(-r)
        if not np.isfinite(right).all() or (right < 0.0).any():
            worst = r[int(np.argmax(~np.isfinite(right) | (right < 0.0)))]
            raise bad("FunctionWindow", "function", "finite and >= 0", f"another value at {worst:.6g}",
                      "Take its absolute value, or a smaller radius.")  # fmt: skip
        if np.abs(right - left).max() > _SYMMETRY:
            worst = r[int(np.argmax(np.abs(right - left)))]
            raise bad("FunctionWindow", "function", "symmetric: f(-x) = f(x)", f"two values at +-{worst:.6g}",
                      "A window has mean 0.")  # fmt: skip
        if (np.diff(right) > _SYMMETRY).any():
            worst = r[int(np.argmax(np.diff(right)))]
            raise bad("FunctionWindow", "function", "never rising with the distance", f"a rise after {worst:.6g}",
                      "Nearer points must count as much or more.")  # fmt: skip

    def _check_moments(self) -> None:
        """The second moment is positive and finite, also when the range of the quadrature doubles."""
        if np.isfinite(self.radius):
            return
        once, twice = (self._integral(2, end) for end in (self._end(), 2.0 * self._end()))
        if not np.isfinite(twice) or twice > once * (1.0 + 1e-3):
            raise bad("FunctionWindow", "function", "of finite variance", f"tails with {twice / once - 1.0:.1e} of it",
                      "Pass a radius to cut it.")  # fmt: skip

    def _raw(self, x: Array) -> Array:
        return np.asarray(np.asarray(self.function(x), dtype=np.float64) / self.__dict__["_top"])

    def _end(self) -> float:
        """Where quadrature stops: the radius, or the distance beyond which the function is negligible."""
        if np.isfinite(self.radius):
            return float(self.radius)
        end = 1.0
        while end < 1e6 and float(self._raw(np.array([end]))[0]) * end**3 > _TAIL:
            end *= 1.25
        return end

    def _panels(self, end: float) -> tuple[Array, Array]:
        """Nodes and weights, by panels on [0, end]."""
        nodes, weights = leggauss(_NODES)
        edges = np.linspace(0.0, end, _PANELS + 1)
        half = 0.5 * np.diff(edges)[:, None]
        return edges[:-1, None] + half * (nodes + 1.0), half * weights

    def _integral(self, p: float, end: float, squared: bool = False) -> float:
        r, weights = self._panels(end)
        return float((weights * self.profile(r) ** (2 if squared else 1) * r**p).sum())

    def profile(self, r: Any) -> Array:
        r = np.asarray(r, dtype=np.float64)
        inside = r <= self.radius
        return np.where(inside, self._raw(np.where(inside, r, 0.0)), 0.0)

    def log_moment(self, p: float, squared: bool = False) -> float:
        return float(np.log(self._integral(p, self._end(), squared)))

    def _cumulative(self, p: float) -> tuple[Array, Array]:
        """Edges of the panels, and the share of the integral of f(r) r^p up to each."""
        r, weights = self._panels(self._end())
        sums = np.concatenate([[0.0], np.cumsum((weights * self.profile(r) * r**p).sum(axis=1))])
        return np.linspace(0.0, self._end(), _PANELS + 1), sums / sums[-1]

    def partial_moment(self, order: int, x: Any) -> Array:
        x = np.asarray(x, dtype=np.float64)
        edges, shares = self._cumulative(order)
        r = np.minimum(np.abs(x), edges[-1])
        panel = np.minimum((r / edges[1]).astype(np.intp), _PANELS - 1)
        nodes, weights = leggauss(_NODES)
        half = 0.5 * (r - edges[panel])[..., None]
        points = edges[panel][..., None] + half * (nodes + 1.0)
        rest = (half * weights * self.profile(points) * points**order).sum(axis=-1)
        total = 0.5 * np.exp(self.log_moment(order) - self.log_moment(0))
        inner = total * shares[panel] + 0.5 * rest * np.exp(-self.log_moment(0))
        return np.asarray(inner - total if order % 2 else total + np.sign(x) * inner)

    def radii(self, size: int, columns: int, random: Any) -> Array:
        edges, shares = self._cumulative(columns - 1)
        return np.asarray(np.interp(random.random(size), shares, edges))
