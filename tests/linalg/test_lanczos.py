"""Both ends of a spectrum from products alone."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer import configure
from mercer.errors import MemoryBudgetError
from mercer.linalg.lanczos import STEPS, lanczos

rng = np.random.default_rng(0)


def run(A, seed=0):
    dtype = np.dtype(complex if np.iscomplexobj(A) else float)
    return lanczos(A.__matmul__, len(A), dtype, tol=1e-12, seed=seed)


@pytest.mark.parametrize("kind", [float, complex])
def test_the_ends_are_those_of_eigh(kind):
    A = rng.normal(size=(60, 60)) + (1j * rng.normal(size=(60, 60)) if kind is complex else 0.0)
    A = A + A.conj().T
    values = np.linalg.eigvalsh(A)
    found = run(A)
    assert_allclose([found.smallest, found.largest], values[[0, -1]], rtol=1e-10)
    assert_allclose(A @ found.witness, found.smallest * found.witness, atol=1e-9)
    assert found.residual < 1e-9


@pytest.mark.parametrize("A", [np.eye(5), np.zeros((5, 5)), np.array([[2.0]]), np.diag([1.0, 1.0, 1.0, -1.0])])
def test_an_invariant_subspace_ends_the_run_early(A):
    found = run(A)
    values = np.linalg.eigvalsh(A)
    assert_allclose([found.smallest, found.largest], values[[0, -1]], atol=1e-14)
    assert_allclose(np.linalg.norm(found.witness), 1.0)


def test_a_run_cut_short_stays_inside_the_spectrum_and_says_how_far_it_got():
    d = np.linspace(0.0, 1.0, 20 * STEPS)
    found = lanczos(lambda v: d * v, len(d), np.dtype(float), tol=1e-12, seed=0)
    assert 0.0 < found.smallest < 0.01
    assert found.largest < 1.0
    assert np.abs(d - found.smallest).min() <= found.residual


def test_the_start_vector_is_the_seeds():
    A = np.diag(np.linspace(0.0, 1.0, 300))
    assert run(A, seed=1).smallest == run(A, seed=1).smallest != run(A, seed=2).smallest


def test_the_basis_obeys_the_memory_budget():
    n = 10_000
    with configure(memory=2**20), pytest.raises(MemoryBudgetError, match=f"Lanczos basis of {n} x {STEPS}"):
        lanczos(lambda v: v, n, np.dtype(float), tol=1e-12, seed=0)
