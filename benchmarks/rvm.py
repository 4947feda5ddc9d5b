"""The RVM part of suite "sparse": relevance vector machines against sklearn-rvm, and one too large for it (M5, M6).

Both choose from the same functions, k(., x_i) for every row and a constant, under the same model, and both are left to
stop by their own defaults.  What they found is compared by its log evidence, computed by one formula on one matrix of
functions from the precisions (and the noise) of each: that of solvers/rvm/evidence.py for numbers, Laplace's at its
mode for classes.  sklearn-rvm divides the kernel by a constant; its precisions are taken back to the kernel as it is.
Ours may not have the lower evidence by more than WORSE.  The evidence has many local maxima, so that which of two
searches ends higher is partly luck; the restarts that ours makes are timed too.

At n = 20 000, where n^3 is out of reach, the machine is held against scikit-learn's SVR with C and epsilon given: it
must not have a larger error on new rows by a tenth, nor more vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np

import mercer
from benchmarks.harness import Agreement, Case, Rival
from mercer.gram import StoredGram
from mercer.kernels import RBF
from mercer.solvers.rvm.basis import Basis
from mercer.solvers.rvm.evidence import log_evidence
from mercer.solvers.rvm.laplace import Laplace
from mercer.typing import Array

WORSE = 1e-3


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows, numbers or classes, gamma of the kernel; and rows to predict."""

    X: Array
    y: Array
    gamma: float
    Z: Array
    z: Array


@lru_cache(maxsize=1)
def _sinc(n: int) -> Problem:
    """sin(x) / x with noise 0.1 on [-10, 10]: the data of the first papers."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-10.0, 10.0, size=(n + 2_000, 1))
    y = np.sinc(X[:, 0] / np.pi) + 0.1 * rng.standard_normal(len(X))
    return Problem(X[:n], y[:n], 0.1, X[n:], y[n:])


@lru_cache(maxsize=1)
def _classes(n: int) -> Problem:
    """Two classes in the plane with a curved boundary and some overlap."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n + 2_000, 2))
    y = (np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 + 0.5 * rng.standard_normal(len(X)) > 0.6).astype(int)
    return Problem(X[:n], y[:n], 0.5, X[n:], y[n:])


def _ours(machine: Any, problem: Problem) -> Any:
    return machine(gamma=problem.gamma).fit(problem.X, problem.y)


def _theirs(name: str, problem: Problem) -> Any:
    import sklearn_rvm

    machine = getattr(sklearn_rvm, name)(kernel="rbf", gamma=problem.gamma)
    machine.fit(problem.X, problem.y)  # EMRVR.fit returns None
    return machine


def _columns(n: int, machine: Any) -> tuple[Array, Array]:
    """(columns of [K, 1], precisions) of a fitted machine of either library, in ascending order of columns."""
    if isinstance(machine, mercer.RVMRegressor | mercer.RVMClassifier):
        constant = len(machine.alpha_) > len(machine.support_)
        return np.append(machine.support_, [n] * constant).astype(int), machine.alpha_
    constant = machine.bias_used  # the constant comes first there
    columns = np.append(machine.relevance_, [n] * constant).astype(int)
    alpha = np.append(machine.alpha_[constant:] * machine._scale**2, machine.alpha_[:constant])
    return columns[np.argsort(columns)], alpha[np.argsort(columns)]


def _gaussian(problem: Problem, machine: Any) -> float:
    columns, alpha = _columns(len(problem.y), machine)
    Phi = np.column_stack([RBF.from_gamma(problem.gamma)(problem.X), np.ones(len(problem.y))])
    return log_evidence(Phi[:, columns], problem.y, alpha, machine.beta_)


def _laplace(problem: Problem, machine: Any) -> float:
    columns, alpha = _columns(len(problem.y), machine)
    basis = Basis(StoredGram(RBF.from_gamma(problem.gamma)(problem.X)))
    model = Laplace(basis, problem.y, 2, np.ones(len(problem.y)))
    return float(model.at(columns, 1.0 / alpha, model.start()).evidence)


def _check(evidence: Any, problem: Problem, ours: Any, theirs: Any) -> Agreement:
    mine, other = evidence(problem, ours), evidence(problem, theirs)
    few, many = len(ours.support_), len(theirs.relevance_)
    detail = f"log evidence {mine - other:+.3g} on {other:.6g}; {few} vectors (rival {many})"
    return Agreement(mine >= other - WORSE, detail)


def _one_ascent(problem: Problem) -> Any:
    return mercer.RVMRegressor(gamma=problem.gamma, n_restarts=0).fit(problem.X, problem.y)


def _svr(problem: Problem) -> Any:
    from sklearn.svm import SVR

    return SVR(gamma=problem.gamma, C=1.0, epsilon=0.1, cache_size=2000).fit(problem.X, problem.y)


def _check_errors(problem: Problem, ours: Any, theirs: Any) -> Agreement:
    mine, other = (float(np.mean((m.predict(problem.Z) - problem.z) ** 2)) for m in (ours, theirs))
    few, many = len(ours.support_), len(theirs.support_)
    detail = f"squared error {mine:.4g} (rival {other:.4g}); {few} vectors (rival {many}); {ours.certificate_.reason}"
    return Agreement(mine <= 1.1 * other and few <= many, detail)


def cases() -> list[Case]:
    """Regression and classification at sizes the rival can do, and one regression it cannot."""
    return [
        Case(
            suite="sparse", name="RVM regression sinc", size=2_000, small=120, data=_sinc,
            ours=partial(_ours, mercer.RVMRegressor),
            rivals={"sklearn-rvm": Rival(partial(_theirs, "EMRVR"), "sklearn_rvm")},
            check=partial(_check, _gaussian),
        ),
        Case(
            suite="sparse", name="RVM classification", size=1_000, small=120, data=_classes,
            ours=partial(_ours, mercer.RVMClassifier),
            rivals={"sklearn-rvm": Rival(partial(_theirs, "EMRVC"), "sklearn_rvm")},
            check=partial(_check, _laplace),
        ),
        Case(
            suite="sparse", name="RVM regression sinc large", size=20_000, small=200, data=_sinc,
            ours=_one_ascent,
            rivals={"scikit-learn SVR": Rival(_svr, "sklearn")},
            check=_check_errors, memory=True,
        ),
    ]  # fmt: skip
