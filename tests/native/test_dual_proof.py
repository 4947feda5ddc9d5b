"""The numbers of a proof against the same in NumPy, from the formulas of solvers/dual/certificate.py (T17, T19)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.native.dual_problems import NEVER, cases, offsets, refuses
from tests.native.shapes import framed, off_alignment, seeds, sides

from mercer.native import dual_proof

none = np.empty(0)


# ---- the offset


def best_offset(b, F, lo, hi, epsilon):
    """(largest gain, smallest cost, offset): the mean gain of free coefficients, else the middle of what is allowed.

    For the offset, a coefficient within 1e-12 of the largest of a bound or of 0 is there.
    """
    up, down = offsets(b, lo, hi, epsilon)
    most, least = (up - F).max(initial=-NEVER), (down - F).min(initial=NEVER)
    near = 1e-12 * np.abs(b).max(initial=0.0)
    c = np.select([np.abs(b) <= near, hi - b <= near, b - lo <= near], [0.0, hi, lo], b)
    up, down = offsets(c, lo, hi, epsilon)
    free = (lo < c) & (c < hi) & (c != 0.0)
    if free.any():
        return most, least, (up - F)[free].mean()
    ends = [end for end in ((up - F).max(initial=-NEVER), (down - F).min(initial=NEVER)) if abs(end) < 0.1 * NEVER]
    return most, least, np.mean(ends) if ends else 0.0


@given(case=cases())
def test_best_offset(isa, case):
    found = dual_proof.best_offset(case.b, case.F, case.lo, case.hi, case.epsilon)
    assert_allclose(found, best_offset(case.b, case.F, case.lo, case.hi, case.epsilon), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("b", "expected"),
    [
        ([0.0, 0.0], (0.5, -0.5, 0.0)),  # both at their lower bound and upper bound: the middle
        ([1.0, 0.0], (-NEVER, -0.5, -0.5)),  # nothing can rise: the smallest cost
        ([0.0, -1.0], (0.5, NEVER, 0.5)),  # nothing can fall: the largest gain
        ([0.4, 0.0], (0.5, -0.5, 0.5)),  # one is free
    ],
)
def test_offsets_of_two_items_by_hand(isa, b, expected):
    F, lo, hi = np.array([-0.5, 0.5]), np.array([0.0, -1.0]), np.array([1.0, 0.0])
    assert_allclose(dual_proof.best_offset(np.array(b), F, lo, hi, 0.0), expected, rtol=1e-12)


@pytest.mark.parametrize("rest", [0.0, 1e-16, 1e-13])
def test_what_rounding_leaves_of_a_coefficient_does_not_decide_the_offset(isa, rest):
    """Both at their bounds but for rounding: the middle between the two items, not the place of one of them."""
    F, b = np.array([-0.5, 1.5]), np.array([1.0 - rest, -1.0 + rest])
    lo, hi = np.array([0.0, -1.0]), np.array([1.0, 0.0])
    assert_allclose(dual_proof.best_offset(b, F, lo, hi, 0.0)[2], -0.5)


def test_no_items_have_the_offset_zero(isa):
    assert dual_proof.best_offset(none, none, none, none, 0.1) == (-NEVER, NEVER, 0.0)


# ---- both values


@st.composite
def losses(draw):
    """t, lo, hi, epsilon and a ridge that may be empty or zero somewhere."""
    n, rng = draw(sides), np.random.default_rng(draw(seeds))
    t, lo, hi = rng.normal(size=n), -rng.uniform(0.0, 2.0, n), rng.uniform(0.0, 2.0, n)
    lo[rng.random(n) < 0.2], hi[rng.random(n) < 0.2], t[rng.random(n) < 0.1] = 0.0, np.inf, 0.0
    ridge = np.where(rng.random(n) < 0.3, 0.0, rng.uniform(0.1, 2.0, n)) if draw(st.booleans()) else none
    by = draw(st.integers(0, 3))
    return *(off_alignment(a, by) for a in (t, lo, hi)), draw(st.sampled_from([0.0, 0.3])), ridge


def conjugate(t, lo, hi, epsilon, ridge):
    """The largest c t - epsilon |c| - ridge c^2 / 2 among the candidates: the ends, 0 and where the slope is 0."""
    ridge = np.zeros(len(t)) if not len(ridge) else ridge
    far = 1e9  # stands for infinity
    with np.errstate(divide="ignore", invalid="ignore"):
        flat = [np.nan_to_num((t - s * epsilon) / ridge, nan=0.0, posinf=0.0, neginf=0.0) for s in (1.0, -1.0)]
    places = [np.clip(c, lo, hi) for c in (np.full(len(t), -far), np.full(len(t), far), np.zeros(len(t)), *flat)]
    values = np.max([c * t - epsilon * np.abs(c) - 0.5 * ridge * c**2 for c in places], axis=0)
    endless = ((t > epsilon) & np.isposinf(hi)) | ((t < -epsilon) & np.isneginf(lo))
    return np.where(endless & (ridge == 0.0), np.inf, values)


@given(given=losses())
def test_conjugate(isa, given):
    t, lo, hi, epsilon, ridge = given
    out, outside = framed(np.zeros(len(t)))
    dual_proof.conjugate(t, lo, hi, epsilon, ridge, out)
    assert_allclose(out, conjugate(t, lo, hi, epsilon, ridge), rtol=1e-12, atol=1e-12)
    outside.check()


def test_conjugate_in_place(isa):
    t = np.array([2.0, -3.0, 0.1])
    dual_proof.conjugate(t, -np.ones(3), 2.0 * np.ones(3), 0.5, none, t)
    assert_allclose(t, [3.0, 2.5, 0.0])


def test_no_room_and_no_end_is_no_loss(isa):
    """Infinity times 0 counts as 0."""
    out = np.ones(4)
    lo, hi = np.array([0.0, -np.inf, 0.0, 0.0]), np.array([np.inf, 0.0, np.inf, 0.0])
    dual_proof.conjugate(np.array([0.0, 0.5, 1.0, 7.0]), lo, hi, 0.0, none, out)
    assert_array_equal(out, [0.0, 0.0, np.inf, 0.0])


@given(case=cases(), seed=seeds, with_ridge=st.booleans())
def test_inner_products(isa, case, seed, with_ridge):
    rng, n = np.random.default_rng(seed), len(case.b)
    ridge, r = rng.uniform(0.0, 1.0, n) if with_ridge else none, rng.normal(size=n)
    R = np.diag(ridge) if with_ridge else np.zeros((n, n))
    Q, b = case.K + R, case.b
    found = dual_proof.inner_products(b, Q @ b - case.z, case.z, ridge, r)
    expected = b @ Q @ b, case.z @ b, np.abs(b).sum(), r @ b, b @ R @ b
    assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


def test_infinities_beside_a_coefficient_of_zero_do_not_count(isa):
    b, F = np.array([0.0, 1.0]), np.array([np.inf, 2.0])
    assert dual_proof.inner_products(b, F, np.zeros(2), none, F) == (2.0, 0.0, 1.0, 2.0, 0.0)


# ---- feasibility


def move_to_sum(b, lo, hi, group, total):
    """Free coefficients move in proportion to their room, then those at a bound, then zeros."""
    b = b.copy()
    for stage in range(3):
        missing = total - b[group].sum()
        if abs(missing) <= 1e-12 * np.abs(b).sum():
            break
        turn = [(b != 0.0) & (b > lo) & (b < hi), b != 0.0, np.ones(len(b), dtype=bool)][stage] & group
        back, on = (-b, hi - b) if missing > 0.0 else (b, b - lo)
        room = np.where(turn, np.where(back > 0.0, back, np.where(np.isfinite(on), on, 0.0)), 0.0)
        b += np.sign(missing) * min(abs(missing) / max(room.sum(), 1e-300), 1.0) * room
    return b


@given(case=cases(), seed=seeds, aim=st.sampled_from([0.0, 0.3, -0.5, 100.0]))
def test_move_to_sum(isa, case, seed, aim):
    rng, n = np.random.default_rng(seed), len(case.b)
    group = off_alignment(rng.random(n) < 0.7, 1)
    (b, around), (room, outside) = framed(case.b), framed(np.zeros(n))
    dual_proof.move_to_sum(b, case.lo, case.hi, group, aim, room)
    assert_allclose(b, move_to_sum(case.b, case.lo, case.hi, group, aim), rtol=1e-12, atol=1e-12)
    assert_array_equal(b[~group], case.b[~group])
    slack = 1e-12 * (1.0 + np.abs(b).max(initial=0.0))
    assert ((case.lo - slack <= b) & (b <= case.hi + slack)).all()
    around.check()
    outside.check()


@given(case=cases(hard=False))
def test_a_sum_that_can_be_had_is_had(isa, case):
    lowest, highest = case.lo.sum(), case.hi.sum()
    for share in (0.0, 0.2, 0.5, 1.0):
        b, total = case.b.copy(), lowest + share * (highest - lowest)
        dual_proof.move_to_sum(b, case.lo, case.hi, np.ones(len(b), dtype=bool), total, np.empty(len(b)))
        assert_allclose(b.sum(), total, atol=1e-9 * (1.0 + highest - lowest))


def test_zeros_stay_zero_when_the_others_can_do_it(isa):
    b = np.array([0.5, 0.0, -0.2, 1.0])
    dual_proof.move_to_sum(b, -np.ones(4), np.ones(4), np.ones(4, dtype=bool), 1.0, np.empty(4))
    assert b[1] == 0.0
    assert_allclose(b.sum(), 1.0)
    assert b[3] == 1.0  # neither did the one at its bound have to move


# ---- conditions and regimes


def conditions_of(b, slack, lo, hi, epsilon, size, unit):
    primal = outside = complementarity = 0.0
    for side, bound in ((1.0, hi), (-1.0, -lo)):
        a, top = np.maximum(side * b, 0.0) / size, bound / size
        s = (side * slack - epsilon) / unit
        over = np.where((top > 0.0) & (s > 0.0), s, 0.0)
        soft = np.isfinite(top)
        primal = max(primal, over[~soft].max(initial=0.0))
        held = np.minimum(np.maximum(top[soft] - a[soft], 0.0), 1.0) * over[soft]
        complementarity = max(complementarity, held.max(initial=0.0), (a * np.maximum(-s, 0.0)).max(initial=0.0))
        outside = max(outside, (a - top).max(initial=0.0))
    return primal, outside, complementarity


@given(case=cases(), beyond=st.floats(0.5, 1.5), size=st.floats(0.1, 3.0), unit=st.floats(0.1, 3.0))
def test_conditions_of(isa, case, beyond, size, unit):
    given = beyond * case.b, -case.F, case.lo, case.hi, case.epsilon, size, unit
    assert_allclose(dual_proof.conditions_of(*given), conditions_of(*given), rtol=1e-12, atol=1e-13)


@given(n=sides, seed=seeds, tol=st.sampled_from([1e-9, 1e-3, 0.1]))
def test_classification_regimes(isa, n, seed, tol):
    rng = np.random.default_rng(seed)
    margin = rng.choice([-1.0, -tol, 0.0, tol / 2, 0.5, 1.0 - tol, 1.0, 1.0 + tol, 2.0], n) + rng.choice([0.0, 0.01], n)
    b = rng.choice([0.0, 1.0, -1.0], n)
    out, outside = framed(np.zeros(n, dtype=np.intp))
    dual_proof.classification_regimes(margin, b, tol, out)
    inside = margin < 1.0 - tol
    on = ~inside & (margin <= 1.0 + tol) & (b != 0.0)
    names = [inside & (margin < -tol), inside & (margin <= tol), inside, on]
    assert_array_equal(out, np.select(names, [4, 3, 2, 1], 0))
    outside.check()


# ---- the border


def test_wrong_arrays_are_refused_by_name():
    b, F, z, r, t, lo, hi, slack, margin, ridge = (np.zeros(3) for _ in range(10))
    group, out = np.ones(3, dtype=bool), np.zeros(3, dtype=np.intp)
    box, every = {"lo": lo, "hi": hi, "epsilon": 0.0}, {"b": "F|lo|hi|z|slack|r|ridge|group|room"}
    refuses(dual_proof.best_offset, {"b": b, "F": F, **box}, set(), says=every)
    given = {"t": t, **box, "ridge": ridge, "out": np.zeros(3)}
    refuses(dual_proof.conjugate, given, {"out"}, says={"t": "lo|hi|ridge|out"})
    refuses(dual_proof.inner_products, {"b": b, "F": F, "z": z, "ridge": ridge, "r": r}, set(), says=every)
    given = {"b": b, "lo": lo, "hi": hi, "group": group, "total": 0.0, "room": np.zeros(3)}
    refuses(dual_proof.move_to_sum, given, {"b", "room"}, says=every)
    refuses(dual_proof.conditions_of, {"b": b, "slack": slack, **box, "size": 1.0, "unit": 1.0}, set(), says=every)
    given = {"margin": margin, "b": b, "tol": 0.1, "out": out}
    refuses(dual_proof.classification_regimes, given, {"out"}, says={"margin": "b|out"})
