"""Least squares for a mean e^f: positive numbers with noise that does not grow with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mercer.errors import bad
from mercer.typing import Array


@dataclass(frozen=True)
class LogMean:
    """(y - e^f)^2 / 2, which is not convex in f; its curvature is the expected one, e^2f."""

    labels: ClassVar[bool] = False
    convex: ClassVar[bool] = False

    def __call__(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        """(values, slopes, curvatures)."""
        m = finite_exp(f)
        return 0.5 * (y - m) ** 2, (m - y) * m, m**2

    def constant(self, mean: float) -> float:
        if not mean > 0.0:
            raise bad("log link", "y", "numbers with a positive mean", f"the mean {mean:.3g}",
                      "Their mean is modelled as exp(f).")  # fmt: skip
        return float(np.log(mean))


def finite_exp(f: Array) -> Array:
    """e^f, kept finite: a step that is too long then has a huge loss, and is rejected."""
    return np.asarray(np.exp(np.minimum(f, 300.0)))
