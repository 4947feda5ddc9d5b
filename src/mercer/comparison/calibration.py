"""How far stated probabilities are from what happens.

Of predictions made with a confidence of 80 %, eight in ten should come true; of numbers predicted as N(mean, std^2),
eight in ten should lie in the central interval of 80 %.

    log_losses, normal_losses    -log p(y) of every item
    reliability                  predictions in bins of confidence, with the share of each bin that came true
    expected_error               the mean distance between confidence and that share
    coverage_error               the mean distance between a level and the share of numbers in its interval
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.typing import Array

LEAST = float(np.finfo(float).eps)  # smaller probabilities count as this one in a loss, as in scikit-learn
LEVELS = np.linspace(0.05, 0.95, 19)
_TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True)
class Bin:
    """`count` predictions with confidences in (low, high]: their mean confidence, and the share that came true."""

    low: float
    high: float
    count: int
    confidence: float
    accuracy: float


def log_losses(P: Array, classes: Array, y: Array) -> Array:
    """-log of the probability of the true class; a class that was not in training has the probability LEAST."""
    place = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    p = np.where(classes[place] == y, P[np.arange(len(y)), place], 0.0)
    return np.asarray(-np.log(np.clip(p, LEAST, 1.0)))


def normal_losses(mean: Array, std: Array, y: Array) -> Array:
    """-log N(y | mean, std^2), of a predicted number."""
    std = np.maximum(std, _TINY)
    return np.asarray(0.5 * np.log(2.0 * np.pi) + np.log(std) + 0.5 * ((y - mean) / std) ** 2)


def reliability(confidence: Any, hit: Any, bins: int = 10) -> list[Bin]:
    """Bins of equal width over [0, 1], without empty ones."""
    confidence, hit = np.asarray(confidence, dtype=float), np.asarray(hit, dtype=float)
    if not isinstance(bins, Integral) or bins < 1:
        raise bad("reliability", "bins", "an integer >= 1", repr(bins), "10 are usual.")
    if confidence.shape != hit.shape or confidence.ndim != 1:
        raise bad("reliability", "confidence and hit", "one number each for every prediction",
                  f"shapes {confidence.shape} and {hit.shape}", "Pass max(P, axis=1) and predicted == y.")  # fmt: skip
    if not ((confidence >= 0.0) & (confidence <= 1.0)).all():
        raise bad("reliability", "confidence", "between 0 and 1",
                  f"{confidence.min(initial=0.0)} to {confidence.max(initial=0.0)}", "Pass probabilities.")  # fmt: skip
    place = np.clip(np.ceil(confidence * bins).astype(int) - 1, 0, bins - 1)
    found = [(b, place == b) for b in np.unique(place)]
    return [
        Bin(b / bins, (b + 1) / bins, int(here.sum()), float(confidence[here].mean()), float(hit[here].mean()))
        for b, here in found
    ]


def expected_error(confidence: Any, hit: Any, bins: int = 10) -> float:
    """sum over bins of count / n |accuracy - confidence|: 0 for honest probabilities, at most 1."""
    found = reliability(confidence, hit, bins)
    total = sum(b.count for b in found)
    return sum(b.count * abs(b.accuracy - b.confidence) for b in found) / total if total else 0.0


def central_levels(mean: Array, std: Array, y: Array) -> Array:
    """P(|Y - mean| <= |y - mean|) for Y ~ N(mean, std^2): the level of the central interval that ends at y."""
    from scipy.special import erf

    return np.asarray(erf(np.abs(y - mean) / np.maximum(std, _TINY) / np.sqrt(2.0)))


def coverage_error(levels: Array) -> float:
    """The mean of |share of y inside - level| over central intervals of 5 %, 10 %, ..., 95 %."""
    return float(np.mean([abs(np.mean(levels <= level) - level) for level in LEVELS]))
