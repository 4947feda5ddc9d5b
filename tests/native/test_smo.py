"""Steps of SMO on a stored Gram: what must hold whatever path they take, recomputed in NumPy (M17)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.native.dual_problems import Case, cases, offsets, refuses, violation
from tests.native.shapes import framed

from mercer.native import smo

grams = st.sampled_from([np.float32, np.float64])
ROUNDING = {np.float32: 2e-5, np.float64: 1e-10}  # of F, by the type it has, in units of |b|_1 + |z|
BITS = {np.float32: 2.0**-10, np.float64: 2.0**-39}  # of a gain that its place takes: the largest may be missed by that


def diagonal_of(K):
    return np.ascontiguousarray(np.diagonal(K))


def run(case, K, F, b, tol, max_steps, split=None):
    """smo on copies in the middle of larger arrays, which must stay as they are."""
    (F, around_F), (b, around_b), (K, around_K) = framed(F), framed(b), framed(K)
    split = len(b) if split is None else split
    end = smo.smo(K, diagonal_of(K), F, b, case.lo, case.hi, case.epsilon, split, tol, max_steps)
    for outside in (around_F, around_b, around_K):
        outside.check()
    return end, F, b


def size_of(case, b):
    return np.abs(b).sum() + np.abs(case.z).max() + 1.0


@given(case=cases())
def test_offsets(isa, case):
    (up, above), (down, below) = framed(np.zeros(len(case.b))), framed(np.zeros(len(case.b)))
    smo.offsets(case.b, case.lo, case.hi, case.epsilon, up, down)
    expected = offsets(case.b, case.lo, case.hi, case.epsilon)
    assert_array_equal(up, expected[0])
    assert_array_equal(down, expected[1])
    above.check()
    below.check()


@settings(max_examples=60)
@given(case=cases(), kind=grams, precision=grams)
def test_smo_ends_where_no_pair_gains_more_than_tol(isa, case, kind, precision):
    """The box holds, the sum is kept, F follows b, and the violation that is told is that of NumPy."""
    K, tol = case.K.astype(kind), 1e-3
    (steps, told, endless), F, b = run(case, K, case.F.astype(precision), case.b, tol, 20_000)
    assert not endless
    assert steps < 20_000 or precision is np.float32  # whose digits need not be enough: then it may go round in circles
    assert told <= tol or steps == 20_000
    assert case.inside(b)
    assert_allclose(b.sum(), case.b.sum(), atol=1e-12 * size_of(case, b))
    assert_allclose(F, case.gradient(b), atol=ROUNDING[precision] * size_of(case, b) * (1.0 + 0.01 * steps))
    exact = max(violation(b, F.astype(float), case.lo, case.hi, case.epsilon), 0.0)
    assert exact - 1e-6 - BITS[precision] * np.abs(F).max() <= told <= exact + 1e-6
    assert case.objective(b) <= case.objective(case.b) + 1e-9 * size_of(case, b)


@settings(max_examples=60)
@given(case=cases(), kind=grams)
def test_the_objective_falls_with_every_step(isa, case, kind):
    K, F, b = case.K.astype(kind), case.F, case.b.copy()
    value = case.objective(b)
    for _ in range(20):
        (steps, told, endless), F, b = run(case, K, F, b, 1e-6, 1)
        assert not endless
        assert steps <= 1
        new = case.objective(b)
        assert new <= value + 1e-6 * size_of(case, b)
        if steps == 0:
            assert told <= 1e-6
            break
        value = new


@settings(max_examples=60)
@given(case=cases(), share=st.floats(0.0, 1.0))
def test_two_groups_keep_their_own_sums(isa, case, share):
    split = round(share * len(case.b))
    (_, told, _), F, b = run(case, case.K, case.F, case.b, 1e-4, 100_000, split)
    parts = slice(0, split), slice(split, None)
    for part in parts:
        assert_allclose(b[part].sum(), case.b[part].sum(), atol=1e-11 * size_of(case, b))
    worst = max(violation(b[p], F[p], case.lo[p], case.hi[p], case.epsilon) for p in parts)
    assert_allclose(told, max(worst, 0.0), atol=1e-6)
    assert told <= 1e-4


@given(case=cases())
def test_no_steps_change_nothing(isa, case):
    (steps, told, endless), F, b = run(case, case.K, case.F, case.b, 1e-9, 0)
    assert (steps, endless) == (0, False)
    assert_array_equal(b, case.b)
    assert_array_equal(F, case.F)
    assert_allclose(told, max(violation(b, F, case.lo, case.hi, case.epsilon), 0.0), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_no_items(isa, kind):
    none = np.empty(0)
    K, diagonal = np.empty((0, 0), dtype=kind), np.empty(0, dtype=kind)
    assert smo.smo(K, diagonal, none, none, none, none, 0.0, 0, 1e-3, 10) == (0, 0.0, False)
    assert smo.coordinate_descent(K, diagonal, none, none, none, none, 0.0, 1e-3, 10) == (0, 0.0)


@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_more_items_than_fit_into_the_low_bits_of_a_number(isa, precision):
    """The argmax is taken over chunks of 4096 items; here the best pair is in the second one."""
    n, rng = 4101, np.random.default_rng(0)
    u = rng.normal(size=n).astype(np.float32)
    K = np.eye(n, dtype=np.float32) + 0.01 * np.outer(u, u)
    z = np.zeros(n)
    z[[4097, 4100]] = 1.0, -1.0
    case = Case(K, z, np.full(n, -0.5), np.full(n, 0.5), 0.01, np.zeros(n))
    F, b = case.F.astype(precision), case.b.copy()
    steps, told, _ = smo.smo(K, diagonal_of(K), F, b, case.lo, case.hi, 0.01, n, 1e-3, 1)
    assert steps == 1
    assert_array_equal(np.flatnonzero(b), [4097, 4100])
    steps, told, _ = smo.smo(K, diagonal_of(K), F, b, case.lo, case.hi, 0.01, n, 1e-3, 10_000)
    assert told <= 1e-3
    assert_allclose(violation(b, F.astype(float), case.lo, case.hi, 0.01), told, atol=1e-5)
    assert_allclose(F, case.gradient(b), atol=1e-4)


@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_a_curvature_that_single_precision_does_not_see_is_found_in_double(isa, precision):
    """Entries of 1e9 that differ by 1, as large items near each other have them: one step is the answer."""
    K, z = np.array([[1e9 + 1.0, 1e9], [1e9, 1e9 + 1.0]]), np.array([1.0, -1.0])
    F, b, far = (-z).astype(precision), np.zeros(2), np.full(2, 9.0)
    steps, told, _ = smo.smo(K, diagonal_of(K), F, b, -far, far, 0.0, 2, 1e-3, 9)
    assert (steps, told) == (1, 0.0)
    assert_array_equal(b, [1.0, -1.0])
    F, b, one = -z[:1], np.zeros(1), K[:1, :1]
    smo.coordinate_descent(one, diagonal_of(one), F, b, -far[:1], far[:1], 0.0, 1e-9, 1)
    assert_array_equal(b, 1.0 / (1e9 + 1.0))


def test_a_step_without_end_is_told(isa):
    """One point with both labels, no upper bound: the dual grows for ever."""
    K, y = np.ones((2, 2)), np.array([1.0, -1.0])
    b, F = np.zeros(2), -y
    lo, hi = np.array([0.0, -np.inf]), np.array([np.inf, 0.0])
    assert smo.smo(K, diagonal_of(K), F, b, lo, hi, 0.0, 2, 1e-3, 100)[2]


@pytest.mark.parametrize("turned", [False, True])
def test_two_items_that_are_stopped_at_once_are_put_exactly_on_their_bounds(isa, turned):
    """0.1 + 0.2 is not 0.3 in these numbers; a rest of 4e-17 would count as a free coefficient."""
    K, z = np.eye(2), np.array([10.0, -10.0])
    b, hi = (
        (np.array([0.0, 0.3]), np.array([0.1 + 0.2, 1.0]))
        if turned
        else (np.array([0.0, 0.1 + 0.2]), np.array([0.3, 1.0]))
    )
    smo.smo(K, diagonal_of(K), b - z, b, np.zeros(2), hi, 0.0, 2, 1e-3, 1)
    assert_array_equal(b, [hi[0], 0.0])


def test_two_items_by_hand(isa):
    """b = (t, -t) minimises (1 - k) t^2 - 2 t: t = 1 / (1 - k)."""
    K, y, far = np.array([[1.0, 0.5], [0.5, 1.0]]), np.array([1.0, -1.0]), np.array([10.0, 0.0])
    b, F = np.zeros(2), -y
    assert smo.smo(K, diagonal_of(K), F, b, -far[::-1].copy(), far, 0.0, 2, 1e-9, 100) == (1, 0.0, False)
    assert_allclose(b, [2.0, -2.0])
    assert_allclose(F, [0.0, 0.0], atol=1e-12)


# ---- one variable at a time


def single_violation(case, b, F):
    up, down = offsets(b, case.lo, case.hi, case.epsilon)
    return float(np.maximum(np.maximum(up - F, F - down), 0.0).max(initial=0.0))


@settings(max_examples=60)
@given(case=cases(hard=False), kind=grams)
def test_coordinate_descent(isa, case, kind):
    (K, around_K), (F, around_F), (b, around_b) = framed(case.K.astype(kind)), framed(case.F), framed(case.b)
    value = case.objective(b)
    for _ in range(10):
        before = b.copy()
        steps, told = smo.coordinate_descent(K, diagonal_of(K), F, b, case.lo, case.hi, case.epsilon, 1e-6, 1)
        assert steps == np.count_nonzero(b != before) <= 1
        assert_allclose(told, single_violation(case, b, F), rtol=1e-12, atol=1e-12)
        assert case.objective(b) <= value + 1e-6 * size_of(case, b)
        value = case.objective(b)
    steps, told = smo.coordinate_descent(K, diagonal_of(K), F, b, case.lo, case.hi, case.epsilon, 1e-4, 1_000_000)
    assert steps < 1_000_000
    assert case.inside(b)
    assert told <= 1e-4
    assert_allclose(told, single_violation(case, b, F), rtol=1e-12, atol=1e-12)
    assert_allclose(F, K.astype(float) @ b - case.z, atol=1e-9 * size_of(case, b) * (1.0 + 0.01 * steps))
    for outside in (around_K, around_F, around_b):
        outside.check()


def test_coordinate_descent_keeps_its_limit_of_steps(isa):
    K, z, one = np.eye(5), np.arange(1.0, 6.0), np.ones(5)
    for limit in range(4):
        b, F = np.zeros(5), -z
        assert smo.coordinate_descent(K, diagonal_of(K), F, b, -one, one, 0.0, 1e-9, limit)[0] == limit
        assert np.count_nonzero(b) == limit


# ---- the border


def arguments(n=4):
    K = np.eye(n)
    return {
        "K": K, "diagonal": diagonal_of(K), "F": -np.ones(n), "b": np.zeros(n), "lo": -np.ones(n), "hi": np.ones(n),
        "epsilon": 0.0, "split": n, "tol": 1e-3, "max_steps": 10,
    }  # fmt: skip


def test_wrong_arrays_are_refused_by_name():
    given = arguments()
    says = {"b": "diagonal|F|lo|hi|K"}  # whose sizes are compared with that of b
    refuses(smo.smo, given, {"F", "b"}, says=says)
    del given["split"]
    refuses(smo.coordinate_descent, given, {"F", "b"}, says=says)
    with pytest.raises(TypeError, match=r"^coordinate_descent: F must be an array of float64; got float32"):
        smo.coordinate_descent(**given | {"F": np.ones(4, dtype=np.float32)})
    box = {name: given[name] for name in ("b", "lo", "hi", "epsilon")}
    refuses(smo.offsets, box | {"up": np.ones(4), "down": np.ones(4)}, {"up", "down"}, says={"b": "lo|hi|up|down"})


@pytest.mark.parametrize(("name", "value"), [("split", -1), ("split", 5), ("max_steps", -1)])
def test_wrong_numbers_are_refused_by_name(name, value):
    with pytest.raises((TypeError, ValueError), match=f"^smo: {name} must be .*; got {value}"):
        smo.smo(**arguments() | {name: value})


def test_what_is_refused_is_not_written_to():
    given = arguments()
    with pytest.raises(TypeError):
        smo.smo(**given | {"K": np.eye(4, dtype=np.float16)})
    assert_array_equal(given["b"], np.zeros(4))
    assert_array_equal(given["F"], -np.ones(4))


def test_the_old_floating_point_unit_is_left_as_it_was(isa):
    """LAPACK's norms are computed there; registers left in use made the next eigenvalues fail."""
    y = np.where(np.arange(40) % 2, 1.0, -1.0)
    K = np.exp(-(np.subtract.outer(np.arange(40.0), np.arange(40.0)) ** 2)).astype(np.float32)
    lo, hi = np.minimum(y, 0.0), np.maximum(y, 0.0)
    smo.smo(K, np.diagonal(K).copy(), (-y).astype(np.float32), np.zeros(40), lo, hi, 0.0, 40, 1e-3, 100)
    assert np.isfinite(np.linalg.eigvalsh(K.astype(float))).all()
