"""Frequencies of stationary kernels: k(x, y) = E cos(w'(x - y)) over a distribution of w (Bochner).

    RBF                  w = z / l, z standard normal
    Matern, Exponential  w = z / (l sqrt(u)), u = chi^2 with 2 nu degrees of freedom, divided by them: Student's t
    RationalQuadratic    w = z sqrt(t) / l, t of the gamma distribution with shape alpha and mean 1
    Laplacian            w_k of the Cauchy distribution, divided by l_k

Of the radial ones (all but the Laplacian) directions may be orthogonal: |z| and the direction of z are independent, so
directions that are the rows of random orthogonal matrices leave the distribution of every w as it is.  The mean of the
waves has the same expectation, and for moderate distances a smaller variance.
"""

from __future__ import annotations

import numpy as np

from mercer.errors import bad
from mercer.kernels.additive import Laplacian
from mercer.kernels.base import Kernel
from mercer.kernels.radial import RBF, Exponential, Matern, RationalQuadratic
from mercer.parameters import value
from mercer.typing import Array


def frequencies(kernel: Kernel, D: int, count: int, rng: np.random.Generator, *, orthogonal: bool = True) -> Array:
    """(count, D): so many frequencies of a kernel on D columns."""
    if isinstance(kernel, Laplacian):
        return np.asarray(rng.standard_cauchy(size=(count, D)) / kernel.scales)
    if not isinstance(kernel, (RBF, Matern, Exponential, RationalQuadratic)):
        raise bad("RandomFeatures", "kernel", "RBF, Matern, Exponential, RationalQuadratic or Laplacian", repr(kernel),
                  "Nystroem has features of any kernel.")  # fmt: skip
    z = _orthogonal(D, count, rng) if orthogonal else rng.normal(size=(count, D))
    return np.asarray(z * _spread(kernel, count, rng)[:, None] / kernel.scales)


def _spread(kernel: Kernel, count: int, rng: np.random.Generator) -> Array:
    """What normal vectors are multiplied by: scales of a mixture of Gaussian kernels."""
    if isinstance(kernel, RationalQuadratic):
        shape = float(value(kernel.alpha))
        return np.sqrt(rng.gamma(shape, 1.0 / shape, size=count))
    nu = 0.5 if isinstance(kernel, Exponential) else getattr(kernel, "nu", np.inf)
    if np.isinf(nu):
        return np.ones(count)
    return np.asarray(1.0 / np.sqrt(rng.chisquare(2.0 * nu, size=count) / (2.0 * nu)))


def _orthogonal(D: int, count: int, rng: np.random.Generator) -> Array:
    """Normal vectors whose directions are orthogonal within groups of D."""
    groups = []
    for _ in range(-(-count // D)):
        Q, R = np.linalg.qr(rng.normal(size=(D, D)))
        groups.append(Q * np.sign(np.diagonal(R)))  # uniform among orthogonal matrices
    lengths = np.sqrt(rng.chisquare(D, size=count))
    return np.asarray(np.vstack(groups)[:count] * lengths[:, None])
