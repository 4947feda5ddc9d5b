"""compare(tune=True) on tables that are too large for exact fits: all rows, within the time, and it is said how."""

from __future__ import annotations

import _thread
import threading
from dataclasses import replace

import numpy as np
import pytest

import mercer
from mercer.cli.main import run
from mercer.comparison import all_rows, tuning
from mercer.comparison.deadline import deadline
from mercer.comparison.growth import Growing, chosen
from mercer.comparison.methods import baselines
from mercer.comparison.two_stages import TwoStages
from mercer.report.approximations import MEANINGS, approximations

rng = np.random.default_rng(0)
n = 160
X = rng.normal(size=(n, 2))
smooth = np.sin(X[:, 0]) + X[:, 1]
LABELS = np.where(smooth + 0.1 * rng.normal(size=n) > 0.0, "yes", "no").astype(object)
NUMBERS = smooth + 0.1 * rng.normal(size=n)
TARGETS = {"classification": LABELS, "regression": NUMBERS}


@pytest.fixture
def small_limits(monkeypatch):
    """Every method has more rows than it fits exactly, and searches on a part of them."""
    for plans in tuning.PLANS.values():
        for name, plan in plans.items():
            large = plan.large and replace(plan.large, exact=60, ways=tuple(map(_small, plan.large.ways)))
            monkeypatch.setitem(plans, name, replace(plan, most=50, large=large))


def _small(way):
    return replace(way, sizes=(40, 50) if way.words.startswith(("leaves", "cells")) else (20, 30))


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_every_kernel_method_learns_from_all_rows_and_says_how(small_limits, task):
    found = mercer.compare(X, TARGETS[task], tune=True)
    assert [(row.name, row.error) for row in found if row.error] == []
    for row in found:
        assert (row.n_train, row.note) == (0.75 * n, None)
        if row.name in baselines(task):
            assert row.how is None
        elif row.name == "knn":
            assert row.how == "exact"
        else:
            assert row.how.split()[0 if row.how.split()[0] in MEANINGS else -1] in MEANINGS
    assert found["svm"].how in ("30 landmarks", "cells of 50")
    assert found["svm"].score > found["dummy"].score + 0.3
    assert found["rvm"].n_kept <= 30 * (1 if task == "regression" else 2)
    assert "how" in found.table("terminal").splitlines()[0]


def test_an_exact_fit_is_said_to_be_exact():
    found = mercer.compare(X, LABELS, methods=["svm", "dummy"], tune=True)
    assert (found["svm"].how, found["dummy"].how) == ("exact", None)
    assert approximations(found) == []


def test_the_page_says_in_words_what_was_approximated(small_limits, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "mercer.comparison.two_stages.TwoStages._best", lambda stages, ways, *data: (ways[0], stages.tuned_)
    )
    found = mercer.compare(X, NUMBERS, methods=["ridge", "svm", "l1vm", "knn"], tune=True)
    said = approximations(found)
    assert said[0].startswith("ridge (30 landmarks): the kernel was replaced by its projection")
    assert said[1].startswith("svm (cells of 50): the rows were divided into cells")
    assert said[2].startswith("l1vm (30 prototypes): ")
    assert not any("knn" in sentence for sentence in said)
    mercer.report.write(found, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "What was approximated" in page
    assert said[0] in page


# ---- time


class Ticking(mercer.SVC):
    """A machine on a clock of its own."""

    def fit(self, X, y, sample_weight=None):
        while True:
            pass


def test_a_method_that_would_not_end_is_stopped_and_the_others_have_their_time():
    found = mercer.compare(X, LABELS, methods=["dummy", ("endless", Ticking()), "lda"], tune=True, time_limit=4.0)
    assert "to keep the limit of 4 s" in found["endless"].error
    assert found["lda"].error is None
    assert found["dummy"].error is None


class Clocked:
    """Stages of which a fit takes size^2 / 100 seconds."""

    def __init__(self, *larger):
        self.larger_ = larger

    def needs(self, X, size, seconds):
        return size**2 / 100.0


def test_the_quickest_next_fit_comes_first_with_the_largest_size_within_its_share():
    slow, quick = Growing("slow", Clocked(20, 40), None, 1.0), Growing("quick", Clocked(10, 20, 40), None, 1.0)
    growing = {"slow": slow, "quick": quick}
    assert chosen(growing, 100.0) == (quick, 40, 49.0)  # 16 s of a share of 50 s, of which 70 % may be used
    assert chosen(growing, 20.0) == (quick, 20, 13.0)
    assert chosen(growing, 2.0) == (quick, 10, 2.0)
    assert chosen(growing, 1.0) is None
    assert chosen({}, 100.0) is None
    assert chosen(growing, None) is None


def test_left_time_makes_fits_larger_and_no_row_is_lost(small_limits):
    told = []
    found = mercer.compare(X, NUMBERS, methods=["dummy", "l2vm", "ridge"], tune=True, time_limit=60.0,
                           row_done=told.append)  # fmt: skip
    assert [row.how for row in told if row.name == "l2vm"] == ["20 prototypes", "30 prototypes"]
    assert found["ridge"].how == "exact"  # the last size of a machine that can say what an exact fit costs
    assert [row.name for row in found] == ["dummy", "l2vm", "ridge"]
    assert found["l2vm"].tune_seconds == next(row.tune_seconds for row in told if row.name == "l2vm")


def test_a_larger_fit_that_fails_leaves_the_smaller_one(small_limits, monkeypatch):
    real = mercer.L2VMRegressor.fit

    def fit(self, X, y, sample_weight=None):
        if self.n_prototypes == 30:
            raise MemoryError
        return real(self, X, y, sample_weight)

    monkeypatch.setattr(mercer.L2VMRegressor, "fit", fit)
    found = mercer.compare(X, NUMBERS, methods=["l2vm"], tune=True, time_limit=60.0)
    assert (found["l2vm"].how, found["l2vm"].error) == ("20 prototypes", None)


def test_ways_are_compared_on_rows_held_out_and_one_that_fails_loses():
    def build(machine, rows, size):
        if size == 3:
            raise ValueError
        return mercer.SVC(C=float(size))

    ways = tuple(all_rows.Way(build, str(size), (size,)) for size in (3, 1))
    stages = TwoStages(mercer.SVC(), all_rows.Large(10, ways), 40, "classification").fit(X, LABELS)
    assert stages.how_ == "1"
    assert stages.best_estimator_.C == 1.0


def test_a_kernel_in_cells_becomes_narrower_where_that_is_better():
    rng = np.random.default_rng(1)
    Z = rng.uniform(0.0, 1.0, size=(400, 1))
    t = np.sin(40.0 * Z[:, 0]) + 0.1 * rng.normal(size=400)
    search = mercer.KernelRidgeCV([mercer.kernels.RBF(2.0)], [1.0], fit_intercept=True)
    large = all_rows.Large(100, (replace(all_rows.RIDGE.ways[1], sizes=(100,)),))
    stages = TwoStages(search, large, 80, "regression", limited=True).fit(Z, t)
    assert stages.tuned_.kernel.lengthscale < 1.0
    assert stages.how_ == "cells of 100"


def test_a_deadline_strikes_only_inside_of_its_block():
    with deadline(60.0) as watch:
        pass
    watch.strike()
    assert not watch.struck


# ---- rows as they are done


def test_rows_are_told_in_the_order_in_which_they_are_done():
    told, begun = [], []
    found = mercer.compare(
        X, LABELS, tune=True, methods=["lda", "svm", "dummy"],
        row_done=told.append, progress=lambda done, total, name: begun.append(name),
    )  # fmt: skip
    assert [row.name for row in told] == ["lda", "svm", "dummy"] == begun[:-1]
    assert [found[row.name] for row in told] == told


def test_cheap_methods_come_first_and_the_table_keeps_its_order():
    from mercer.comparison.methods import Entrant
    from mercer.comparison.run import _cheap_first

    names = ["l2vm", "svm", "knn", "rfm", "boosting", "dummy"]
    order = [one.name for one in _cheap_first([Entrant(name) for name in names], "classification")]
    assert order == ["boosting", "dummy", "knn", "svm", "l2vm", "rfm"]


def test_ctrl_c_keeps_the_rows_that_are_done():
    methods = ["dummy", "lda", ("endless", Ticking()), "svm"]

    def progress(done, total, name):
        if name == "endless":
            threading.Timer(0.2, _thread.interrupt_main).start()

    found = mercer.compare(X, LABELS, methods=methods, tune=True, progress=progress)
    assert [row.error is None for row in found] == [True, True, False, False]
    assert found["svm"].error == "Ctrl-C ended the comparison before"
    assert set(found.fitted) == {"dummy", "lda"}


def test_ctrl_c_before_the_first_row_is_raised():
    class Interrupting(mercer.SVC):
        def fit(self, X, y, sample_weight=None):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mercer.compare(X, LABELS, methods=[("one", Interrupting())], tune=True)


def test_the_command_shows_rows_at_once_and_writes_the_report_after_ctrl_c(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    real = mercer.SVC.fit

    def fit(self, *given, **options):
        raise KeyboardInterrupt

    lines = [f"{a:.5f},{b:.5f},{c}" for (a, b), c in zip(X, LABELS, strict=True)]
    (tmp_path / "data.csv").write_text("\n".join(["a,b,y", *lines]))
    monkeypatch.setattr(mercer.SVC, "fit", fit)
    assert run(["compare", "data.csv", "--methods", "dummy,lda,svm"]) == 0
    monkeypatch.setattr(mercer.SVC, "fit", real)
    shown = capsys.readouterr()
    assert [line.split()[0] for line in shown.err.splitlines() if " score " in line] == ["dummy", "lda"]
    assert "svm: Ctrl-C ended the comparison before" in shown.out
    assert (tmp_path / "mercer-report.html").exists()


# ---- prototypes


@pytest.mark.parametrize("name", ["L2VM", "L1VM", "RVM"])
@pytest.mark.parametrize("kind", ["Regressor", "Classifier"])
def test_as_many_prototypes_as_items_are_all_of_them(name, kind):
    y = NUMBERS if kind == "Regressor" else LABELS
    machine = getattr(mercer, name + kind)
    options = {"kernel": mercer.kernels.RBF(1.5)}
    every = machine(**options).fit(X[:60], y[:60])
    same = machine(**options, n_prototypes=60).fit(X[:60], y[:60])
    assert np.array_equal(every.predict(X), same.predict(X))
    few = machine(**options, n_prototypes=8).fit(X[:60], y[:60])
    assert len(few.support_) <= 8
    assert few.score(X[60:], y[60:]) > 0.7
    with pytest.raises(ValueError, match="n_prototypes must be an integer >= 1"):
        machine(**options, n_prototypes=0).fit(X[:60], y[:60])
