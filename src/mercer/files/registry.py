"""The classes that a file may name, and nothing beside them.

Machines and kernels go by their public names, other classes by the place they have in mercer.  A class that is not
listed is neither saved nor built, whatever a file says.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import mercer
from mercer import kernels
from mercer.files.faults import broken
from mercer.kernels import Kernel

# These hold a function of the user, which cannot be saved.
FUNCTIONAL = (kernels.FeatureMap, kernels.Modulated, kernels.Pullback, kernels.Similarity)

_RECORDS = {
    "mercer.parameters": "Fixed Bounded",
    "mercer.items": "Categories Documents Graphs Intervals Models Objects PointLists Rankings Sets Strings Table "
    "Vectors",
    "mercer.items.sets": "PackedSets",
    "mercer.items.labels": "Labels",
    "mercer.items.text": "CountedDocuments",
    "mercer.kernels.frozen_matrix": "Frozen",
    "mercer.kernels.prepared_rows": "Centre",
    "mercer.kernels.documents": "Corpus",
    "mercer.kernels.centred": "Training",
    "mercer.kernels.fisher": "FisherFrame",
    "mercer.models": "Bernoulli DiagonalGaussian Discrete Gaussian GaussianEmissions GaussianMixture HiddenMarkov "
    "Multinomial SymbolEmissions",
    "mercer.estimators.embedding.certificate": "EigenCertificate",
    "mercer.estimators.embedding.dissimilarities": "GivenDistances KernelDistances MetricDistances",
    "mercer.estimators.training_data": "Approximation KernelItems GivenGram LowRankItems",
    "mercer.estimators.cells.coordinates": "Coordinates",
    "mercer.estimators.cells.model": "CellApproximation Cells",
    "mercer.estimators.cells.tree": "Split",
    "mercer.estimators.clusters.metric": "NamedMetric",
    "mercer.estimators.recursive_features.columns": "Columns",
    "mercer.estimators.recursive_features.leaf": "Leaf",
    "mercer.estimators.risk.certificate": "RiskCertificate",
    "mercer.estimators.smoothing.mixed_columns": "MixedColumns",
    "mercer.estimators.svm.certificate": "Certificate",
    "mercer.estimators.svm.proof_record": "Record",
    "mercer.estimators.gaussian_process.converted_kernel": "Converted Foreign",
    "mercer.estimators.gaussian_process.covariance": "Covariance Noise",
    "mercer.estimators.gaussian_process.class_posterior": "ClassPosterior Codes Signs",
    "mercer.estimators.gaussian_process.means": "ConstantMean LinearMean ZeroMean",
    "mercer.estimators.gaussian_process.methods.grid": "GridPosterior",
    "mercer.estimators.gaussian_process.methods.inducing": "InducingPosterior",
    "mercer.estimators.gaussian_process.methods.inducing_labels": "InducingClassPosterior",
    "mercer.estimators.gaussian_process.methods.neighbours": "NeighbourPosterior",
    "mercer.estimators.gaussian_process.methods.state_space": "LinePosterior",
    "mercer.estimators.gaussian_process.posterior": "RegressionPosterior",
    "mercer.estimators.gaussian_process.report": "FitReport RegressionCertificate",
    "mercer.estimators.gaussian_process.model": "ProcessModel",
    "mercer.estimators.gaussian_process.targets": "Units",
    "mercer.linalg.cholesky": "Factor",
    "mercer.solvers.density.boundary": "Side",
    "mercer.solvers.density.mixture": "Mixture",
    "mercer.solvers.discriminant": "Discriminant",
    "mercer.solvers.dual.certificate": "DualSolution",
    "mercer.solvers.evidence_climb": "EvidenceClimb",
    "mercer.solvers.gaussian_process": "Conditioned",
    "mercer.solvers.glm": "GLMSolution",
    "mercer.solvers.gplvm": "LatentClimb",
    "mercer.solvers.gradient_descent": "Descent",
    "mercer.solvers.inducing": "InducingSums",
    "mercer.solvers.hinge_posterior": "HingeMode HingePosterior",
    "mercer.solvers.kernel_k_means": "MeansProof",
    "mercer.solvers.kkt": "KKT",
    "mercer.solvers.laplace": "Laplace Mode",
    "mercer.solvers.laplace_softmax": "Curvature SoftmaxLaplace",
    "mercer.solvers.landmarks": "LandmarkFactor",
    "mercer.solvers.least_squares": "LeastSquares",
    "mercer.solvers.linear_svm": "LinearSolution",
    "mercer.solvers.local_regression": "BandwidthSearch LocalProblem Width",
    "mercer.solvers.losses": "ComplementaryLogLog EpsilonInsensitive Exponential Hinge Huber Logistic Pinball Probit "
    "Squared SquaredHinge",
    "mercer.solvers.loess.boxes": "Boxes",
    "mercer.solvers.loess.fit": "LoessSurface",
    "mercer.solvers.loess.local_fits": "Centres LocalFits Points",
    "mercer.solvers.loess.statistics": "Traces",
    "mercer.solvers.medoids.proof": "SwapProof",
    "mercer.solvers.platt": "Platt",
    "mercer.solvers.ridge": "Factored RidgeCertificate Targets",
    "mercer.solvers.ridge.low_rank": "LowRankRidgeCertificate",
    "mercer.solvers.risk.solution": "RiskSolution",
    "mercer.solvers.rvm.evidence": "Relevance",
    "mercer.solvers.fisher_scoring": "ScoringSolution",
    "mercer.solvers.sparse.working_set": "SparseSolution",
    "mercer.windows": "Biweight Boxcar Cosine Epanechnikov Exponential Gaussian TriCube Triangular Triweight",
}
_GP = "mercer.estimators.gaussian_process"
# {name in files of 0.1.0: name today}.
_FORMER = {
    "mercer.estimators.expansion.GivenGram": "mercer.estimators.training_data.GivenGram",
    "mercer.estimators.expansion.KernelItems": "mercer.estimators.training_data.KernelItems",
    "mercer.estimators.svm.record.Record": "mercer.estimators.svm.proof_record.Record",
    f"{_GP}.convert.Converted": f"{_GP}.converted_kernel.Converted",
    f"{_GP}.convert.Foreign": f"{_GP}.converted_kernel.Foreign",
    f"{_GP}.labelled.Codes": f"{_GP}.class_posterior.Codes",
    f"{_GP}.labelled.Posterior": f"{_GP}.class_posterior.ClassPosterior",
    f"{_GP}.labelled.Signs": f"{_GP}.class_posterior.Signs",
    f"{_GP}.means.Level": f"{_GP}.means.ConstantMean",
    f"{_GP}.means.Linear": f"{_GP}.means.LinearMean",
    f"{_GP}.means.Zero": f"{_GP}.means.ZeroMean",
    f"{_GP}.posterior.Posterior": f"{_GP}.posterior.RegressionPosterior",
    f"{_GP}.report.Certificate": f"{_GP}.report.RegressionCertificate",
    f"{_GP}.setup.Setup": f"{_GP}.model.ProcessModel",
    "mercer.kernels.frozen.Frozen": "mercer.kernels.frozen_matrix.Frozen",
    "mercer.kernels.rows.Centre": "mercer.kernels.prepared_rows.Centre",
    "mercer.selection.scaling.SteadyScaler": "mercer.selection.grids.SteadyScaler",
    "mercer.solvers.cholesky.Factor": "mercer.linalg.cholesky.Factor",
    "mercer.solvers.evidence_search.Climb": "mercer.solvers.evidence_climb.EvidenceClimb",
    "mercer.solvers.gplvm.Climb": "mercer.solvers.gplvm.LatentClimb",
    "mercer.solvers.likelihoods.Logistic": "mercer.solvers.losses.Logistic",
    "mercer.solvers.likelihoods.Probit": "mercer.solvers.losses.Probit",
    "mercer.solvers.linear.LinearSolution": "mercer.solvers.linear_svm.LinearSolution",
    "mercer.solvers.qp.KKT": "mercer.solvers.kkt.KKT",
    "mercer.solvers.scoring.ScoringSolution": "mercer.solvers.fisher_scoring.ScoringSolution",
}
_TRANSFORMERS = {
    "mercer.selection.grids": "SteadyScaler",
    "sklearn.compose": "ColumnTransformer TransformedTargetRegressor make_column_selector",
    "sklearn.decomposition": "PCA TruncatedSVD",
    "sklearn.feature_extraction.text": "CountVectorizer HashingVectorizer TfidfTransformer TfidfVectorizer",
    "sklearn.feature_selection": "SelectKBest SelectPercentile VarianceThreshold",
    "sklearn.impute": "KNNImputer MissingIndicator SimpleImputer",
    "sklearn.pipeline": "FeatureUnion Pipeline",
    "sklearn.preprocessing": "Binarizer FunctionTransformer KBinsDiscretizer MaxAbsScaler MinMaxScaler Normalizer "
    "OneHotEncoder OrdinalEncoder PolynomialFeatures PowerTransformer QuantileTransformer RobustScaler StandardScaler",
    "sklearn.gaussian_process.kernels": "CompoundKernel ConstantKernel DotProduct ExpSineSquared Exponentiation Matern "
    "PairwiseKernel Product RBF RationalQuadratic Sum WhiteKernel",
}


@cache
def homes() -> dict[str, str]:
    """{name in a file: module to import it from}."""
    places = [(name, home) for name, home in mercer._HOME.items() if name[0].isupper()]  # classes, not functions
    public = {f"mercer.{name}": home for name, home in places if home.startswith("mercer.estimators.")}
    ours = {f"mercer.kernels.{name}": "mercer.kernels" for name in kernels.__all__ if _is_plain(getattr(kernels, name))}
    rest = {f"{home}.{name}": home for home, names in (_RECORDS | _TRANSFORMERS).items() for name in names.split()}
    return public | ours | rest


def _is_plain(found: Any) -> bool:
    """Whether this is a kernel made of values only."""
    return isinstance(found, type) and issubclass(found, Kernel) and found not in (Kernel, *FUNCTIONAL)


def named(name: Any) -> type:
    """The class of that name."""
    name = _FORMER.get(name, name) if isinstance(name, str) else None
    home = homes().get(name)
    found = getattr(import_module(home), name.rpartition(".")[2]) if home else None
    if not isinstance(found, type):
        raise broken("a class", "one that mercer knows how to build", repr(name),
                     "The file is not to be trusted, or from another version of mercer.")  # fmt: skip
    return found


@cache
def name_of(cls: type) -> str | None:
    """The name of a class in files; None if it has none."""
    candidates = (name for name in homes() if name.rpartition(".")[2] == cls.__name__)
    return next((name for name in candidates if named(name) is cls), None)
