"""What all machines of regularised risk share.

    minimise  1/2 |h|^2 + C sum_i w_i loss(y_i, f(x_i)),      f = h + intercept

The minimiser has the form h = sum_i c_i k(., x_i).  A machine poses its problems; `fit_risk` has them solved on the
Gram of the items that count, and keeps those with a coefficient.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from mercer.config import config
from mercer.errors import bad
from mercer.estimators.base import warn_open
from mercer.estimators.low_rank import Work
from mercer.estimators.positivity import require_positive
from mercer.estimators.risk.certificate import RiskCertificate, certificate_of, worst_of
from mercer.estimators.risk.problem import RiskProblem
from mercer.gram import FeatureGram
from mercer.solvers.limits import Limits
from mercer.solvers.risk.minimise import stored
from mercer.typing import Array, Gram

SHARE = 10  # items per column from which on a linear machine is solved on its features


def fit_risk(machine: Any, X: Any, problems: Sequence[RiskProblem], used: Array, limits: Limits) -> None:
    """Solve the problems on items `used` of checked X; keep the functions and their proof."""
    data = machine._data(X)
    require_positive(machine, data)
    gram = data.double().gram()
    gram = _on_features(gram if len(used) == len(data) else gram.sub(used))
    gram = stored(gram) if len(problems) > 1 else gram  # once for all of them
    found = [problem.solve(gram, bias=machine.fit_intercept, limits=limits) for problem in problems]
    columns = np.column_stack([solution.coef for solution in found])
    some = np.flatnonzero(columns.any(axis=1))
    machine._keep(X, data, used[some], columns[some], np.concatenate([solution.bias for solution in found]))
    proofs = [
        certificate_of(f, p.loss, data.psd, p.name, data.missed_square(used, f.feasible))
        for f, p in zip(found, problems, strict=True)
    ]
    machine.certificate_ = worst_of(proofs)
    machine.n_iter_ = max(solution.n_iter for solution in found)
    machine.converged_ = all(solution.converged for solution in found)
    if not machine.converged_:
        _warn(machine, machine.certificate_)


def exact_work(n: int) -> Work:
    """Newton's method on the Gram, which is stored where it fits the budget."""
    return Work(2.0 * float(n) ** 3, 0.5 * float(n) ** 2, min(16.0 * float(n) ** 2, float(config().memory)))


def checked_limits(machine: Any) -> Limits:
    """The tolerance and the limits of a machine, checked."""
    owner, tol, steps, seconds = type(machine).__name__, machine.tol, machine.max_iter, machine.time_limit
    if not isinstance(tol, Real) or not 0.0 < float(tol) < np.inf:
        raise bad(owner, "tol", "a positive number", repr(tol), "It bounds the relative duality gap.")
    if not isinstance(steps, Integral) or steps < -1:
        raise bad(owner, "max_iter", "an integer >= -1", repr(steps), "-1 means no limit.")
    if seconds is not None and not (isinstance(seconds, Real) and float(seconds) > 0.0):
        raise bad(owner, "time_limit", "a positive number of seconds, or None", repr(seconds), "None: no limit.")
    return Limits(float(tol), None if steps == -1 else int(steps), None if seconds is None else float(seconds))


def _warn(machine: Any, proof: RiskCertificate) -> None:
    """Say how far from the optimum a fit ended, and what would help."""
    cures = {"time_limit": "Raise time_limit or loosen tol.", "max_iter": "Raise max_iter or loosen tol."}
    warn_open(
        f"{type(machine).__name__}: stopped early ({proof.reason}) after {proof.n_iter} steps with a relative duality "
        f"gap of {proof.relative_gap:.1e}, asked {machine.tol:.1e}. "
        + cures.get(proof.reason, "Scale the columns (StandardScaler), lower C, or loosen tol.")
    )


def _on_features(gram: Gram) -> Gram:
    """The Gram of a linear kernel by its features, when they are few and dense."""
    Z = gram.linear_rows
    if isinstance(Z, np.ndarray) and len(Z) >= SHARE * Z.shape[1]:
        return FeatureGram(Z.astype(np.float64, copy=False))
    return gram
