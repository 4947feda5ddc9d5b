"""Every public estimator, in the settings that the probes try; `large` adds more kernels and options."""

from __future__ import annotations

import inspect
import os
from typing import Any

from sklearn.base import is_classifier, is_regressor

import mercer
from mercer.kernels import RBF, Matern, Polynomial

LARGE = os.environ.get("MERCER_PROBES") == "large"

SMALL_SETTINGS: dict[str, Any] = {
    "BayesianSVC": mercer.BayesianSVC(method="em"),
    "ClassicalMDS": mercer.ClassicalMDS(),
    "FeatureGLMClassifier": mercer.FeatureGLMClassifier(2),
    "FeatureGLMRegressor": mercer.FeatureGLMRegressor(2),
    "GPLVM": mercer.GPLVM(1, max_iter=3),
    "GaussianProcessClassifier": mercer.GaussianProcessClassifier(1.0 * RBF(1.0), optimizer=None),
    "GaussianProcessRegressor": mercer.GaussianProcessRegressor(1.0 * RBF(1.0), alpha=0.1),
    "KMedoids": mercer.KMedoids(3, random_state=0),
    "KernelDensity": mercer.KernelDensity(),
    "KernelDensityClassifier": mercer.KernelDensityClassifier(),
    "KernelGradientDescent": mercer.KernelGradientDescent(max_iter=30),
    "KernelKMeans": mercer.KernelKMeans(3, random_state=0),
    "KernelKNeighborsClassifier": mercer.KernelKNeighborsClassifier(3),
    "KernelKNeighborsRegressor": mercer.KernelKNeighborsRegressor(3),
    "KernelLDA": mercer.KernelLDA(),
    "KernelLogisticRegression": mercer.KernelLogisticRegression(),
    "KernelPCA": mercer.KernelPCA(2, kernel="rbf"),
    "KernelQuantileRegressor": mercer.KernelQuantileRegressor(),
    "KernelRidge": mercer.KernelRidge(),
    "KernelRidge rbf": mercer.KernelRidge(0.1, kernel="rbf", fit_intercept=True),
    "KernelRidgeCV": mercer.KernelRidgeCV(),
    "KernelRiskClassifier": mercer.KernelRiskClassifier(),
    "KernelRiskRegressor": mercer.KernelRiskRegressor(),
    "KernelSearchCV": mercer.KernelSearchCV(mercer.SVC(), {"C": [0.1, 1.0]}, cv=2),
    "L1VMClassifier": mercer.L1VMClassifier(),
    "L1VMRegressor": mercer.L1VMRegressor(),
    "L2VMClassifier": mercer.L2VMClassifier(),
    "L2VMRegressor": mercer.L2VMRegressor(),
    "Loess": mercer.Loess(degree=1),
    "LocalRegression": mercer.LocalRegression(),
    "NadarayaWatson": mercer.NadarayaWatson(0.5),
    "NearestMedoidClassifier": mercer.NearestMedoidClassifier(2, random_state=0),
    "NeighbourDensity": mercer.NeighbourDensity(2),
    "NuSVC": mercer.NuSVC(nu=0.2),
    "NuSVR": mercer.NuSVR(),
    "Nystroem": mercer.Nystroem(n_components=1, random_state=0),
    "OneClassSVM": mercer.OneClassSVM(),
    "RBFNetworkClassifier": mercer.RBFNetworkClassifier(),
    "RBFNetworkRegressor": mercer.RBFNetworkRegressor(),
    "RFMClassifier": mercer.RFMClassifier(rounds=1, alphas=0.1),
    "RFMRegressor": mercer.RFMRegressor(rounds=1, alphas=0.1),
    "RandomFeatures": mercer.RandomFeatures(n_components=4, random_state=0),
    "RVMClassifier": mercer.RVMClassifier(n_restarts=0),
    "RVMRegressor": mercer.RVMRegressor(n_restarts=0),
    "SVC": mercer.SVC(),
    "SVR": mercer.SVR(),
    "TableScaler": mercer.TableScaler(),
}
LARGE_SETTINGS: dict[str, Any] = {
    "BayesianSVC gibbs": mercer.BayesianSVC(n_draws=20, burn_in=5, random_state=0),
    "FeatureGLMClassifier map": mercer.FeatureGLMClassifier(Polynomial(2)),
    "GaussianProcessClassifier inducing": mercer.GaussianProcessClassifier(
        1.0 * RBF(1.0), optimizer=None, method="inducing", n_inducing=8
    ),
    "GaussianProcessClassifier tuned": mercer.GaussianProcessClassifier(1.0 * RBF(1.0)),
    "GaussianProcessRegressor default": mercer.GaussianProcessRegressor(alpha=0.1),
    "GaussianProcessRegressor matern": mercer.GaussianProcessRegressor(1.0 * Matern(1.0), alpha=0.1),
    "ClassicalMDS kernel": mercer.ClassicalMDS(kernel="rbf"),
    "ClassicalMDS landmarks": mercer.ClassicalMDS(n_landmarks=6),
    "KernelGradientDescent sequential": mercer.KernelGradientDescent(max_iter=30, update="sequential"),
    "KMedoids alternate": mercer.KMedoids(3, kernel="rbf", distance="plain", method="alternate", random_state=0),
    "KMedoids manhattan": mercer.KMedoids(3, kernel=None, metric="manhattan", method="pam", init="build"),
    "KMedoids sampled": mercer.KMedoids(3, method="sampled", batch_size=6, random_state=0),
    "KernelKMeans nystrom": mercer.KernelKMeans(2, method="nystrom", n_landmarks=5, random_state=0),
    "KernelKNeighborsClassifier weighted": mercer.KernelKNeighborsClassifier(weights="distance"),
    "KernelKNeighborsRegressor laplacian": mercer.KernelKNeighborsRegressor(4, kernel="laplacian", weights="distance"),
    "KernelLDA linear": mercer.KernelLDA(kernel="linear", shrinkage=0.01),
    "KernelPCA linear": mercer.KernelPCA(),
    "KernelPCA rows": mercer.KernelPCA(2, kernel="rbf", fit_inverse_transform=True),
    "KernelQuantileRegressor linear": mercer.KernelQuantileRegressor(kernel="linear"),
    "KernelRidge alphas": mercer.KernelRidge((0.1, 1.0, 10.0), kernel="rbf"),
    "KernelLogisticRegression nystrom": mercer.KernelLogisticRegression(method="nystrom"),
    "KernelRidge nystrom": mercer.KernelRidge(0.1, kernel="rbf", method="nystrom"),
    "SVC nystrom": mercer.SVC(method="nystrom"),
    "KernelRidge cells": mercer.KernelRidge(0.1, kernel="rbf", method="cells", cell_rows=10),
    "SVC cells": mercer.SVC(method="cells", cell_rows=10),
    "KernelRidge laplacian": mercer.KernelRidge(kernel="laplacian"),
    "KernelRiskClassifier hinge": mercer.KernelRiskClassifier("hinge", kernel="linear"),
    "KernelRiskClassifier squared hinge": mercer.KernelRiskClassifier("squared_hinge"),
    "KernelRiskRegressor absolute": mercer.KernelRiskRegressor("epsilon_insensitive"),
    "KernelSearchCV ridge": mercer.KernelSearchCV(mercer.KernelRidge(kernel="rbf"), {"alpha": [0.1, 1.0]}, cv=2),
    "L1VMClassifier cv": mercer.L1VMClassifier(alpha="cv", n_alphas=5, cv=2),
    "L1VMRegressor cv": mercer.L1VMRegressor(alpha="cv", n_alphas=5, cv=2),
    "L2VMClassifier evidence": mercer.L2VMClassifier(alpha="evidence"),
    "L2VMRegressor evidence": mercer.L2VMRegressor(alpha="evidence"),
    "Loess symmetric": mercer.Loess(degree=1, family="symmetric", surface="direct"),
    "LocalRegression neighbours": mercer.LocalRegression(degree=2, neighbours=0.8, window="tricube"),
    "NadarayaWatson loo": mercer.NadarayaWatson(window="epanechnikov"),
    "NuSVC poly": mercer.NuSVC(nu=0.2, kernel="poly", degree=2),
    "NuSVR linear": mercer.NuSVR(kernel="linear"),
    "OneClassSVM poly": mercer.OneClassSVM(kernel="poly", coef0=1.0),
    "RBFNetworkClassifier kmeans": mercer.RBFNetworkClassifier(prototypes=4, random_state=0),
    "RBFNetworkRegressor medoids": mercer.RBFNetworkRegressor(prototypes=4, init="medoids", random_state=0),
    "RBFNetworkRegressor moved": mercer.RBFNetworkRegressor(prototypes=2, optimise=True, n_init=1, random_state=0),
    "RVMClassifier mackay": mercer.RVMClassifier(method="mackay"),
    "RVMRegressor em": mercer.RVMRegressor(method="em"),
    "SVC kernel": mercer.SVC(kernel=2.0 * RBF(1.5) + Matern(2.0)),
    "SVC linear": mercer.SVC(kernel="linear"),
    "SVC poly": mercer.SVC(kernel="poly", coef0=1.0),
    "SVC probability": mercer.SVC(probability=True),
    "SVC sigmoid": mercer.SVC(kernel="sigmoid", gamma=0.1),
    "SVR linear": mercer.SVR(kernel="linear"),
    "SVR poly": mercer.SVR(kernel="poly", coef0=1.0),
}
SETTINGS = SMALL_SETTINGS | LARGE_SETTINGS if LARGE else SMALL_SETTINGS

TUNED = {"GaussianProcessClassifier", "GaussianProcessRegressor"}  # by a search, which magnifies rounding


def public() -> set[str]:
    """The names of all public estimators."""
    found = {name: getattr(mercer, name) for name in mercer.__all__}
    return {name for name, one in found.items() if inspect.isclass(one) and hasattr(one, "fit")}


def classifies(machine: Any) -> bool:
    """Whether targets are labels."""
    return is_classifier(getattr(machine, "estimator", machine))


def regresses(machine: Any) -> bool:
    """Whether targets are numbers."""
    return is_regressor(getattr(machine, "estimator", machine))


def weighs(machine: Any) -> bool:
    """Whether `fit` takes sample weights."""
    return "sample_weight" in inspect.signature(machine.fit).parameters


def takes_sparse(machine: Any) -> bool:
    """Sparse rows; prototypes that move are dense."""
    return bool(machine.__sklearn_tags__().input_tags.sparse) and not getattr(machine, "optimise", False)
