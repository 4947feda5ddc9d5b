"""Gaussian models: with a full covariance, and with independent columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.models import argument_checks as check
from mercer.typing import Array

_LOG_2PI = float(np.log(2.0 * np.pi))


@dataclass(frozen=True, eq=False)
class Gaussian:
    """N(mean, covariance) on R^D."""

    mean: Array
    covariance: Array

    def __post_init__(self) -> None:
        mean = check.numbers("Gaussian", "mean", self.mean, 1)
        covariance = check.numbers("Gaussian", "covariance", self.covariance, 2)
        if covariance.shape != (len(mean),) * 2 or not np.allclose(covariance, covariance.T, rtol=1e-8):
            raise bad("Gaussian", "covariance", f"symmetric, {len(mean)} x {len(mean)}", f"shape {covariance.shape}",
                      "It needs a row and a column for every entry of the mean.")  # fmt: skip
        object.__setattr__(self, "mean", mean)
        object.__setattr__(self, "covariance", covariance)
        _ = self.log_determinant

    @classmethod
    def of(cls, points: Any, ridge: float = 0.0) -> Self:
        """The Gaussian of one group of points: their mean and covariance, with `ridge` added to the variances."""
        points, ridge = check.rows("Gaussian", points), check.amount("Gaussian", "ridge", ridge)
        centred = points - points.mean(axis=0)
        return cls(points.mean(axis=0), centred.T @ centred / len(points) + ridge * np.eye(points.shape[1]))

    @property
    def width(self) -> int:
        """D."""
        return len(self.mean)

    @cached_property
    def log_determinant(self) -> float:
        """log |covariance|."""
        try:
            factor = np.linalg.cholesky(self.covariance)
        except np.linalg.LinAlgError:
            smallest = np.linalg.eigvalsh(self.covariance)[0]
            raise bad("Gaussian", "covariance", "positive definite", f"smallest eigenvalue {smallest:.3g}",
                      "Add a ridge to the variances: Gaussian.of(points, ridge=...).") from None  # fmt: skip
        return float(2.0 * np.log(np.diag(factor)).sum())

    def log_density(self, X: Any) -> Array:
        """log p(x) of every row."""
        centred = check.rows("Gaussian", X, 0) - self.mean
        distances = np.einsum("ij,ij->i", centred, np.linalg.solve(self.covariance, centred.T).T)
        return np.asarray(-0.5 * (distances + self.log_determinant + self.width * _LOG_2PI))

    @staticmethod
    def log_products(A: Sequence[Gaussian], B: Sequence[Gaussian], rho: float, length: int | None) -> Array:
        """log of the integral of p^rho q^rho for all pairs.

        With S = S_p + S_q it is (1/2 - rho) D log 2 pi - D/2 log rho - 1/2 log |S|
        + (1 - rho)/2 (log |S_p| + log |S_q|) - rho/2 (m_p - m_q)' S^-1 (m_p - m_q).
        """
        D = A[0].width
        means, covariances = np.array([q.mean for q in B]), np.array([q.covariance for q in B])
        logs = np.array([q.log_determinant for q in B])
        constant = (0.5 - rho) * D * _LOG_2PI - 0.5 * D * np.log(rho)
        out = np.empty((len(A), len(B)))
        for row, p in zip(out, A, strict=True):
            factors = np.linalg.cholesky(covariances + p.covariance)
            apart = np.linalg.solve(factors, (means - p.mean)[:, :, None])[:, :, 0]
            log_sums = 2.0 * np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)
            row[:] = constant - 0.5 * log_sums + 0.5 * (1.0 - rho) * (logs + p.log_determinant)
            row -= 0.5 * rho * np.einsum("ij,ij->i", apart, apart)
        return out


@dataclass(frozen=True, eq=False)
class DiagonalGaussian:
    """Independent columns N(mean_j, variance_j); the free parameters are all means, and all variances unless known."""

    mean: Array
    variance: Array
    variance_known: bool = False

    @classmethod
    def fit(cls, X: Any, variance_known: bool = False) -> Self:
        """Mean and variance of every column; columns without variance are given none and drop out of the scores."""
        X = check.rows("DiagonalGaussian", X)
        centre, largest = X.mean(axis=0), np.abs(X).max(axis=0)
        variance = ((X - centre) ** 2).mean(axis=0)
        return cls(centre, np.where(variance > (1e-14 * largest) ** 2, variance, 0.0), variance_known)

    def log_density(self, X: Any) -> Array:
        """log p(x) of every row, over the columns that vary."""
        varies = self.variance > 0.0
        X = check.rows("DiagonalGaussian", X, 0)[:, varies]
        variance = self.variance[varies]
        terms = (X - self.mean[varies]) ** 2 / variance + np.log(variance) + _LOG_2PI
        return np.asarray(-0.5 * terms.sum(axis=1))

    def scores(self, X: Any) -> Array:
        """d log p / d mean_j = (x - m) / v, and d log p / d variance_j = ((x - m)^2 / v - 1) / (2 v)."""
        varies = self.variance > 0.0
        variance = self.variance[varies]
        apart = check.rows("DiagonalGaussian", X, 0)[:, varies] - self.mean[varies]
        if self.variance_known:
            return np.asarray(apart / variance)
        return np.hstack([apart / variance, (apart**2 / variance - 1.0) / (2.0 * variance)])

    def information(self) -> Array:
        """The diagonal of the information: 1 / v for means, 1 / (2 v^2) for variances."""
        variance = self.variance[self.variance > 0.0]
        return 1.0 / variance if self.variance_known else np.concatenate([1.0 / variance, 0.5 / variance**2])
