"""Linear models with few nonzero weights: the lasso, l1-logistic regression and the multiclass group lasso.

problem.py            the problem, its dual, and what both prove
path.py               solutions for a path of lambdas
working_set.py        a few features at a time, with a proof over all
proximal_newton.py    the steps on a working set; their parts are hessian.py and quadratic.py
"""

from mercer.solvers.sparse.path import lambda_grid, lambda_max, prove_sparse, sparse_path
from mercer.solvers.sparse.working_set import SparseSolution

__all__ = ["SparseSolution", "lambda_grid", "lambda_max", "prove_sparse", "sparse_path"]
