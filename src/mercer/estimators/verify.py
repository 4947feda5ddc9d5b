"""Verify a fitted machine: its proof, recomputed from the data and the coefficients alone.

    print(mercer.verify(model, X, y))

Works for our support vector machines, KernelRidge and GaussianProcessRegressor and for scikit-learn's, for our machines
of regularised risk, recursive feature machines, GaussianProcessClassifier, KernelLDA, our feature machines, nearest
neighbours, smoothers, density machines and clusters, for KernelPCA and KernelDensity (ours and scikit-learn's) and
ClassicalMDS, whatever their kernel, and for pipelines that end in one of these: X then goes through the fitted steps
before it.  Everything is computed in double precision, and only the parameters and the coefficients of the model are
used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import check_array
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from mercer.errors import bad
from mercer.estimators.base import weights
from mercer.estimators.cells.fitting import verify_cells
from mercer.estimators.clusters import verify as medoids
from mercer.estimators.clusters.kernel_k_means import verify as verify_means
from mercer.estimators.density.verify import verify_classes, verify_density, verify_neighbours
from mercer.estimators.discriminant.verify import verify_discriminant
from mercer.estimators.embedding.certificate import EigenCertificate
from mercer.estimators.embedding.verify import verify_axes
from mercer.estimators.feature_machines import verify as features
from mercer.estimators.gaussian_process.verify import verify_classifier, verify_regressor
from mercer.estimators.neighbours import verify as neighbours
from mercer.estimators.ridge import landmarks
from mercer.estimators.ridge.kernel_ridge import KernelRidge
from mercer.estimators.risk import verify as risk
from mercer.estimators.smoothing import loess_proof
from mercer.estimators.smoothing import verify as smoothing
from mercer.estimators.svm import verify as svm
from mercer.estimators.svm.model_reader import READERS
from mercer.solvers.density.proof import DensityProof
from mercer.solvers.kernel_k_means import MeansProof
from mercer.solvers.local_regression import NormalEquations
from mercer.solvers.medoids import SwapProof
from mercer.solvers.ridge import Expansion, RidgeCertificate, Targets, certify_ridge
from mercer.solvers.rvm.evidence import Relevance
from mercer.solvers.solution import Solution

Proof = Solution | Relevance | SwapProof | MeansProof | EigenCertificate | DensityProof | NormalEquations


def verify(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Proof:
    """The certificate of a fitted model, recomputed from the data it was fitted on; samples of weight zero are out.

    Of a pipeline the last step is verified, on X as the steps before it transform it.
    """
    if isinstance(model, Pipeline):
        check_is_fitted(model)
        model, X = model.steps[-1][1], model[:-1].transform(X) if len(model) > 1 else X
    if "cells_" in vars(model):
        return cast(Proof, verify_cells(model, X, y, sample_weight, verify))
    return _prover(model)(model, X, y, sample_weight)


def _prover(model: Any) -> Callable[..., Proof]:
    """The function that proves this kind of model; a subclass is proved like its parent."""
    for ancestor in type(model).__mro__:
        if ancestor.__name__ in PROVERS:
            return PROVERS[ancestor.__name__]
    raise bad("verify", "model", f"one of {', '.join(PROVERS)}, ours or scikit-learn's", type(model).__name__,
              "A pipeline may end in one of these.")  # fmt: skip


def _ridge(model: Any, X: Any, y: Any, sample_weight: Any) -> RidgeCertificate:
    """The normal equations of kernel ridge regression, and its objective."""
    check_is_fitted(model, "dual_coef_")
    if y is None:
        raise bad("verify", "y", "the targets of the fit", "None", "Pass them.")
    machine = model if isinstance(model, KernelRidge) else _as_ours(model)
    X = machine._checked(X, reset=False) if machine is model else check_array(X, accept_sparse="csr", dtype=np.float64)
    check_consistent_length(X, y)
    Y = np.asarray(y, dtype=float).reshape(len(y), -1)
    if getattr(model, "method_", "exact") != "exact":
        return landmarks.verify(model, X, Y, weights("verify", sample_weight, len(Y)))
    data = machine._data(X).double()
    coef = np.asarray(model.dual_coef_).reshape(len(model.dual_coef_), -1)
    fitted = getattr(model, "shape_fit_", coef.shape)[0]
    if len(data) != fitted:
        raise bad("verify", "X", f"the {fitted} samples the model was fitted on", f"{len(data)} samples",
                  "Pass the training data in their order.")  # fmt: skip
    weight = weights("verify", sample_weight, len(data))
    used, a = np.flatnonzero(weight), np.zeros((len(data), coef.shape[1]))
    a[getattr(model, "support_", slice(None))] = coef
    targets = Targets(Y[used], weight[used], bool(getattr(model, "fit_intercept", False)))
    answer = Expansion(a[used], np.atleast_1d(getattr(model, "intercept_", 0.0)))
    Ka = data.gram().part(used, None) @ a
    return certify_ridge(targets, answer, getattr(model, "alpha_", model.alpha), Ka, psd=data.psd)


def _recursive(model: Any, X: Any, y: Any, sample_weight: Any) -> RidgeCertificate:
    """The ridge regression of every leaf with the metric it has learned; the certificate that holds least well."""
    check_is_fitted(model)
    if y is None:
        raise bad("verify", "y", "the targets of the fit", "None", "Pass them.")
    X, y = model.columns_(check_array(X, dtype=np.float64)), np.asarray(y)
    Y = (y[:, None] == model.classes_).astype(float) if hasattr(model, "classes_") else y.astype(float)
    proofs = (_ridge(leaf.ridge, X[leaf.rows] @ leaf.transform, Y[leaf.rows], None) for leaf in model.leaves_)
    return max(proofs, key=lambda proof: proof.residual)


def _as_ours(model: Any) -> KernelRidge:
    names = ("alpha", "kernel", "gamma", "degree", "coef0", "kernel_params")
    return KernelRidge(**{name: getattr(model, name) for name in names})


_RISK = ("KernelRiskRegressor", "KernelRiskClassifier", "KernelLogisticRegression", "KernelQuantileRegressor")
_FEATURES = tuple(
    f"{machine}{task}" for machine in ("L1VM", "L2VM", "RVM", "RBFNetwork", "FeatureGLM")
    for task in ("Classifier", "Regressor")
)  # fmt: skip
PROVERS: dict[str, Callable[..., Proof]] = {
    **dict.fromkeys(READERS, svm.verify),
    **dict.fromkeys(_RISK, risk.verify),
    **dict.fromkeys(_FEATURES, features.verify),
    **dict.fromkeys(("KernelKNeighborsClassifier", "KernelKNeighborsRegressor"), neighbours.verify),
    "KernelRidge": _ridge,
    "Loess": loess_proof.verify,
    "RecursiveFeatureMachine": _recursive,
    "KernelDensity": verify_density,
    "KernelDensityClassifier": verify_classes,
    "KernelLDA": verify_discriminant,
    "KernelPCA": verify_axes,
    "ClassicalMDS": verify_axes,
    "KernelKMeans": verify_means,
    "KMedoids": medoids.verify,
    "LocalSmoother": smoothing.verify,
    "NeighbourDensity": verify_neighbours,
    "NearestMedoidClassifier": medoids.verify_classes,
    "GaussianProcessRegressor": verify_regressor,
    "GaussianProcessClassifier": verify_classifier,
}
