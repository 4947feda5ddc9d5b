"""Window: a smoothing kernel, a symmetric density around 0 with a finite variance.

A window is given by its profile f(r) >= 0 at distances r >= 0, with f(0) = 1; its mass need not be 1.  In D columns

    w(x) = f(|x|) / mass(D),        mass(D) = area(D) moment(D - 1),        moment(p) = integral of f(r) r^p over r >= 0

where area(D) is that of the unit sphere: so the constant is right in every dimension.  With a bandwidth h the window is
h^-D w(x / h); with one bandwidth for each column, every column is divided by its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from scipy.special import gammaln

from mercer.errors import bad
from mercer.typing import Array


def log_sphere_area(columns: int) -> float:
    """The logarithm of the area of the unit sphere in so many columns; 2 points for one column."""
    return float(np.log(2.0) + 0.5 * columns * np.log(np.pi) - gammaln(0.5 * columns))


class Window(ABC):
    """A smoothing kernel.  A subclass gives `radius`, `profile`, `log_moment`, `partial_moment` and `radii`."""

    radius: ClassVar[float]  # the profile is 0 beyond it; inf for windows that are positive everywhere

    # ---- what a subclass gives

    @abstractmethod
    def profile(self, r: Any) -> Array:
        """f(r) at distances r >= 0; f(0) = 1."""

    def log_profile(self, r: Any) -> Array:
        """log f(r); -inf where f is 0."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.profile(r)))

    def stretch(self, r: Any) -> Array:
        """-r f'(r): how fast f(r / h) rises with log h, at h = 1; by differences unless a subclass knows better."""
        r = np.asarray(r, dtype=np.float64)
        step = 1e-5
        return np.asarray((self.profile(r * np.exp(-step)) - self.profile(r * np.exp(step))) / (2.0 * step))

    @abstractmethod
    def log_moment(self, p: float, squared: bool = False) -> float:
        """The logarithm of the integral of f(r) r^p over r >= 0, or of f(r)^2 r^p."""

    @abstractmethod
    def partial_moment(self, order: int, x: Any) -> Array:
        """The integral of u^order w(u) over u <= x in one column, for order 0, 1 and 2."""

    @abstractmethod
    def radii(self, size: int, columns: int, random: Any) -> Array:
        """Distances from 0 of so many points that are drawn from the window in D columns."""

    # ---- what follows

    def __call__(self, x: Any) -> Array:
        """w(x) in one column, which integrates to 1."""
        return np.asarray(self.profile(np.abs(x)) / self.mass())

    def log(self, x: Any) -> Array:
        """log w(x) in one column; -inf outside of the support."""
        return self.log_profile(np.abs(x)) - self.log_mass()

    def cdf(self, x: Any) -> Array:
        """The integral of w up to x, in one column."""
        return self.partial_moment(0, x)

    def log_mass(self, columns: int = 1) -> float:
        """The logarithm of the integral of f(|x|) over D columns."""
        return log_sphere_area(columns) + self.log_moment(columns - 1)

    def mass(self, columns: int = 1) -> float:
        """The integral of f(|x|) over D columns: the window is f divided by it."""
        return float(np.exp(self.log_mass(columns)))

    def second_moment(self, columns: int = 1) -> float:
        """The variance of every column under the radial window in D columns."""
        return float(np.exp(self.log_moment(columns + 1) - self.log_moment(columns - 1)) / columns)

    def roughness(self, columns: int = 1) -> float:
        """The integral of w^2, of the radial window in D columns."""
        log = log_sphere_area(columns) + self.log_moment(columns - 1, squared=True) - 2.0 * self.log_mass(columns)
        return float(np.exp(log))

    def canonical(self, columns: int = 1) -> float:
        """(roughness / second_moment^2)^(1 / (D + 4)).

        Two windows smooth equally if their bandwidths have the ratio of these numbers.
        """
        return float((self.roughness(columns) / self.second_moment(columns) ** 2) ** (1.0 / (columns + 4)))

    def radial(self, x: Any, bandwidth: Any = 1.0) -> Array:
        """c_D f(|x / h|) / (h_1 ... h_D) for rows x of D columns."""
        return np.exp(self.log_radial(x, bandwidth))

    def log_radial(self, x: Any, bandwidth: Any = 1.0) -> Array:
        """The logarithm of `radial`."""
        rows, logs = _scaled(x, bandwidth)
        return self.log_profile(np.sqrt((rows**2).sum(axis=-1))) - self.log_mass(rows.shape[-1]) - logs

    def product(self, x: Any, bandwidth: Any = 1.0) -> Array:
        """The product over columns of w(x_j / h_j) / h_j; equal to `radial` for the Gaussian only."""
        return np.exp(self.log_product(x, bandwidth))

    def log_product(self, x: Any, bandwidth: Any = 1.0) -> Array:
        """The logarithm of `product`."""
        rows, logs = _scaled(x, bandwidth)
        return np.asarray(self.log(rows).sum(axis=-1) - logs)

    def sample(self, size: int, columns: int, random: Any) -> Array:
        """Rows drawn from the radial window; `random` is a generator of NumPy."""
        directions = random.standard_normal((size, columns))
        directions /= np.sqrt((directions**2).sum(axis=1, keepdims=True))
        return np.asarray(directions * self.radii(size, columns, random)[:, None])


def _scaled(x: Any, bandwidth: Any) -> tuple[Array, float]:
    """Rows divided by the bandwidths, and the sum of the logarithms of these over all columns."""
    rows = np.atleast_1d(np.asarray(x, dtype=np.float64))
    h = np.broadcast_to(np.asarray(bandwidth, dtype=np.float64), rows.shape[-1:])
    if not ((h > 0.0) & np.isfinite(h)).all():
        raise bad("Window", "bandwidth", "positive and finite", bandwidth, "It is the width of the window.")
    return rows / h, float(np.log(h).sum())
