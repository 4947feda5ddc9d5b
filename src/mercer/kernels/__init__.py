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
alignment.py, signature.py    time series and paths
point_sets.py                 sets of points: means of kernels, sliced Wasserstein; pyramid_match.py, by cells
prepared_points.py            lists of points made ready for these kernels
sets.py, categorical.py       sets and intervals; rows of categories
agreement.py                  subsets of a known set: what both leave out, where they agree
min_max.py                    what is shared of all that two items have: Tanimoto, MinMax
positive_type.py, groups.py   elements of a group, the same after both are moved
rankings.py                   rankings, by pairs in the same order
graphs/                       graphs: what surrounds nodes, paths, walks, small subgraphs
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
    from mercer.kernels.agreement import Agreement, UnionComplement
    from mercer.kernels.algebra import Negated, Product, Scaled, Sum
    from mercer.kernels.alignment import GlobalAlignment
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
    from mercer.kernels.graphs.graphlet import Graphlet
    from mercer.kernels.graphs.propagation import Propagation
    from mercer.kernels.graphs.random_walk import RandomWalk
    from mercer.kernels.graphs.shortest_path import ShortestPath
    from mercer.kernels.graphs.weisfeiler_lehman import WeisfeilerLehman
    from mercer.kernels.lookup_table import Lookup
    from mercer.kernels.matrix_weighted import Bilinear, Mahalanobis
    from mercer.kernels.min_max import MinMax, Tanimoto
    from mercer.kernels.normalised import GaussianOf, Normalised
    from mercer.kernels.periodic import Periodic
    from mercer.kernels.point_sets import MeanEmbedding, SlicedWasserstein
    from mercer.kernels.positive_type import PositiveType
    from mercer.kernels.probability_product import ProbabilityProduct
    from mercer.kernels.pullback import Modulated, Pullback, rank_one
    from mercer.kernels.pyramid_match import PyramidMatch
    from mercer.kernels.radial import RBF, Exponential, Matern, RationalQuadratic
    from mercer.kernels.rankings import Kendall, Mallows
    from mercer.kernels.sets import Intersection, IntervalOverlap, SubsetCount
    from mercer.kernels.signature import SignaturePDE
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
            "agreement": "Agreement UnionComplement",
            "algebra": "Negated Product Scaled Sum",
            "alignment": "GlobalAlignment",
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
            "graphs.graphlet": "Graphlet",
            "graphs.propagation": "Propagation",
            "graphs.random_walk": "RandomWalk",
            "graphs.shortest_path": "ShortestPath",
            "graphs.weisfeiler_lehman": "WeisfeilerLehman",
            "lookup_table": "Lookup",
            "min_max": "MinMax Tanimoto",
            "normalised": "GaussianOf Normalised",
            "periodic": "Periodic",
            "point_sets": "MeanEmbedding SlicedWasserstein",
            "positive_type": "PositiveType",
            "probability_product": "ProbabilityProduct",
            "pullback": "Modulated Pullback rank_one",
            "pyramid_match": "PyramidMatch",
            "radial": "RBF Exponential Matern RationalQuadratic",
            "rankings": "Kendall Mallows",
            "sets": "Intersection IntervalOverlap SubsetCount",
            "strings": "AllSubstrings Dictionary EditSimilarity GapWeighted GappedKmer LocalAlignment Mismatch "
            "Spectrum WeightedDegree",
            "signature": "SignaturePDE",
            "subsets": "ANOVA AllSubsets",
            "tables": "On",
            "user": "FeatureMap Similarity",
        },
    )

__all__ = [
    "ANOVA",
    "RBF",
    "AdditiveChiSquared",
    "Agreement",
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
    "GlobalAlignment",
    "Graphlet",
    "Hamming",
    "Homogeneous",
    "Intersection",
    "IntervalOverlap",
    "Kendall",
    "Kernel",
    "Laplacian",
    "Linear",
    "LocalAlignment",
    "Lookup",
    "Mahalanobis",
    "Mallows",
    "Matern",
    "MeanEmbedding",
    "MinMax",
    "Mismatch",
    "Modulated",
    "Negated",
    "Normalised",
    "On",
    "Periodic",
    "Polynomial",
    "PolynomialOf",
    "PositiveType",
    "Power",
    "ProbabilityProduct",
    "Product",
    "Propagation",
    "Pullback",
    "PyramidMatch",
    "RandomWalk",
    "RationalQuadratic",
    "Scaled",
    "ShortestPath",
    "Sigmoid",
    "SignaturePDE",
    "Similarity",
    "SlicedWasserstein",
    "Spectrum",
    "SubsetCount",
    "Sum",
    "Tanimoto",
    "TfIdf",
    "UnionComplement",
    "WeightedDegree",
    "WeisfeilerLehman",
    "White",
    "kernel",
    "parse",
    "rank_one",
]
