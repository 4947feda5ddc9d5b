"""Every suite at a tiny size: what is not run, rots."""

from __future__ import annotations

import json

import pytest
from benchmarks.__main__ import PARTS, SUITES, chosen, main


@pytest.mark.parametrize("suite", SUITES)
def test_a_smoke_run_agrees_with_every_rival(suite, tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("MERCER_DATA", raising=False)
    file = tmp_path / "rows.json"
    assert main([suite, "--smoke", "--json", str(file)]) == 0, capsys.readouterr().out
    rows = json.loads(file.read_text())
    assert rows
    assert all(row["same"] in (True, None) for row in rows)
    assert {row["suite"] for row in rows} == {suite}


def test_list_names_every_case_and_runs_none(capsys):
    assert main(["all", "--list"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert listed == [f"{case.suite}: {case.name}" for suite in SUITES.values() for case in suite()]


def test_only_chooses_by_name():
    everything, chosen_few = chosen("gram", "", smoke=False), chosen("gram", "d = 784", smoke=False)
    assert 0 < len(chosen_few) < len(everything)
    assert all("d = 784" in case.name for case in chosen_few)


def test_the_parts_of_a_suite_are_all_of_it():
    names = [case.name for part in PARTS for case in chosen(part, "", smoke=False)]
    assert names == [case.name for case in chosen("scale", "", smoke=False)]


def test_an_unknown_suite_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["nothing"])
    assert "invalid choice: 'nothing'" in capsys.readouterr().err
