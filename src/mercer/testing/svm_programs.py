"""Support vector machines as quadratic programs, as textbooks write them.

In every dual here the multiplier of the equality is the intercept b of f = sum_i beta_i k(x_i, .) + b.
"""

from __future__ import annotations

import numpy as np

from mercer.testing.quadratic_program import QP
from mercer.typing import Array


def svc_primal(X: Array, y: Array, C: float) -> QP:
    """min 1/2 |w|^2 + C sum xi,  y_i (w'x_i + b) >= 1 - xi_i,  xi >= 0,  in x = (w, b, xi): D + 1 + n variables.

    C = inf is the hard margin, in x = (w, b): infeasible unless a hyperplane separates the classes.
    """
    n, D = X.shape
    soft = n if np.isfinite(C) else 0
    margins = np.hstack([y[:, None] * X, y[:, None], np.eye(n)[:, :soft]])
    positive = np.hstack([np.zeros((soft, D + 1)), np.eye(soft)])
    return QP(
        P=np.diag(np.repeat([1.0, 0.0], [D, 1 + soft])),
        q=np.repeat([0.0, C if soft else 0.0], [D + 1, soft]),
        G=-np.vstack([margins, positive]),
        h=-np.repeat([1.0, 0.0], [n, soft]),
    )


def svc_dual(K: Array, y: Array, C: float | Array) -> QP:
    """min 1/2 a'Qa - sum a,  Q_ij = y_i y_j K_ij,  0 <= a_i <= C_i,  y'a = 0: n variables, beta = a o y.

    C = inf is the hard margin: unbounded unless a hyperplane separates the classes.
    """
    n = len(y)
    return QP(np.outer(y, y) * K, -np.ones(n), *_box(n, C), A=y[None, :], b=np.zeros(1))


def nu_svc_dual(K: Array, y: Array, nu: float) -> QP:
    """min 1/2 a'Qa,  0 <= a <= 1/n,  y'a = 0,  sum a >= nu: feasible for nu <= 2 min(n+, n-) / n; beta = a o y.

    rho is the multiplier of the last inequality, b that of the equality; y f = rho on the margin.
    """
    n = len(y)
    G, h = _box(n, 1.0 / n)
    G, h = np.vstack([G, -np.ones(n)]), np.append(h, -nu)
    return QP(np.outer(y, y) * K, np.zeros(n), G, h, A=y[None, :], b=np.zeros(1))


def svr_primal(X: Array, y: Array, C: float, epsilon: float) -> QP:
    """min 1/2 |w|^2 + C sum(xi + xi'),  -eps - xi'_i <= y_i - w'x_i - b <= eps + xi_i,  in x = (w, b, xi, xi').

    2n + D + 1 variables.
    """
    n, D = X.shape
    f, eye, none = np.hstack([X, np.ones((n, 1))]), np.eye(n), np.zeros((n, n))
    above, below = np.hstack([-f, -eye, none]), np.hstack([f, none, -eye])
    positive = np.hstack([np.zeros((2 * n, D + 1)), -np.eye(2 * n)])
    return QP(
        P=np.diag(np.repeat([1.0, 0.0], [D, 1 + 2 * n])),
        q=np.repeat([0.0, C], [D + 1, 2 * n]),
        G=np.vstack([above, below, positive]),
        h=np.concatenate([epsilon - y, epsilon + y, np.zeros(2 * n)]),
    )


def svr_dual(K: Array, y: Array, C: float | Array, epsilon: float) -> QP:
    """min 1/2 beta'K beta - y'beta + eps sum(a + a'),  sum beta = 0,  0 <= a, a' <= C,  beta = a - a'.

    2n variables x = (a, a'): a pushes f up towards y, a' down.
    """
    C = np.tile(np.broadcast_to(C, len(y)), 2)
    return QP(_differences(K), np.concatenate([epsilon - y, epsilon + y]), *_box(2 * len(y), C), *_balance(len(y)))


def nu_svr_dual(K: Array, y: Array, C: float, nu: float) -> QP:
    """min 1/2 beta'K beta - y'beta,  sum beta = 0,  sum(a + a') <= C nu,  0 <= a, a' <= C/n,  beta = a - a'.

    2n variables x = (a, a'); epsilon is the multiplier of sum(a + a') <= C nu.
    """
    n = len(y)
    G, h = _box(2 * n, C / n)
    return QP(
        _differences(K), np.concatenate([-y, y]), np.vstack([G, np.ones(2 * n)]), np.append(h, C * nu), *_balance(n)
    )


def one_class_dual(K: Array, nu: float) -> QP:
    """min 1/2 a'Ka,  0 <= a <= 1,  sum a = nu n: n variables, beta = a; the intercept is -rho."""
    n = len(K)
    return QP(K, np.zeros(n), *_box(n, 1.0), A=np.ones((1, n)), b=np.array([nu * n]))


def _box(n: int, C: float | Array) -> tuple[Array, Array]:
    """G, h of 0 <= x <= C; an infinite bound has no row."""
    C = np.broadcast_to(C, n)
    bounded = np.isfinite(C)
    return np.vstack([-np.eye(n), np.eye(n)[bounded]]), np.concatenate([np.zeros(n), C[bounded]])


def _differences(K: Array) -> Array:
    """The quadratic form beta'K beta in (a, a') with beta = a - a'."""
    return np.block([[K, -K], [-K, K]])


def _balance(n: int) -> tuple[Array, Array]:
    """A, b of sum(a - a') = 0."""
    return np.repeat([[1.0, -1.0]], n, axis=1), np.zeros(1)
