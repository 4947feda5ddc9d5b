"""Verify a fitted support vector machine: its proof, made again from the data and the coefficients alone.

    print(mercer.verify(model, X, y))

Works for our SVC, NuSVC, SVR, NuSVR and OneClassSVM and for scikit-learn's, whatever their kernel.  Everything is in
double precision: the kernel is evaluated anew between all samples and the support vectors (n x n_sv values, streamed),
C, nu, epsilon and the weights are read from the model, and both objectives follow.

    the primal is that of the model exactly as it is, coefficients and intercept
    the dual is that of the nearest coefficients that satisfy the constraints; how far away they are is reported

One proof is made for every pair of classes, and the worst is returned with all of them in `parts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from mercer.errors import bad
from mercer.estimators.base import KernelEstimator, weights
from mercer.estimators.certificate import Certificate, certificate_of, offsets_of, worst_of
from mercer.solvers.dual import DualSolution, Problem, nu_svc, nu_svr, one_class, svc, svr
from mercer.solvers.dual.certificate import objectives
from mercer.solvers.dual.optimality import conditions
from mercer.typing import Array

_ROUNDING = 1e-14  # share of the coefficients' sizes by which sums may differ and be equal
_SNAP = 1e-12  # share of the largest coefficient within which another one is on its bound
_LENIENCE = 1.1  # a solver that works in single precision may end a little above its tolerance


@dataclass(frozen=True, eq=False)
class Claim:
    """What a fitted model says of one problem.

    `rows` are the samples of the problem, which nu-SVR lists twice.  `bias` is the intercept, and where the penalty
    contains it (kernel k + 1) what it has too much.  `margin` is rho of nu-SVC, and None for nu-SVR, which does not
    tell its epsilon: the best one for its f is taken.
    """

    task: str
    problem: Problem
    rows: Array
    coef: Array  # one signed coefficient per variable
    bias: float
    margin: float | None = 1.0
    copies: int = 1
    name: str = ""


def verify(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
    """The certificate of a fitted model, recomputed from the data it was fitted on; samples of weight zero are out."""
    claims_of = _reader(model)
    check_is_fitted(model)
    machine, X = _as_ours(model, X)
    data = machine._data(X)
    gram = (data.plus_one() if _penalised(model) else data).gram()
    if y is not None:
        check_consistent_length(gram, y)
    weight = weights("verify", sample_weight, len(gram))
    steps = np.atleast_1d(model.n_iter_)
    return worst_of(
        _prove(gram, claim, tol=model.tol, n_iter=int(steps[min(p, len(steps) - 1)]), psd=data.psd)
        for p, claim in enumerate(claims_of(model, None if y is None else np.asarray(y), weight))
    )


def _reader(model: Any) -> Callable[..., Iterator[Claim]]:
    """The function that reads this kind of model; a subclass is read like its parent."""
    for ancestor in type(model).__mro__:
        if ancestor.__name__ in READERS:
            return READERS[ancestor.__name__]
    raise bad("verify", "model", f"one of {', '.join(READERS)}, ours or scikit-learn's", type(model).__name__,
              "Of a pipeline pass the last step, and X as that step sees it.")  # fmt: skip


def _as_ours(model: Any, X: Any) -> tuple[KernelEstimator, Any]:
    """An estimator of ours with the model's kernel, and X in double precision."""
    if isinstance(model, KernelEstimator):
        machine, X = model, model._checked(X, reset=False)
    else:
        machine, X = KernelEstimator(), check_array(X, accept_sparse="csr", dtype=np.float64)
        for name, given in model.get_params(deep=False).items():
            setattr(machine, name, given)
    single = getattr(X, "dtype", None) == np.float32
    return machine, X.astype(np.float64) if single else X


# ---- the proof


def _prove(gram: Any, claim: Claim, *, tol: float, n_iter: int, psd: bool | None) -> Certificate:
    problem, given = claim.problem, claim.coef
    b = project(given, problem)
    Kgiven, Kb = _products(gram, claim, np.column_stack([given, b])).T
    margin = _best_tube(problem, Kgiven + claim.bias) if claim.margin is None else claim.margin
    r = offsets_of(problem, claim.bias, margin)
    primal, _ = objectives(given, Kgiven - problem.z + problem.ridge_times(given), problem, r)
    # `objectives` takes the sums of its coefficients for the right ones, and a penalised intercept for theirs
    primal += float(r @ (problem.start - given)) if problem.bias else 0.5 * claim.bias**2
    F = Kb - problem.z + problem.ridge_times(b)
    _, dual = objectives(b, F, problem, r)
    violation = conditions(b, F, problem).violation
    done = violation <= _LENIENCE * tol
    solution = DualSolution(
        coef=b, bias=claim.bias, margin=margin, violation=violation, gradient=F, primal=primal, dual=dual,
        n_iter=n_iter, converged=done, reason="converged" if done else "tol not reached",
    )  # fmt: skip
    moved = float(np.abs(b - given).max(initial=0.0) / max(np.abs(given).max(initial=0.0), 1e-300))
    return certificate_of(solution, problem, claim.task, name=claim.name, psd=psd, projection=moved, labels=True)


def _products(gram: Any, claim: Claim, B: Array) -> Array:
    """K @ B on the variables of the claim, from the columns of K that have a coefficient."""
    B = B.reshape(claim.copies, len(claim.rows), -1).sum(axis=0)
    J = np.flatnonzero(B.any(axis=1))
    if not len(J):
        return np.zeros((claim.copies * len(B), B.shape[1]))
    return np.tile(gram.part(claim.rows, claim.rows[J]) @ B[J], (claim.copies, 1))


def project(b: Array, problem: Problem) -> Array:
    """A point near b in the box with the sums of `problem.start`; zeros stay zero when the others can do it.

    What rounding has moved off a bound or off zero is put back: the conditions tell these places from all others.
    """
    b = np.clip(b, problem.lo, problem.hi)
    near = _SNAP * np.abs(b).max(initial=0.0)
    for place in (problem.lo, problem.hi, np.zeros(len(b))):
        b = np.where(np.abs(b - place) <= near, place, b)
    if not problem.bias:
        return b
    groups = [np.ones(len(b), dtype=bool)] if problem.second is None else [problem.second, ~problem.second]
    for group in groups:
        total = float(problem.start[group].sum())
        for movable in (group & (b != 0.0), group):
            _shift(b, movable, total - float(b[group].sum()), problem)
    return b


def _shift(b: Array, movable: Array, missing: float, problem: Problem) -> None:
    """Add `missing` to the sum of b in equal shares, in place, as far as the box allows."""
    for _ in range(100):
        if abs(missing) <= _ROUNDING * np.abs(b).sum():
            return
        room = movable & (b < problem.hi if missing > 0.0 else b > problem.lo)
        if not room.any():
            return
        moved = np.clip(b[room] + missing / room.sum(), problem.lo[room], problem.hi[room])
        missing -= float((moved - b[room]).sum())
        b[room] = moved


# ---- what the models say


def _support(model: Any, weight: Array) -> Array:
    """Positions of the support vectors; scikit-learn counts them without the samples of weight zero."""
    if type(model).__module__.startswith("sklearn."):
        return np.asarray(np.flatnonzero(weight > 0.0)[model.support_])
    return np.asarray(model.support_)


def _expansion(model: Any, weight: Array) -> Array:
    """The coefficients of f on all samples, one row per row of `dual_coef_`."""
    rows = model.dual_coef_
    rows = np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float64)
    support = _support(model, weight)
    if support.max(initial=-1) >= len(weight):
        raise bad("verify", "X", "the data the model was fitted on", f"{len(weight)} samples, while the model has a "
                  f"support vector at position {support.max()}", "Pass the training data in their order.")  # fmt: skip
    coef = np.zeros((len(rows), len(weight)))
    coef[:, support] = rows
    return coef


def _pairs(model: Any, y: Array | None, weight: Array) -> Iterator[tuple[Array, Array, Array, float, str]]:
    """(rows, labels -1 and +1, coefficients, bias, name) of every pair of classes, the first of them positive."""
    classes = model.classes_
    code = np.searchsorted(classes, _labels(y, classes))
    sign = -1.0 if len(classes) == 2 else 1.0  # two classes are told with the second one positive
    coef, bias = sign * _expansion(model, weight), sign * np.asarray(model.intercept_, dtype=np.float64)
    pairs = [(i, j) for i in range(len(classes)) for j in range(i + 1, len(classes))]
    for p, (i, j) in enumerate(pairs):
        rows = np.flatnonzero(((code == i) | (code == j)) & (weight > 0.0))
        first = code[rows] == i
        b = np.where(first, coef[j - 1, rows], coef[i, rows])
        name = "" if len(pairs) == 1 else f"{classes[i]} against {classes[j]}"
        yield rows, np.where(first, 1.0, -1.0), b, float(bias[p]), name


def _labels(y: Array | None, classes: Array) -> Array:
    unknown = [None] if y is None else np.setdiff1d(y, classes)
    if y is None or len(unknown):
        raise bad("verify", "y", f"labels among the model's classes {classes.tolist()}", unknown[0],
                  "Pass the y of the fit.")  # fmt: skip
    return y


def _numbers(y: Array | None) -> Array:
    if y is None:
        raise bad("verify", "y", "one number per sample", None, "Pass the y of the fit.")
    return np.asarray(y, dtype=np.float64)


def _penalised(model: Any) -> bool:
    return bool(getattr(model, "penalty_intercept", False))


def _variant(model: Any) -> dict[str, bool]:
    """The options of our own machines that change the problem."""
    return {"bias": not _penalised(model), "squared": bool(getattr(model, "squared", False))}


def _surplus(model: Any, b: Array, bias: float) -> float:
    """The bias of the problem: an intercept that is penalised is the sum of coefficients, nothing else."""
    return bias - float(b.sum()) if _penalised(model) else bias


def _svc(model: Any, y: Array | None, weight: Array) -> Iterator[Claim]:
    shares = model.class_weight_[np.searchsorted(model.classes_, _labels(y, model.classes_))]
    for rows, sign, b, bias, name in _pairs(model, y, weight):
        problem = svc(sign, (model.C * weight * shares)[rows], **_variant(model))
        yield Claim("classification", problem, rows, b, _surplus(model, b, bias), name=name)


def _nu_svc(model: Any, y: Array | None, weight: Array) -> Iterator[Claim]:
    """The model is divided by rho, so that its margin is 1; the sum of coefficients that nu prescribes gives rho."""
    for rows, sign, b, bias, name in _pairs(model, y, weight):
        problem = nu_svc(sign, model.nu, weight[rows])
        rho = float(np.abs(problem.start).sum() / np.abs(b).sum())
        yield Claim("classification", problem, rows, rho * b, rho * bias, rho, name=name)


def _single(model: Any, weight: Array) -> tuple[Array, Array, float]:
    """(rows, coefficients, bias) of a model that is one problem."""
    rows = np.flatnonzero(weight > 0.0)
    return rows, _expansion(model, weight)[0][rows], float(model.intercept_[0])


def _svr(model: Any, y: Array | None, weight: Array) -> Iterator[Claim]:
    rows, b, bias = _single(model, weight)
    problem = svr(_numbers(y)[rows], model.C * weight[rows], model.epsilon, **_variant(model))
    yield Claim("regression", problem, rows, b, _surplus(model, b, bias))


def _nu_svr(model: Any, y: Array | None, weight: Array) -> Iterator[Claim]:
    """The model tells a - a' only: both are raised alike until they have the sum that nu prescribes."""
    rows, b, bias = _single(model, weight)
    problem = nu_svr(_numbers(y)[rows], model.nu, model.C * weight[rows])
    up, down = np.maximum(b, 0.0), np.maximum(-b, 0.0)
    missing = 0.5 * max(float(np.abs(problem.start).sum() - np.abs(b).sum()), 0.0)
    room = np.clip(problem.hi[: len(b)] - up - down, 0.0, None)
    both = np.diff(np.minimum(np.cumsum(room), missing), prepend=0.0)
    yield Claim("regression", problem, rows, np.concatenate([up + both, -down - both]), bias, margin=None, copies=2)


def _best_tube(problem: Problem, f: Array) -> float:
    """The epsilon that minimises nu sum C epsilon + sum C_i max(0, |y_i - f_i| - epsilon)."""
    n = len(problem) // 2
    size, C = np.abs(problem.z - f)[:n], problem.hi[:n]
    order = np.argsort(-size)
    beyond = np.cumsum(C[order]) > np.abs(problem.start).sum()  # more weight lies outside than nu allows
    return float(size[order][np.argmax(beyond)]) if beyond.any() else 0.0


def _one_class(model: Any, y: Array | None, weight: Array) -> Iterator[Claim]:
    rows, b, bias = _single(model, weight)
    yield Claim("novelty", one_class(len(rows), model.nu, weight[rows]), rows, b, bias)


READERS: dict[str, Callable[..., Iterator[Claim]]] = {
    "SVC": _svc,
    "NuSVC": _nu_svc,
    "SVR": _svr,
    "NuSVR": _nu_svr,
    "OneClassSVM": _one_class,
}
