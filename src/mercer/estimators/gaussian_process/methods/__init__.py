"""How a Gaussian process is conditioned on many items: `method=` of GaussianProcessRegressor.

method.py         what a method offers to a fit: evidences to climb, and a posterior
choice.py         the method that `method=` and the data stand for
exact.py          one factor of the whole covariance
grid.py           exact on full grids, for kernels that are products over columns
inducing.py       a lower bound of the evidence through landmarks, with bounds around the exact one
inducing_elsewhere.py   the same for items on the workers of a Dask cluster
many_items.py     one of the next two for "auto", as the kernel and the noise decide
neighbours.py     from the nearest items, with variances corrected on items held out
state_space.py    exact in O(n), for Matern processes of one column
"""
