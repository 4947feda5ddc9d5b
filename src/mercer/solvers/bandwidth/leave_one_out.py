"""Leave-one-out scores of many bandwidths at once.

    leave_one_out_densities(X, bandwidths)     (m, n): log f_-i(x_i) for every bandwidth and row
    leave_one_out_likelihoods(X, bandwidths)   (m,): their sums over rows; -inf if a compact window leaves a row alone
    best_of(X, bandwidths)                     the bandwidth with the largest sum

f_-i(x) = sum_{j != i} w_j k_h(x - x_j) / sum_{j != i} w_j with one bandwidth for all columns; divide columns by numbers
first for one of each column.  For a Gaussian window all bandwidths share one pass over the pairs of rows, with a
relative error of densities below 1e-10; other windows are evaluated tile by tile.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logsumexp

from mercer.engine.tiles import cuts
from mercer.errors import bad
from mercer.solvers.bandwidth.pair_sums import log_sums
from mercer.solvers.bandwidth.sample import checked_rows, checked_weights
from mercer.typing import Array
from mercer.windows import Gaussian, Window

_OWNER = "leave_one_out"
_PANEL = 256  # rows whose distances to all others are stored at a time


def leave_one_out_densities(X: Any, bandwidths: Any, weights: Any = None, window: Window | None = None) -> Array:
    """log f_-i(x_i), one row per bandwidth and one column per row of X."""
    X = checked_rows(_OWNER, X)
    h, w = _positive(bandwidths), checked_weights(_OWNER, weights, len(X))
    if np.count_nonzero(w) < 2:
        raise bad(_OWNER, "X", "two rows or more of positive weight", f"{np.count_nonzero(w)}",
                  "A row can only be left out if others are left.")  # fmt: skip
    w = w / w.max()
    w /= w.sum()
    unit = float((X.max(axis=0) / 2.0 - X.min(axis=0) / 2.0).max()) or 1.0
    columns = np.ascontiguousarray(((X - X.min(axis=0)) / unit).T)
    kind = Gaussian() if window is None else window
    logs = _gaussian(columns, w, h / unit) if isinstance(kind, Gaussian) else _other(columns, w, h / unit, kind)
    D = len(columns)
    return np.asarray(logs - np.log1p(-w) - (kind.log_mass(D) + D * np.log(h))[:, None])


def leave_one_out_likelihoods(X: Any, bandwidths: Any, weights: Any = None, window: Window | None = None) -> Array:
    """sum_i log f_-i(x_i) for every bandwidth; with weights, n times the weighted mean."""
    logs = leave_one_out_densities(X, bandwidths, weights, window)
    w = checked_weights(_OWNER, weights, logs.shape[1])
    used = w > 0.0
    return np.asarray(logs[:, used] @ (w[used] / w[used].sum())) * np.count_nonzero(used)


def best_of(X: Any, bandwidths: Any, weights: Any = None, window: Window | None = None) -> float:
    """The bandwidth with the largest leave-one-out likelihood; the first of equal ones."""
    scores = leave_one_out_likelihoods(X, bandwidths, weights, window)
    if not (scores > -np.inf).any():
        raise bad(_OWNER, "bandwidths", "large enough that every row has another one within the window",
                  f"at most {np.max(bandwidths)}", "Try larger ones, or a window without bounded support.")  # fmt: skip
    return float(np.asarray(bandwidths, dtype=np.float64)[int(np.argmax(scores))])


def _gaussian(columns: Array, w: Array, h: Array) -> Array:
    """log sum_{j != i} w_j f(|x_i - x_j| / h); rows of weight 0 add nothing to others."""
    return log_sums(columns, w, 0.5 / h**2).logs


def _other(columns: Array, w: Array, h: Array, window: Window) -> Array:
    """The same for any window, from its profile."""
    out = np.empty((len(h), len(w)))
    for r in cuts(len(w), _PANEL):
        distances = np.sqrt(((columns[:, r, None] - columns[:, None, :]) ** 2).sum(axis=0))
        own = np.arange(r.stop - r.start)
        for k, width in enumerate(h):
            logs = window.log_profile(distances / width)
            logs[own, own + r.start] = -np.inf
            out[k, r] = _log_sum(logs, w)
    return out


def _log_sum(logs: Array, w: Array) -> Array:
    """log sum_j w_j exp(logs_ij), -inf where all are."""
    with np.errstate(divide="ignore"):
        return np.asarray(logsumexp(logs, axis=1, b=w))


def _positive(bandwidths: Any) -> Array:
    h = np.atleast_1d(np.asarray(bandwidths, dtype=np.float64))
    if h.ndim != 1 or not len(h) or not (np.isfinite(h) & (h > 0.0)).all():
        raise bad(_OWNER, "bandwidths", "positive numbers", bandwidths, "They are widths of the window.")
    return h
