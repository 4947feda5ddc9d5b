"""Products of a kernel matrix that is never stored are those of the formula, written with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.native.shapes import framed, seeds, sides

from mercer.gram import LazyGram
from mercer.kernels import RBF, Exponential, Matern
from mercer.native import row_kernel

PRECISION = {np.float32: 2e-5, np.float64: 1e-12}
SHAPES = {"gaussian": np.empty(0), "matern": np.array([1.0 / 3.0, 1.0, 1.0])}


def twin(X, function, c, coefficients, I, J, v):
    s = ((X[I][:, None].astype(float) - X[J].astype(float)) ** 2).sum(axis=2)
    t = np.sqrt(c * s)
    K = np.exp(-c * s) if function == "gaussian" else np.polyval(coefficients, t) * np.exp(-t)
    return K @ v


@given(
    rows=sides, columns=st.sampled_from([0, 1, 17, 100, 513]), width=st.sampled_from([1, 3, 12, 13, 40]), seed=seeds,
    dtype=st.sampled_from([np.float32, np.float64]), function=st.sampled_from(sorted(SHAPES)),
)  # fmt: skip
def test_product(isa, rows, columns, width, seed, dtype, function):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, width)).astype(dtype)
    X[1] = X[0]  # at distance 0
    norms = (X.astype(float) ** 2).sum(axis=1).astype(dtype)
    I, J, v = rng.integers(0, 60, rows), rng.integers(0, 60, columns), rng.normal(size=columns)
    out, outside = framed(np.full(rows, np.nan))
    row_kernel.product(X, norms, function, 0.3, SHAPES[function], I, J, v, out)
    size = max(1.0, np.abs(v).sum())
    assert_allclose(out, twin(X, function, 0.3, SHAPES[function], I, J, v), rtol=0.0, atol=PRECISION[dtype] * size)
    outside.check()


@pytest.mark.parametrize(
    "kernel", [RBF(0.7), RBF([0.5, 1.0, 2.0]), Matern(1.3, nu=2.5), Matern(nu=np.inf), Exponential(0.8)]
)
def test_grams_use_it_for_the_kernels_that_loops_know(kernel):
    rng = np.random.default_rng(0)
    gram = LazyGram(kernel, rng.normal(size=(900, 3)))
    I, J = rng.permutation(900)[:700], rng.permutation(900)[:600]
    v = rng.normal(size=600)
    assert gram.native_rows is not None
    assert_allclose(gram.times(I, J, v), gram.part(I, J) @ v, rtol=1e-10, atol=1e-10)


def arguments():
    X = np.eye(3)
    return {"X": X, "norms": np.ones(3), "function": "gaussian", "c": 1.0, "coefficients": np.empty(0),
            "I": np.arange(3), "J": np.arange(2), "v": np.ones(2), "out": np.zeros(3)}  # fmt: skip


@pytest.mark.parametrize(("name", "wrong"), [
    ("X", np.eye(3, dtype=int)), ("X", np.ones(3)), ("norms", np.ones(2)), ("norms", np.ones(3, dtype=np.float32)),
    ("I", np.array([0, 1, 3])), ("J", np.array([-1, 0])), ("v", np.ones(3)), ("out", np.zeros(2)),
    ("out", np.broadcast_to(0.0, 3)), ("function", "sinc"), ("coefficients", np.ones(2, dtype=np.float32)),
])  # fmt: skip
def test_wrong_arguments_are_refused_by_name(name, wrong):
    given = arguments() | {name: wrong}
    with pytest.raises((TypeError, ValueError), match=f"^product: {name} must be "):
        row_kernel.product(**given)
    if name != "out":
        assert_array_equal(given["out"], 0.0)
