"""Kernels: small values that can be evaluated, composed, differentiated and checked."""

from mercer.kernels.algebra import Negated, Product, Scaled, Sum
from mercer.kernels.base import Kernel, kernel
from mercer.kernels.centred import Centred
from mercer.kernels.constant import Constant, White
from mercer.kernels.dot import Geometric, Homogeneous, Linear, Polynomial, Sigmoid
from mercer.kernels.fitted import Fitted
from mercer.kernels.functions import Exp, PolynomialOf, Power
from mercer.kernels.grammar import parse
from mercer.kernels.normalised import GaussianOf, Normalised
from mercer.kernels.pullback import Modulated, Pullback, rank_one
from mercer.kernels.radial import RBF, Exponential, Matern, RationalQuadratic
from mercer.parameters import Bounded, Fixed

__all__ = [
    "RBF",
    "Bounded",
    "Centred",
    "Constant",
    "Exp",
    "Exponential",
    "Fitted",
    "Fixed",
    "GaussianOf",
    "Geometric",
    "Homogeneous",
    "Kernel",
    "Linear",
    "Matern",
    "Modulated",
    "Negated",
    "Normalised",
    "Polynomial",
    "PolynomialOf",
    "Power",
    "Product",
    "Pullback",
    "RationalQuadratic",
    "Scaled",
    "Sigmoid",
    "Sum",
    "White",
    "kernel",
    "parse",
    "rank_one",
]
