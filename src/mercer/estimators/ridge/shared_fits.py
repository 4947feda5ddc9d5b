"""Kernel ridge regressions of one kernel, for all folds and all alphas in one call.

They are solved by conjugate gradients that share products with one Gram (solvers/ridge/batched.py).  Where these do not
converge, because alpha is small for this Gram, a Cholesky factor is used.  Leaving out one item at a time has a closed
form (solvers/ridge/leave_one_out.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

import numpy as np

from mercer.estimators.base import weights
from mercer.estimators.regressor import columns_of
from mercer.estimators.ridge.kernel_ridge import KernelRidge
from mercer.estimators.shared_fits import Fit, Fits, Fold, GivenPredictions, SharedFits, are_numbers, passes
from mercer.linalg.spectrum import Spectrum
from mercer.solvers import ridge
from mercer.solvers.ridge import Targets
from mercer.solvers.ridge.batched import solve_batched
from mercer.solvers.ridge.batched_systems import Column
from mercer.typing import Array

GAP = 1e-7  # relative gap of a fit; values are then right to about its square root, and scores to 1e-5
MOST = 40  # steps of conjugate gradients; after so many a factor is quicker


def offer_of_ridge(machine: KernelRidge, y: Array, psd: bool | None, leave_one_out: bool) -> SharedFits | None:
    """All machines with one positive alpha each, on all folds."""
    one = isinstance(machine.alpha, Real) and 0.0 < float(machine.alpha) < np.inf
    by_gram = machine.solver in ("auto", "dual", "eigen")
    if not one or not by_gram or not passes(psd, machine.check_psd) or not are_numbers(y, most=2):
        return None
    return SharedFits(fit_left_out if leave_one_out else fit_ridges, bool(machine.fit_intercept))


def fit_ridges(machines: Sequence[KernelRidge], folds: Sequence[Fold]) -> Fits:
    """All machines on all folds."""
    K, alphas = folds[0].K, np.array([float(machine.alpha) for machine in machines])
    tasks = [_targets(fold, machines[0]) for fold in folds]
    columns = [column for fold, t in zip(folds, tasks, strict=True) for column in _columns(fold, t)]
    cells = solve_batched(K, columns, alphas, tol=GAP, most=MOST, go_on=folds[0].go_on)
    out: Fits = []
    first = 0
    for fold, t in zip(folds, tasks, strict=True):
        part = slice(first, first + t.k)
        out.append(_fits(alphas, fold, t, cells.values[part], cells.gaps[part].max(axis=0)))
        first += t.k
    return out


def _targets(fold: Fold, machine: KernelRidge) -> Targets:
    weight = weights("KernelRidge", fold.weight, len(fold.train))
    return Targets(columns_of(fold.y[fold.train]), weight, bool(machine.fit_intercept))


def _columns(fold: Fold, t: Targets) -> list[Column]:
    """One system per output of a fold, on all items; items outside of the training set have weight zero."""
    s, Y = np.zeros(len(fold.K)), np.zeros((t.k, len(fold.K)))
    s[fold.train], Y[:, fold.train] = t.s, t.Y.T
    return [Column(s, target, t.intercept) for target in Y]


def _fits(alphas: Array, fold: Fold, t: Targets, F: Array, gaps: Array) -> list[Fit | None]:
    """The fits of a fold from F (outputs, alphas, items); where the gap is too large, by a factor if there is time."""
    out: list[Fit | None] = []
    for m, alpha in enumerate(alphas):
        values, gap = F[:, m, fold.scored].T, float(gaps[m])
        if gap > GAP:
            if not fold.go_on():
                out.append(None)
                continue
            values, gap = _factorised(fold, t, float(alpha))
        out.append(fold.fit(GivenPredictions(), values[:, 0] if fold.y.ndim == 1 else values, gap))
    return out


def _factorised(fold: Fold, t: Targets, alpha: float) -> tuple[Array, float]:
    """The values on the scored items by a Cholesky factor, and their gap."""
    used = np.flatnonzero(t.weight)
    items, part = fold.train[used], t.rows(used)
    K = fold.K[np.ix_(items, items)].astype(np.float64)
    answer = ridge.solve_ridge(ridge.factorised(part.scale(K.copy()), alpha), part, alpha)
    proof = ridge.certify_ridge(part, answer, alpha, K @ answer.coef)
    return fold.values(items, answer.coef) + answer.intercept, proof.relative_gap


def fit_left_out(machines: Sequence[KernelRidge], folds: Sequence[Fold]) -> Fits:
    """All machines where every fold leaves out one item: from one decomposition of the whole Gram."""
    fold = folds[0]
    K = np.array(fold.K, dtype=np.float64)
    t = Targets(columns_of(fold.y), np.ones(len(K)), bool(machines[0].fit_intercept))
    system = Spectrum.of_matrix(K)
    left = [t.Y - ridge.leave_one_out_residuals(system, t, float(machine.alpha)) for machine in machines]
    left = [values[:, 0] if fold.y.ndim == 1 else values for values in left]
    return [[f.fit(GivenPredictions(), values[f.scored], 0.0) for values in left] for f in folds]
