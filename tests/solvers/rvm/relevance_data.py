"""Small problems for the tests of relevance vector machines, and their evidence written out in full."""

from __future__ import annotations

import numpy as np
from scipy.special import log_softmax
from scipy.stats import multivariate_normal

from mercer.gram import StoredGram
from mercer.kernels import RBF
from mercer.solvers.rvm.basis import Basis
from mercer.solvers.rvm.gaussian import Gaussian
from mercer.solvers.rvm.laplace import Laplace


def sinc(n=60, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    X = np.sort(rng.uniform(-10.0, 10.0, size=(n, 1)), axis=0)
    return X, np.sinc(X[:, 0] / np.pi) + noise * rng.normal(size=n)


def classes(n=80, edges=(0.6,), seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.digitize(np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 + 0.4 * rng.normal(size=n), edges)


def numbers(n=60, beta=None, weight=None, seed=0, noise=0.1):
    X, y = sinc(n, noise, seed)
    return Gaussian(Basis(StoredGram(RBF(2.0)(X))), y, np.ones(n) if weight is None else weight, beta)


def labels(n=80, edges=(0.6,), weight=None, seed=0):
    X, y = classes(n, edges, seed)
    basis = Basis(StoredGram(RBF(1.0)(X)))
    return Laplace(basis, y, len(edges) + 1, np.ones(n) if weight is None else weight)


def matrix(model):
    """Phi of a model, with its column of ones."""
    return np.column_stack([model.basis.K, np.ones(model.basis.n)])


def gaussian_evidence(Phi, y, alpha, beta):
    """log N(y | 0, I / beta + Phi A^-1 Phi')."""
    C = np.eye(len(y)) / beta + (Phi / alpha) @ Phi.T
    return multivariate_normal(np.zeros(len(y)), C).logpdf(y)


def laplace_evidence(model, index, tau, w):
    """Laplace's evidence at weights w, from the Hessian of all weights written out row by row."""
    Phi, C = matrix(model), model.C
    J = np.zeros((len(Phi), C, len(index)))  # df_ic / dw_j
    for j, i in enumerate(index):
        J[:, i // model.N, j] = Phi[:, i % model.N]
    f = J @ w
    log_p = log_softmax(f if C > 1 else np.column_stack([0.0 * f, f]), axis=1)
    p = np.exp(log_p[:, -C:])
    H = np.diag(1.0 / tau)
    for i, row in enumerate(J):
        H += model.weight[i] * row.T @ (np.diag(p[i]) - np.outer(p[i], p[i])) @ row
    likelihood = model.weight @ log_p[np.arange(len(f)), model.codes]
    slope = np.einsum("icj,ic->j", J, model.weight[:, None] * (model.y - p)) - w / tau
    value = likelihood - 0.5 * w @ (w / tau) - 0.5 * np.log(tau).sum() - 0.5 * np.linalg.slogdet(H)[1]
    return value, slope, H
