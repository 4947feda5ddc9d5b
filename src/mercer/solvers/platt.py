"""From decision values to probabilities: Platt's sigmoid for two classes, and coupling of pairs for more.

A sigmoid p = sigm(A f + B) is fitted by maximum likelihood to decision values f of points the machine was *not*
fitted on.  The labels are replaced by the smoothed targets (N+ + 1)/(N+ + 2) and 1/(N- + 2), the posterior means of
the two class probabilities under uniform priors (Platt, 2000), so that perfectly separated values still have a
finite optimum.  As B is free, p > 1/2 and f > 0 may disagree.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.errors import bad
from mercer.native import sigmoid
from mercer.typing import Array


@dataclass(frozen=True)
class Platt:
    """p = sigm(A f + B); A > 0 if a larger f makes the positive class more probable.

    `gradient` is the norm of the gradient of the mean log loss in units of the spread of f; 0 at the optimum.
    """

    A: float
    B: float
    gradient: float
    n_iter: int
    converged: bool

    def probability(self, f: Array) -> Array:
        """P(y = +1 | f), monotone in f."""
        return _sigm(self.A * np.asarray(f, dtype=float) + self.B)


def platt(
    f: Array,
    y: Array,
    *,
    sample_weight: Array | None = None,
    smooth: bool = True,
    tol: float = 1e-10,
    max_iter: int = 100,
) -> Platt:
    """minimise -sum_i w_i (t_i log p_i + (1 - t_i) log(1 - p_i)),  p = sigm(A f + B), by Newton's method.

    An item of weight w counts as w items.  smooth=False takes the labels 0 and 1 themselves as targets; then separated
    values have no finite optimum, and A grows until the gradient is below `tol`.  Constant f give A = 0.
    """
    f, y, w = _checked(f, y, sample_weight)
    target, w = _targets(y, w, smooth), w / w.sum()
    # with f standardised, the problem is well conditioned and its solution does not depend on the units of f
    middle = float(w @ f)
    spread = float(np.sqrt(w @ (f - middle) ** 2))
    constant = spread <= 1e-12 * abs(middle)
    units = np.zeros_like(f) if constant else (f - middle) / spread
    mean = float(w @ target)
    slope, offset, gradient, n_iter = sigmoid.newton(units, target, w, np.log(mean / (1.0 - mean)), tol, max_iter)
    A = 0.0 if constant else slope / spread
    return Platt(A, offset - A * middle, gradient, n_iter, gradient <= tol)


def couple(pairs: Array) -> Array:
    """Class probabilities (m, k) from pairwise ones (m, k (k - 1) / 2): P(i | i or j) for i < j, in the order of triu.

    minimise sum_{i != j} (r_ji p_i - r_ij p_j)^2 subject to sum p = 1 (Wu, Lin & Weng, 2004, second method), which
    recovers p exactly when the pairs agree.  The optimum solves a linear system and is not negative.  The system is
    regular for all r_ij + r_ji = 1 in [0, 1]: a v with r_ji v_i = r_ij v_j for all pairs has entries of one sign.
    """
    pairs = np.atleast_2d(np.asarray(pairs, dtype=float))
    k = round(0.5 + np.sqrt(0.25 + 2.0 * pairs.shape[1]))
    if pairs.shape[1] != k * (k - 1) // 2 or not ((pairs >= 0.0) & (pairs <= 1.0)).all():
        raise bad("couple", "pairs", "probabilities, k (k - 1) / 2 columns for k classes", f"shape {pairs.shape}",
                  "Give P(i | i or j) for (0, 1), (0, 2), ..., (k - 2, k - 1).")  # fmt: skip
    (i, j), m = np.triu_indices(k, 1), len(pairs)
    R = np.zeros((m, k, k))
    R[:, i, j], R[:, j, i] = pairs, 1.0 - pairs
    M = np.ones((m, k + 1, k + 1))
    M[:, :k, :k] = np.eye(k) * (R**2).sum(axis=1)[:, None, :] - R * R.transpose(0, 2, 1)
    M[:, k, k] = 0.0
    right = np.zeros((m, k + 1, 1))
    right[:, k] = 1.0
    p = np.maximum(np.linalg.solve(M, right)[:, :k, 0], 0.0)
    return np.asarray(p / p.sum(axis=1, keepdims=True))


def _targets(y: Array, w: Array, smooth: bool) -> Array:
    """(N+ + 1) / (N+ + 2) for the positive points and 1 / (N- + 2) for the others, or 1 and 0."""
    if not smooth:
        return np.asarray(np.where(y > 0.0, 1.0, 0.0))
    positive, negative = w[y > 0.0].sum(), w[y < 0.0].sum()
    return np.asarray(np.where(y > 0.0, (positive + 1.0) / (positive + 2.0), 1.0 / (negative + 2.0)))


def _sigm(z: Array) -> Array:
    from scipy.special import expit

    return np.asarray(expit(z))


def _checked(f: Array, y: Array, sample_weight: Array | None) -> tuple[Array, Array, Array]:
    f, y = np.asarray(f, dtype=float), np.asarray(y, dtype=float)
    w = np.ones_like(f) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    if f.ndim != 1 or y.shape != f.shape or w.shape != f.shape:
        raise bad(
            "platt", "f, y and sample_weight", "vectors of one length", (f.shape, y.shape, w.shape), "Ravel them."
        )
    if not np.isfinite(f).all():
        raise bad("platt", "f", "finite", "NaN or infinity", "Check the machine that made these values.")
    if not (np.isfinite(w).all() and (w >= 0.0).all()):
        raise bad("platt", "sample_weight", "finite and not negative", w.min(initial=0.0), "Leave it out for ones.")
    if not np.isin(y, (-1.0, 1.0)).all() or len(np.unique(y[w > 0.0])) < 2:
        raise bad("platt", "y", "labels -1 and +1, both present", np.unique(y), "Calibrate on both classes.")
    return f, y, w
