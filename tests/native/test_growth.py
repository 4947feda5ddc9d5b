"""A growing active set, asked for kernel values from Python or computing them itself, against NumPy (M17)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_allclose, assert_array_equal
from tests.native.dual_problems import cases, refuses, violation
from tests.native.shapes import framed, off_alignment
from tests.native.test_smo_batch import proof_of

from mercer.native import growth, smo

FIRST = 200  # items up to which all of them are active from the beginning
WIDTH = 13


class Gram:
    """A stored Gram that answers the questions of the loop, and remembers them."""

    def __init__(self, K):
        self.K, self.blocks, self.products, self.reports = K, [], [], []

    def block(self, I, J):
        I, J = np.frombuffer(I, np.intp).copy(), np.frombuffer(J, np.intp).copy()
        self.blocks.append((I, J))
        return self.K[np.ix_(I, J)].astype(np.float32)

    def product(self, I, J, v, exact):
        I, J, v = np.frombuffer(I, np.intp).copy(), np.frombuffer(J, np.intp).copy(), np.frombuffer(v).copy()
        self.products.append((I, J, exact))
        return (self.K if exact else self.K.astype(np.float32).astype(float))[np.ix_(I, J)] @ v

    def report(self, active, violation, objective, steps):
        self.reports.append((active, violation, objective, steps))

    @property
    def calls(self):
        return self.block, self.product, self.report


def arguments(case, tol=1e-3):
    return {
        "b": case.b.copy(), "F": case.F, "z": case.z, "lo": case.lo, "hi": case.hi, "epsilon": case.epsilon, "tol": tol,
        "largest": 10_000, "max_steps": 100_000,
    }  # fmt: skip


def assert_solved(case, b, F, tol, start=0.0):
    size = np.abs(b).sum() + np.abs(case.z).max() + 1.0
    assert case.inside(b)
    assert_allclose(b.sum(), start, atol=1e-10 * size)
    assert violation(b, F, case.lo, case.hi, case.epsilon) <= tol
    assert violation(b, case.gradient(b), case.lo, case.hi, case.epsilon) <= tol + 1e-5 * size
    assert_allclose(F, case.gradient(b), atol=1e-6 * size)


@settings(max_examples=60)
@given(case=cases(sizes=(2, 3, 9, 33, 130, FIRST, FIRST + 1, 333), start=False, hard=False))
def test_it_ends_where_no_pair_of_all_items_gains_more_than_tol(isa, case):
    gram, given = Gram(case.K), arguments(case)
    (given["b"], around), (given["F"], outside) = framed(given["b"]), framed(given["F"])
    end, steps, error = growth.grow(**given, **dict(zip(("block", "product", "report"), gram.calls, strict=True)))
    assert end == "solved"
    assert steps >= 0
    assert 0.0 <= error <= 1e-4
    assert_solved(case, given["b"], given["F"], 1e-3)
    around.check()
    outside.check()


@settings(max_examples=30)
@given(case=cases(sizes=(33, FIRST + 1, 333), start=False, hard=False))
def test_no_kernel_value_between_active_items_is_asked_for_twice(isa, case):
    n, gram, given = len(case.b), Gram(case.K), arguments(case)
    growth.grow(*given.values(), *gram.calls)
    active = np.empty(0, dtype=np.intp)
    for I, J in gram.blocks:
        active = np.concatenate([active, I])
        assert_array_equal(J, active)  # the rows of those who come in, up to themselves
    first = gram.blocks[0][0]
    assert len(first) == n if n <= FIRST else FIRST - 2 <= len(first) <= 1.3 * FIRST
    assert {-1.0, 1.0} <= set(np.sign(case.z[first])) or n < 5 or not case.z.any()
    assert len(np.unique(active)) == len(active)
    assert set(np.flatnonzero(given["b"])) <= set(active)
    assert any(exact for *_, exact in gram.products)  # the proof
    items, violations, objectives, steps = (np.array(column) for column in zip(*gram.reports, strict=True))
    assert (np.diff(items) >= 0).all()
    assert (np.diff(steps) >= 0).all()
    assert (np.diff(objectives) <= 1e-6 * (1.0 + np.abs(objectives[1:]))).all()
    assert violations[-1] <= 1e-3
    assert_allclose(objectives[-1], case.objective(given["b"]), rtol=1e-4, atol=1e-4)


@settings(max_examples=30)
@given(case=cases(sizes=(9, 33, 65), hard=False))
def test_a_start_keeps_its_sum_and_a_solution_takes_no_steps(isa, case):
    gram, given = Gram(case.K), arguments(case)
    assert growth.grow(*given.values(), *gram.calls)[0] == "solved"
    assert_solved(case, given["b"], given["F"], 1e-3, start=case.b.sum())
    if case.b.any():
        assert_array_equal(gram.blocks[0][0], np.flatnonzero(case.b))  # its support vectors are the first
    found = given["b"].copy()
    given |= {"F": case.gradient(found), "tol": 2e-3}
    assert growth.grow(*given.values(), *gram.calls)[:2] == ("solved", 0)
    assert_array_equal(given["b"], found)


def two_clouds(n=400, C=1.0):
    """Rows, and a problem whose support is small."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    X = rng.normal(size=(n, 3)) + 1.5 * y[:, None]
    return X, y, {
        "b": np.zeros(n), "F": -y, "z": y, "lo": np.where(y > 0, 0.0, -C), "hi": np.where(y > 0, C, 0.0),
        "epsilon": 0.0, "tol": 1e-3, "largest": 10_000, "max_steps": 100_000,
    }  # fmt: skip


def gaussian(X, c=0.25):
    return np.exp(-c * ((X[:, None] - X) ** 2).sum(axis=2))


def test_few_kernel_values_where_few_items_support(isa):
    X, _, given = two_clouds()
    gram = Gram(gaussian(X))
    assert growth.grow(*given.values(), *gram.calls)[0] == "solved"
    support = np.count_nonzero(given["b"])
    asked = sum(len(I) * len(J) for I, J in gram.blocks) + sum(len(I) * len(J) for I, J, _ in gram.products)
    assert 4 <= support < 100
    assert asked < 5 * 400 * support


# ---- how it may end


def test_more_active_items_than_there_is_room_for(isa):
    X, _, given = two_clouds()
    gram = Gram(gaussian(X))
    assert growth.grow(*(given | {"largest": FIRST - 1}).values(), *gram.calls)[0] == "too large"
    assert not gram.blocks  # nothing was begun
    assert growth.grow(*(given | {"largest": FIRST}).values(), *gram.calls)[0] == "too large"
    assert len(gram.blocks) == 1
    assert_allclose(given["b"].sum(), 0.0, atol=1e-12)


def test_a_sample_of_which_nearly_all_support_says_that_there_will_be_too_many(isa):
    X, _, given = two_clouds(1000)
    y = np.sign(np.random.default_rng(1).normal(size=1000))
    given |= {"F": -y, "z": y, "lo": np.where(y > 0, 0.0, -1.0), "hi": np.where(y > 0, 1.0, 0.0), "largest": 400}
    assert growth.grow(*given.values(), *Gram(gaussian(X)).calls)[0] == "too many"


@pytest.mark.parametrize(("offset", "tol"), [(0.0, 1e-8), (3e3, 1e-3)])
def test_rounding_is_mended_by_gradients_in_double_precision(isa, offset, tol):
    """A constant takes twelve bits of every kernel value; steps after a proof are smaller, and so are their errors."""
    X, y, given = two_clouds()
    K = gaussian(X) + offset
    end, _, error = growth.grow(*(given | {"tol": tol}).values(), *Gram(K).calls)
    assert (end, error) == ("solved", 0.0)  # all of it in double precision
    b, F = given["b"], K @ given["b"] - y
    assert_allclose(given["F"], F, atol=1e-10)
    assert violation(b, F, given["lo"], given["hi"], 0.0) <= 1.001 * tol


def test_kernel_values_without_digits_are_given_up(isa):
    X, y, given = two_clouds()
    K = gaussian(X) + 1e7
    end = growth.grow(*given.values(), *Gram(K).calls)[0]
    assert end == "too coarse"
    assert_allclose(given["F"], K @ given["b"] - y, atol=1e-5)  # in double precision all the same


def test_a_dual_without_end_is_told(isa):
    given = two_clouds(C=np.inf)[2]
    end = growth.grow(*given.values(), *Gram(np.ones((400, 400))).calls)[0]
    assert end == "unbounded"


def test_no_items_and_one(isa):
    none = np.empty(0)
    gram = Gram(np.ones((1, 1)))
    assert growth.grow(none, none, none, none, none, 0.0, 1e-3, 10, 10, *gram.calls)[0] == "solved"
    b, one = np.zeros(1), np.ones(1)
    assert growth.grow(b, -one, one, 0.0 * one, one, 0.0, 1e-3, 10, 10, *gram.calls)[0] == "solved"
    assert b[0] == 0.0


# ---- what Python may do


@pytest.mark.parametrize("which", ["block", "product", "report"])
def test_an_error_of_a_callback_is_the_callers(isa, which):
    X, _, given = two_clouds()
    gram = Gram(gaussian(X))

    def failing(*asked):
        raise ArithmeticError("no more kernel values")

    setattr(gram, which, failing)
    with pytest.raises(ArithmeticError, match="no more kernel values"):
        growth.grow(*given.values(), *gram.calls)
    assert np.isfinite(given["b"]).all()
    assert ((given["lo"] <= given["b"]) & (given["b"] <= given["hi"])).all()


def test_a_report_may_stop_the_work_and_what_there_is_is_usable(isa):
    X, y, given = two_clouds()
    gram = Gram(gaussian(X))

    class Stop(Exception):
        pass

    def stop(active, violation, objective, steps):
        raise Stop

    gram.report = stop
    with pytest.raises(Stop):
        growth.grow(*given.values(), *gram.calls)
    b = given["b"]
    assert b.any()
    assert abs(b.sum()) < 1e-12
    support = np.flatnonzero(b)
    assert_allclose(given["F"][support], (gaussian(X) @ b - y)[support], atol=1e-5)


@pytest.mark.parametrize(
    ("which", "answer", "told"),
    [
        ("block", lambda I, J: np.zeros((2, 2), dtype=np.float32), "block: the result must be of shape"),
        ("block", lambda I, J: np.zeros((FIRST, FIRST)), "block: the result must be an array of float32; got float64"),
        ("block", lambda I, J: None, "block: the result must be an array; got NoneType"),
        ("product", lambda I, J, v, exact: np.zeros(3), "product: the result must be .* long"),
        ("product", lambda I, J, v, exact: [0.0], "product: the result must be an array; got list"),
    ],
)
def test_answers_of_a_wrong_kind_are_refused(which, answer, told):
    X, _, given = two_clouds()
    gram = Gram(gaussian(X))
    setattr(gram, which, answer)
    with pytest.raises((TypeError, ValueError), match=told):
        growth.grow(*given.values(), *gram.calls)


def test_callbacks_cannot_write_to_what_they_are_shown():
    X, _, given = two_clouds()
    gram = Gram(gaussian(X))

    def writing(I, J):
        with pytest.raises(ValueError, match="read-only"):
            np.frombuffer(I, np.intp)[0] = 7
        return Gram.block(gram, I, J)

    gram.block = writing
    assert growth.grow(*given.values(), *gram.calls)[0] == "solved"


# ---- kernels of rows, without a return to Python

FUNCTIONS = {
    "gaussian": ("gaussian", [], lambda s: np.exp(-s)),
    "matern 1/2": ("matern", [1.0], lambda s: np.exp(-np.sqrt(s))),
    "matern 3/2": ("matern", [1.0, 1.0], lambda s: (1.0 + np.sqrt(s)) * np.exp(-np.sqrt(s))),
    "matern 5/2": ("matern", [1 / 3, 1.0, 1.0], lambda s: (1.0 + np.sqrt(s) + s / 3.0) * np.exp(-np.sqrt(s))),
}


def kernel_of(X, name, c):
    return FUNCTIONS[name][2](c * ((X[:, None] - X) ** 2).sum(axis=2))


def batch_of(X, y, parts, name, c, C=1.0, tol=1e-3):
    """The arguments of grow_batch for problems with labels y on parts of the rows."""
    function, coefficients, _ = FUNCTIONS[name]
    index = np.concatenate([np.empty(0, dtype=np.intp), *parts]).astype(np.intp)
    z, norms, count = y[index], (X**2).sum(axis=1), len(parts)
    return {
        "index": index, "ends": np.cumsum([0, *map(len, parts)], dtype=np.intp), "z": z,
        "lo": np.where(z > 0, 0.0, -C), "hi": np.where(z > 0, C, 0.0), "epsilon": np.zeros(count),
        "b": np.full(len(index), 7.0), "F": np.zeros(len(index)), "tol": tol, "largest": 10_000, "max_steps": 100_000,
        "task": "classification", "X32": off_alignment(X.astype(np.float32), 1), "norms32": norms.astype(np.float32),
        "X64": X, "norms64": norms, "function": function, "c": c, "coefficients": np.array(coefficients),
        "steps": np.zeros(count, dtype=np.intp), "errors": np.full(count, np.nan),
        "proofs": np.full((count, WIDTH), np.nan), "report": lambda *told: None,
    }  # fmt: skip


def rows(shape, seed=0):
    """Rows some of which are equal or nearly so."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=shape)
    X[5] = X[6]
    X[8] = X[7] + 1e-5
    return X, np.where(rng.random(len(X)) < 0.5, 1.0, -1.0)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("shape", [(300, 1), (300, 3), (301, 13), (530, 40)])
def test_grow_batch(isa, name, shape):
    """Every problem ends where NumPy's kernel says so, with the proof that NumPy writes."""
    (X, y), c = rows(shape), 1.0 / shape[1]
    n, K = len(X), kernel_of(X, name, c)
    order = np.random.default_rng(1).permutation(n)
    parts = [np.arange(n), order[:250], order[250:], np.empty(0, dtype=np.intp), np.arange(20, 40)]
    batch = batch_of(X, y, parts, name, c)
    batch["b"], outside = framed(batch["b"])
    batch["proofs"], beyond = framed(batch["proofs"])
    growth.grow_batch(**batch)
    assert (batch["steps"] >= 0).all()
    for p, part in enumerate(parts):
        s = slice(batch["ends"][p], batch["ends"][p + 1])
        b, F, z, lo, hi = (batch[key][s] for key in ("b", "F", "z", "lo", "hi"))
        exact = K[np.ix_(part, part)] @ b - z
        assert ((lo <= b) & (b <= hi)).all()
        assert abs(b.sum()) < 1e-10 * (1.0 + np.abs(b).sum())
        assert_allclose(F, exact, atol=2e-4)
        assert batch["errors"][p] <= 1e-4
        assert violation(b, exact, lo, hi, 0.0) <= 1.2e-3
        assert_allclose(
            batch["proofs"][p], proof_of(b, F, z, lo, hi, 0.0, 0.0, "classification"), rtol=1e-9, atol=1e-11
        )
        x, G = np.zeros(len(part)), -z
        smo.smo(K[np.ix_(part, part)], np.ones(len(part)), G, x, lo, hi, 0.0, len(x), 1e-6, 1_000_000)
        dual = [z @ a - 0.5 * a @ K[np.ix_(part, part)] @ a for a in (b, x)]
        assert_allclose(*dual, rtol=1e-5)
    outside.check()
    beyond.check()


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("width", [2, 40])
def test_products_in_double_precision(isa, name, width):
    """A tolerance below single precision has all gradients computed in double."""
    X, y = rows((303, width))
    batch = batch_of(X, y, [np.arange(303)], name, 0.3 / width, tol=1e-8)
    growth.grow_batch(**batch)
    assert batch["steps"][0] >= 0
    assert batch["errors"][0] < 1e-10
    assert_allclose(batch["F"], kernel_of(X, name, 0.3 / width) @ batch["b"] - y, atol=1e-10)


@pytest.mark.parametrize("width", [3, 20])
def test_rows_far_from_the_origin_keep_the_digits_of_their_distances(isa, width):
    """|x|^2 + |y|^2 - 2 <x, y> would lose seven of sixteen digits."""
    X, y = rows((303, width))
    batch = batch_of(X + 1e3, y, [np.arange(303)], "gaussian", 0.3 / width, tol=1e-6)
    growth.grow_batch(**batch)
    assert batch["steps"][0] >= 0
    assert batch["errors"][0] < 1e-7
    F = kernel_of(X + 1e3, "gaussian", 0.3 / width) @ batch["b"] - y
    assert_allclose(batch["F"], F, atol=1e-9 * (1.0 + np.abs(batch["b"]).sum()))


def test_problems_that_are_not_solved_are_told_and_the_others_are(isa):
    X, y = rows((500, 2))
    batch = batch_of(X, y, [np.arange(500), np.arange(40)], "gaussian", 0.3)
    growth.grow_batch(**batch | {"largest": 100})
    assert batch["steps"][0] == -1
    assert batch["steps"][1] >= 0


def test_a_report_may_stop_a_batch(isa):
    """What was solved before stays, and every coefficient is feasible."""
    X, y = rows((600, 2))
    batch = batch_of(X, y, [np.arange(100), np.arange(600), np.arange(100)], "gaussian", 0.01, C=1e6, tol=1e-6)
    batch["b"][:] = 0.0

    class Stop(Exception):
        pass

    def stop(active, violation, objective, steps):
        raise Stop

    with pytest.raises(Stop):
        growth.grow_batch(**batch | {"max_steps": 10, "report": stop})
    b = batch["b"]
    assert ((batch["lo"] <= b) & (b <= batch["hi"])).all()
    assert b.any()


# ---- the border


def test_wrong_arrays_are_refused_by_name():
    X, _, given = two_clouds(12)
    calls = dict(zip(("block", "product", "report"), Gram(gaussian(X)).calls, strict=True))
    refuses(growth.grow, given | calls, {"b", "F"}, says=dict.fromkeys(("b", "F", "z"), "F|z|lo|hi"))
    X, y = rows((12, 3))
    batch = batch_of(X, y, [np.arange(12), np.arange(5)], "matern 3/2", 0.3)
    says = {"index": "ends|z", "ends": "ends|epsilon|steps", "X32": "norms32|X64", "X64": "norms64|X64"}
    written = {"b", "F", "steps", "errors", "proofs"}
    refuses(growth.grow_batch, batch, written, free={"coefficients"}, says=says)
    for name, wrong in (("X32", X), ("X64", X.astype(np.float32)), ("norms32", np.ones(12))):
        with pytest.raises(TypeError, match=f"^grow_batch: {name} must be an array of float"):
            growth.grow_batch(**batch | {name: wrong})


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("index", np.array([0] * 16 + [12]), "indices from 0 to below 12; got 12"),
        ("index", np.array([0] * 16 + [-1]), "indices from 0 to below 12; got -1"),
        ("ends", np.array([0, 13, 12]), "ascending from 0 to the number of places"),
        ("function", "cubic", "'gaussian' or 'matern'; got cubic"),
        ("task", "ranking", "classification, regression or novelty; got ranking"),
        ("max_steps", -1, "0 or more; got -1"),
    ],
)
def test_what_would_read_beyond_an_array_is_refused(name, value, told):
    X, y = rows((12, 3))
    batch = batch_of(X, y, [np.arange(12), np.arange(5)], "gaussian", 0.3)
    with pytest.raises(ValueError, match=f"^grow_batch: {name} must be {told}"):
        growth.grow_batch(**batch | {name: value})


def test_the_answer_is_that_of_steps_on_the_whole_gram(isa):
    X, y, given = two_clouds()
    K = gaussian(X)
    assert growth.grow(*(given | {"tol": 1e-4}).values(), *Gram(K).calls)[0] == "solved"
    b, F = np.zeros(400), -y
    smo.smo(K, np.ones(400), F, b, given["lo"], given["hi"], 0.0, 400, 1e-8, 1_000_000)
    dual = [y @ x - 0.5 * x @ K @ x for x in (given["b"], b)]
    assert_allclose(*dual, rtol=1e-7)
