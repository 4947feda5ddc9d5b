"""Kernels: small values that can be evaluated, composed, differentiated and checked.

Names load on first use: a machine on vectors needs a few of these modules.
"""

from typing import TYPE_CHECKING

from mercer.lazy import on_first_use
from mercer.parameters import Bounded, Fixed

if TYPE_CHECKING:
    from mercer.kernels.additive import AdditiveChiSquared, ChiSquared, Laplacian
    from mercer.kernels.algebra import Negated, Product, Scaled, Sum
    from mercer.kernels.angular import ArcSine, Cosine
    from mercer.kernels.base import Kernel, kernel
    from mercer.kernels.categorical import Hamming
    from mercer.kernels.centred import Centred
    from mercer.kernels.constant import Constant, White
    from mercer.kernels.covariance import Bilinear, Mahalanobis
    from mercer.kernels.documents import Bag, TfIdf
    from mercer.kernels.dot import Geometric, Homogeneous, Linear, Polynomial, Sigmoid
    from mercer.kernels.fitted import Fitted
    from mercer.kernels.functions import Exp, PolynomialOf, Power
    from mercer.kernels.grammar import parse
    from mercer.kernels.lookup import Lookup
    from mercer.kernels.normalised import GaussianOf, Normalised
    from mercer.kernels.periodic import Periodic
    from mercer.kernels.pullback import Modulated, Pullback, rank_one
    from mercer.kernels.radial import RBF, Exponential, Matern, RationalQuadratic
    from mercer.kernels.sets import Intersection, IntervalOverlap, SubsetCount
    from mercer.kernels.strings import Spectrum
    from mercer.kernels.subsets import ANOVA, AllSubsets
    from mercer.kernels.tables import On
    from mercer.kernels.user import FeatureMap, Similarity
else:
    __getattr__, __dir__ = on_first_use(
        __name__,
        {
            "additive": "AdditiveChiSquared ChiSquared Laplacian",
            "algebra": "Negated Product Scaled Sum",
            "angular": "ArcSine Cosine",
            "base": "Kernel kernel",
            "categorical": "Hamming",
            "centred": "Centred",
            "constant": "Constant White",
            "covariance": "Bilinear Mahalanobis",
            "documents": "Bag TfIdf",
            "dot": "Geometric Homogeneous Linear Polynomial Sigmoid",
            "fitted": "Fitted",
            "functions": "Exp PolynomialOf Power",
            "grammar": "parse",
            "lookup": "Lookup",
            "normalised": "GaussianOf Normalised",
            "periodic": "Periodic",
            "pullback": "Modulated Pullback rank_one",
            "radial": "RBF Exponential Matern RationalQuadratic",
            "sets": "Intersection IntervalOverlap SubsetCount",
            "strings": "Spectrum",
            "subsets": "ANOVA AllSubsets",
            "tables": "On",
            "user": "FeatureMap Similarity",
        },
    )

__all__ = [
    "ANOVA",
    "RBF",
    "AdditiveChiSquared",
    "AllSubsets",
    "ArcSine",
    "Bag",
    "Bilinear",
    "Bounded",
    "Centred",
    "ChiSquared",
    "Constant",
    "Cosine",
    "Exp",
    "Exponential",
    "FeatureMap",
    "Fitted",
    "Fixed",
    "GaussianOf",
    "Geometric",
    "Hamming",
    "Homogeneous",
    "Intersection",
    "IntervalOverlap",
    "Kernel",
    "Laplacian",
    "Linear",
    "Lookup",
    "Mahalanobis",
    "Matern",
    "Modulated",
    "Negated",
    "Normalised",
    "On",
    "Periodic",
    "Polynomial",
    "PolynomialOf",
    "Power",
    "Product",
    "Pullback",
    "RationalQuadratic",
    "Scaled",
    "Sigmoid",
    "Similarity",
    "Spectrum",
    "SubsetCount",
    "Sum",
    "TfIdf",
    "White",
    "kernel",
    "parse",
    "rank_one",
]
