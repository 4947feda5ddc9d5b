"""Verify a fitted machine of regularised risk: its proof, recomputed from the data and the coefficients alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from mercer.errors import bad
from mercer.estimators.risk.certificate import RiskCertificate, certificate_of, worst_of
from mercer.typing import Array


def verify(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> RiskCertificate:
    """The certificate of the model as it is; the kernel is evaluated anew, in double precision."""
    check_is_fitted(model, "dual_coef_")
    if y is None:
        raise bad("verify", "y", "the targets of the fit", "None", "Pass them.")
    X, y = model._checked(X, y, reset=False, numeric=model._numeric)
    if len(y) != model.shape_fit_[0]:
        raise bad("verify", "X", f"the {model.shape_fit_[0]} samples the model was fitted on", f"{len(y)} samples",
                  "Pass the training data in their order.")  # fmt: skip
    problems, used = _problems(model, y, sample_weight)
    data = model._data(X).double()
    gram, B = data.gram().sub(used), _coefficients(model, len(y))[used]
    bias, tol, n_iter = model.fit_intercept, float(model.tol), int(model.n_iter_)
    proofs, first = [], 0
    for problem in problems:
        own = slice(first, first := first + problem.outputs)
        found = problem.prove(gram, B[:, own], np.asarray(model.intercept_)[own], bias=bias, tol=tol, n_iter=n_iter)
        missed = data.missed_square(used, found.feasible)
        proofs.append(certificate_of(found, problem.loss, data.psd, problem.name, missed))
    return worst_of(proofs)


def _problems(model: Any, y: Array, sample_weight: Any) -> tuple[Any, Array]:
    """The problems that these targets pose to a machine like this one, and the items that count."""
    fresh = clone(model)
    problems, used = fresh._posed(y, sample_weight)
    if not np.array_equal(getattr(fresh, "classes_", ()), getattr(model, "classes_", ())):
        raise bad("verify", "y", f"labels of the classes {model.classes_.tolist()}", fresh.classes_.tolist(),
                  "Pass the targets of the fit.")  # fmt: skip
    return problems, used


def _coefficients(model: Any, n: int) -> Array:
    """One row per item of the fit, one column per function."""
    kept = model.dual_coef_.toarray() if hasattr(model.dual_coef_, "toarray") else np.asarray(model.dual_coef_)
    B = np.zeros((n, len(kept)))
    B[model.support_] = kept.T
    return B
