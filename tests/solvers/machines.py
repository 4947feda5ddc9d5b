"""Every machine of the family on one small dataset: our problem, the same as a quadratic program, and its primal in
the words of the textbook."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from mercer.solvers.dual import DualProblem, nu_svc, nu_svr, one_class, svc, svr
from mercer.solvers.losses import EpsilonInsensitive, Hinge, SquaredHinge
from mercer.testing.quadratic_program import QP
from mercer.testing.svm_programs import nu_svc_dual, nu_svr_dual, one_class_dual, svc_dual, svr_dual

n = 36
rng = np.random.default_rng(7)
X = rng.normal(size=(n, 3))
y = np.where(X[:, 0] + 0.8 * rng.normal(size=n) > 0.0, 1.0, -1.0)
t = X[:, 0] ** 2 + 0.3 * rng.normal(size=n)
K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
C = rng.uniform(0.1, 3.0, n)


@dataclass(frozen=True, eq=False)
class Machine:
    """`coefficients(x)` makes those of f of the variables of `qp`; `scale` is ours over theirs.

    `loss(Kb, bias, margin)` is the primal in the words of the textbook, without 1/2 |w|^2.
    """

    problem: DualProblem
    qp: QP
    coefficients: Callable[[np.ndarray], np.ndarray]
    loss: Callable[[np.ndarray, float, float], float]
    scale: float = 1.0
    K: np.ndarray = field(default_factory=lambda: K)

    def folded(self, b):
        """One coefficient per sample."""
        return b.reshape(-1, n).sum(axis=0)

    def gradient(self, b):
        """F = (K + diag(ridge)) b - z on the variables."""
        return np.tile(self.K @ self.folded(b), len(b) // n) - self.problem.z + self.problem.ridge_times(b)

    def norm2(self, b):
        """|w|^2."""
        beta = self.folded(b)
        return beta @ self.K @ beta

    def primal(self, b, bias, margin):
        """1/2 |w|^2 and the loss."""
        return 0.5 * self.norm2(b) + self.loss(self.K @ self.folded(b), bias, margin)


def _unbiased(qp):
    return replace(qp, A=np.empty(0), b=np.empty(0))


def _weighted(bound, losses):
    """sum C_i loss_i, where an infinite C allows no loss at all."""
    C = np.broadcast_to(bound, len(losses))
    return float((C[losses > 0.0] * losses[losses > 0.0]).sum())


def _svc(bound=2.0, *, bias=True, squared=False, K=K):
    qp = svc_dual(K + np.diag(np.full(n, 0.5 / bound)), y, np.inf) if squared else svc_dual(K, y, bound)
    cost = SquaredHinge() if squared else Hinge()
    return Machine(
        svc(y, bound, bias=bias, squared=squared),
        qp if bias else _unbiased(qp),
        lambda x: x * y,
        lambda Kb, r, _: _weighted(bound, cost.value(y * (Kb + r))),
        K=K,
    )


def _svr(bound=3.0, epsilon=0.1, *, bias=True, squared=False, K=K):
    Q = K + np.diag(np.full(n, 0.5 / bound)) if squared else K
    qp = svr_dual(Q, t, np.inf if squared else bound, epsilon)
    tube = EpsilonInsensitive(epsilon)
    return Machine(
        svr(t, bound, epsilon, bias=bias, squared=squared),
        qp if bias else _unbiased(qp),
        lambda x: x[:n] - x[n:],
        lambda Kb, r, _: _weighted(bound, tube.value(t - Kb - r) ** (2 if squared else 1)),
        K=K,
    )


def _nu_svr(nu, bound=2.0):
    def loss(Kb, r, epsilon):
        return bound * float(nu * n * epsilon + np.maximum(0.0, np.abs(t - Kb - r) - epsilon).sum())

    return Machine(nu_svr(t, nu, bound), nu_svr_dual(K, t, n * bound, nu), lambda x: x[:n] - x[n:], loss)


def _nu_svc(nu):
    def loss(Kb, r, rho):
        return float(-nu * n * rho + np.maximum(0.0, rho - y * (Kb + r)).sum())

    return Machine(nu_svc(y, nu), nu_svc_dual(K, y, nu), lambda x: x * y, loss, scale=n)


def _one_class(nu):
    def loss(Kb, r, _):
        return float(nu * n * r + np.maximum(0.0, -r - Kb).sum())

    return Machine(one_class(n, nu), one_class_dual(K, nu), lambda x: x, loss)


MACHINES = {
    "svc": _svc(),
    "svc, tiny C": _svc(1e-3),
    "svc, a C for each": _svc(C),
    "svc, hard": _svc(np.inf),
    "svc, squared slacks": _svc(squared=True),
    "svc, no bias": _svc(bias=False),
    "svc, bias in the norm": _svc(bias=False, K=K + 1.0),
    "svc, squared, no bias": _svc(bias=False, squared=True),
    "svr": _svr(),
    "svr, no tube": _svr(epsilon=0.0),
    "svr, a C for each": _svr(C),
    "svr, squared slacks": _svr(squared=True),
    "svr, bias in the norm": _svr(bias=False, K=K + 1.0),
    "svr, squared, no bias": _svr(bias=False, squared=True),
    "one class": _one_class(0.3),
    "nu svc": _nu_svc(0.4),
    "nu svr": _nu_svr(0.3),
    "nu svr, nu 1": _nu_svr(1.0),
}
