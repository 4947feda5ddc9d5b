"""method="cells": exact in one cell, routed answers, overlap, degenerate data, proofs, files and interrupts (H6)."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import mercer
from mercer.estimators.cells import fitting
from mercer.estimators.cells.tree import grow, routed
from mercer.kernels import RBF, Spectrum

rng = np.random.default_rng(0)
X = rng.normal(size=(240, 3))
y = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=240)
labels = np.digitize(y, [-0.7, 0.7]).astype(str)

NUMBERS = {
    "ridge": mercer.KernelRidge(0.1, kernel=RBF(1.0), fit_intercept=True),
    "SVR": mercer.SVR(kernel=RBF(1.0), C=5.0),
    "quantile": mercer.KernelQuantileRegressor(kernel=RBF(1.0), C=5.0),
    "huber": mercer.KernelRiskRegressor("huber", kernel=RBF(1.0), C=5.0),
}
LABELS = {
    "SVC": mercer.SVC(kernel=RBF(1.0), C=5.0),
    "logistic": mercer.KernelLogisticRegression(kernel=RBF(1.0), C=5.0),
    "risk": mercer.KernelRiskClassifier(kernel=RBF(1.0), C=5.0),
}
ALL = NUMBERS | LABELS


def in_cells(name, rows=60, **options):
    return clone(ALL[name]).set_params(method="cells", cell_rows=rows, n_landmarks=20, **options)


def target(name):
    return labels if name in LABELS else y


@pytest.mark.parametrize("name", list(ALL))
def test_one_cell_is_the_exact_machine_H6(name):
    whole, exact = in_cells(name, 240).fit(X, target(name)), clone(ALL[name]).fit(X, target(name))
    assert whole.method_ == "cells"
    assert whole.approximation_.cells == 1
    one, other = whole.predict(X), exact.predict(X)
    assert_array_equal(one, other) if name in LABELS else assert_allclose(one, other, atol=1e-12)
    assert whole.certificate_.relative_gap == pytest.approx(exact.certificate_.relative_gap, abs=1e-12)


@pytest.mark.parametrize("name", list(ALL))
def test_every_item_is_answered_by_its_cell_H6(name):
    machine = in_cells(name).fit(X, target(name))
    cells = machine.cells_
    assert machine.approximation_.cells == 4
    found = machine.predict(X)
    for leaf, rows in routed(cells.root, cells.coordinates(X)):
        own = cells.machines[leaf].predict(X[rows])
        own = own if cells.common is None else own + cells.common.predict(X[rows])
        assert_array_equal(found[rows], own)
    assert (cells.common is None) == (name in LABELS)
    assert_array_equal(machine.predict(X[::-1]), found[::-1])


def test_the_residual_is_learned_on_top_of_landmarks_H6():
    machine = in_cells("ridge").fit(X, y)
    alone = clone(NUMBERS["ridge"]).set_params(method="nystrom", n_landmarks=20).fit(X, y)
    assert_allclose(machine.cells_.common.predict(X), alone.predict(X), atol=1e-12)
    assert machine.score(X, y) > alone.score(X, y)


def test_cells_near_each_other_share_rows_and_cover_all_H6():
    tree = grow(X, np.eye(3), 60, 0.1, y[:, None])
    assert sorted(np.concatenate([rows[:own] for rows, own in zip(tree.rows, tree.own, strict=True)])) == list(
        range(240)
    )
    assert all(own <= 60 < len(rows) for rows, own in zip(tree.rows, tree.own, strict=True))
    alone = grow(X, np.eye(3), 60, 0.0, y[:, None])
    assert sum(map(len, alone.rows)) <= 240 + 2 * len(alone.rows)  # at overlap 0, only rows that lie on a border


def test_a_supervised_split_is_along_what_tells_H6():
    tree = grow(X, np.eye(3), 200, 0.1, X[:, [2]])
    assert abs(tree.root.direction[2]) > 0.95 * np.linalg.norm(tree.root.direction)
    assert_allclose(grow(X, np.eye(3), 200, 0.1, np.ones((240, 1))).root.direction,
                    grow(X, np.eye(3), 200, 0.1).root.direction)  # fmt: skip


def test_cells_without_a_class_answer_in_terms_of_all_classes_H6():
    blocks = np.where(X[:, 0] > 0.0, np.where(X[:, 1] > 0.0, "a", "b"), "c")
    wide = X * [9.0, 1.0, 1.0]
    machine = mercer.SVC(kernel=RBF(1.0), method="cells", cell_rows=70).fit(wide, blocks)
    scores = machine.decision_function(wide)
    assert scores.shape == (240, 3)
    assert np.isfinite(scores).all()
    assert_array_equal(machine.classes_[scores.argmax(axis=1)], machine.predict(wide))
    chances = mercer.KernelLogisticRegression(kernel=RBF(1.0), method="cells", cell_rows=70).fit(wide, blocks)
    assert_allclose(chances.predict_proba(wide).sum(axis=1), 1.0)
    assert_allclose(np.exp(chances.predict_log_proba(wide)), chances.predict_proba(wide))


def test_two_classes_keep_their_sign_where_a_cell_has_one_H6():
    signs = X[:, 0] > 0.0
    machine = mercer.SVC(kernel=RBF(1.0), method="cells", cell_rows=30, probability=True).fit(
        X * [9.0, 1.0, 1.0], signs
    )
    f = machine.decision_function(X * [9.0, 1.0, 1.0])
    assert f.shape == (240,)
    assert_array_equal(f > 0.0, machine.predict(X * [9.0, 1.0, 1.0]))
    assert machine.predict_proba(X).shape == (240, 2)
    assert None in machine.cells_.machines


@pytest.mark.parametrize("name", ["ridge", "SVC", "logistic"])
def test_the_certificate_is_that_of_the_worst_cell_and_made_again_H6(name):
    weight = np.where(np.arange(240) % 7, 1.0, 0.0)
    machine = in_cells(name).fit(X, target(name), weight)
    gaps = [leaf.certificate_.relative_gap for leaf in machine.cells_.machines]
    assert machine.certificate_.relative_gap == max(gaps)
    assert mercer.verify(machine, X, target(name), weight).relative_gap == pytest.approx(max(gaps), rel=0.1, abs=1e-9)
    with pytest.raises(ValueError, match="the items of the fit"):
        mercer.verify(machine, X[:100], target(name)[:100])


def test_weights_of_zero_and_of_classes_count_for_the_whole_H6():
    weight = np.where(np.arange(240) < 200, 1.0, 0.0)
    assert_allclose(in_cells("ridge").fit(X, y, weight).predict(X), in_cells("ridge").fit(X[:200], y[:200]).predict(X),
                    atol=1e-6)  # fmt: skip
    balanced = in_cells("SVC", class_weight="balanced").fit(X, labels)
    share = {label: 240 / (3 * np.sum(labels == label)) for label in np.unique(labels)}
    by_hand = in_cells("SVC").fit(X, labels, np.array([share[label] for label in labels]))
    assert_allclose(balanced.decision_function(X), by_hand.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("rows", [np.zeros((50, 2)), np.repeat(np.eye(2), 25, axis=0), np.arange(50.0)[:, None]],
                         ids=["equal", "two", "one column"])  # fmt: skip
def test_degenerate_rows_still_give_a_machine_H6(rows):
    numbers = np.arange(50.0) % 3
    found = mercer.KernelRidge(1.0, kernel=RBF(1.0), method="cells", cell_rows=10).fit(rows, numbers).predict(rows)
    assert np.isfinite(found).all()
    assert mercer.SVC(method="cells", cell_rows=10).fit(rows, numbers > 0).predict(rows).shape == (50,)


def test_items_of_any_kind_are_split_by_features_H6():
    words = ["".join(rng.choice(list("abc"), size=8)) for _ in range(80)]
    count = np.array([word.count("a") for word in words], dtype=float)
    machine = mercer.KernelRidge(0.1, kernel=Spectrum(2), method="cells", cell_rows=30).fit(words, count)
    assert machine.approximation_.cells >= 3
    assert machine.score(words, count) > 0.9


def test_several_targets_H6():
    machine = in_cells("ridge").fit(X, np.column_stack([y, -y]))
    assert machine.predict(X).shape == (240, 2)
    assert_allclose(machine.predict(X)[:, 0], -machine.predict(X)[:, 1], atol=1e-8)


@pytest.mark.parametrize(("options", "words"), [
    ({"cell_rows": 5}, "cell_rows must be a whole number >= 10; got 5"),
    ({"cell_rows": 2.5}, "cell_rows must be a whole number"),
    ({"kernel": "precomputed"}, "method must be another one for kernel='precomputed'"),
    ({"decision_function_shape": "ovo"}, "decision_function_shape must be 'ovr' for method='cells'"),
])  # fmt: skip
def test_bad_options_are_refused_I5(options, words):
    machine = mercer.SVC(**{"method": "cells"} | options)
    with pytest.raises(ValueError, match=words):
        machine.fit(X, labels)
    assert not hasattr(machine, "cells_")
    with pytest.raises(ValueError, match="alpha in each cell"):
        mercer.KernelRidgeCV(method="cells").fit(X, y)


def test_a_new_fit_forgets_the_other_method_H6():
    machine = in_cells("SVC").fit(X, labels)
    exact = machine.set_params(method="exact").fit(X, labels)
    assert exact.method_ == "exact"
    assert_array_equal(exact.predict(X), clone(LABELS["SVC"]).fit(X, labels).predict(X))
    again = exact.set_params(method="cells").fit(X, labels)
    assert again.method_ == "cells"
    assert not hasattr(again, "dual_coef_")


@pytest.mark.parametrize("name", ["ridge", "SVC", "logistic"])
def test_a_model_in_cells_survives_its_file_M1(name, tmp_path):
    machine = in_cells(name).fit(X, target(name))
    mercer.save(machine, tmp_path / "model.mercer")
    loaded = mercer.load(tmp_path / "model.mercer")
    assert_array_equal(loaded.predict(X), machine.predict(X))
    assert loaded.method_ == "cells"
    assert str(loaded.approximation_) == str(machine.approximation_)


def test_an_interrupted_fit_keeps_the_cells_it_has_H6(monkeypatch):
    seen = []

    def stop(task, jobs):
        for job in jobs:
            if len(seen) == 2:
                raise KeyboardInterrupt
            task(job)
            seen.append(job)

    monkeypatch.setattr(fitting, "run", stop)
    machine = in_cells("SVC")
    with pytest.raises(KeyboardInterrupt):
        machine.fit(X, labels)
    assert sum(leaf is not None for leaf in machine.cells_.machines) == 2
    assert machine.score(X, labels) > 0.5


def test_the_cost_of_cells_is_told_H6():
    cost = mercer.KernelRidge(method="cells").estimate_cost(np.zeros((100_000, 2)))
    assert cost["cells"].bytes < cost["exact"].bytes
    assert cost["cells"].seconds < cost["exact"].seconds
