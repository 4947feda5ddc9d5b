"""Kernels of probability models, and kernels that learn one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mercer.models import GaussianMixture
from mercer.testing.reference.algebra import normalised as scaled
from mercer.testing.reference.registry import Function, formula, learned


@formula("ProbabilityProduct")
def probability_product(rho: float, length: int | None, normalised: bool) -> Function:
    """The integral of p^rho q^rho of two Gaussians, with the covariance and the mean of their product."""

    def product(p: Any, q: Any) -> float:
        D, P, Q = len(p.mean), np.linalg.inv(p.covariance), np.linalg.inv(q.covariance)
        S, h = np.linalg.inv(P + Q), P @ p.mean + Q @ q.mean
        exponent = p.mean @ P @ p.mean + q.mean @ Q @ q.mean - h @ S @ h
        sizes = [np.linalg.det(C) for C in (S, p.covariance, q.covariance)]
        constant = (2 * math.pi) ** ((1 - 2 * rho) * D / 2) * rho ** (-D / 2)
        return float(constant * sizes[0] ** 0.5 * (sizes[1] * sizes[2]) ** (-rho / 2) * math.exp(-rho / 2 * exponent))

    return scaled(product) if normalised else product


@learned("Fisher")
def fisher(training: Any, model: str, components: int, information: str, ridge: float) -> Function:
    """Sums over columns of products of gradients, each divided by the information of its parameter."""
    columns = list(zip(*[[float(x) for x in row] for row in training], strict=True))
    means = [sum(column) / len(column) for column in columns]
    variances = [sum((x - m) ** 2 for x in column) / len(column) for column, m in zip(columns, means, strict=True)]

    def gradients(x: Any) -> list[tuple[float, float]]:
        """(gradient, information) of every parameter."""
        if model == "bernoulli":
            return [((a - m) / (m * (1 - m)), 1 / (m * (1 - m))) for a, m in zip(x, means, strict=True) if 0 < m < 1]
        if model == "multinomial":
            total, draws = sum(means), max(round(sum(means)), 1)
            return [(a - sum(x) * m / total, draws * m / total) for a, m in zip(x, means, strict=True) if m > 0]
        of_means = [((a - m) / v, 1 / v) for a, m, v in zip(x, means, variances, strict=True)]
        of_variances = [(((a - m) ** 2 / v - 1) / (2 * v), 1 / (2 * v * v))
                        for a, m, v in zip(x, means, variances, strict=True)]  # fmt: skip
        return of_means if model == "gaussian mean" else of_means + of_variances

    def similarity(x: Any, y: Any) -> float:
        identity = information == "identity"
        pairs = zip(gradients(x), gradients(y), strict=True)
        return sum(g * h / (1.0 if identity else F) for (g, F), (h, _) in pairs)

    return similarity


@learned("GenerativeFeatures")
def generative_features(training: Any, kernel: Function, model: str, components: int) -> Function:
    """The kernel of p(component | x), by Bayes' rule from the densities of the components."""
    mixture = GaussianMixture.fit(np.array(training, dtype=float), components)

    def phi(x: Any) -> list[float]:
        joint = []
        for weight, mean, covariance in zip(mixture.weights, mixture.means, mixture.covariances, strict=True):
            apart = np.asarray(x) - mean
            distance = apart @ np.linalg.inv(covariance) @ apart
            joint.append(weight * math.exp(-distance / 2) / math.sqrt(np.linalg.det(2 * math.pi * covariance)))
        return [value / sum(joint) for value in joint]

    return lambda x, y: kernel(phi(x), phi(y))
