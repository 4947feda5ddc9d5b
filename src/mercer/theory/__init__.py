"""Theory as functions: theorems about kernels that can be called, with a certificate or a witness.

certify.py          is it positive semi-definite on these items, and if not, which vector shows it
repair.py           what to do when it is not
proof.py            why it is positive semi-definite on all items, rule by rule
dimension.py        its number of features
mercer_map.py       features from a Gram
eigenfunctions.py   features from an integral operator; quadrature.py, the measure of the integral
closed_forms.py     known spectra and features, to compare with
representation.py   unitary matrices behind a kernel on a finite group
rkhs.py             functions made of a kernel, with inner product and norm
distance.py         the metric a kernel induces
spectrum.py         eigenvalues of a Gram, and which of them are rounding
minors.py           symmetry and 2 x 2 minors of a Gram
"""

from mercer.theory.certify import Certificate, certify
from mercer.theory.closed_forms import brownian_spectrum, gaussian_features, gaussian_spectrum
from mercer.theory.dimension import dimension
from mercer.theory.distance import distance
from mercer.theory.eigenfunctions import Eigensystem, eigenfunctions, integral_operator
from mercer.theory.mercer_map import MercerMap, mercer_map
from mercer.theory.proof import Step, formula, proof
from mercer.theory.quadrature import gauss_hermite, gauss_legendre, inner_product, midpoint
from mercer.theory.repair import Repair, repair
from mercer.theory.representation import Representation, unitary_representation
from mercer.theory.rkhs import RKHSFunction, section

__all__ = [
    "Certificate",
    "Eigensystem",
    "MercerMap",
    "RKHSFunction",
    "Repair",
    "Representation",
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
    "unitary_representation",
]
