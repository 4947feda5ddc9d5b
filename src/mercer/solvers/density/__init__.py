"""Sums of windows over points, and the densities that are made of them.

    points = Mixture(X, scale=h, window=Gaussian())
    logs, cost = log_sums(points, Q, Accuracy(rtol=1e-4))      log sum_i w_i f(|q - x_i| / h), and how it was computed

mixture.py        Mixture: points, their weights and scales, and the window around each
evaluate.py       the choice among three ways to compute their sums:
exact.py            all pairs, for every window, form and norm
tree.py             a tree of boxes with bounds, for radial windows
grid.py             a grid and Fourier transforms, for the Gaussian in up to three columns
tails.py            few queries far from most points, in one column
adaptive.py       wider windows where points are rare (Abramson)
boundary.py       bounds of columns: images beyond them, or a correction of first order
marginals.py      distribution functions, and their inverse
modes.py          the maxima of a density
proof.py          how far densities are from sums over all pairs
"""

from mercer.solvers.density.adaptive import abramson
from mercer.solvers.density.evaluate import METHODS, Accuracy, Cost, log_sums
from mercer.solvers.density.mixture import Mixture

__all__ = ["METHODS", "Accuracy", "Cost", "Mixture", "abramson", "log_sums"]
