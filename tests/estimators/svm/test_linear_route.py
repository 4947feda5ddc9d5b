"""When a machine with the linear kernel is solved on its features (M18)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from mercer import LazyGram, StoredGram
from mercer.estimators.svm.linear import linear_features, solve
from mercer.kernels import RBF, Linear
from mercer.solvers.dual import nu_svc, svc
from mercer.solvers.dual import solve as solve_on_gram
from mercer.solvers.linear import LinearSolution

rng = np.random.default_rng(3)
X = rng.normal(size=(600, 3))
y = np.where(X[:, 0] + 0.5 * rng.normal(size=600) > 0.0, 1.0, -1.0)


@pytest.mark.parametrize("form", [np.asarray, csr_array, np.float32])
def test_the_linear_kernel_is_solved_on_its_features_with_the_same_answer_M18(form):
    gram, problem = LazyGram(Linear(), form(X)), svc(y, 2.0)
    ours, kernel = solve(gram, problem, tol=1e-4), solve_on_gram(gram, problem, tol=1e-4)
    assert isinstance(ours, LinearSolution)
    assert_allclose(ours.dual, kernel.dual, rtol=1e-5)
    assert_allclose(gram @ ours.coef + ours.bias, gram @ kernel.coef + kernel.bias, atol=5e-3)


def test_a_subset_of_the_items_is_solved_likewise_M18():
    chosen = np.arange(0, 600, 2)
    gram = LazyGram(Linear(), np.vstack([X, X])).sub(np.concatenate([chosen, 600 + chosen]))
    found = solve(gram, svc(np.tile(y[chosen], 2), 1.0))
    assert isinstance(found, LinearSolution)
    assert len(found.coef) == 600


@pytest.mark.parametrize(
    ("gram", "problem"),
    [
        (LazyGram(RBF(), X), svc(y, 1.0)),
        (StoredGram(X @ X.T), svc(y, 1.0)),
        (LazyGram(Linear(), X[:100]), svc(y[:100], 1.0)),
        (LazyGram(Linear(), rng.normal(size=(600, 200))), svc(y, 1.0)),
        (LazyGram(Linear(), X), svc(y, np.inf)),
        (LazyGram(Linear(), X), nu_svc(y, 0.3)),
    ],
    ids=["another kernel", "a stored Gram", "few items", "many columns", "hard margin", "nu"],
)
def test_everything_else_is_left_to_the_kernel_engine_M18(gram, problem):
    assert linear_features(gram, problem) is None


def test_what_the_engine_gets_it_solves():
    found = solve(LazyGram(RBF(), X), svc(y, 1.0))
    assert found.converged
    assert not isinstance(found, LinearSolution)
