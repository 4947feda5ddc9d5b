"""Many small problems in one native call: conditions, proofs and folds recomputed in NumPy (M16, M17, T18, T19)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from tests.native.dual_problems import cases, refuses, violation
from tests.native.shapes import framed, seeds
from tests.native.test_dual_proof import best_offset, conditions_of, conjugate

from mercer.native import smo, smo_batch

WIDTH = 13
TASKS = ("classification", "regression", "novelty")
types = st.sampled_from([np.float32, np.float64])


# ---- the proof of one problem in NumPy


def primal_of(b, F, z, lo, hi, epsilon, r):
    """1/2 b'Kb + r'b + the losses; of a hard margin that w separates, its value after w was scaled up."""
    t, norm2 = -F - r, b @ (F + z)
    loss = conjugate(t, lo, hi, epsilon, np.empty(0)).sum()
    if np.isfinite(loss):
        return 0.5 * norm2 + r * b.sum() + loss
    hard = np.isinf(hi - lo) & ((lo == 0.0) | (hi == 0.0))
    worst = np.abs(t[hard & (np.sign(t) == np.sign(z))]).max(initial=0.0)
    return 0.5 * norm2 / (1.0 - worst) ** 2 if hard.all() and worst < 1.0 else np.inf


def regimes_of(task, z, f, b, epsilon, tol):
    if task == "classification":
        margin = z * f
        names = [margin < -tol, margin <= tol, margin < 1.0 - tol, (margin <= 1.0 + tol) & (b != 0.0)]
        codes = np.select(names, [4, 3, 2, 1], 0)
    elif task == "regression":
        e = z - f
        names = [e > epsilon + tol, e < -epsilon - tol, (e >= epsilon - tol) & (b > 0), (e <= tol - epsilon) & (b < 0)]
        codes = np.select(names, [3, 4, 1, 2], 0)
    else:
        codes = np.select([f < -tol, (f <= tol) & (b != 0.0)], [2, 1], 0)
    return np.bincount(codes, minlength=5)


def proof_of(b, F, z, lo, hi, epsilon, total, task):
    """The row of solvers/dual/proof.py."""
    most, least, r = best_offset(b, F, lo, hi, epsilon)
    size, unit = (
        np.abs(b).max(initial=0.0) or 1.0,
        max(np.abs(z).max(initial=0.0), np.abs(F + z).max(initial=0.0)) or 1.0,
    )
    dual = -(0.5 * b @ (F + z) - z @ b + epsilon * np.abs(b).sum())
    tol = np.clip(most - least, 1e-9, 1e-2)
    return np.array([
        r, most - least, primal_of(b, F, z, lo, hi, epsilon, r), dual, abs(b.sum() - total) / size,
        *conditions_of(b, -F - r, lo, hi, epsilon, size, unit), *regimes_of(task, z, F + z + r, b, epsilon, tol),
    ])  # fmt: skip


# ---- batches


@st.composite
def batches(draw, hard=True):
    """Problems on parts of one Gram: (K, case, index, ends, task); some parts are consecutive, equal or empty."""
    case = draw(cases(sizes=(5, 8, 17, 33, 50), start=False, hard=hard))
    n, rng = len(case.b), np.random.default_rng(draw(seeds))
    parts = [
        np.arange(n),
        rng.permutation(n)[: max(2, n // 2)],
        np.arange(1, n - 1),
        np.arange(1, n - 1),
        np.empty(0, int),
    ]
    parts = [parts[k] for k in draw(st.lists(st.integers(0, 4), max_size=4))]
    ends = np.concatenate([[0], np.cumsum([len(part) for part in parts], dtype=np.intp)])
    index = np.concatenate([np.empty(0, dtype=np.intp), *parts]).astype(np.intp)
    return case, index, ends, draw(st.sampled_from(TASKS))


def batch_of(case, index, ends):
    count = len(ends) - 1
    return {
        "index": index, "ends": ends, "z": case.z[index], "lo": case.lo[index], "hi": case.hi[index],
        "epsilon": np.full(count, case.epsilon), "b": np.zeros(len(index)), "F": np.zeros(len(index)),
        "steps": np.full(count, -7, dtype=np.intp), "proofs": np.full((count, WIDTH), np.nan),
    }  # fmt: skip


@settings(max_examples=60)
@given(given=batches(), kind=types)
def test_solve_batch(isa, given, kind):
    case, index, ends, task = given
    (K, around), batch = framed(case.K.astype(kind)), batch_of(case, index, ends)
    batch["b"], outside = framed(batch["b"])
    proofs, beyond = framed(batch["proofs"])
    smo_batch.solve_batch(K, **batch | {"proofs": proofs}, tol=1e-3, max_steps=100_000, task=task)
    for p in range(len(ends) - 1):
        s = slice(ends[p], ends[p + 1])
        b, F, z, lo, hi = (batch[name][s] for name in ("b", "F", "z", "lo", "hi"))
        own = case.K[np.ix_(index[s], index[s])]
        assert batch["steps"][p] >= 0
        assert ((lo <= b) & (b <= hi)).all()
        assert_allclose(b.sum(), 0.0, atol=1e-10 * (1.0 + np.abs(b).sum()))
        assert_allclose(F, own @ b - z, atol=1e-7 * (1.0 + np.abs(b).sum()))
        assert violation(b, F, lo, hi, case.epsilon) <= 1.001e-3
        expected = proof_of(b, F, z, lo, hi, case.epsilon, 0.0, task)
        assert_allclose(proofs[p], expected, rtol=1e-9, atol=1e-11)
    for frame in (around, outside, beyond):
        frame.check()


@settings(max_examples=30)
@given(given=batches())
def test_a_start_is_gone_on_from_and_keeps_its_sum(isa, given):
    """The solution of one call takes no steps in the next; another sum stays what it is."""
    case, index, ends, task = given
    batch = batch_of(case, index, ends)
    smo_batch.solve_batch(case.K, **batch, tol=1e-3, max_steps=100_000, task=task)
    found = batch["b"].copy()
    smo_batch.solve_batch(case.K, **batch, tol=2e-3, max_steps=100_000, task=task)
    assert_array_equal(batch["steps"], 0)
    assert_array_equal(batch["b"], found)
    start = np.clip(0.1, batch["lo"], batch["hi"]) + np.zeros(len(index))
    batch["b"][:] = start
    smo_batch.solve_batch(case.K, **batch, tol=1e-3, max_steps=100_000, task=task)
    for p in range(len(ends) - 1):
        s = slice(ends[p], ends[p + 1])
        assert_allclose(batch["b"][s].sum(), start[s].sum(), atol=1e-10 * (1.0 + np.abs(batch["b"][s]).sum()))
        assert batch["proofs"][p, 4] <= 1e-10  # the equality


def small_batch(C=1.0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2))
    K, y = np.exp(-((X[:, None] - X) ** 2).sum(axis=2)).astype(np.float32).astype(float), np.tile([1.0, -1.0], 6)
    return {
        "K": K, "index": np.arange(12), "ends": np.array([0, 12]), "z": y, "lo": np.where(y > 0, 0.0, -C),
        "hi": np.where(y > 0, C, 0.0), "epsilon": np.zeros(1), "b": np.zeros(12), "F": np.zeros(12), "tol": 1e-3,
        "max_steps": 1000, "task": "classification", "steps": np.zeros(1, dtype=np.intp),
        "proofs": np.zeros((1, WIDTH)),
    }  # fmt: skip


def test_what_asks_for_too_many_steps_or_has_no_end_is_told(isa):
    batch = small_batch(C=1e6)
    smo_batch.solve_batch(**batch | {"max_steps": 2})
    assert_array_equal(batch["steps"], -1)
    smo_batch.solve_batch(**small_batch(C=np.inf) | {"K": np.ones((12, 12)), "steps": batch["steps"]})
    assert_array_equal(batch["steps"], -1)


def test_a_hard_margin_has_a_finite_primal_if_w_separates(isa):
    batch = small_batch(C=np.inf)
    smo_batch.solve_batch(**batch)
    primal, dual = batch["proofs"][0, 2:4]
    assert np.isfinite(primal)
    assert dual <= primal <= 1.01 * dual
    batch["b"][:] = 0.0
    smo_batch.solve_batch(**batch | {"max_steps": 1})
    assert batch["proofs"][0, 2] == np.inf  # two coefficients do not separate them


# ---- folds


def alone(K, z, lo, hi, epsilon, tol=1e-9):
    """f of all items by the machine of boxes lo, hi, from many steps in double precision."""
    b, F = np.zeros(len(z)), -z.copy()
    smo.smo(K, np.ones(len(z), dtype=K.dtype), F, b, lo, hi, epsilon, len(z), tol, 10_000_000)
    return F + z + best_offset(b, F, lo, hi, epsilon)[2]


@settings(max_examples=40)
@given(case=cases(sizes=(8, 17, 33, 50), start=False, hard=False), seed=seeds, kind=types, count=st.integers(0, 4))
def test_solve_folds(isa, case, seed, kind, count):
    n, rng = len(case.b), np.random.default_rng(seed)
    places = rng.permutation(2 * n)[:n]
    big = np.eye(2 * n)
    big[np.ix_(places, places)] = case.K
    held, start = rng.random((n, count)) < 0.3, np.clip(rng.normal(size=n), case.lo, case.hi)
    (K, around), (scores, outside) = framed(big.astype(kind)), framed(np.zeros((n, count)))
    held_ = framed(held)[0]
    done = smo_batch.solve_folds(
        K, places, held_, case.z, case.lo, case.hi, case.epsilon, start, 1e-6, 1_000_000, scores
    )  # fmt: skip
    assert done
    for k in range(count):
        lo, hi = np.where(held[:, k], 0.0, case.lo), np.where(held[:, k], 0.0, case.hi)
        assert_allclose(
            scores[:, k], alone(case.K, case.z, lo, hi, case.epsilon), atol=2e-3 * (1.0 + np.abs(case.z).max())
        )
    around.check()
    outside.check()


def test_folds_that_take_too_long_are_told(isa):
    batch = small_batch(C=1e6)
    box = [batch[name] for name in ("z", "lo", "hi")]
    held, scores = np.arange(12)[:, None] % 3 == np.arange(3), np.zeros((12, 3))
    b = np.zeros(12)
    assert not smo_batch.solve_folds(batch["K"], batch["index"], held, *box, 0.0, b, 1e-9, 1, scores)
    assert smo_batch.solve_folds(batch["K"], batch["index"], held, *box, 0.0, b, 1e-3, 10_000, scores)
    assert_array_equal(b, 0.0)  # it is only read


# ---- chains


def chains_of(case, index, ends, bounds, epsilon):
    boxes, count = len(bounds), len(ends) - 1
    return {
        "K": case.single(), "index": index, "ends": ends, "z": case.z[index], "lo": case.lo[index],
        "hi": case.hi[index], "bounds": bounds, "epsilon": epsilon, "coef": np.zeros(boxes * len(index)),
        "bias": np.zeros((count, boxes)),
        "gap": np.zeros((count, boxes)), "steps": np.zeros((count, boxes), dtype=np.intp),
    }  # fmt: skip


def coefs_of(chains, p):
    """(boxes, items) of one problem."""
    boxes, ends = len(chains["bounds"]), chains["ends"]
    return chains["coef"][boxes * ends[p] : boxes * ends[p + 1]].reshape(boxes, -1)


def assert_solved(case, chains, p, m, tol):
    """Problem p with box m: feasible, optimal, with its bias and its gap."""
    s = slice(chains["ends"][p], chains["ends"][p + 1])
    places, b = chains["index"][s], coefs_of(chains, p)[m]
    bound, epsilon = chains["bounds"][m, places], chains["epsilon"][m]
    z, lo, hi = chains["z"][s], bound * chains["lo"][s], bound * chains["hi"][s]
    F = case.K[np.ix_(places, places)] @ b - z
    scale = 1.0 + np.abs(b).sum()
    assert ((lo <= b) & (b <= hi)).all()
    assert_allclose(b.sum(), 0.0, atol=1e-10 * scale)
    assert violation(b, F, lo, hi, epsilon) <= tol + 1e-9 * scale
    r = best_offset(b, F, lo, hi, epsilon)[2]
    assert_allclose(chains["bias"][p, m], r, atol=1e-7 * scale)
    primal, dual = primal_of(b, F, z, lo, hi, epsilon, r), 0.5 * b @ (z - F) - epsilon * np.abs(b).sum()
    gap = (primal - dual) / max(abs(primal), abs(dual), 1e-300)
    assert_allclose(chains["gap"][p, m], gap, rtol=1e-4, atol=1e-7)


@settings(max_examples=40)
@given(given=batches(hard=False), seed=seeds, boxes=st.integers(0, 4), tubes=st.booleans())
def test_solve_chains(isa, given, seed, boxes, tubes):
    case, index, ends, _ = given
    rng, n = np.random.default_rng(seed), len(case.b)
    bounds = rng.choice([0.1, 1.0, 10.0], (boxes, 1)) * rng.uniform(0.5, 1.0, (boxes, n))
    epsilon = rng.choice([0.0, 0.1], boxes) if tubes else np.full(boxes, case.epsilon)
    chains = chains_of(case, index, ends, bounds, epsilon)
    chains["coef"], outside = framed(chains["coef"])
    count = len(ends) - 1
    done = smo_batch.solve_chains(**chains, tol=1e-3, max_steps=1_000_000, done=0, spent=0, last=False)
    assert done == boxes * count
    for p in range(count):
        for m in range(boxes):
            assert_solved(case, chains, p, m, 1e-3)
    outside.check()


def two_chains():
    """Two problems, three boxes."""
    batch = small_batch()
    case_K, y = batch["K"], batch["z"]

    class Case:
        K = case_K
        z, lo, hi, b = y, batch["lo"], batch["hi"], np.zeros(12)

        @staticmethod
        def single():
            return case_K.astype(np.float32)

    index = np.concatenate([np.arange(12), np.arange(10)])
    bounds = np.array([[0.5], [5.0], [500.0]]) * np.ones(12)
    return Case, chains_of(Case, index, np.array([0, 12, 22]), bounds, np.zeros(3))


def test_a_chain_comes_back_and_goes_on_where_it_was(isa):
    case, chains = two_chains()
    done, tries, seen = 0, 0, []
    while done < 6 and len(seen) < 1000:
        before = done
        done = smo_batch.solve_chains(**chains, tol=1e-4, max_steps=3, done=done, spent=3 * tries, last=False)
        tries = 1 if done > before else tries + 1
        seen.append(done)
    assert seen == sorted(seen)
    assert len(seen) > 2
    assert done == 6
    for p in range(2):
        for m in range(3):
            assert_solved(case, chains, p, m, 1.1e-4)


def test_the_last_try_takes_a_problem_as_it_is(isa):
    _, chains = two_chains()
    assert smo_batch.solve_chains(**chains, tol=1e-9, max_steps=1, done=0, spent=0, last=False) == 0
    assert smo_batch.solve_chains(**chains, tol=1e-9, max_steps=1, done=0, spent=1, last=True) == 1
    assert chains["gap"][0, 0] > 1e-9


def test_a_chain_that_is_done_is_left_alone(isa):
    _, chains = two_chains()
    assert smo_batch.solve_chains(**chains, tol=1e-3, max_steps=10_000, done=6, spent=0, last=False) == 6
    assert_array_equal(chains["coef"], 0.0)
    assert smo_batch.solve_chains(**chains, tol=1e-3, max_steps=10_000, done=3, spent=0, last=False) == 6
    assert_array_equal(coefs_of(chains, 0), 0.0)
    assert coefs_of(chains, 1).any()


# ---- the border


def test_wrong_arrays_are_refused_by_name():
    batch = small_batch() | {"ends": np.array([0, 5, 12]), "epsilon": np.zeros(2), "steps": np.zeros(2, dtype=np.intp)}
    batch["proofs"] = np.zeros((2, WIDTH))
    sized = "ends|z|lo|hi|epsilon|b|F|steps|proofs|index|K"
    says = dict.fromkeys(("index", "ends", "K"), sized)
    refuses(smo_batch.solve_batch, batch, {"b", "F", "steps", "proofs"}, says=says)
    folds = {name: batch[name] for name in ("K", "index", "z", "lo", "hi", "b", "tol", "max_steps")}
    folds |= {"held": np.zeros((12, 2), dtype=bool), "scores": np.zeros((12, 2)), "epsilon": 0.0}
    refuses(smo_batch.solve_folds, folds, {"scores"}, says={"index": "held", "K": "index", "held": "scores"})
    _, chains = two_chains()
    chains |= {"tol": 1e-3, "max_steps": 9, "done": 0, "spent": 0, "last": False}
    says = dict.fromkeys(("index", "ends", "K", "bounds", "epsilon"), sized + "|bounds|coef|bias|gap")
    refuses(smo_batch.solve_chains, chains, {"coef", "bias", "gap", "steps"}, says=says)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("index", np.array([0] * 11 + [12]), "indices from 0 to below 12; got 12"),
        ("index", np.array([0] * 11 + [-1]), "indices from 0 to below 12; got -1"),
        ("ends", np.array([0, 11]), "ascending from 0 to the number of places"),
        ("ends", np.array([1, 12]), "ascending from 0 to the number of places"),
        ("ends", np.empty(0, dtype=np.intp), "ascending from 0 to the number of places"),
        ("K", np.ones((12, 11)), "square"),
        ("max_steps", -1, "0 or more; got -1"),
        ("task", "ranking", "classification, regression or novelty; got ranking"),
    ],
)
def test_what_would_read_beyond_an_array_is_refused(name, value, told):
    with pytest.raises((TypeError, ValueError), match=f"^solve_batch: {name} must be {told}"):
        smo_batch.solve_batch(**small_batch() | {name: value})


def test_ends_that_go_back_are_refused():
    batch = small_batch()
    three = {"ends": np.array([0, 9, 3, 12]), "epsilon": np.zeros(3), "steps": np.zeros(3, dtype=np.intp)}
    with pytest.raises(ValueError, match=r"^solve_batch: ends must be ascending"):
        smo_batch.solve_batch(**batch | three | {"proofs": np.zeros((3, WIDTH))})


@pytest.mark.parametrize(("name", "value"), [("done", -1), ("done", 7), ("max_steps", -1), ("spent", -1)])
def test_wrong_numbers_of_chains_are_refused(name, value):
    _, chains = two_chains()
    numbers = {"tol": 1e-3, "max_steps": 9, "done": 0, "spent": 0, "last": False, name: value}
    with pytest.raises((TypeError, ValueError), match=f"^solve_chains: {name} must be .*; got {value}"):
        smo_batch.solve_chains(**chains, **numbers)
