"""mercer: kernel methods.  One kernel object, every machine, with proof.

    from mercer.kernels import RBF, Linear
    k = 2.0 * RBF(1.5) + Linear() ** 2
    K = k(X)                      # the Gram matrix, on all cores
    print(mercer.certify(k, X))   # is it positive semi-definite here, and why

Names load on first use, so that importing the library costs next to nothing.
"""

from importlib import import_module
from typing import Any

# At once, for the module of that name must not take the function's place.
from mercer.config import config as config
from mercer.config import configure as configure

__version__ = "0.1.0"

_HOME = {
    "BayesianSVC": "mercer.estimators.svm.bayesian",
    "ClassicalMDS": "mercer.estimators.embedding.classical_mds",
    "FeatureGLMClassifier": "mercer.estimators.feature_machines.glm",
    "FeatureGLMRegressor": "mercer.estimators.feature_machines.glm",
    "GPLVM": "mercer.estimators.gaussian_process.gplvm",
    "GaussianProcessClassifier": "mercer.estimators.gaussian_process.classifier",
    "GaussianProcessRegressor": "mercer.estimators.gaussian_process.regressor",
    "KMedoids": "mercer.estimators.clusters.k_medoids",
    "KernelDensity": "mercer.estimators.density.kernel_density",
    "KernelDensityClassifier": "mercer.estimators.density.classifier",
    "KernelGradientDescent": "mercer.estimators.gradient_descent",
    "KernelKMeans": "mercer.estimators.clusters.kernel_k_means",
    "KernelKNeighborsClassifier": "mercer.estimators.neighbours.classifier",
    "KernelKNeighborsRegressor": "mercer.estimators.neighbours.regressor",
    "KernelLDA": "mercer.estimators.discriminant.kernel_lda",
    "KernelLogisticRegression": "mercer.estimators.risk.classification",
    "KernelPCA": "mercer.estimators.embedding.kernel_pca",
    "KernelQuantileRegressor": "mercer.estimators.risk.regression",
    "KernelRidge": "mercer.estimators.ridge.kernel_ridge",
    "KernelRidgeCV": "mercer.estimators.ridge.kernel_ridge_cv",
    "KernelRiskClassifier": "mercer.estimators.risk.classification",
    "KernelRiskRegressor": "mercer.estimators.risk.regression",
    "KernelSearchCV": "mercer.selection.search",
    "L1VMClassifier": "mercer.estimators.feature_machines.l1vm",
    "L1VMRegressor": "mercer.estimators.feature_machines.l1vm",
    "L2VMClassifier": "mercer.estimators.feature_machines.l2vm",
    "L2VMRegressor": "mercer.estimators.feature_machines.l2vm",
    "LazyGram": "mercer.gram",
    "Loess": "mercer.estimators.smoothing.loess",
    "LocalRegression": "mercer.estimators.smoothing.local_regression",
    "MemoryBudgetError": "mercer.errors",
    "ModelFileError": "mercer.errors",
    "NadarayaWatson": "mercer.estimators.smoothing.nadaraya_watson",
    "NearestMedoidClassifier": "mercer.estimators.clusters.nearest_medoid",
    "NeighbourDensity": "mercer.estimators.density.neighbour_density",
    "NotConverged": "mercer.errors",
    "NotFinite": "mercer.errors",
    "NotPositiveDefinite": "mercer.errors",
    "NuSVC": "mercer.estimators.svm.svc",
    "NuSVR": "mercer.estimators.svm.svr",
    "Nystroem": "mercer.estimators.features.nystroem",
    "OneClassSVM": "mercer.estimators.svm.one_class",
    "RBFNetworkClassifier": "mercer.estimators.feature_machines.rbf_network",
    "RBFNetworkRegressor": "mercer.estimators.feature_machines.rbf_network",
    "RFMClassifier": "mercer.estimators.recursive_features.machine",
    "RFMRegressor": "mercer.estimators.recursive_features.machine",
    "RKHSFunction": "mercer.theory",
    "RVMClassifier": "mercer.estimators.feature_machines.rvm",
    "RVMRegressor": "mercer.estimators.feature_machines.rvm",
    "RandomFeatures": "mercer.estimators.features.random_features",
    "SVC": "mercer.estimators.svm.svc",
    "SVR": "mercer.estimators.svm.svr",
    "StoredGram": "mercer.gram",
    "TableError": "mercer.errors",
    "TableScaler": "mercer.estimators.table_scaler",
    "alignment": "mercer.selection.kernel_heuristics",
    "certify": "mercer.theory",
    "compare": "mercer.comparison",
    "distance": "mercer.theory",
    "hsic_test": "mercer.statistics.hsic",
    "kernels": "mercer.kernels",
    "load": "mercer.files",
    "lowess": "mercer.estimators.smoothing.lowess",
    "median_lengthscale": "mercer.selection.kernel_heuristics",
    "medoid_silhouette": "mercer.estimators.clusters.silhouettes",
    "mmd_test": "mercer.statistics.mmd",
    "models": "mercer.models",
    "parse": "mercer.kernels",
    "plots": "mercer.plots",
    "repair": "mercer.theory",
    "report": "mercer.report",
    "save": "mercer.files",
    "silhouette": "mercer.estimators.clusters.silhouettes",
    "svm_path": "mercer.estimators.svm.path",
    "tables": "mercer.tables",
    "testing": "mercer.testing",
    "theory": "mercer.theory",
    "verify": "mercer.estimators.verify",
    "windows": "mercer.windows",
}

__all__ = sorted([*_HOME, "__version__", "config", "configure"])


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'mercer' has no attribute {name!r}")
    module = import_module(_HOME[name])
    found = module if module.__name__ == f"mercer.{name}" and not hasattr(module, name) else getattr(module, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
