"""Three flows of oil, water and gas in a pipe, seen by six beams: the data of E7, or a simulation of them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from mercer.typing import Array

VARIABLE = "MERCER_DATA"  # a folder that may hold
FILE = "oil_flow_100.npz"  # the hundred rows of the source
ROWS, NOISE = 100, 0.02
REGIMES = ("homogeneous", "stratified", "annular")


def oil_flow(seed: int) -> tuple[Array, Array, str]:
    """(rows of 12 numbers, regimes 0, 1, 2, where they came from)."""
    path = Path(os.environ.get(VARIABLE, "")) / FILE
    if os.environ.get(VARIABLE) and path.is_file():
        with np.load(path) as arrays:
            return arrays["X"].astype(float), arrays["y"].astype(int), "measured"
    return *simulated(ROWS, seed), "simulated"


def simulated(count: int, seed: int) -> tuple[Array, Array]:
    """Lengths of oil and of water on six beams through a round pipe, for random shares of both, with noise."""
    rng = np.random.default_rng(seed)
    regime = np.arange(count) % len(REGIMES)
    shares = rng.dirichlet([2.0, 2.0, 2.0], count)[:, :2]  # of oil and water; the rest is gas
    X = np.array([_beams(oil, water, int(kind)) for (oil, water), kind in zip(shares, regime, strict=True)])
    return X + NOISE * rng.normal(size=X.shape), regime


def _beams(oil: float, water: float, regime: int) -> Array:
    """Three vertical and three horizontal beams: the length of oil on each, then that of water."""
    t = np.linspace(-1.0, 1.0, 201)
    offsets = np.array([-0.6, 0.0, 0.6])
    across, along = np.meshgrid(offsets, t, indexing="ij")
    x, y = np.vstack([across, along]), np.vstack([along, across])
    inside = x**2 + y**2 <= 1.0
    lengths = [(inside * part).mean(axis=1) * 2.0 for part in _phases(x, y, oil, water, regime)]
    return np.concatenate(lengths)


def _phases(x: Array, y: Array, oil: float, water: float, regime: int) -> tuple[Array, Array]:
    """How much of each point is oil, and how much water."""
    if regime == 0:  # mixed
        return np.full_like(x, oil), np.full_like(x, water)
    if regime == 1:  # in layers, water at the bottom
        height = 0.5 * (y + 1.0)
        return (height >= water) & (height < water + oil), height < water
    radius = x**2 + y**2  # in rings, gas in the middle
    return (radius < 1.0 - water) & (radius >= 1.0 - water - oil), radius >= 1.0 - water
