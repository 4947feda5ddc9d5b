"""The proof of an embedding, made again from the data and its eigenpairs alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from mercer.errors import bad
from mercer.estimators.base import KernelEstimator
from mercer.estimators.embedding.certificate import EigenCertificate
from mercer.estimators.embedding.classical_mds import ClassicalMDS
from mercer.estimators.embedding.kernel_pca import KernelPCA
from mercer.solvers.principal_axes import residuals_of, total_variance
from mercer.typing import Array, Gram

_SOLVED = 1e-5  # relative residuals up to which axes count as those of the Gram


def verify_axes(model: Any, X: Any, y: Any, sample_weight: Any) -> EigenCertificate:
    """Residuals of the axes of KernelPCA (ours or scikit-learn's) or ClassicalMDS on the items of their fit."""
    check_is_fitted(model)
    if sample_weight is not None:
        raise bad("verify", "sample_weight", "None for an embedding", "weights", "Leave them out.")
    gram, values, V = _pairs(model, X)
    if len(V) != len(gram):
        raise bad("verify", "X", f"the {len(V)} items the model was fitted on", f"{len(gram)} items",
                  "Pass the training data in their order.")  # fmt: skip
    residuals = residuals_of(gram, values, V)
    skew = float(np.abs(V.T @ V - np.eye(len(values))).max(initial=0.0))
    proof = EigenCertificate(
        eigenvalues=values, residuals=residuals, total=total_variance(gram), n_iter=int(getattr(model, "n_iter_", 1)),
        converged=False, reason="verified",
    )  # fmt: skip
    good = proof.relative_residual <= _SOLVED and skew <= _SOLVED
    return EigenCertificate(**{**vars(proof), "converged": good, "reason": "verified" if good else "not solved"})


def _pairs(model: Any, X: Any) -> tuple[Gram, Array, Array]:
    """The Gram of the items, and the eigenpairs of positive eigenvalue that the model names."""
    if isinstance(model, ClassicalMDS):
        if model.landmarks_ is not None:
            raise bad("verify", "model", "ClassicalMDS fitted to all items", "one fitted to landmarks", "Use all.")
        gram = model._source(model._checked(X, reset=False)).gram()
        some = model.eigenvalues_ > 0.0
        return gram, model.eigenvalues_[some], model.embedding_[:, some] / np.sqrt(model.eigenvalues_[some])
    ours = isinstance(model, KernelEstimator)
    machine = model if ours else KernelPCA(**{name: getattr(model, name) for name in _SHARED})
    X = machine._checked(X, reset=False) if ours else check_array(X, accept_sparse="csr", dtype=np.float64)
    some = np.asarray(model.eigenvalues_) > 0.0
    gram = machine._data(X).double().gram()
    return gram, np.asarray(model.eigenvalues_)[some], np.asarray(model.eigenvectors_)[:, some]


_SHARED = ("kernel", "gamma", "degree", "coef0", "kernel_params")
