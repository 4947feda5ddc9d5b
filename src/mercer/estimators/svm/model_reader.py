"""Reads from a fitted support vector machine the problem it claims to have solved, and the solution.

Only public attributes (dual_coef_, support_, intercept_, classes_, class_weight_) and parameters (C, nu, epsilon) are
read, which our machines and scikit-learn's have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import bad
from mercer.solvers.dual import DualProblem, nu_svc, nu_svr, one_class, svc, svr
from mercer.typing import Array


@dataclass(frozen=True, eq=False)
class Claim:
    """One problem and the solution that a fitted model claims for it.

    `rows` are the samples of the problem, which nu-SVR lists twice.  `bias` is the intercept; if that is penalised
    (kernel k + 1), it is the intercept minus the sum of coefficients.  `margin` is rho of nu-SVC, and None for nu-SVR,
    whose model does not hold epsilon: the best epsilon for its f is taken.
    """

    task: str
    problem: DualProblem
    rows: Array
    coef: Array  # one signed coefficient per variable
    bias: float
    margin: float | None = 1.0
    copies: int = 1
    name: str = ""


def claims_of(model: Any, y: Array | None, weight: Array) -> Iterator[Claim]:
    """One claim, or one for every pair of classes; samples of weight zero are left out."""
    if model.shape_fit_[0] != len(weight):
        raise bad("verify", "X", f"the {model.shape_fit_[0]} samples the model was fitted on", f"{len(weight)} samples",
                  "Pass the training data in their order.")  # fmt: skip
    return reader(model)(model, y, weight)


def reader(model: Any) -> Callable[..., Iterator[Claim]]:
    """The function that reads this kind of model; a subclass is read like its parent."""
    for ancestor in type(model).__mro__:
        if ancestor.__name__ in READERS:
            return READERS[ancestor.__name__]
    raise bad("verify", "model", f"one of {', '.join(READERS)}, ours or scikit-learn's", type(model).__name__,
              "Of a pipeline pass the last step, and X as that step sees it.")  # fmt: skip


def penalised(model: Any) -> bool:
    """Whether the intercept is part of the penalty."""
    return bool(getattr(model, "penalty_intercept", False))


# ---- coefficients and labels


def _expansion(model: Any, weight: Array) -> Array:
    """The coefficients of f on all samples, one row per row of `dual_coef_`."""
    rows, support = model.dual_coef_, np.asarray(model.support_)
    rows = np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float64)
    if not np.isfinite(rows).all():
        raise bad("verify", "dual_coef_", "finite", "NaN or infinity", "Fit the model again: its fit did not succeed.")
    if any(ancestor.__module__.startswith("sklearn.svm") for ancestor in type(model).__mro__):
        support = np.flatnonzero(weight > 0.0)[support]  # scikit-learn's positions leave out samples of weight zero
    coef = np.zeros((len(rows), len(weight)))
    coef[:, support] = rows
    return coef


def _pairs(model: Any, y: Array | None, weight: Array) -> Iterator[tuple[Array, Array, Array, float, str]]:
    """(rows, labels -1 and +1, coefficients, bias, name) of every pair of classes, the first of them positive."""
    classes = model.classes_
    code = np.searchsorted(classes, _labels(y, classes))
    sign = -1.0 if len(classes) == 2 else 1.0  # for two classes the second one is positive in a model
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


# ---- the machines


def _variant(model: Any) -> dict[str, bool]:
    """The options of our own machines that change the problem."""
    return {"bias": not penalised(model), "squared": bool(getattr(model, "squared", False))}


def _surplus(model: Any, b: Array, bias: float) -> float:
    """The bias of the problem; a penalised intercept should be the sum of coefficients, so that nothing is left."""
    return bias - float(b.sum()) if penalised(model) else bias


def _svc(model: Any, y: Array | None, weight: Array) -> Iterator[Claim]:
    shares = model.class_weight_[np.searchsorted(model.classes_, _labels(y, model.classes_))]
    for rows, sign, b, bias, name in _pairs(model, y, weight):
        problem = svc(sign, (model.C * weight * shares)[rows], **_variant(model))
        yield Claim("classification", problem, rows, b, _surplus(model, b, bias), name=name)


def _nu_svc(model: Any, y: Array | None, weight: Array) -> Iterator[Claim]:
    """The model is divided by rho; rho follows from the sum of coefficients that nu prescribes."""
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
    """The model has a - a' only: both are raised by the same amounts until they have the sum that nu prescribes."""
    rows, b, bias = _single(model, weight)
    problem = nu_svr(_numbers(y)[rows], model.nu, model.C * weight[rows])
    up, down = np.maximum(b, 0.0), np.maximum(-b, 0.0)
    missing = 0.5 * max(float(np.abs(problem.start).sum() - np.abs(b).sum()), 0.0)
    room = np.clip(problem.hi[: len(b)] - up - down, 0.0, None)
    both = np.diff(np.minimum(np.cumsum(room), missing), prepend=0.0)
    yield Claim("regression", problem, rows, np.concatenate([up + both, -down - both]), bias, margin=None, copies=2)


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
