"""proof: why a kernel is positive semi-definite, rule by rule through its expression.

A kernel is one by its own theorem (a leaf), or because a closure rule makes kernels of kernels (a node).  The tree of
these reasons is the proof.  Where a reason is missing, the tree shows the place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mercer.kernels import (
    ANOVA,
    RBF,
    AllSubsets,
    ArcSine,
    Bag,
    Bilinear,
    Centred,
    ChiSquared,
    Constant,
    Cosine,
    Exp,
    Exponential,
    FeatureMap,
    Fitted,
    GaussianOf,
    Geometric,
    Hamming,
    Homogeneous,
    Intersection,
    IntervalOverlap,
    Kernel,
    Laplacian,
    Linear,
    Lookup,
    Mahalanobis,
    Matern,
    Modulated,
    Normalised,
    On,
    Periodic,
    Polynomial,
    PolynomialOf,
    Power,
    Product,
    Pullback,
    RationalQuadratic,
    Scaled,
    Spectrum,
    SubsetCount,
    Sum,
    TfIdf,
    White,
)

_SPECTRAL = "the Fourier transform of a positive measure (Bochner)"
_FEATURES = "an inner product of features"
_PRODUCT = "a product over columns of kernels on one column (Schur)"

LEAVES: dict[type[Kernel], str] = {
    Linear: "the inner product itself",
    Polynomial: f"{_FEATURES}: all monomials up to the degree, with binomial weights >= 0",
    Homogeneous: f"{_FEATURES}: all monomials of that degree",
    Geometric: "a sum of powers of the inner product",
    Bilinear: "the inner product of R^T x, where B = R R^T",
    Cosine: "the inner product of x / |x|",
    RBF: f"{_SPECTRAL}, a Gaussian",
    Mahalanobis: f"{_SPECTRAL}, a Gaussian",
    Matern: f"{_SPECTRAL}, of Student's t form",
    Exponential: f"{_SPECTRAL}, of Cauchy's form",
    RationalQuadratic: "a mixture of Gaussian kernels with weights >= 0 over lengthscales",
    Laplacian: _PRODUCT,
    Hamming: f"{_PRODUCT}: 1 on the diagonal and exp(-1/l) beside it",
    Periodic: f"{_PRODUCT}: Gaussian kernels of points on a circle",
    ChiSquared: "exp(-gamma d) of a conditionally negative d (Schoenberg)",
    ArcSine: "the covariance of a neural network of one layer with random weights",
    ANOVA: "a sum of products of kernels on single columns",
    AllSubsets: f"{_FEATURES}: the products of all subsets of columns",
    Constant: f"{_FEATURES}: the one number sqrt(r)",
    White: f"{_FEATURES}: one for each different item",
    Lookup: "a table whose matrix was found positive semi-definite",
    Bag: f"{_FEATURES}: how often each word occurs",
    TfIdf: f"{_FEATURES}: weighted counts of words, scaled to length 1",
    Spectrum: f"{_FEATURES}: how often each substring occurs",
    Intersection: f"{_FEATURES}: the indicators of elements, by their weights",
    SubsetCount: f"{_FEATURES}: the indicators of subsets",
    IntervalOverlap: "the inner product of indicator functions, an integral",
    FeatureMap: _FEATURES,
}
RULES: dict[type[Kernel], str] = {
    Sum: "a sum of kernels: u*(K1 + K2)u = u*K1u + u*K2u >= 0",
    Product: "a product of kernels: the entrywise product of positive semi-definite matrices is one (Schur)",
    Scaled: "a kernel times a number >= 0",
    Power: "a product of a kernel with itself (Schur)",
    PolynomialOf: "a polynomial of a kernel with coefficients >= 0: sums of products",
    Exp: "a limit of polynomials of a kernel with coefficients 1/m! >= 0",
    Normalised: "f(x) k(x, y) f(y) with f(x) = k(x, x)^(-1/2): features scaled to length 1",
    Modulated: "f(x) k(x, y) f(y)*: features times f(x)",
    GaussianOf: "the Gaussian kernel of the distance between features (Schoenberg)",
    Centred: "the inner product of features from which their mean is taken",
    Pullback: "a kernel of psi(x): any map of the items leaves Grams Grams",
    On: "a kernel of some columns: any map of the items leaves Grams Grams",
    Fitted: "a kernel whose frame is fixed",
}
_UNKNOWN = "no rule says so; mercer.certify can refute it on data"
_REFUTED = "not a kernel: some Gram of it has a negative eigenvalue"


@dataclass(frozen=True)
class Step:
    """A kernel of the expression, whether it is positive semi-definite, why, and the steps that this rests on."""

    kernel: Kernel
    psd: bool | None
    reason: str
    steps: tuple[Step, ...] = ()

    def lines(self, depth: int = 0) -> Iterator[tuple[int, Step]]:
        """Every step with its depth in the tree, the conclusion first."""
        yield depth, self
        for step in self.steps:
            yield from step.lines(depth + 1)

    def __str__(self) -> str:
        words = {True: "positive semi-definite", False: "not positive semi-definite", None: "unknown"}
        return "\n".join(f"{'  ' * d}{step.kernel!r}: {words[step.psd]}, {step.reason}" for d, step in self.lines())


def proof(kernel: Kernel) -> Step:
    """The proof of a kernel, or the place where it breaks off."""
    steps = tuple(proof(child) for child in kernel.children)
    return Step(kernel, kernel.psd, _reason(kernel), steps)


def _reason(kernel: Kernel) -> str:
    if kernel.psd is False:
        return _REFUTED
    if kernel.psd is None:
        return _UNKNOWN
    known = LEAVES | RULES
    found = next((known[cls] for cls in type(kernel).__mro__ if cls in known), None)
    return found or "by the word of whoever wrote it"


def formula(kernel: Kernel) -> str:
    """The formula of a kernel, as its documentation begins."""
    lines = (type(kernel).__doc__ or "").strip().splitlines() or [""]
    return lines[0].rstrip(".")
