"""The evidence of Gaussian process regression from log |M| and G = [Y H]'M^-1 [Y H], for methods that never store M.

y = f + H b + e,    cov(f + e) = M,    a flat prior on b,    q targets, h columns of H

evidence  = -1/2 (tr Y'P Y + q (log |M| + log |H'M^-1 H| + (n - h) log 2 pi))
P         = M^-1 - M^-1 H (H'M^-1 H)^-1 H'M^-1
"""

from __future__ import annotations

import numpy as np

from mercer.typing import Array

_LOG_2PI = float(np.log(2.0 * np.pi))


def evidence_of(log_determinant: float, G: Array, n: int, q: int) -> float:
    """log p(Y), summed over the q columns, restricted if H has columns."""
    h = len(G) - q
    fit = np.trace(G[:q, :q])
    if h:
        fit -= np.trace(G[:q, q:] @ weights_of(G, q))
        log_determinant += float(np.linalg.slogdet(G[q:, q:])[1])
    return float(-0.5 * (fit + q * (log_determinant + (n - h) * _LOG_2PI)))


def slope_of(G: Array, log_slope: float, dG: Array, q: int) -> float:
    """The derivative of `evidence_of`, given those of log |M| and of G."""
    fit = np.trace(dG[:q, :q])
    if len(G) > q:
        b = weights_of(G, q)
        fit += np.trace(b.T @ dG[q:, q:] @ b) - 2.0 * np.trace(b.T @ dG[q:, :q])
        log_slope = log_slope + float(np.trace(np.linalg.solve(G[q:, q:], dG[q:, q:])))
    return float(-0.5 * (fit + q * log_slope))


def weights_of(G: Array, q: int) -> Array:
    """b (h, q): the generalised least squares estimate of the mean."""
    return np.asarray(np.linalg.solve(G[q:, q:], G[q:, :q]))
