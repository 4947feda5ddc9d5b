"""More or fewer items after a fit of kernel ridge: the factor of the Gram is changed; the answer is that of a refit.

    machine.update(X, y)         O(n^2) per new item
    machine.remove(index)        O(n^2) per item that leaves

A fitted machine does not hold its factor, which is as large as the Gram, unless the Gram cannot be computed again.
The first change computes it and keeps it for the next ones; pickles leave it out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_array

from mercer.errors import NotPositiveDefinite, bad
from mercer.estimators.base import weights
from mercer.estimators.regressor import columns_of
from mercer.estimators.training_data import Data
from mercer.solvers.ridge import Factored, Shifted, Targets
from mercer.typing import Array

if TYPE_CHECKING:
    from mercer.estimators.ridge.kernel_ridge import KernelRidge

Step = Callable[[Factored], Factored]


def update(machine: KernelRidge, X: Any, y: Any, sample_weight: Any) -> None:
    """Learn from more items."""
    X, Y = _new_items(machine, X, y)
    data, rows = machine._kept.extended(X)
    n, before = len(machine._kept), machine.shape_fit_[0]
    weight = weights("KernelRidge", sample_weight, len(Y))
    used = np.flatnonzero(weight)
    targets = machine._targets.plus(Targets(Y[used], weight[used]))
    stay = np.append(np.arange(n), n + used)
    scaled = rows.part(used, stay).dense() * targets.s[n:, None] * targets.s
    _move(machine, data.keep(stay), np.append(machine.support_, before + used), targets, before + len(Y),
          lambda system: system.extended(scaled[:, :n], scaled[:, n:]))  # fmt: skip


def remove(machine: KernelRidge, index: Any) -> None:
    """Forget items."""
    gone = _mask(index, machine.shape_fit_[0])
    out = gone[machine.support_]
    if out.all():
        raise bad("KernelRidge", "index", "some of the items", "all of them", "Leave at least one.")
    stay, left = np.flatnonzero(~out), int((~gone).sum())
    support = (np.cumsum(~gone) - 1)[machine.support_[stay]]
    kept = machine._kept.keep(stay).renumbered(support, left)
    targets = machine._targets.rows(stay)
    _move(machine, kept, support, targets, left, lambda system: system.reduced(np.flatnonzero(out)))


def system_of(machine: KernelRidge) -> Shifted:
    """The system of the items there are: the factor if it was kept, or made again."""
    if machine._factor is not None:
        return machine._factor
    kept = machine._kept
    return machine._system(kept, kept.double().gram(), machine._targets, np.atleast_1d(machine.alpha_))


def _move(machine: KernelRidge, kept: Data, support: Array, targets: Targets, count: int, step: Step) -> None:
    """Change the factor by `step`, or solve anew where there is none."""
    moved = _stepped(machine, step)
    gram = kept.double().gram() if moved is None else None
    system = moved if gram is None else machine._system(kept, gram, targets, np.atleast_1d(machine.alpha_))
    machine._factor = moved
    machine.shape_fit_ = (count, count) if machine._precomputed else (count, *machine.shape_fit_[1:])
    if machine._precomputed:
        machine.n_features_in_ = count
    machine._forget_choice()
    machine._settle(kept, support, targets, system, gram)  # type: ignore[arg-type]


def _stepped(machine: KernelRidge, step: Step) -> Factored | None:
    """The factor after the step; None if the machine is not solved by a factor, or rounding leaves it none."""
    if machine._factor is None and machine._way(machine._kept, np.ndim(machine.alpha_) > 0) != "dual":
        return None
    system = system_of(machine)
    try:
        return step(system) if isinstance(system, Factored) else None
    except NotPositiveDefinite:
        return None


def _new_items(machine: KernelRidge, X: Any, y: Any) -> tuple[Any, Array]:
    """The new items and their targets, checked; of a precomputed kernel, rows that are wider than those of the fit."""
    if machine._precomputed:
        X, Y = check_array(X, dtype=np.float64), columns_of(check_array(y, ensure_2d=False))
    else:
        X, Y = machine._with_targets(X, y, reset=False)
    if Y.shape[1] != machine._targets.k:
        raise bad("KernelRidge", "y", f"{machine._targets.k} number(s) per item, as in fit", Y.shape[1],
                  "Pass targets like those before.")  # fmt: skip
    return X, Y


def _mask(index: Any, n: int) -> Array:
    """True at the positions of `index` among n."""
    gone = np.zeros(n, dtype=bool)
    try:
        gone[index] = True
    except (IndexError, ValueError, TypeError):
        raise bad("KernelRidge", "index", f"positions of the {n} items", repr(index), "Count from 0.") from None
    return gone
