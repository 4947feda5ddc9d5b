"""The linear system of a Newton step (M12): preconditioned conjugate gradients against the whole matrix."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer import StoredGram
from mercer.linalg.pivoted_cholesky import pivoted_cholesky
from mercer.solvers.risk import system
from mercer.solvers.risk.curvature import Diagonal, Simplex

rng = np.random.default_rng(2)
n, k = 30, 3
X = rng.normal(size=(n, 2))
K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
P = rng.dirichlet(np.ones(k), n)
CURVATURES = {"one output": (Diagonal(rng.uniform(0.0, 9.0, n)), 1), "softmax": (Simplex(P, rng.uniform(1, 9, n)), k)}
curvatures = pytest.mark.parametrize("name", CURVATURES)


def matrix_of(function, outputs):
    """The matrix of a linear map of (n, outputs) arrays."""
    eye = np.eye(n * outputs).reshape(-1, n, outputs)
    return np.stack([function(e).ravel() for e in eye], axis=1)


def preconditioners(W, outputs):
    low = system.low_rank(pivoted_cholesky(StoredGram(K), 8).L, W, outputs)
    return {"low rank": low, "none": lambda V: V} | ({"direct": system.direct(K.copy(), W)} if outputs == 1 else {})


@curvatures
@pytest.mark.parametrize("bias", [True, False])
def test_the_step_solves_the_whole_system_with_its_sums_M12(name, bias):
    W, outputs = CURVATURES[name]
    S, T = matrix_of(W.root, outputs), matrix_of(W.root_transposed, outputs)
    A = np.eye(n * outputs) + T @ np.kron(K, np.eye(outputs)) @ S
    E = K @ rng.normal(size=(n, outputs))
    sums = np.tile(np.eye(outputs), (1, n)) @ S
    zero = np.zeros((outputs, outputs))
    if bias:
        saddle = np.linalg.lstsq(np.block([[A, sums.T], [sums, zero]]), np.append(T @ E.ravel(), np.zeros(outputs)))
        u, shift = saddle[0][: n * outputs], saddle[0][n * outputs :]
    else:
        u, shift = np.linalg.solve(A, T @ E.ravel()), np.zeros(outputs)
    for inverse in preconditioners(W, outputs).values():
        found = system.solve(
            StoredGram(K), W, inverse, E, bias=bias, goal=lambda gain: 1e-22, most=300, late=lambda: False
        )
        assert found.solved
        assert_allclose(found.SU, (S @ u).reshape(n, outputs), atol=1e-8)
        assert_allclose(found.KSU, K @ found.SU, atol=1e-8)
        assert_allclose(found.shift - found.shift.mean(), shift - shift.mean(), atol=1e-8)
        if bias:
            assert_allclose(found.SU.sum(axis=0), 0.0, atol=1e-9)


@curvatures
def test_a_better_preconditioner_takes_fewer_products(name):
    W, outputs = CURVATURES[name]
    E = K @ rng.normal(size=(n, outputs))
    products = {
        kind: system.solve(
            StoredGram(K), W, inverse, E, bias=True, goal=lambda gain: 1e-16, most=300, late=lambda: False
        ).products
        for kind, inverse in preconditioners(W, outputs).items()
    }
    assert products["low rank"] < products["none"]
    assert products.get("direct", 0) <= 2


def test_the_work_ends_when_it_is_too_late_or_too_much():
    W, _ = CURVATURES["one output"]
    E = K @ rng.normal(size=(n, 1))
    limits = [{"most": 2, "late": lambda: False}, {"most": 300, "late": lambda: True}]
    found = [system.solve(StoredGram(K), W, lambda V: V, E, bias=False, goal=lambda g: 0.0, **one) for one in limits]
    assert [(step.products, step.solved) for step in found] == [(2, False), (0, False)]
