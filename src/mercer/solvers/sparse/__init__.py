"""Linear models with few nonzero weights: the lasso, l1-logistic regression and the multiclass group lasso."""

from mercer.solvers.sparse.path import lambda_grid, lambda_max, prove_sparse, sparse_path
from mercer.solvers.sparse.working_set import SparseSolution

__all__ = ["SparseSolution", "lambda_grid", "lambda_max", "prove_sparse", "sparse_path"]
