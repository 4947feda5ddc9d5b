"""The numbers that the probes pass in many forms.

They are few eighths, small whole numbers or bits, so that every number type holds them exactly and their products and
sums are exact in any order: a machine must then give the same answer, not nearly the same.
"""

from __future__ import annotations

import numpy as np

n = 24
_rng = np.random.default_rng(0)
EIGHTHS = _rng.integers(-16, 17, (n, 3)) / 8.0
WHOLE = _rng.integers(-3, 4, (n, 3)).astype(float)
BITS = _rng.integers(0, 2, (n, 5)).astype(float)
PLAIN = {"eighths": EIGHTHS, "whole": WHOLE, "bits": BITS}
_score = EIGHTHS[:, 0] + EIGHTHS[:, 1] ** 2 / 2.0 + _rng.integers(-8, 9, n) / 8.0
NUMBERS = _score
CODES = np.digitize(_score, np.quantile(_score, [0.35, 0.7]))
TWO = (_score > np.median(_score)).astype(int)
