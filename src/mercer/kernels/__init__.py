"""Kernels: small values that can be evaluated, composed, differentiated and checked.

Kernels of vectors:
radial.py, stationary.py      functions of a distance with lengthscales; bessel.py, the Matern function of any order
spectral.py                   their random frequencies (Bochner)
periodic.py                   a Gaussian on circles
dot.py, angular.py            functions of an inner product, and of an angle
additive.py                   functions of a sum over columns: Laplacian, chi-squared
matrix_weighted.py            given by a matrix: Mahalanobis, bilinear
subsets.py                    over subsets of columns: ANOVA

Kernels of other items:
strings/                      words, subsequences, alignments and edits of strings
documents.py                  words of texts; word_counts.py, the counts that these and strings compare
sets.py, categorical.py       sets and intervals; rows of categories
tables.py                     a kernel on some columns of a table
lookup_table.py, constant.py  a finite set by a table of values; constants and white noise
probability_product.py        the overlap of two fitted models
fisher.py                     gradients of a log likelihood; generative_features.py, hidden causes of an item
user.py                       a feature map or a similarity of the user

Kernels made of kernels:
composite.py                  how their parts are walked
algebra.py                    sums, products, scalings, differences
function_of_kernel.py         powers, polynomials and exp of a kernel's values
normalised.py, centred.py     by the diagonal; by the mean over training items
pullback.py                   through a function of the items
fitted.py                     a kernel with what it has learned from data

Their parts:
base.py                       Kernel: what a subclass overrides
grammar.py                    kernels from text
prepared_rows.py              vectors made ready for inner products and distances
checked_values.py             kernel values as machines read them: finite, or an error that names the pair
maps.py                       explicit feature maps
input_gradient.py             derivatives in the items; central_differences.py, for kernels that give none
frozen_matrix.py              a matrix as a field of a kernel; positive_matrix.py, one that must be positive

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
    from mercer.kernels.documents import Bag, TfIdf
    from mercer.kernels.dot import Geometric, Homogeneous, Linear, Polynomial, Sigmoid
    from mercer.kernels.fisher import Fisher
    from mercer.kernels.fitted import Fitted
    from mercer.kernels.function_of_kernel import Exp, PolynomialOf, Power
    from mercer.kernels.generative_features import GenerativeFeatures
    from mercer.kernels.grammar import parse
    from mercer.kernels.lookup_table import Lookup
    from mercer.kernels.matrix_weighted import Bilinear, Mahalanobis
    from mercer.kernels.normalised import GaussianOf, Normalised
    from mercer.kernels.periodic import Periodic
    from mercer.kernels.probability_product import ProbabilityProduct
    from mercer.kernels.pullback import Modulated, Pullback, rank_one
    from mercer.kernels.radial import RBF, Exponential, Matern, RationalQuadratic
    from mercer.kernels.sets import Intersection, IntervalOverlap, SubsetCount
    from mercer.kernels.strings import (
        AllSubstrings,
        Dictionary,
        EditSimilarity,
        GappedKmer,
        GapWeighted,
        LocalAlignment,
        Mismatch,
        Spectrum,
        WeightedDegree,
    )
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
            "matrix_weighted": "Bilinear Mahalanobis",
            "documents": "Bag TfIdf",
            "dot": "Geometric Homogeneous Linear Polynomial Sigmoid",
            "fisher": "Fisher",
            "fitted": "Fitted",
            "function_of_kernel": "Exp PolynomialOf Power",
            "generative_features": "GenerativeFeatures",
            "grammar": "parse",
            "lookup_table": "Lookup",
            "normalised": "GaussianOf Normalised",
            "periodic": "Periodic",
            "probability_product": "ProbabilityProduct",
            "pullback": "Modulated Pullback rank_one",
            "radial": "RBF Exponential Matern RationalQuadratic",
            "sets": "Intersection IntervalOverlap SubsetCount",
            "strings": "AllSubstrings Dictionary EditSimilarity GapWeighted GappedKmer LocalAlignment Mismatch "
            "Spectrum WeightedDegree",
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
    "AllSubstrings",
    "ArcSine",
    "Bag",
    "Bilinear",
    "Bounded",
    "Centred",
    "ChiSquared",
    "Constant",
    "Cosine",
    "Dictionary",
    "EditSimilarity",
    "Exp",
    "Exponential",
    "FeatureMap",
    "Fisher",
    "Fitted",
    "Fixed",
    "GapWeighted",
    "GappedKmer",
    "GaussianOf",
    "GenerativeFeatures",
    "Geometric",
    "Hamming",
    "Homogeneous",
    "Intersection",
    "IntervalOverlap",
    "Kernel",
    "Laplacian",
    "Linear",
    "LocalAlignment",
    "Lookup",
    "Mahalanobis",
    "Matern",
    "Mismatch",
    "Modulated",
    "Negated",
    "Normalised",
    "On",
    "Periodic",
    "Polynomial",
    "PolynomialOf",
    "Power",
    "ProbabilityProduct",
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
    "WeightedDegree",
    "White",
    "kernel",
    "parse",
    "rank_one",
]
