"""Densities from data.

kernel_density.py      KernelDensity: a mean of windows around the points
bandwidth_argument.py  what `bandwidth` may be: a number, one for each column, a matrix, or the name of a rule
support_argument.py    what `support` may be: bounds and circles, for one column or each
metric_argument.py     the norms of scikit-learn's `metric`
draws.py               points drawn from a mixture
verify.py              densities at the training points, computed again over all pairs
"""
