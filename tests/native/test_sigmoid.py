"""Newton's method for a sigmoid against a twin in NumPy, and against its optimality conditions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import expit
from tests.native.refusals import refuses
from tests.native.shapes import off_alignment, seeds, sides

from mercer.native import sigmoid


def loss(f, target, w, a, b):
    z = a * f + b
    return w @ (np.logaddexp(0.0, z) - target * z)


def newton(f, target, w, b, tol, max_iter):
    """Newton steps on the loss, halved until they help."""
    a, steps = 0.0, 0
    while True:
        p = expit(a * f + b)
        design = np.column_stack([f, np.ones_like(f)])
        gradient = design.T @ (w * (p - target))
        if np.linalg.norm(gradient) <= tol or steps == max_iter:
            return a, b, np.linalg.norm(gradient), steps
        H = design.T @ ((w * p * (1.0 - p))[:, None] * design)
        H += 1e-12 * np.trace(H) * np.eye(2)
        step = -np.linalg.solve(H, gradient)
        before, h = loss(f, target, w, a, b), 1.0
        while h > 1e-10 and loss(f, target, w, *([a, b] + h * step)) > before + h * 1e-4 * gradient @ step:
            h *= 0.5
        a, b, steps = a + h * step[0], b + h * step[1], steps + 1


@st.composite
def values(draw):
    """(f, targets, weights) that sum to 1, of values that say something about the targets."""
    n, rng = draw(sides.filter(bool)), np.random.default_rng(draw(seeds))
    f = rng.normal(size=n)
    target = np.clip((f + rng.normal(size=n) > 0.0).astype(float), 0.03, 0.98)
    w = rng.uniform(0.1, 1.0, n)
    return tuple(off_alignment(A, draw(st.integers(0, 3))) for A in (f, target, w / w.sum()))


@given(data=values(), max_iter=st.sampled_from([0, 1, 2, 5]))
def test_steps_are_those_of_newton(isa, data, max_iter):
    f, target, w = data
    mean = w @ target
    start = np.log(mean / (1.0 - mean))
    found, expected = (solver(f, target, w, start, 1e-10, max_iter) for solver in (sigmoid.newton, newton))
    if found[3] != expected[3]:  # the gradient of one is just below the tolerance, that of the other just above
        assert min(found[2], expected[2]) <= 1e-10
        return
    assert_allclose(found[:2], expected[:2], rtol=1e-6, atol=1e-6)
    assert_allclose(found[2], expected[2], rtol=1e-4, atol=1e-9)


@given(data=values())
def test_the_gradient_vanishes_at_the_end(isa, data):
    f, target, w = data
    a, b, norm, steps = sigmoid.newton(f, target, w, 0.0, 1e-10, 100)
    r = w * (expit(a * f + b) - target)
    assert_allclose(norm, np.hypot(r @ f, r.sum()), atol=1e-13)
    assert norm <= 1e-10
    assert 0 < steps < 100


def test_far_values_do_not_overflow(isa):
    f = np.linspace(-1e5, 1e5, 37)
    a, b, norm, _ = sigmoid.newton(f, np.where(f > 0.0, 0.95, 0.05), np.full(37, 1 / 37), 0.0, 1e-10, 100)
    assert np.isfinite([a, b, norm]).all()
    assert a > 0.0


def test_without_values_there_is_nothing_to_do(isa):
    none = np.empty(0)
    assert sigmoid.newton(none, none, none, 0.5, 1e-10, 100) == (0.0, 0.5, 0.0, 0)


def test_wrong_arguments_are_named():
    f, target, w = np.ones((3, 4))
    arguments = {"f": f, "target": target, "w": w, "b": 0.0, "tol": 1e-3, "max_iter": 3}
    refuses(sigmoid.newton, arguments, set(), free={"f"})
    with pytest.raises(TypeError, match="newton"):
        sigmoid.newton(**arguments | {"max_iter": 1.5})
