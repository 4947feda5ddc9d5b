"""Kernel ridge regressions of one kernel, on all folds and for all alphas at once.

They share the products with one Gram (solvers/ridge_cells.py).  What that leaves open, because an alpha is small for
this Gram, is factorised.  To leave out one item at a time there is a closed form (solvers/ridge.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from numbers import Real
from typing import Any

import numpy as np

from mercer.estimators.base import weights
from mercer.estimators.regressor import columns_of
from mercer.estimators.ridge import KernelRidge
from mercer.selection.folds import Fold
from mercer.selection.judging import Fit
from mercer.solvers import ridge
from mercer.solvers.ridge import Targets
from mercer.solvers.ridge_cells import solve_cells
from mercer.solvers.ridge_systems import Column
from mercer.solvers.spectrum import Spectrum
from mercer.typing import Array

GAP = 1e-7  # relative, that is asked of a fit: values are then right to about its root, and scores to 1e-5
MOST = 40  # steps of conjugate gradients, after which another way is quicker


class ScoredRidge(KernelRidge):
    """A machine that is given its values instead of items."""

    def predict(self, X: Any) -> Array:
        return np.asarray(X)


def plain_ridge(machine: KernelRidge, psd: bool | None, y: Array) -> bool:
    """Whether a machine is solved here: it has one positive alpha, and a kernel that is not known to be bad."""
    one = isinstance(machine.alpha, Real) and 0.0 < float(machine.alpha) < np.inf
    positive = psd or (psd is None and machine.check_psd != "raise")
    numbers = y.ndim in (1, 2) and y.dtype.kind in "fiu" and bool(np.isfinite(y).all())
    return bool(one and positive and numbers and machine.solver in ("auto", "dual", "eigen"))


def solve_ridges(machines: Sequence[KernelRidge], folds: Sequence[Fold]) -> list[list[Fit | None]]:
    """All machines on all folds: a list for every fold."""
    K, alphas = folds[0].K, np.array([float(machine.alpha) for machine in machines])
    tasks = [_targets(fold, machines[0]) for fold in folds]
    columns = [column for fold, t in zip(folds, tasks, strict=True) for column in _columns(fold, t)]
    cells = solve_cells(K, columns, alphas, tol=GAP, most=MOST, go_on=folds[0].go_on)
    out, first = [], 0
    for fold, t in zip(folds, tasks, strict=True):
        part = slice(first, first + t.k)
        out.append(_fits(machines, alphas, fold, t, cells.values[part], cells.gaps[part].max(axis=0)))
        first += t.k
    return out


def _targets(fold: Fold, machine: KernelRidge) -> Targets:
    weight = weights("KernelRidge", fold.weight, len(fold.train))
    return Targets(columns_of(fold.y[fold.train]), weight, bool(machine.fit_intercept))


def _columns(fold: Fold, t: Targets) -> list[Column]:
    """The outputs of a fold, on all items of which those that do not train have no weight."""
    s, Y = np.zeros(len(fold.K)), np.zeros((t.k, len(fold.K)))
    s[fold.train], Y[:, fold.train] = t.s, t.Y.T
    return [Column(s, target, t.intercept) for target in Y]


def _fits(
    machines: Sequence[KernelRidge], alphas: Array, fold: Fold, t: Targets, F: Array, gaps: Array
) -> list[Fit | None]:
    """The fits of a fold from F (outputs, alphas, items); what is open is factorised while there is time."""
    out: list[Fit | None] = []
    for m, machine in enumerate(machines):
        values, gap = F[:, m, fold.scored].T, float(gaps[m])
        if gap > GAP:
            if not fold.go_on():
                out.append(None)
                continue
            values, gap = _factorised(fold, t, alphas[m])
        out.append(fold.fit(_as(machine), values[:, 0] if fold.y.ndim == 1 else values, gap))
    return out


def _factorised(fold: Fold, t: Targets, alpha: float) -> tuple[Array, float]:
    """The values by a Cholesky factor, and their gap."""
    used = np.flatnonzero(t.weight)
    items, part = fold.train[used], t.rows(used)
    K = fold.K[np.ix_(items, items)].astype(np.float64)
    answer = ridge.solve_ridge(ridge.factorised(part.scale(K.copy()), alpha), part, alpha)
    proof = ridge.certify_ridge(part, answer, alpha, K @ answer.coef)
    return fold.values(items, answer.coef) + answer.intercept, proof.relative_gap


def solve_left_out(machines: Sequence[KernelRidge], folds: Sequence[Fold]) -> list[list[Fit | None]]:
    """All machines where every fold leaves out one item: from one decomposition of the whole Gram."""
    fold = folds[0]
    K = np.array(fold.K, dtype=np.float64)
    t = Targets(columns_of(fold.y), np.ones(len(K)), bool(machines[0].fit_intercept))
    system = Spectrum.of_matrix(K)
    left = [t.Y - ridge.leave_one_out_residuals(system, t, float(machine.alpha)) for machine in machines]
    left = [values[:, 0] if fold.y.ndim == 1 else values for values in left]
    return [[f.fit(_as(machine), values[f.scored], 0.0) for machine, values in zip(machines, left, strict=True)]
            for f in folds]  # fmt: skip


def _as(machine: KernelRidge) -> ScoredRidge:
    found: Any = copy(machine)
    found.__class__ = ScoredRidge
    found._kept = ()  # fitted, as scikit-learn asks
    return found  # type: ignore[no-any-return]
