"""Densities of rows of numbers, and classes by their densities.

kernel_density.py      KernelDensity: a mean of windows around the points
classifier.py          KernelDensityClassifier: a kernel density for every class, and Bayes' rule
class_bandwidths.py    the bandwidths of every class
neighbour_density.py   NeighbourDensity: a ball around x that grows until it holds K rows
bandwidth_argument.py  what `bandwidth` may be: a number, one for each column, a matrix, or the name of a rule
support_argument.py    what `support` may be: bounds and circles, for one column or each
metric_argument.py     the norms of scikit-learn's `metric`
draws.py               points drawn from a mixture
spread_fit.py          a density of a Dask collection, from two passes over its rows
spread_points.py       its points, which stay on the workers
verify.py              densities at the training points, computed again over all pairs
"""
