"""A search keeps within its time and its memory, and says what it does."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification

import mercer
from mercer import SVC, KernelRidge, KernelSearchCV, NotConverged
from mercer.kernels import RBF
from mercer.selection import evaluation

X, y = make_classification(200, 6, n_informative=4, flip_y=0.2, random_state=0)
GRID = {"C": [0.1, 1.0, 10.0], "gamma": [0.01, 0.1, 1.0]}


class Clock:
    """Time that passes by one second with every look at it."""

    def __init__(self):
        self.now = 0.0

    def perf_counter(self):
        self.now += 1.0
        return self.now


@pytest.mark.parametrize("grid", [GRID, "libsvm"], ids=["without steps", "with steps"])
def test_when_time_is_up_the_best_so_far_is_taken(monkeypatch, grid):
    clock = Clock()
    monkeypatch.setattr(evaluation.time, "perf_counter", clock.perf_counter)
    with pytest.warns(NotConverged, match="time_limit ended the search after .* the best of these is taken"):
        search = KernelSearchCV(SVC(), grid, time_limit=70.0).fit(X, y)
    done = search.cv_results_["params"]
    assert done
    assert search.best_params_ in done
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.predict(X).shape == (200,)


def test_no_time_at_all_is_an_error():
    with pytest.raises(ValueError, match="time_limit must be long enough"):
        KernelSearchCV(SVC(), GRID, time_limit=0.0).fit(X, y)


@pytest.mark.parametrize("machine", [SVC(), KernelRidge(kernel="rbf")], ids=["chains", "single fits"])
def test_a_gram_beyond_the_memory_budget_is_streamed_with_the_same_scores(machine, capsys):
    grid = {"gamma": [0.01, 0.1]}
    stored = KernelSearchCV(machine, grid).fit(X, y)
    with mercer.configure(memory=2**19):
        streamed = KernelSearchCV(machine, grid, verbose=1).fit(X, y)
    assert "more than the memory budget holds" in capsys.readouterr().out
    assert_allclose(streamed.cv_results_["mean_test_score"], stored.cv_results_["mean_test_score"], atol=0.006)


def test_a_precomputed_gram_beyond_the_budget_is_cut_in_both_directions():
    K = RBF(2.0)(X)
    stored = KernelSearchCV(SVC(kernel="precomputed"), {"C": [0.1, 1.0]}).fit(K, y)
    with mercer.configure(memory=2**19):
        streamed = KernelSearchCV(SVC(kernel="precomputed"), {"C": [0.1, 1.0]}).fit(K, y)
    assert_allclose(streamed.cv_results_["mean_test_score"], stored.cv_results_["mean_test_score"], atol=0.006)


def test_statistics_for_which_there_is_no_room_are_not_kept():
    grid = {"gamma": [0.01, 0.03, 0.1], "kernel": ["rbf", "poly"]}
    plenty = KernelSearchCV(SVC(), grid).fit(X, y)
    with mercer.configure(memory=2 * 8 * 4 * 200 * 200):
        tight = KernelSearchCV(SVC(), grid).fit(X, y)
    assert plenty.kernel_evaluations_ < tight.kernel_evaluations_
    assert_allclose(tight.cv_results_["mean_test_score"], plenty.cv_results_["mean_test_score"], atol=0.006)


def test_the_plan_is_told_before_the_work_and_progress_after(monkeypatch, capsys):
    told = []
    monkeypatch.setattr(evaluation, "run", lambda *given: told.append(capsys.readouterr().out) or run(*given))
    run = mercer.engine.pool.run
    KernelSearchCV(SVC(), GRID, cv=3, verbose=1).fit(X, y)
    assert "9 candidates on 3 folds: 27 fits." in told[0]
    assert "3 mapped from 1 matrices of pair statistics" in told[0]
    progress = capsys.readouterr().out.splitlines()
    assert len(progress) > 3
    assert progress[-1].endswith("27 of 27 fits done.")


def test_by_default_nothing_is_printed(capsys):
    KernelSearchCV(SVC(), GRID, cv=3).fit(X, y)
    assert capsys.readouterr().out == ""


def test_the_number_of_threads_changes_nothing():
    results = []
    for threads in (1, 3):
        with mercer.configure(threads=threads):
            results.append(KernelSearchCV(SVC(), GRID, cv=3).fit(X, y).cv_results_["mean_test_score"])
    assert_allclose(results[0], results[1], atol=1e-12)
