"""Theory as functions: theorems about kernels that can be called, with a certificate or a witness.

certify, repair                     is it positive semi-definite on these items, and what to do when it is not
proof, dimension                    why it is positive semi-definite on all items, rule by rule; its number of features
mercer_map, eigenfunctions          features from a Gram, features from an integral operator
brownian_spectrum, gaussian_spectrum, gaussian_features       closed forms to compare with
RKHSFunction, section               functions made of a kernel, with inner product and norm
distance                            the metric a kernel induces
"""

from mercer.theory.certify import Certificate, certify
from mercer.theory.closed_forms import brownian_spectrum, gaussian_features, gaussian_spectrum
from mercer.theory.dimension import dimension
from mercer.theory.distance import distance
from mercer.theory.eigenfunctions import Eigensystem, eigenfunctions, integral_operator
from mercer.theory.mercer import MercerMap, mercer_map
from mercer.theory.proof import Step, formula, proof
from mercer.theory.quadrature import gauss_hermite, gauss_legendre, inner_product, midpoint
from mercer.theory.repair import Repair, repair
from mercer.theory.rkhs import RKHSFunction, section

__all__ = [
    "Certificate",
    "Eigensystem",
    "MercerMap",
    "RKHSFunction",
    "Repair",
    "Step",
    "brownian_spectrum",
    "certify",
    "dimension",
    "distance",
    "eigenfunctions",
    "formula",
    "gauss_hermite",
    "gauss_legendre",
    "gaussian_features",
    "gaussian_spectrum",
    "inner_product",
    "integral_operator",
    "mercer_map",
    "midpoint",
    "proof",
    "repair",
    "section",
]
