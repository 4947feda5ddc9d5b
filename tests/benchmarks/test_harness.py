"""The runner itself: who has a turn when, what is compared with what, and what is written down."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import time

import numpy as np
import pytest
from benchmarks import data, gp, memory, report, startup, tables
from benchmarks.harness import Agreement, Case, Rival, Row, SelfTimed, run


def case(log=None, **changes):
    """A case whose tasks note their turns and answer with the size they were given."""
    log = [] if log is None else log

    def task(name):
        return lambda size: (log.append((name, size)), size)[1]

    made = Case(
        suite="toy",
        name="identity",
        size=100,
        small=10,
        data=lambda n: n,
        ours=task("ours"),
        rivals={"numpy": Rival(task("numpy"), "numpy")},
        check=lambda data, ours, theirs: Agreement(data == ours == theirs, f"{ours} and {theirs}"),
        floor=task("floor"),
    )
    return dataclasses.replace(made, **changes)


def test_contestants_take_turns_after_a_warm_up_at_the_small_size():
    log = []
    run(case(log), repeat=2)
    turn = ["ours", "numpy", "floor"]
    assert log == [(name, 10) for name in turn] + [(name, 100) for name in turn * 2]


def test_a_smoke_run_is_one_round_at_the_small_size():
    log = []
    run(case(log), repeat=5, smoke=True)
    assert log == [("ours", 10), ("numpy", 10), ("floor", 10)]


def test_a_cold_case_has_no_warm_up():
    log = []
    run(case(log, cold=True), repeat=1)
    assert {size for _, size in log} == {100}


def test_the_best_round_counts():
    seconds = iter([9.0, 3.0, 1.0, 2.0])  # the warm-up, then three rounds
    (row,) = run(case(ours=lambda n: SelfTimed(next(seconds), n)), repeat=3)
    assert row.ours_s == 1.0
    assert row.ratio == row.rival_s / row.ours_s
    assert row.times_floor == row.ours_s / row.floor_s


def test_the_cpu_ratio_counts_work_not_waiting():
    def work(n):
        until = time.process_time() + 0.2
        while time.process_time() < until:
            pass
        return n

    def wait(n):
        time.sleep(0.3)
        return work(n)

    (row,) = run(case(ours=work, rivals={"sleeper": Rival(wait, "numpy")}, cold=True), repeat=1)
    assert row.rival_s - 0.3 > 0.15
    assert 0.8 < row.cpu_ratio < 1.25


def test_a_wrong_answer_is_reported():
    (row,) = run(case(ours=lambda n: n + 1), repeat=1)
    assert row.same is False
    assert row.detail == "101 and 100"


@pytest.mark.parametrize("rounds", [(True, True), (True, False)])
def test_the_time_of_a_rival_that_never_got_there_is_a_lower_bound(rounds):
    turns = iter([False, *rounds])  # the warm-up first
    slow = Rival(lambda n: SelfTimed(8.0, n, bound=next(turns)), "numpy")
    (row,) = run(case(rivals={"slow": slow}), repeat=2)
    assert row.bound is all(rounds)
    assert (">= 8" in report.table([row])) is all(rounds)
    assert (">= 8" in tables.table([dataclasses.asdict(row)])) is all(rounds)


def test_a_rival_of_the_gp_is_stopped_at_its_limit_or_once_it_is_known_to_get_there(monkeypatch):
    contest = gp.Contest(np.zeros((1, 1)), np.zeros(1), np.zeros((1, 1)), best=-5.0)

    def searched(values):
        watch = gp.Watch("rival", contest)
        with contextlib.suppress(TimeoutError):
            for value in values:
                watch.see(value)
        return len(watch.trace), watch.answer().bound

    assert searched([-9.0, -5.05, -5.01]) == (3, False)  # to its end, for it might find better
    assert searched([-9.0, -5.05, -5.01]) == (2, False)
    assert searched([-9.0, -8.0]) == (2, True)
    monkeypatch.setattr(gp, "LIMIT", -1.0)
    assert searched([-9.0, -8.0]) == (1, True)


def test_a_rival_that_is_not_installed_is_skipped():
    def refuse(n):
        raise AssertionError("a missing rival must not be called")

    (row,) = run(case(rivals={"nobody": Rival(refuse, "no_such_module_anywhere")}), repeat=1)
    assert row.detail == "skipped: no_such_module_anywhere is not installed"
    assert row.ours_s > 0.0
    assert (row.rival_s, row.ratio, row.cpu_ratio, row.same) == (None,) * 4
    assert "skipped" in report.table([row])
    assert report.summary([row]) == ""


def test_the_geometric_mean_of_a_factor_and_its_inverse_is_one():
    assert math.isclose(report.geometric_mean([4.0, 0.25]), 1.0)
    assert math.isclose(report.geometric_mean([1.0, 10.0, 100.0]), 10.0)


def test_the_summary_names_the_worst_case():
    (row,) = run(case(), repeat=1)
    rows = [dataclasses.replace(row, case=name, ratio=r) for name, r in [("good", 8.0), ("bad", 0.5)]]
    assert report.summary(rows) == "toy against numpy: 2.00 times faster (geometric mean of 2); worst 0.50 at bad"


def test_the_table_says_how_much_later_we_are():
    (row,) = run(case(), repeat=1)
    behind = dataclasses.replace(row, ours_s=1.5, rival_s=1.25)
    assert " +0.25 " in report.table([behind])
    assert " -0.25 " in report.table([dataclasses.replace(behind, ours_s=1.0)])
    assert "+0.25" not in report.table([dataclasses.replace(behind, bound=True)])


def test_the_verdict_on_first_results_counts_those_within_the_bar():
    (row,) = run(case(), repeat=1)
    rows = [
        dataclasses.replace(row, suite="startup", rival="scikit-learn", case=name, ours_s=ours, rival_s=1.0)
        for name, ours in [("fast", 0.5), ("near", 1.2), ("late", 1.4)]
    ]
    expected = "startup: 2 of 3 within 0.3 s of scikit-learn; furthest behind by +0.40 s at late"
    assert startup.verdict(rows) == expected
    assert startup.verdict([row]) == ""


def test_a_first_run_has_no_bytecode_of_ours_and_the_next_one_has(tmp_path):
    (tmp_path / "own.py").write_text("value = 3.0\n")
    table = tmp_path / "table"
    table.mkdir()
    np.save(table / "X.npy", np.eye(2))
    np.save(table / "y.npy", np.ones(2))
    place = startup.Place(tmp_path, table)
    code = "import own\nresult = own.value"
    assert startup._run(code, True, place).value == 3.0
    assert list(tmp_path.rglob("own.*.pyc"))
    startup._forget(tmp_path)
    assert not list(tmp_path.rglob("*.pyc"))


def test_a_process_that_fails_says_why(tmp_path):
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        startup._child("1 / 0", tmp_path)


def test_the_json_has_one_object_per_rival_with_its_surroundings(tmp_path):
    rows = run(case(memory=True), repeat=1)
    report.write_json(rows, tmp_path / "rows.json")
    (found,) = json.loads((tmp_path / "rows.json").read_text())
    assert set(found) == {f.name for f in dataclasses.fields(Row)} | {"versions", "machine", "threads"}
    assert found["ratio"] == rows[0].ratio
    assert found["versions"]["numpy"] == np.__version__
    assert found["threads"] >= 1


def test_rows_of_other_cases_stay_in_the_file(tmp_path):
    file = tmp_path / "rows.json"
    first, other = run(case(), repeat=1), [dataclasses.replace(row, case="other") for row in run(case(), repeat=1)]
    for rows in (other, first, first):
        report.write_json(rows, file)
    assert [row["case"] for row in json.loads(file.read_text())] == ["other", first[0].case]


@pytest.mark.skipif(not memory._STATM.exists(), reason="needs /proc/self/statm")
def test_peak_memory_counts_what_is_freed_before_the_end():
    size = 2**26

    def call():
        np.ones(size // 8).sum()

    assert 0.9 * size < memory.peak_extra(call) < 1.5 * size


def test_tables_come_from_the_directory_when_it_has_them(tmp_path, monkeypatch):
    X = np.random.default_rng(0).standard_normal((50, 3))
    X[7, 1] = np.nan
    np.savez(tmp_path / data.TABLES["housing"][0], X=np.column_stack([X, np.ones(50)]))
    monkeypatch.setenv(data.VARIABLE, str(tmp_path))
    found = data.table("housing", 100)
    assert found.X.shape == (49, 3)  # a row with a hole and a constant column are dropped
    assert np.allclose(found.X.std(axis=0), 1.0)
    assert found.source == "california_housing"


@pytest.mark.parametrize("name", data.TABLES)
def test_tables_have_stand_ins_without_a_directory(name, monkeypatch, tmp_path):
    monkeypatch.setenv(data.VARIABLE, str(tmp_path / "nowhere"))
    found = data.table(name, 2000)
    assert len(found.X) == 2000
    assert "resampled" in found.source
    assert np.array_equal(found.X, data.table(name, 2000).X)
