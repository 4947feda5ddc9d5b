"""Support vector machines live within the byte budget: blocks become smaller, and the answer is the same (C12)."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM, configure
from mercer.engine import fill
from mercer.kernels import RBF, Polynomial
from mercer.solvers.dual import decomposition, growth
from mercer.solvers.limits import SMALLEST, part_of_budget, room_for

rng = np.random.default_rng(0)
n = 2000
X = rng.normal(size=(n, 4))
noise = rng.integers(0, 2, n)
easy = (X[:, 0] * X[:, 1] > 0.0).astype(int)
four = rng.integers(0, 4, n)
t = np.sin(X[:, 0]) + 0.1 * rng.normal(size=n)

MACHINES = {
    "labels of chance": (SVC(kernel=RBF(2.0)), noise),
    "labels of a pattern": (SVC(kernel=RBF(1.0), C=100.0), easy),
    "four classes": (SVC(kernel=RBF(2.0)), four),
    "tight": (SVC(kernel=RBF(2.0), tol=1e-6), easy),
    "a kernel without a native loop": (SVC(kernel=2.0 * Polynomial(2, gamma=0.1, offset=1.0)), easy),
    "squared slacks": (SVC(kernel=RBF(2.0), squared=True), noise),
    "penalised intercept": (SVC(kernel=RBF(2.0), penalty_intercept=True), noise),
    "probabilities": (SVC(kernel=RBF(2.0), probability=True), easy),
    "regression": (SVR(kernel=RBF(2.0)), t),
    "one class": (OneClassSVM(kernel=RBF(2.0)), None),
    "nu classes": (NuSVC(kernel=RBF(2.0), nu=0.3), easy),
    "nu regression": (NuSVR(kernel=RBF(2.0)), t),
}
machines = pytest.mark.parametrize(("machine", "target"), MACHINES.values(), ids=MACHINES)


def duals(machine):
    """The dual values of all problems."""
    return [one.dual for one in np.ravel(machine.solution_)]


@pytest.fixture
def largest(monkeypatch):
    """The most bytes that a Gram or a block of it was asked for in."""
    seen, dense = [0], fill.dense

    def watched(block, shape, dtype, **options):
        seen.append(shape[0] * shape[1] * np.dtype(dtype).itemsize)
        return dense(block, shape, dtype, **options)

    monkeypatch.setattr(fill, "dense", watched)
    return lambda: max(seen)


@machines
@pytest.mark.parametrize("memory", [10**7, 10**6, 2**16])
def test_a_machine_is_solved_within_the_budget(machine, target, memory, largest):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with configure(memory=memory):
            machine.fit(X, target)
    assert machine.certificate_.converged
    assert largest() <= memory
    found = duals(machine)
    machine.fit(X, target)
    assert_allclose(found, duals(machine), rtol=2e-3)


@pytest.mark.parametrize("memory", [10**6, 2**16])
def test_a_given_gram_is_solved_within_the_budget(memory):
    K = RBF(2.0)(X)
    with configure(memory=memory):
        machine = SVC(kernel="precomputed").fit(K, four)
    assert machine.certificate_.converged


def test_small_tables_are_not_stored_where_they_do_not_fit():
    with configure(memory=2**17):
        machine = SVC(kernel=RBF(2.0), C=100.0).fit(X[:900], noise[:900])
    assert machine.certificate_.converged


def test_the_budget_of_a_large_machine_changes_no_size():
    """What a quarter of 2 GiB has room for is what suits the processor: benchmarks are as they were."""
    with configure(memory=2**29):
        for size in (decomposition.WHOLE, decomposition.COARSE, decomposition.BLOCK, decomposition.WIDE_BLOCK):
            assert room_for(size, decomposition.BYTES_PER_PAIR) == size
    with configure(memory=2**31):
        assert room_for(growth.LARGEST, growth.BYTES_PER_PAIR) == growth.LARGEST


def test_problems_side_by_side_share_the_budget():
    with configure(memory=2**20):
        assert part_of_budget(4) == 2**18
        assert part_of_budget(0) == 2**20
        assert part_of_budget(1000) == 2**16
    with configure(memory=2**16):
        assert decomposition.BYTES_PER_PAIR * SMALLEST**2 <= 2**16
        assert room_for(10**9, 32) ** 2 * 32 <= 2**16
