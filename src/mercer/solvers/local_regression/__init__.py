"""Local regression: at every place a polynomial is fitted by least squares to the points around it.

problem.py         the problem, its places and its widths; local_fit, which solves it at many places
sums.py            the sums that its normal equations are made of
line.py            these sums in one column, in time linear in the number of points
columns.py         in several columns and with categories, tile by tile
rows.py            from the logarithms of all weights: where weights underflow, and for nearest neighbours
small_systems.py   many small systems at once; terms that a design does not determine are left out
smoother.py        the weights of the points at a place, and the proof of an answer by its normal equations
partial_sums.py    sums over some of the points, added to those over others
criteria.py        leave-one-out error, GCV and AICc with their slopes in the widths
bandwidth.py       the widths with the best criterion
"""

from mercer.solvers.local_regression.bandwidth import BandwidthSearch, best_width, highest_rates
from mercer.solvers.local_regression.criteria import CRITERIA, criterion, degrees, fill_gaps
from mercer.solvers.local_regression.partial_sums import PartialSums
from mercer.solvers.local_regression.problem import LocalFit, LocalProblem, Places, Width, local_fit
from mercer.solvers.local_regression.smoother import NormalEquations, prove, smoother_rows

__all__ = [
    "CRITERIA",
    "BandwidthSearch",
    "LocalFit",
    "LocalProblem",
    "NormalEquations",
    "PartialSums",
    "Places",
    "Width",
    "best_width",
    "criterion",
    "degrees",
    "fill_gaps",
    "highest_rates",
    "local_fit",
    "prove",
    "smoother_rows",
]
