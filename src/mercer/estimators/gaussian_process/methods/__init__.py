"""How a Gaussian process is conditioned on many items: `method=` of both machines.

method.py           what a method offers to a fit: evidences to climb, and a posterior; label_method.py, with labels
choice.py           the method that `method=` and the data stand for; label_choice.py, with labels, and their costs
exact.py            one factor of the whole covariance; exact_labels.py, with labels
grid.py             exact on full grids, for kernels that are products over columns
inducing.py         a lower bound of the evidence through landmarks, with bounds around the exact one
inducing_elsewhere.py   the same for items on the workers of a Dask cluster
inducing_labels.py  labels through landmarks, by Laplace's approximation
many_items.py       one of the next two for "auto", as the kernel and the noise decide
neighbours.py       from the nearest items, with variances corrected on items held out
panels.py           all items a panel at a time, as landmarks see them
state_space.py      exact in O(n), for Matern processes of one column
"""
