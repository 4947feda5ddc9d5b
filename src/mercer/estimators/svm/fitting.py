"""The steps of a fit that all support vector machines share.

limits = limits_of(machine)                  tol, max_iter, time_limit and verbose, checked
data, gram = training_gram(machine, X)       the items for prediction, and the Gram for the solver
found = solve_all(gram, problems, limits)    solvers/dual
keep_proof(machine, found, data)             what `solution_` and `certificate_` are made of
warn_unsolved(machine, limits)               if the fit ended before its tolerance was reached
"""

from __future__ import annotations

import sys
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.config import config
from mercer.errors import bad
from mercer.estimators.base import warn_open
from mercer.estimators.low_rank import Work
from mercer.estimators.positivity import require_positive
from mercer.estimators.svm.proof_record import Record
from mercer.estimators.training_data import Data
from mercer.items.vectors import is_sparse
from mercer.solvers.dual import DualSolutions, stored_if_small
from mercer.solvers.limits import Limits
from mercer.typing import Array


def limits_of(machine: Any) -> Limits:
    """The limits that the machine was given, checked."""
    owner, tol, steps, seconds = type(machine).__name__, machine.tol, machine.max_iter, machine.time_limit
    if not isinstance(tol, Real) or not 0.0 < float(tol) < np.inf:
        raise bad(owner, "tol", "a positive number", repr(tol), "1e-3 is the default.")
    if not isinstance(steps, Integral) or steps < -1:
        raise bad(owner, "max_iter", "an integer >= -1", repr(steps), "-1 means no limit.")
    if seconds is not None and not (isinstance(seconds, Real) and float(seconds) > 0.0):
        raise bad(owner, "time_limit", "a positive number of seconds, or None", repr(seconds), "None means no limit.")

    def tell(active: int, violation: float, dual: float) -> None:
        sys.stdout.write(f"[{owner}] {active} active items, violation {violation:.2e}, dual {dual:.8g}\n")

    return Limits(
        float(tol), None if steps == -1 else int(steps), None if seconds is None else float(seconds),
        tell if machine.verbose else None,
    )  # fmt: skip


def exact_work(n: int) -> Work:
    """Rows of the Gram of an active set, many times over; no more is stored than the budget allows."""
    return Work(0.02 * float(n) ** 3, 0.5 * float(n) ** 2, min(8.0 * float(n) ** 2, float(config().memory)))


def training_gram(machine: Any, X: Any) -> tuple[Data, Any]:
    """The items for prediction, and their Gram in double precision for the solver, stored if it is small."""
    data = machine._data(X)
    require_positive(machine, data)
    exact = data.double()
    return data, stored_if_small((exact.plus_one() if machine.penalty_intercept else exact).gram())


def keep_proof(machine: Any, found: DualSolutions, data: Data) -> None:
    """Set what `solution_` and `certificate_` are made of, and `fit_status_`; refuse an unbounded dual."""
    if "unbounded" in found.reason or not np.isfinite(found.coef).all():
        raise bad(type(machine).__name__, "C", f"finite for {machine.impossible}", "inf, and an unbounded dual",
                  machine.cure)  # fmt: skip
    machine._record = Record.of(found, data.psd, _missed_squares(found, data))
    machine.fit_status_ = int(not found.converged)


def _missed_squares(found: DualSolutions, data: Data) -> list[float | None]:
    """b'(K - K~) b of every problem; none if the kernel is not replaced."""
    if data.approximation is None:
        return []
    problems = found.problems
    spans = map(problems.span, range(len(problems)))
    return [data.missed_square(*summed(problems.index[span], found.coef[span])) for span in spans]


def summed(index: Array, coef: Array) -> tuple[Array, Array]:
    """Every item once, with the sum of its coefficients."""
    items, place = np.unique(index, return_inverse=True)
    return items, np.bincount(place, coef, minlength=len(items))


def warn_unsolved(machine: Any, limits: Limits) -> None:
    """Say how far from the optimum the fit ended, and what would help."""
    cures = {"time_limit": "Raise time_limit or loosen tol."}
    if limits.max_iter is not None:
        cures["max_iter"] = (
            f"Raise max_iter or loosen tol. Solver terminated early (max_iter={limits.max_iter}).  Consider "
            "pre-processing your data with StandardScaler or MinMaxScaler."  # scikit-learn's words, for warning filters
        )
    proof = machine.certificate_
    warn_open(
        f"{type(machine).__name__}: stopped early ({proof.reason}) after {proof.n_iter} steps with the optimality "
        f"conditions violated by {proof.kkt:.1e}, asked {limits.tol:.1e}. The objective is within the gap "
        f"{proof.gap:.1e} ({proof.relative_gap:.1e} relative) of the best possible. "
        + cures.get(proof.reason, "Scale the columns (StandardScaler), lower C, or loosen tol.")
    )


def new_items(machine: Any, X: Any) -> Any:
    """Items to predict, checked against those of the fit; sparse rows after a sparse fit only, as in scikit-learn."""
    if is_sparse(X):
        check_is_fitted(machine)
        if not is_sparse(machine.dual_coef_):
            owner = type(machine).__name__
            raise ValueError(f"cannot use sparse input in {owner!r} trained on dense data: pass X.toarray()")
    return machine._items(X)
