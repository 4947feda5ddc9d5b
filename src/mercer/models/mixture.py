"""Mixtures of Gaussians, fitted by EM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from mercer.errors import bad
from mercer.models import argument_checks as check
from mercer.typing import Array

_LOG_2PI = float(np.log(2.0 * np.pi))
_LLOYD = 10  # steps of k-means from which EM starts


@dataclass(frozen=True, eq=False)
class GaussianMixture:
    """p(x) = sum_k weights_k N(x; means_k, covariances_k); with `diagonal`, only variances are free parameters.

    `log_likelihoods` are the mean log p(x) before each step of EM, which never fall.
    """

    weights: Array
    means: Array
    covariances: Array
    diagonal: bool = False
    log_likelihoods: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        weights = check.probabilities("GaussianMixture", "weights", self.weights)
        means = check.numbers("GaussianMixture", "means", self.means, 2)
        covariances = check.numbers("GaussianMixture", "covariances", self.covariances, 3)
        K, D = means.shape
        if len(weights) != K or covariances.shape != (K, D, D):
            raise bad("GaussianMixture", "covariances", f"of shape {(K, D, D)}, with {K} weights",
                      f"{covariances.shape} and {len(weights)} weights", "One of each per component.")  # fmt: skip
        try:
            np.linalg.cholesky(covariances)
        except np.linalg.LinAlgError:
            raise bad("GaussianMixture", "covariances", "positive definite", "a singular one",
                      "Raise the ridge, or ask for fewer components.") from None  # fmt: skip
        for name, found in (("weights", weights), ("means", means), ("covariances", covariances)):
            object.__setattr__(self, name, found)

    @classmethod
    def fit(
        cls, X: Any, components: int, *, diagonal: bool = True, ridge: float = 1e-6, tol: float = 1e-8,
        max_iter: int = 200, seed: int = 0,
    ) -> Self:  # fmt: skip
        """EM from k-means; `ridge` times the variance of a column is added to its variance in every component."""
        components = check.count("GaussianMixture", "components", components)
        X = check.rows("GaussianMixture", X, components)
        floor = check.amount("GaussianMixture", "ridge", ridge) * np.maximum(X.var(axis=0), np.finfo(float).tiny)
        floor = np.where(X.var(axis=0) > 0.0, floor, 1.0)  # a constant column gets variance 1: it decides nothing
        shares = np.eye(components)[_nearest_centres(X, components, seed)]
        history: list[float] = []
        for _ in range(max_iter):
            model = _maximised(X, shares, floor, diagonal)
            joint = model._log_joint(X)
            log_p = _log_sums(joint)
            shares = np.exp(joint - log_p[:, None])
            history.append(float(log_p.mean()))
            if len(history) > 1 and history[-1] - history[-2] <= tol * max(abs(history[-1]), 1.0):
                break
        return cls(model.weights, model.means, model.covariances, diagonal, tuple(history))

    @classmethod
    def from_fitted(cls, model: Any) -> Self:
        """The same mixture from a fitted object with scikit-learn's attributes: weights_, means_, covariances_."""
        K, D = np.shape(model.means_)
        kind, found = model.covariance_type, np.asarray(model.covariances_, dtype=float)
        if kind == "full":
            full = found
        elif kind == "tied":
            full = np.broadcast_to(found, (K, D, D))
        else:
            full = np.array([np.eye(D) * row for row in np.reshape(found, (K, -1))])
        return cls(model.weights_, model.means_, full, kind in ("diag", "spherical"))

    def log_density(self, X: Any) -> Array:
        """log p(x) of every row."""
        return _log_sums(self._log_joint(check.rows("GaussianMixture", X, 0)))

    def posteriors(self, X: Any) -> Array:
        """p(component | x), a row per item that sums to 1."""
        joint = self._log_joint(check.rows("GaussianMixture", X, 0))
        return np.asarray(np.exp(joint - _log_sums(joint)[:, None]))

    def scores(self, X: Any) -> Array:
        """The derivatives of log p(x): in the exponents of the weights, in the means, in the (co)variances.

        With r_k = p(k | x), S_k the covariance and z = S_k^-1 (x - m_k) they are r_k - weights_k, r_k z, and
        r_k (z z' - S_k^-1) / 2, where an entry off the diagonal counts twice as it moves two entries of S_k.
        """
        X = check.rows("GaussianMixture", X, 0)
        shares = self.posteriors(X)
        precisions = np.linalg.inv(self.covariances)
        lower, column = np.tril_indices(X.shape[1])
        if self.diagonal:
            lower = column = np.arange(X.shape[1])
        twice = np.where(lower == column, 0.5, 1.0)
        parts = [shares - self.weights]
        for r, mean, precision in zip(shares.T, self.means, precisions, strict=True):
            Z = (X - mean) @ precision
            parts.append(r[:, None] * Z)
            parts.append(r[:, None] * twice * (Z[:, lower] * Z[:, column] - precision[lower, column]))
        return np.hstack(parts)

    def information(self) -> None:
        """No formula is known: the integral over x has no closed form."""

    def _log_joint(self, X: Array) -> Array:
        """log weights_k + log N(x; m_k, S_k), one column per component."""
        out = np.empty((len(X), len(self.weights)))
        for k, (mean, covariance) in enumerate(zip(self.means, self.covariances, strict=True)):
            factor = np.linalg.cholesky(covariance)
            Z = np.linalg.solve(factor, (X - mean).T)
            log_scale = np.log(np.diag(factor)).sum()
            out[:, k] = -0.5 * ((Z**2).sum(axis=0) + X.shape[1] * _LOG_2PI) - log_scale
        return np.asarray(out + check.log_or_minus_infinity(self.weights))


def _log_sums(joint: Array) -> Array:
    """log sum_k exp(joint_k) of every row; no row has only entries of -inf."""
    peak = joint.max(axis=1, keepdims=True)
    return np.asarray(peak[:, 0] + np.log(np.exp(joint - peak).sum(axis=1)))


def _maximised(X: Array, shares: Array, floor: Array, diagonal: bool) -> GaussianMixture:
    """The mixture of highest expected likelihood, given the share of every component in every item."""
    totals = np.maximum(shares.sum(axis=0), 1e-300)
    means = shares.T @ X / totals[:, None]
    covariances = []
    for r, total, mean in zip(shares.T, totals, means, strict=True):
        centred = X - mean
        second = (r[:, None] * centred).T @ centred / total
        covariances.append(np.diag(np.diag(second) + floor) if diagonal else second + np.diag(floor))
    return GaussianMixture(totals / totals.sum(), means, np.array(covariances), diagonal)


def _nearest_centres(X: Array, components: int, seed: int) -> Array:
    """Clusters by k-means++ and a few steps of k-means, on standardised columns."""
    rng = np.random.default_rng(seed)
    spread = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    centres = Z[[rng.integers(len(Z))]]
    for _ in range(components - 1):
        near = _square_distances(Z, centres).min(axis=1)
        total = near.sum()
        pick = rng.choice(len(Z), p=near / total) if total > 0.0 else rng.integers(len(Z))
        centres = np.vstack([centres, Z[pick]])
    for _ in range(_LLOYD):
        labels = _square_distances(Z, centres).argmin(axis=1)
        centres = np.array(
            [Z[labels == k].mean(axis=0) if (labels == k).any() else centres[k] for k in range(components)]
        )
    return np.asarray(_square_distances(Z, centres).argmin(axis=1))


def _square_distances(Z: Array, centres: Array) -> Array:
    return np.asarray(((Z[:, None] - centres) ** 2).sum(axis=2))
