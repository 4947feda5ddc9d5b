"""Verify a fitted feature machine: the proof of its weights, recomputed from the data and the weights alone.

The design matrix is evaluated again in double precision, over all prototypes and all samples of positive weight.  What
is then proved follows from the machine:

    l1 penalty           the duality gap, and whether features without a weight should have none
    ridge                the duality gap; for least squares, the residual of the normal equations
    other links          the bound of the gradient, where the loss is convex
    relevance vectors    that the weights belong to their precisions, and what changing these would gain

Prototypes that were moved, an alpha that was chosen and a kernel that was tuned are taken as they are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from mercer.errors import bad
from mercer.estimators.base import weights
from mercer.estimators.feature_machines import ridge_weights
from mercer.estimators.feature_machines.design import Design, design_matrix
from mercer.estimators.feature_machines.glm import BINARY, FeatureGLM, FeatureGLMClassifier, FeatureGLMRegressor
from mercer.estimators.feature_machines.l1vm import L1VM
from mercer.estimators.feature_machines.machine import Method
from mercer.estimators.feature_machines.rbf_network import RBFNetwork
from mercer.estimators.feature_machines.rvm import RVM, RVMClassifier
from mercer.estimators.labels import Labels
from mercer.solvers.fisher_scoring import prove_by_scoring
from mercer.solvers.glm import prove_glm
from mercer.solvers.least_squares import prove_least_squares
from mercer.solvers.losses import LogMean, Poisson
from mercer.solvers.rvm.evidence import Relevance
from mercer.solvers.rvm.proof import prove_relevance
from mercer.solvers.solution import Solution
from mercer.solvers.sparse import prove_sparse
from mercer.typing import Array


def verify(model: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Solution | Relevance:
    """The certificate of the model as it is; the features are evaluated again, in double precision."""
    check_is_fitted(model, "intercept_")
    if y is None:
        raise bad("verify", "y", "the targets of the fit", "None", "Pass them.")
    X, target, weight = _posed(model, X, y, sample_weight)
    if isinstance(model._method, RVM):
        return _relevance(model, X, target, weight)
    design, W = _design(model, X, target, weight)
    return replace(_prove(model, design, W), n_iter=int(model.n_iter_))


# ---- what the machine was fitted to


def _posed(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Array, Array]:
    """Checked items, the numbers or the codes of the classes, and the weights with those of the classes."""
    classes = is_classifier(model)
    X, y = model._checked(X, y, reset=False, numeric=not classes)
    if hasattr(model, "shape_fit_") and len(y) != model.shape_fit_[0]:
        raise bad("verify", "X", f"the {model.shape_fit_[0]} samples the model was fitted on", f"{len(y)} samples",
                  "Pass the training data in their order.")  # fmt: skip
    weight = weights("verify", sample_weight, len(y))
    if not classes:
        return X, y.astype(np.float64), weight
    labels = Labels.of("verify", y, model.class_weight)
    if not np.array_equal(labels.classes, model.classes_):
        raise bad("verify", "y", f"labels of the classes {model.classes_.tolist()}", labels.classes.tolist(),
                  "Pass the targets of the fit.")  # fmt: skip
    return X, labels.codes, weight * labels.weight[labels.codes]


def _design(model: Any, X: Any, target: Array, weight: Array) -> tuple[Design, Array]:
    """The features of the samples that count, and the weights of all of them (features, functions)."""
    used = np.flatnonzero(weight)
    if isinstance(model, FeatureGLM):
        return Design(model._phi(X)[used], target[used], weight[used], None, used), np.asarray(model.coef_).T
    if isinstance(model._method, RBFNetwork):
        return _network(model, X, target, weight, used)
    design = Method.design(model._method, model, X, target, weight)  # with the tuned kernel
    return design, _spread(model, np.searchsorted(used, model.support_), len(used))


def _network(model: Any, X: Any, target: Array, weight: Array, used: Array) -> tuple[Design, Array]:
    """The design of the prototypes that the machine shows, and which of them have weights."""
    data = model._data(X)
    centres, places = data.prototypes("verify", model.prototypes_)
    design = Design(design_matrix(data, used, centres, places), target[used], weight[used], centres, places)
    keys, own = centres.keep(places).keys(), model._kept.keys()
    free: dict[Any, list[int]] = {}
    for place, key in enumerate(keys):
        free.setdefault(key, []).append(place)
    return design, _spread(model, np.array([free[key].pop(0) for key in own], dtype=np.intp), len(keys))


def _spread(model: Any, places: Array, features: int) -> Array:
    """The weights of the kept features among all."""
    kept = model.dual_coef_.toarray() if hasattr(model.dual_coef_, "toarray") else np.asarray(model.dual_coef_)
    W = np.zeros((features, len(kept)))
    W[places] = kept.T
    return W


# ---- the proofs


def _prove(model: Any, design: Design, W: Array) -> Solution:
    intercept = np.asarray(model.intercept_, dtype=float)
    alpha = float(getattr(model, "alpha_", model.alpha))
    options: dict[str, Any] = {"weight": design.weight, "fit_intercept": bool(model.fit_intercept)}
    if isinstance(model._method, L1VM):
        return prove_sparse(
            design.Phi, design.target, model._family(), W, intercept, lam=alpha, tol=float(model.tol), **options
        )  # fmt: skip
    likelihood = _likelihood(model)
    if likelihood is None:
        return prove_least_squares(design.Phi, design.target, W[:, 0], float(intercept[0]), alpha=alpha, **options)
    options |= {"alpha": alpha, "tol": float(model.tol)}
    if hasattr(likelihood, "statistic"):
        return prove_glm(design.Phi, design.target, likelihood, W, intercept, **options)
    return prove_by_scoring(design.Phi, design.target, likelihood, W[:, 0], intercept, **options)


def _likelihood(model: Any) -> Any:
    """The family or link of the losses; None for least squares."""
    if isinstance(model, FeatureGLMClassifier) and model.link in BINARY:
        return BINARY[str(model.link)]
    if is_classifier(model):
        return ridge_weights.family_of(len(model.classes_))
    if isinstance(model, FeatureGLMRegressor) and model._exponential:
        return Poisson() if model.family == "poisson" else LogMean()
    return None


def _relevance(model: Any, X: Any, target: Array, weight: Array) -> Relevance:
    """The witness of a relevance vector machine."""
    design = model._method.design(model, X, target, weight)
    used, basis = design.places, design.basis
    wide = np.vstack([_spread(model, np.searchsorted(used, model.support_), len(used)), model.intercept_])
    columns = np.append(np.searchsorted(used, model.support_), basis.n)[model._position]
    index = model._function * len(basis) + columns
    evidence = model._evidence_of(design)
    beta = 1.0 if isinstance(model, RVMClassifier) else float(model.beta_)
    found = prove_relevance(
        evidence, index, np.asarray(model.alpha_), wide[columns, model._function], beta, rule=model.method,
        tol=float(model.tol),
    )  # fmt: skip
    return replace(found, n_iter=int(model.n_iter_))
