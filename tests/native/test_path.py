"""The ordinary stretch of the regularisation path against a twin that solves every system anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.native.refusals import refuses
from tests.native.shapes import framed, seeds

from mercer.native import path
from mercer.solvers.path import _start

ROUGH = 1e-7  # slopes of slacks that count as zero


def direction(K, y, F):
    """(d over F, d0, ds): how a, a0 and s change as lambda falls by 1."""
    M = np.zeros((len(F) + 1, len(F) + 1))
    M[0, 1:] = M[1:, 0] = y[F]
    M[1:, 1:] = y[F][:, None] * y[F] * K[np.ix_(F, F)]
    d0, *d = -np.linalg.solve(M, np.append(0.0, np.ones(len(F))))
    ds = -1.0 - y * (K[:, F] @ (y[F] * d) + d0)
    ds[F] = 0.0
    return np.array(d), d0, ds


def turned(K, y, a, elbow, F, joining):
    """(F, d, d0, ds) after a point (or None) has come to the elbow; None where more than a point or two join F."""
    for _ in range(3):
        F = F if joining is None else [*F, joining]
        if np.linalg.cond(K[np.ix_(F, F)]) > 1e10:  # a copy of a point of F
            return None
        d, d0, ds = direction(K, y, F)
        if joining is not None and not (d[-1] < 0.0 if a[joining] == 1.0 else d[-1] > 0.0):
            return None
        pulled = np.where(a > 0.0, ds, -ds) < -ROUGH
        waiting = np.flatnonzero(elbow & ((a == 0.0) | (a == 1.0)) & pulled)
        if len(waiting) != 1:
            return None if len(waiting) else (F, d, d0, ds)
        joining = int(waiting[0])
    return None


def stroll(K, y, a, s, elbow, lam, a0, F, lambda_min, room):
    """[(lambda, a0, a, kind, point)] of the events, and the state after them in place."""
    knots, entered = [], None
    while len(knots) < room:
        found = turned(K, y, a, elbow, F, entered)
        if found is None:
            break
        F, d, d0, ds = found
        until = np.full(len(a), np.inf)
        moves = np.array(F)[d != 0.0]
        until[moves] = np.where(d > 0.0, 1.0 - a[F], -a[F])[d != 0.0] / d[d != 0.0]
        nears = ~elbow & np.where(a == 1.0, ds < 0.0, ds > 0.0)
        until[nears] = -s[nears] / ds[nears]
        point, after = np.argsort(until)[:2]
        step = until[point]
        if not (1e-13 * lam < step < lam - lambda_min and until[after] > step + 1e-11 * lam):
            break
        rests = elbow & ((a == 0.0) | (a == 1.0))
        elbow[rests & (np.abs(ds) > ROUGH)] = False
        ds[rests & (np.abs(ds) <= ROUGH)] = 0.0
        lam, a0 = lam - step, a0 + step * d0
        s += step * ds
        a[F] += step * d
        if point in F:
            kind, entered = (path.ONE if d[F.index(point)] > 0.0 else path.ZERO), None
            a[point] = kind
            F = [i for i in F if i != point]
        else:
            kind, entered = path.ENTER, int(point)
            elbow[point], s[point] = True, 0.0
        knots.append((lam, a0, a.copy(), kind, point))
        if not ((a == 1.0) & ~elbow).any():
            break
    return knots


def arguments(K, y, walk, room, spare=40):
    """What `path.stroll` takes, from a walk on an elbow with points strictly inside."""
    F = np.flatnonzero(walk.elbow & (walk.a > 0.0) & (walk.a < 1.0))
    e, n = len(F), len(y)
    M = np.zeros((e + 1, e + 1))
    M[0, 1:] = M[1:, 0] = y[F]
    M[1:, 1:] = y[F][:, None] * y[F] * K[np.ix_(F, F)]
    N = np.zeros((e + spare, e + spare))
    N[: e + 1, : e + 1] = np.linalg.inv(M)
    return {
        "K": K, "y": y, "a": walk.a.copy(), "s": walk.s.copy(), "elbow": walk.elbow.copy(),
        "where": np.array([walk.lam, walk.a0]), "F": np.resize(F, n + 1), "e": e, "N": N, "lambda_min": 1e-3,
        "lambdas": np.zeros(room), "alphas": np.zeros((room, n)), "zeros": np.zeros(room),
        "kinds": np.zeros(room, dtype=np.intp), "points": np.zeros(room, dtype=np.intp),
    }  # fmt: skip


def walking(n, seed, copies=0):
    """(K, y, a walk that has come to points strictly inside their bounds); the last rows may be copies of the first."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    if copies:
        X[-copies:] = X[:copies]
    y = np.where(X[:, 0] * X[:, 1] + 0.5 * rng.normal(size=n) > 0.0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    if copies:
        y[-copies:] = y[:copies]
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=-1))
    walk, _ = _start(K, y, 1e-3)
    for _ in range(n):
        if (walk.elbow & (walk.a > 0.0) & (walk.a < 1.0)).any():
            break
        walk._advance(1e-3)
    return K, y, walk


@given(
    n=st.sampled_from([3, 5, 8, 17, 40, 67]), seed=seeds, room=st.sampled_from([0, 1, 5, 30]),
    copies=st.sampled_from([0, 0, 2]),
)  # fmt: skip
def test_stroll(isa, n, seed, room, copies):
    K, y, walk = walking(n, seed, copies if n > 5 else 0)
    inside = np.flatnonzero(walk.elbow & (walk.a > 0.0) & (walk.a < 1.0))
    if not len(inside) or np.linalg.cond(K[np.ix_(inside, inside)]) > 1e10:  # nothing moves, or copies do
        return
    given = arguments(K, y, walk, room)
    (given["alphas"], outside), (given["K"], _) = framed(given["alphas"]), framed(K)
    a, s, elbow = given["a"].copy(), given["s"].copy(), given["elbow"].copy()
    F = given["F"][: given["e"]].tolist()
    count = path.stroll(**given)
    outside.check()
    expected = stroll(K, y, a, s, elbow, walk.lam, walk.a0, F, 1e-3, room)
    assert count == len(expected)
    for k, (lam, a0, knot, kind, point) in enumerate(expected):
        assert_allclose([given["lambdas"][k], given["zeros"][k]], [lam, a0], atol=1e-8)
        assert_allclose(given["alphas"][k], knot, atol=1e-7)
        assert (given["kinds"][k], given["points"][k]) == (kind, point)
    if count:
        assert_array_equal(given["where"], [given["lambdas"][count - 1], given["zeros"][count - 1]])
    assert_allclose(given["a"], a, atol=1e-7)
    assert_allclose(given["s"], s, atol=1e-7)
    assert_array_equal(given["elbow"], elbow)


def test_it_ends_where_the_inverse_has_no_room(isa):
    K, y, walk = walking(60, 0)
    long, short = (arguments(K, y, walk, 30, spare=spare) for spare in (40, 2))
    assert 0 < path.stroll(**short) < path.stroll(**long)
    short = arguments(K, y, walk, 30)
    short["F"] = short["F"][: short["e"]].copy()
    assert path.stroll(**short) < 30


def test_wrong_arguments_are_named():
    K, y, walk = walking(12, 1)
    good = arguments(K, y, walk, 4)
    written = {"a", "s", "elbow", "where", "F", "N", "lambdas", "alphas", "zeros", "kinds", "points"}
    refuses(path.stroll, good, written, free={"y", "F", "lambdas"})
    for change, message in [
        ({"e": -1}, "e must be a number of entries of F; got -1"),
        ({"e": 14}, "e must be a number of entries of F; got 14"),
        ({"e": 1, "N": np.zeros((1, 1))}, "N must be square, with more than e rows; got 1 x 1"),
        ({"F": np.full(13, 12)}, "F must be indices from 0 to below 12; got 12"),
    ]:
        with pytest.raises(ValueError, match=f"^stroll: {message}"):
            path.stroll(**good | change)
