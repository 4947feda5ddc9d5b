"""Data sets that several figures share."""

from __future__ import annotations

import numpy as np

from mercer.typing import Array

_CENTRES = np.array([[[-0.7, 0.3], [0.3, 0.3]], [[-0.3, 0.7], [0.4, 0.7]]])  # two in each class, as in Ripley's data


def clusters(n: int, seed: int) -> tuple[Array, Array]:
    """Two overlapping classes in the plane, of two normal clusters each."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, n)
    return _CENTRES[label, rng.integers(0, 2, n)] + np.sqrt(0.03) * rng.normal(size=(n, 2)), label


def clouds(n: int, seed: int, apart: float) -> tuple[Array, Array]:
    """Two normal clouds in the plane, their centres 2 * apart from each other in both directions; labels 0 and 1."""
    rng = np.random.default_rng(seed)
    label = np.arange(n) % 2
    return rng.normal(size=(n, 2)) + apart * (2.0 * label[:, None] - 1.0), label


def noisy_sinc(n: int, seed: int, noise: float = 0.1) -> tuple[Array, Array]:
    """sin(x) / x on (-10, 10) with normal noise."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-10.0, 10.0, n))
    return x[:, None], np.sinc(x / np.pi) + noise * rng.normal(size=n)


def split(n: int, m: int) -> list[tuple[Array, Array]]:
    """One split: the first n items to fit, the next m to test."""
    return [(np.arange(n), np.arange(n, n + m))]
