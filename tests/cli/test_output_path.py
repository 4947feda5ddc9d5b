"""What a verb may write to: never an input, under whatever name, and nothing that is found out only after the work."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest

from mercer.cli.main import run

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 2))
CSV = "a,b,y\n" + "".join(f"{a:.4f},{b:.4f},{'u' if a > 0 else 'v'}\n" for a, b in X)
WRITING = [
    ["fit", "d.csv", "-o"],
    ["tune", "d.csv", "--save"],
    ["embed", "d.csv", "--output"],
    ["embed", "d.csv", "--scores"],
    ["embed", "d.csv", "--report"],
    ["compare", "d.csv", "-o"],
    ["compare", "d.csv", "--report"],
    ["predict", "m.mercer", "d.csv", "-o"],
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A table and a model; whatever is refused changes neither."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text(CSV)
    assert run(["fit", "d.csv", "-o", "m.mercer"]) == 0
    model = (tmp_path / "m.mercer").read_bytes()
    yield tmp_path
    assert (tmp_path / "d.csv").read_text() == CSV
    assert (tmp_path / "m.mercer").read_bytes() == model


@pytest.fixture
def idle(monkeypatch):
    """No table is read and no model loaded: a refusal comes before that."""

    def fail(*given, **more):
        raise AssertionError("work was done before the path was refused")

    monkeypatch.setattr("mercer.tables.read", fail)
    monkeypatch.setattr("mercer.load", fail)


def refusal(capsys, arguments) -> str:
    capsys.readouterr()
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    return err


def other_names(folder):
    """d.csv by its name, by other paths, and through links of both kinds."""
    (folder / "inner").mkdir()
    (folder / "soft.csv").symlink_to("d.csv")
    (folder / "far.csv").symlink_to("soft.csv")
    (folder / "place").symlink_to(folder)
    os.link(folder / "d.csv", folder / "hard.csv")
    return [
        "d.csv",
        "./d.csv",
        "inner/../d.csv",
        str(folder / "d.csv"),
        "soft.csv",
        "far.csv",
        "place/d.csv",
        "hard.csv",
    ]


@pytest.mark.parametrize("verb", WRITING, ids=lambda v: f"{v[0]} {v[-1]}")
def test_the_data_are_never_overwritten(folder, idle, capsys, verb):
    for name in other_names(folder):
        assert "the same file as 'd.csv'" in refusal(capsys, [*verb, name])


def test_the_model_that_predicts_is_never_overwritten(folder, idle, capsys):
    assert "the same file as 'm.mercer'" in refusal(capsys, ["predict", "m.mercer", "d.csv", "-o", "./m.mercer"])


def test_a_link_that_is_read_is_the_file_it_leads_to(folder, idle, capsys):
    other_names(folder)
    for read, written in (("soft.csv", "d.csv"), ("hard.csv", "d.csv"), ("soft.csv", "hard.csv")):
        assert f"the same file as {read!r}" in refusal(capsys, ["fit", read, "-o", written])


def test_standard_input_may_be_the_file_too(folder, idle, capsys, monkeypatch):
    with open("d.csv") as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert "the same file as '-'" in refusal(capsys, ["predict", "m.mercer", "-", "-o", "d.csv"])


def test_the_report_of_a_table_called_as_the_report_is_by_default(folder, idle, capsys):
    os.link("d.csv", "mercer-report.html")
    assert "--report" in refusal(capsys, ["compare", "d.csv"])


@pytest.mark.parametrize("verb", WRITING, ids=lambda v: f"{v[0]} {v[-1]}")
@pytest.mark.parametrize("path", ["no/such/out", "."])
def test_a_place_that_is_none_is_found_before_the_work(folder, idle, capsys, verb, path):
    assert "must be a file in a folder that exists" in refusal(capsys, [*verb, path])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_closed_is_found_before_the_work(folder, idle, capsys):
    (folder / "closed").mkdir(mode=0o500)
    assert "one that you may write to" in refusal(capsys, ["fit", "d.csv", "-o", "closed/m.mercer"])


def test_an_older_output_is_replaced(folder, capsys):
    for _ in range(2):
        assert run(["predict", "m.mercer", "d.csv", "-o", "p.csv"]) == 0
    assert (folder / "p.csv").read_text().startswith("prediction")
