"""Functions of the squared distance: f(s) and df/ds, one pass over a tile, which is overwritten.

Only in place: with two arrays that might overlap the compiler could not use vector instructions.
"""

from __future__ import annotations

from math import sqrt

from mercer.compiled.exp import exp_minus
from mercer.compiled.jit import compiled


@compiled
def exponential(S, c):
    """S <- exp(-c S): the Gaussian kernel of a squared distance, the Laplacian of an absolute one."""
    c = S.dtype.type(c)
    for i in range(S.shape[0]):
        for j in range(S.shape[1]):
            S[i, j] = exp_minus(c * S[i, j])


@compiled
def polynomial_exponential(S, c, coefficients):
    """S <- P(t) exp(-t), t = sqrt(c S): the Matern kernels of half-integer order; highest power first."""
    c = S.dtype.type(c)
    for i in range(S.shape[0]):
        for j in range(S.shape[1]):
            t = S.dtype.type(sqrt(c * S[i, j]))
            p = S.dtype.type(0.0)
            for a in coefficients:
                p = p * t + S.dtype.type(a)
            S[i, j] = p * exp_minus(t)


@compiled
def ornstein_uhlenbeck_slope(S, c):
    """S <- d/ds exp(-sqrt(c s)) = -(c/2) exp(-t) / t, and 0 at s = 0, where it only ever multiplies 0."""
    c = S.dtype.type(c)
    for i in range(S.shape[0]):
        for j in range(S.shape[1]):
            t = S.dtype.type(sqrt(c * S[i, j]))
            S[i, j] = -c / 2 * exp_minus(t) / t if t > 0 else 0 * t
