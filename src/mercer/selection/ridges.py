"""Kernel ridge regressions of one kernel, on all folds and for all alphas at once.

They share the products with one Gram (solvers/shifted_lanczos.py).  What that leaves open, because an alpha is small
for this Gram, is factorised.  To leave out one item at a time there is a closed form (solvers/ridge.py).
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
from mercer.solvers.shifted_lanczos import Basis, Column, solve_shifted
from mercer.solvers.spectrum import Spectrum
from mercer.typing import Array

GAP = 1e-8  # relative, that is asked of a fit: values are then right to about its root
MOST = 1 / 8  # vectors of a basis per item, after which factorising is quicker


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
    columns = [_column(fold, t, j) for fold, t in zip(folds, tasks, strict=True) for j in range(t.k)]
    most = max(50, int(MOST * len(K)))
    bases = solve_shifted(K, columns, alphas, tol=GAP, most=most, go_on=folds[0].go_on)
    parts = iter(bases)
    return [_fits(machines, alphas, fold, t, [next(parts) for _ in range(t.k)])
            for fold, t in zip(folds, tasks, strict=True)]  # fmt: skip


def _targets(fold: Fold, machine: KernelRidge) -> Targets:
    weight = weights("KernelRidge", fold.weight, len(fold.train))
    return Targets(columns_of(fold.y[fold.train]), weight, bool(machine.fit_intercept))


def _column(fold: Fold, t: Targets, j: int) -> Column:
    """Output j of a fold, on all items of which those that do not train have no weight."""
    s, target = np.zeros(len(fold.K)), np.zeros(len(fold.K))
    s[fold.train], target[fold.train] = t.s, t.Y[:, j]
    return Column(s, target, fold.scored, t.intercept)


def _fits(
    machines: Sequence[KernelRidge], alphas: Array, fold: Fold, t: Targets, bases: Sequence[Basis]
) -> list[Fit | None]:
    gaps = np.max([basis.gaps if basis.size else np.zeros(len(alphas)) for basis in bases], axis=0)
    F = np.stack([basis.values() if len(basis) else _none(basis) for basis in bases], axis=1)  # (seen, outputs, alphas)
    out: list[Fit | None] = []
    for m, machine in enumerate(machines):
        values, gap = F[:, :, m], float(gaps[m])
        if gap > GAP:
            if not fold.go_on():
                out.append(None)
                continue
            values, gap = _factorised(fold, t, alphas[m])
        out.append(fold.fit(_as(machine), values[:, 0] if fold.y.ndim == 1 else values, gap))
    return out


def _none(basis: Basis) -> Array:
    """The values of a column that has no basis: zero, or the mean target."""
    c = basis.column
    level = c.s @ (c.s * c.target) / (c.s @ c.s) if c.intercept else 0.0
    return np.full((len(c.seen), len(basis.alphas)), level)


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
