"""Smoothing kernels: densities around 0 that weigh points by their distance.  These are not Mercer kernels.

    w = Epanechnikov()
    w(0.5), w.log(0.5), w.cdf(0.5)                   0.5625 = 3/4 (1 - 1/4), its logarithm, the integral up to there
    w.second_moment(), w.roughness()                 1/5 and 3/5: the integrals of x^2 w(x) and of w(x)^2
    w.radial(X - x, bandwidth=2.0)                   c_D h^-D f(|x| / h), which integrates to 1 in every dimension
    w.product(X - x, bandwidth=(1.0, 2.0))           the product of a window for each column
    window_of("tophat")                              by name, scikit-learn's names included

window.py      Window: what a subclass gives, and all that follows from it
compact.py     0 beyond distance 1: Boxcar, Triangular, Epanechnikov, Biweight, Triweight, TriCube, Cosine
unbounded.py   positive everywhere: Gaussian, Exponential
function.py    FunctionWindow: a function of the user, checked by quadrature
names.py       windows by their names
"""

from mercer.windows.compact import Biweight, Boxcar, Cosine, Epanechnikov, PowerWindow, Triangular, TriCube, Triweight
from mercer.windows.function import FunctionWindow
from mercer.windows.names import NAMES, window_of
from mercer.windows.unbounded import Exponential, Gaussian
from mercer.windows.window import Window

__all__ = [
    "NAMES",
    "Biweight",
    "Boxcar",
    "Cosine",
    "Epanechnikov",
    "Exponential",
    "FunctionWindow",
    "Gaussian",
    "PowerWindow",
    "TriCube",
    "Triangular",
    "Triweight",
    "Window",
    "window_of",
]
