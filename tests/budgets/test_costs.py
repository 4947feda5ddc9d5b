"""What books say of the cost of kernel machines, counted in operations, not in seconds (C2, C4, C6, C12)."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer import SVC, KernelGradientDescent, KernelRidge, configure
from mercer.kernels import RBF, Geometric, Linear, kernel
from mercer.kernels import maps as explicit
from mercer.solvers.dual.problem import svc
from mercer.solvers.gradient_descent import descend
from mercer.testing.reference import function as formula
from mercer.testing.svm_programs import svc_dual, svc_primal
from mercer.theory.dimension import dimension

rng = np.random.default_rng(0)
COUNT: Counter = Counter()


@pytest.fixture(autouse=True)
def _fresh_count():
    COUNT.clear()


# ---- C2: prediction of kernel ridge regression


@kernel
class CountedRBF(RBF):
    """RBF that counts its values."""

    native_shape = None  # else some are computed without a call of `block`

    def block(self, A, B):
        COUNT["values"] += len(A) * len(B)
        return super().block(A, B)


@kernel
class CountedLinear(Linear):
    """The inner product that counts its values."""

    def block(self, A, B):
        COUNT["values"] += len(A) * len(B)
        return super().block(A, B)


@pytest.mark.parametrize("n", [100, 200, 400])
def test_a_prediction_by_items_costs_n_kernel_values_and_one_by_weights_none_C2(n):
    """Of D multiplications each: n D for every new item in the dual, D in the primal."""
    X, Z = rng.normal(size=(n, 5)), rng.normal(size=(30, 5))
    dual = KernelRidge(kernel=CountedRBF(1.0)).fit(X, X[:, 0])
    COUNT.clear()
    dual.predict(Z)
    assert COUNT["values"] == pytest.approx(len(Z) * n, abs=1)  # and one that tells the number type
    primal = KernelRidge(kernel=CountedLinear()).fit(X, X[:, 0])
    COUNT.clear()
    assert_allclose(primal.predict(Z), Z @ np.ravel(primal.coef_))
    assert COUNT["values"] == 0


# ---- C4: kernelised gradient descent


class CountedMatrix:
    """A matrix that counts the multiplications of its products."""

    def __init__(self, M):
        self.M, self.shape = M, M.shape

    def __matmul__(self, v):
        COUNT["multiplications"] += self.M.size * (v.size // len(v))
        return self.M @ v


def descended_in_features(Phi, y, alpha, steps):
    """theta <- theta + alpha Phi'(y - Phi theta), which looks at the n p features twice a step."""
    forth, back, theta = CountedMatrix(Phi), CountedMatrix(Phi.T), np.zeros(Phi.shape[1])
    for _ in range(steps):
        theta += alpha * (back @ (y - forth @ theta))
    return theta


@pytest.mark.parametrize(("n", "d"), [(20, 8), (400, 2)])
def test_a_step_of_descent_costs_n_squared_or_n_p_whichever_way_it_is_written_C4(n, d):
    """p = 1 + d + d^2 + d^3: the kernel gains where n << p = 585, and loses where n >> p = 15."""
    X, steps = rng.normal(size=(n, d)), 20
    y, k, Phi = np.sin(X[:, 0]), Geometric(3), explicit.ordered_products(X, 3)
    p = 1 + d + d**2 + d**3
    assert Phi.shape == (n, p)
    K, alpha = k(X), 1.0 / np.trace(k(X))
    found = descend(CountedMatrix(K), y[:, None], alpha=alpha, max_iter=steps)
    dual = COUNT.pop("multiplications")
    theta = descended_in_features(Phi, y, alpha, steps)
    primal = COUNT["multiplications"]
    assert_allclose(K @ found.beta[:, 0], Phi @ theta, atol=1e-9)
    assert steps * n**2 <= dual <= (steps + 3) * n**2  # the first gradient and the proof of the last
    assert primal == steps * 2 * n * p
    assert (dual < primal) == (n < p)


@pytest.mark.parametrize("steps", [1, 10, 100])
def test_the_gram_of_a_descent_is_computed_once_whatever_the_number_of_steps_C4(steps):
    X = rng.normal(size=(150, 3))
    KernelGradientDescent(kernel=CountedRBF(1.0), max_iter=steps, tol=0.0).fit(X, X[:, 0])
    assert COUNT["values"] <= 150**2 + 1


# ---- C6: one kernel value


class Number(float):
    """A number that counts its multiplications."""

    def __mul__(self, other):
        COUNT["multiplications"] += 1
        return Number(float(self) * float(other))

    __rmul__ = __mul__

    def __add__(self, other):
        return Number(float(self) + float(other))

    __radd__ = __add__

    def __sub__(self, other):
        return Number(float(self) - float(other))

    def __pow__(self, m):
        COUNT["multiplications"] += max(m - 1, 0)
        return Number(float(self) ** m)

    def __truediv__(self, other):
        COUNT["multiplications"] += 1
        return Number(float(self) / float(other))

    def __abs__(self):
        return Number(abs(float(self)))

    def conjugate(self):
        return self


def test_a_kernel_value_costs_d_multiplications_and_its_map_a_million_C6(monkeypatch):
    """1 + s + s^2 + s^3 of d = 100 columns has p = 1 010 101 features."""
    d, k, tensor = 100, Geometric(3), explicit.tensor
    x, z = rng.normal(size=(2, d)) / np.sqrt(d)
    by_formula = formula(k)([Number(v) for v in x], [Number(v) for v in z])
    few = COUNT.pop("multiplications")

    def counted(F, G):
        out = tensor(F, G)
        COUNT["multiplications"] += out.size
        return out

    monkeypatch.setattr(explicit, "tensor", counted)
    phi, psi = (explicit.ordered_products(v[None], 3)[0] for v in (x, z))
    by_map = phi @ psi
    many = COUNT["multiplications"] + len(phi)
    assert len(phi) == dimension(k, d) == 1_010_101
    assert_allclose([by_formula, by_map], k(x[None], z[None])[0, 0])
    assert d <= few <= 4 * d + 3  # the formula writes <x, z> four times
    assert many >= 1000 * few


@pytest.mark.parametrize("d", [10, 100])
def test_a_value_of_rbf_is_finite_work_for_an_infinite_map_C6(d):
    x, z = rng.normal(size=(2, d))
    value = formula(RBF(3.0))([Number(v) for v in x], [Number(v) for v in z])
    assert_allclose(value, RBF(3.0)(x[None], z[None])[0, 0])
    assert dimension(RBF(3.0), d) is None
    assert COUNT["multiplications"] <= 2 * d + 1


# ---- C12: the size of the dual


@pytest.mark.parametrize("D", [2, 50])
def test_the_dual_has_a_variable_for_every_margin_of_the_primal_C12(D):
    """Whatever the number of columns: n margins, and n slacks that must not be negative, which bound the variables."""
    n = 30
    X, y = rng.normal(size=(n, D)), np.where(np.arange(n) % 2, 1.0, -1.0)
    primal, dual = svc_primal(X, y, 1.0), svc_dual(X @ X.T, y, 1.0)
    slacks = n
    assert dual.n_variables == len(svc(y, 1.0)) == primal.n_constraints - slacks == n
    assert primal.n_variables == n + D + 1


@pytest.mark.parametrize("apart", [pytest.param(3.0, id="few support"), pytest.param(0.6, id="many support")])
def test_kernel_rows_that_are_kept_are_bounded_by_the_budget_C12(apart):
    """4 000 items whose Gram has 122 MB are solved in a budget of 24 MB."""
    n, budget = 4000, 24 * 2**20
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 4)) + apart * y[:, None]
    SVC(kernel=CountedRBF(2.0)).fit(X[:500], y[:500])  # what is imported once does not count
    with configure(memory=budget):
        tracemalloc.start()
        try:
            machine = SVC(kernel=CountedRBF(2.0)).fit(X, y)
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert machine.certificate_.converged
    assert most < budget < 8 * n**2 / 5
