"""Spectra and feature maps known in closed form, to compare the numerical ones with."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.theory.eigenfunctions import Eigensystem
from mercer.typing import Array


def brownian_spectrum(rank: int) -> Eigensystem:
    """min(s, t) on [0, 1]: lambda_i = 1 / ((i - 1/2) pi)^2, psi_i(t) = sqrt 2 sin((i - 1/2) pi t), i = 1, 2, ..."""
    frequency = (np.arange(rank) + 0.5) * np.pi
    return Eigensystem(frequency**-2.0, lambda t: np.sqrt(2.0) * np.sin(_column(t) * frequency))


def gaussian_spectrum(rank: int, lengthscale: float = 1.0, deviation: float = 1.0) -> Eigensystem:
    """exp(-(x - y)^2 / 2 l^2) under N(0, s^2): lambda_i = sqrt(2a/A) (b/A)^i, i = 0, 1, ...

    With a = 1/4s^2, b = 1/2l^2, c = sqrt(a^2 + 2ab), A = a + b + c, the eigenfunctions are
    psi_i(x) = (c/a)^(1/4) exp(-(c - a) x^2) H_i(sqrt(2c) x) / sqrt(2^i i!), H_i the Hermite polynomials.
    """
    _positive("gaussian_spectrum", "lengthscale and deviation", min(lengthscale, deviation))
    a, b = 0.25 / deviation**2, 0.5 / lengthscale**2
    c = np.sqrt(a * a + 2.0 * a * b)
    A = a + b + c

    def functions(x: Any) -> Array:
        x = _column(x)
        return np.asarray((c / a) ** 0.25 * np.exp(-(c - a) * x * x) * _hermite(np.sqrt(2.0 * c) * x, rank))

    return Eigensystem(np.sqrt(2.0 * a / A) * (b / A) ** np.arange(rank), functions)


def gaussian_features(x: Any, s: float, terms: int) -> Array:
    """(n, terms): phi_m(x) = exp(-x^2 / 2s^2) x^m / (s^m sqrt(m!)), whose full sum is exp(-(x - z)^2 / 2s^2).

    The largest terms are those near m = x^2 / s^2: take clearly more of them than that.
    """
    _positive("gaussian_features", "s", s)
    _positive("gaussian_features", "terms", terms)
    u = np.asarray(x, dtype=float).ravel() / s
    phi = np.empty((len(u), terms))
    phi[:, 0] = np.exp(-0.5 * u * u)
    for m in range(1, terms):
        phi[:, m] = phi[:, m - 1] * u / np.sqrt(m)
    return phi


def _hermite(x: Array, rank: int) -> Array:
    """H_i(x) / sqrt(2^i i!) for i < rank, by the three-term recurrence; x is a column."""
    h = np.ones((len(x), rank))
    before = np.zeros(len(x))
    for i in range(rank - 1):
        h[:, i + 1] = (np.sqrt(2.0) * x[:, 0] * h[:, i] - np.sqrt(i) * before) / np.sqrt(i + 1.0)
        before = h[:, i]
    return h


def _column(x: Any) -> Array:
    return np.asarray(x, dtype=float).reshape(-1, 1)


def _positive(owner: str, name: str, number: float) -> None:
    if not number > 0.0:
        raise bad(owner, name, "positive", number, "Choose another.")
