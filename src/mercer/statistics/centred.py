"""Centred Grams HKH, H = I - 11'/n: all that the statistics depend on."""

from __future__ import annotations

import numpy as np

from mercer.engine import fill
from mercer.engine.tiles import cuts
from mercer.estimators.training_data import Data
from mercer.typing import Array


def centred(owner: str, data: Data) -> Array:
    """HKH in an array of its own."""
    n = len(data)
    fill.require_memory(f"{owner}: a centred Gram of {n} items", 3 * 8 * n * n,
                        "Pass null='blocks', which needs no Gram, or fewer items.")  # fmt: skip
    given = data.kernel is None  # then the matrix is the user's, and is not overwritten
    K = np.array(data.gram().dense(), dtype=np.float64, copy=True if given else None)
    return centre(K)


def centre(K: Array) -> Array:
    """HKH; K is overwritten."""
    means = K.mean(axis=0)
    K -= means
    K -= (means - means.mean())[:, None]
    return K


def u_centred(K: Array) -> Array:
    """The matrix whose products of entries off the diagonal give the unbiased statistic; K is overwritten.

    K_ij - (r_i + r_j) / (n-2) + s / ((n-1) (n-2)) with r the sums of rows without the diagonal, s their sum; 0 on it.
    """
    n = len(K)
    np.fill_diagonal(K, 0.0)
    r = K.sum(axis=0)
    K -= r / (n - 2)
    K -= (r / (n - 2) - r.sum() / ((n - 1) * (n - 2)))[:, None]
    np.fill_diagonal(K, 0.0)
    return K


def upper_stripes(K: Array) -> list[tuple[slice, Array]]:
    """(rows r, part) with a'Ka = sum_r a_r' part a_{r.start:}, in single precision; a little over half of K.

    Entries right of the diagonal blocks stand for those below, too, and are doubled.
    """
    stripes = []
    for r in cuts(len(K), max(64, -(-len(K) // 8))):
        part = K[r, r.start :].astype(np.float32)
        part[:, r.stop - r.start :] *= 2.0
        stripes.append((r, part))
    return stripes
