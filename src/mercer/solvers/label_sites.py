"""Labels as functions of latent values, item by item: what Laplace's approximation through landmarks asks of them.

    log p(y_i | f_i)    and its slope g_i, (C,), for the C functions of a model
    W_i                 minus its second derivative, (C, C)
    dW_i / df_ic        as it moves the evidence, with a covariance S_i of f_i: -1/2 sum_ab S_iab dW_iab / df_ic

Latent values are (n, C), with one column for two classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mercer.solvers.laplace_softmax import log_and_slope
from mercer.solvers.losses import Likelihood, softmax
from mercer.typing import Array


class Sites(Protocol):
    """The labels of n items under a likelihood of C functions."""

    @property
    def functions(self) -> int:
        """C."""

    def log_and_slope(self, F: Array) -> tuple[float, Array]:
        """log p(y | f), and its slope (n, C)."""

    def curvature(self, F: Array) -> Array:
        """W (n, C, C)."""

    def skewed(self, F: Array, S: Array) -> Array:
        """-1/2 sum_ab S_ab dW_ab / df_c, (n, C)."""


@dataclass(frozen=True, eq=False)
class SignSites:
    """Labels -1 and +1 under a likelihood of two classes; an item of weight w counts as w equal items."""

    y: Array
    weight: Array
    likelihood: Likelihood

    functions = 1

    def log_and_slope(self, F: Array) -> tuple[float, Array]:
        z = self.y * F[:, 0]
        slope = -self.weight * self.y * self.likelihood.slope(z)
        return -float(self.weight @ self.likelihood.value(z)), slope[:, None]

    def curvature(self, F: Array) -> Array:
        return np.asarray(self.weight * self.likelihood.curvature(self.y * F[:, 0]))[:, None, None]

    def skewed(self, F: Array, S: Array) -> Array:
        z = self.y * F[:, 0]
        W = self.weight * self.likelihood.curvature(z)
        return np.asarray(0.5 * W * S[:, 0, 0] * self.y * self.likelihood.skew(z))[:, None]


@dataclass(frozen=True, eq=False)
class SoftmaxSites:
    """Labels 0 ... functions - 1 under the softmax; an item of weight w counts as w equal items."""

    codes: Array
    weight: Array
    functions: int

    def log_and_slope(self, F: Array) -> tuple[float, Array]:
        return log_and_slope(self.codes, self.weight, F)

    def curvature(self, F: Array) -> Array:
        """w (diag(pi) - pi pi')."""
        P = softmax(F)
        W = -P[:, :, None] * P[:, None, :]
        own = np.arange(self.functions)
        W[:, own, own] += P
        return np.asarray(self.weight[:, None, None] * W)

    def skewed(self, F: Array, S: Array) -> Array:
        """-1/2 w pi_c (t_c - sum_a pi_a t_a), where t_c = S_cc - 2 (S pi)_c."""
        P = softmax(F)
        t = np.diagonal(S, axis1=1, axis2=2) - 2.0 * np.einsum("iab,ib->ia", S, P)
        return np.asarray(-0.5 * self.weight[:, None] * P * (t - (P * t).sum(axis=1, keepdims=True)))
