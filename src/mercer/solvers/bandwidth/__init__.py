"""Bandwidths of smoothing windows, from data: pure functions of a table of numbers and its weights.

    select_bandwidth("isj", X, weights)                    one bandwidth per column, by a rule
    leave_one_out_likelihoods(X, bandwidths)               the scores of given bandwidths, in one pass over all pairs

select.py           the rules by name, how they treat several columns, and other windows than the Gaussian
scott.py            n^(-1/(D+4)) deviations
silverman.py        the best bandwidth for normal data
normal.py           the same with a robust scale
isj.py              Botev's fixed point
sj.py               Sheather and Jones: the curvature of the density from the data
lscv.py             least-squares cross-validation
lcv.py              likelihood cross-validation
leave_one_out.py    leave-one-out densities and likelihoods of many bandwidths
sample.py, scale.py     columns in [-1, 1] with weights of sum 1; their deviations, quartiles and median deviations
distinct.py         each distinct row once, with the weight of its copies
binned.py           a column on a fine grid, and the weight of pairs at each distance
pair_sums.py        sums of Gaussian windows over all other rows
roots.py, ladder.py     roots and optima in log h
"""

from mercer.solvers.bandwidth.leave_one_out import best_of, leave_one_out_densities, leave_one_out_likelihoods
from mercer.solvers.bandwidth.select import (
    BY_DEVIATIONS,
    RULES,
    common_bandwidth,
    from_deviations,
    select_bandwidth,
)

__all__ = [
    "BY_DEVIATIONS",
    "RULES",
    "best_of",
    "common_bandwidth",
    "from_deviations",
    "leave_one_out_densities",
    "leave_one_out_likelihoods",
    "select_bandwidth",
]
