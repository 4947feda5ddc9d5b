"""Verify a fitted support vector machine: its certificate, recomputed from the data and the coefficients alone.

    print(mercer.verify(model, X, y))

Works for our SVC, NuSVC, SVR, NuSVR and OneClassSVM and for scikit-learn's, with any kernel.  Everything is in double
precision: the kernel is evaluated again between all samples and the support vectors (n x n_sv values, streamed), and
both objectives are computed from C, nu, epsilon and the weights of the model.

    the primal is that of the model as it is, coefficients and intercept
    the dual is that of the nearest coefficients that satisfy the constraints; their distance is reported

There is one certificate for every pair of classes; the worst is returned, with all of them in `parts`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from mercer.estimators.base import KernelEstimator, weights
from mercer.estimators.svm.certificate import Certificate, certificate_of, worst_of
from mercer.estimators.svm.fitting import summed
from mercer.estimators.svm.model_reader import Claim, claims_of, penalised, reader
from mercer.estimators.training_data import Data
from mercer.solvers.dual import DualProblem, DualSolution
from mercer.solvers.dual.certificate import objectives
from mercer.solvers.dual.optimality import conditions
from mercer.solvers.dual.proof import offsets_of
from mercer.typing import Array

_SNAP = 1e-12  # distance from a bound, as a share of the largest coefficient, that counts as on it
_LENIENCE = 1.1  # a solver in single precision may end a little above its tolerance


def verify(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
    """The certificate of a fitted model, recomputed from the data it was fitted on; weight zero leaves a sample out."""
    reader(model)  # refuses other models before any work
    check_is_fitted(model)
    machine, X = _as_ours(model, X)
    data = machine._data(X)
    gram = (data.plus_one() if penalised(model) else data).gram()
    if y is not None:
        y = np.asarray(y)
        check_consistent_length(gram, y)
    weight = weights("verify", sample_weight, len(gram), negative_is_absent=True)
    steps = np.atleast_1d(model.n_iter_)
    return worst_of(
        _prove(gram, claim, data, tol=model.tol, n_iter=int(steps[min(p, len(steps) - 1)]))
        for p, claim in enumerate(claims_of(model, y, weight))
    )


def _as_ours(model: Any, X: Any) -> tuple[KernelEstimator, Any]:
    """An estimator of ours with the model's kernel, and X in double precision."""
    if isinstance(model, KernelEstimator):
        machine, X = model, model._checked(X, reset=False)
    else:
        machine, X = KernelEstimator(), check_array(X, accept_sparse="csr", dtype=np.float64)
        for name in ("kernel", "gamma", "degree", "coef0"):
            setattr(machine, name, getattr(model, name))
    single = getattr(X, "dtype", None) == np.float32
    return machine, X.astype(np.float64) if single else X


def _prove(gram: Any, claim: Claim, data: Data, *, tol: float, n_iter: int) -> Certificate:
    problem, given = claim.problem, claim.coef
    b = project(given, problem)
    Kgiven, Kb = _products(gram, claim, np.column_stack([given, b])).T
    margin = _best_tube(problem, Kgiven + claim.bias) if claim.margin is None else claim.margin
    r = offsets_of(problem, claim.bias, margin)
    rb = float(r @ problem.start) if problem.bias else None  # the sums of the given coefficients may be wrong
    Fgiven = Kgiven - problem.z + problem.ridge_times(given)
    primal, _ = objectives(given, Fgiven, problem, r, rb=rb, multiples=problem.bias)
    primal += 0.0 if problem.bias else 0.5 * claim.bias**2  # a penalised intercept
    F = Kb - problem.z + problem.ridge_times(b)
    _, dual = objectives(b, F, problem, r)
    violation = conditions(b, F, problem).violation
    done = violation <= _LENIENCE * tol
    solution = DualSolution(
        coef=b, bias=claim.bias, margin=margin, violation=violation, gradient=F, primal=primal, dual=dual,
        n_iter=n_iter, converged=done, reason="converged" if done else "tol not reached",
    )  # fmt: skip
    moved = float(np.abs(b - given).max(initial=0.0) / max(np.abs(given).max(initial=0.0), 1e-300))
    items = np.tile(claim.rows, claim.copies)
    return certificate_of(
        solution, problem, claim.task, name=claim.name, psd=data.psd, projection=moved, labels=True,
        missed=data.missed_square(*summed(items, b)),
    )  # fmt: skip


def _products(gram: Any, claim: Claim, B: Array) -> Array:
    """K @ B on the variables of the claim, from the columns of K that have a coefficient."""
    B = B.reshape(claim.copies, len(claim.rows), -1).sum(axis=0)
    J = np.flatnonzero(B.any(axis=1))
    if not len(J):
        return np.zeros((claim.copies * len(B), B.shape[1]))
    return np.tile(gram.part(claim.rows, claim.rows[J]) @ B[J], (claim.copies, 1))


def project(b: Array, problem: DualProblem) -> Array:
    """A point near b in the box with the sums of `problem.start`; zeros stay zero when the others can do it.

    Coefficients that rounding has moved off a bound or off zero are put back there, because the optimality conditions
    are different at these places.
    """
    b = np.clip(b, problem.lo, problem.hi)
    near = _SNAP * np.abs(b).max(initial=0.0)
    for place in (problem.lo, problem.hi, np.zeros(len(b))):
        b = np.where(np.abs(b - place) <= near, place, b)
    return problem.feasible(b)


def _best_tube(problem: DualProblem, f: Array) -> float:
    """The epsilon that minimises nu sum C epsilon + sum C_i max(0, |y_i - f_i| - epsilon)."""
    n = len(problem) // 2
    size, C = np.abs(problem.z - f)[:n], problem.hi[:n]
    order = np.argsort(-size)
    beyond = np.cumsum(C[order]) > np.abs(problem.start).sum()  # the weight outside is larger than nu allows
    return float(size[order][np.argmax(beyond)]) if beyond.any() else 0.0
