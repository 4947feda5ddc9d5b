"""KernelRidge with method="nystrom": the passes of solvers/ridge/low_rank.py, and what is kept of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.errors import NotConverged, bad, warn
from mercer.solvers.ridge import low_rank
from mercer.solvers.ridge.low_rank import LEVERAGE_WORK, ONE_PASS, ONE_PASS_SINGLE, SINGLE_WORK, LowRankRidgeCertificate
from mercer.typing import Array

if TYPE_CHECKING:
    from mercer.estimators.ridge.kernel_ridge import KernelRidge


def fit(machine: KernelRidge, data: Any, blocks: Any, alphas: Array, choose: bool) -> None:
    """Choose alpha where there is a choice, solve, and keep the landmarks with their coefficients."""
    from mercer.estimators.ridge.kernel_ridge import require_positive_candidates

    require_positive_candidates(alphas, choose)
    n, free = len(blocks.used), bool(machine.fit_intercept)
    work = n * float(blocks.width) ** 2
    several = choose or len(alphas) > 1
    least = float(alphas.min())
    single = work >= SINGLE_WORK and low_rank.single_is_safe(blocks, data.factor, n, least, intercept=free)
    enough = low_rank.SINGLE_GAP if work >= SINGLE_WORK else low_rank.GAP
    path, right, alpha = None, None, alphas if len(alphas) > 1 else float(alphas[0])
    if blocks.width > (ONE_PASS_SINGLE if single else ONE_PASS) and not several:
        system, right = low_rank.sampled(blocks, data.factor, n, intercept=free)
    else:
        system = low_rank.one_pass(blocks, data.factor, intercept=free, single=single)
    if choose:
        exact = work <= LEVERAGE_WORK and n > 1 + free
        path = low_rank.leave_one_out(blocks, system, alphas) if exact else system.path(alphas)
        alpha = float(alphas[path.best])
    answer = low_rank.solve_low_rank(blocks, system, alpha, missed=system.missed, right=right, enough=enough)
    _keep(machine, data, system, answer, alpha)
    if path is not None:
        machine.gcv_ = path.gcv
    if path is not None and path.left is not None:
        machine.loo_error_ = path.errors
        machine._left_out = blocks.Y[blocks.used] - path.left[path.best]
    if not machine.converged_:
        warn(
            f"KernelRidge: the normal equations hold only to {answer.certificate.residual:.1e} of the targets: alpha = "
            f"{alpha} is too small for these landmarks. Choose a larger alpha, or fewer landmarks.",
            NotConverged,
        )  # fmt: skip


def _keep(machine: KernelRidge, data: Any, system: Any, answer: Any, alpha: Any) -> None:
    machine._forget_choice()
    measured = data.missing(system.sums.trace / system.share, system.missed, sampled=system.share < 1.0)
    machine._kept, machine.support_ = data.landmarks_only(measured), data.positions.astype(np.int32)
    machine._set_coefficients(answer.coef, answer.intercept)
    machine.alpha_, machine._factor, machine.solver_ = alpha, None, "landmarks"
    machine.certificate_ = answer.certificate
    machine.n_iter_, machine.converged_ = answer.certificate.n_iter, answer.certificate.converged


def verify(model: KernelRidge, X: Any, Y: Array, weight: Array) -> LowRankRidgeCertificate:
    """The proof of a model on landmarks, made again: one pass in double precision."""
    data: Any = model._data(X)
    blocks = data.blocks(Y, weight)
    coef = np.asarray(model.dual_coef_).reshape(len(model.dual_coef_), -1)
    if not np.array_equal(data.positions, model.support_) or len(coef) != data.rank:
        raise bad("verify", "X", "the items of the fit, from which its landmarks are chosen again", "other items",
                  "Pass the training data in their order.")  # fmt: skip
    intercept = np.atleast_1d(np.asarray(model.intercept_, dtype=float))
    missed = model.approximation_.trace_error
    return low_rank.prove_low_rank(blocks, data.factor, coef, intercept, model.alpha_, missed=missed)
