"""The figures of the sources: claims hold, broken results are refused, pictures are drawn, the page shows them all."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache

import matplotlib as mpl

mpl.use("agg")

import numpy as np
import pytest
from matplotlib.figure import Figure

from mercer.cli.main import run
from mercer.figures import ClaimFails, Entry, _flow, entries, make
from mercer.figures.claim import ascending, at_least, at_most, below, equal, near

IDS = [f"E{n}" for n in range(1, 28)]


@pytest.fixture(autouse=True)
def no_data(monkeypatch):
    monkeypatch.delenv("MERCER_DATA", raising=False)


@cache
def result(id_):
    (entry,) = entries([id_])
    return entry, entry.compute()


def test_the_figures_are_those_of_the_specification():
    assert [entry.id for entry in entries()] == IDS


@pytest.mark.parametrize("id_", IDS)
def test_the_claim_holds_and_its_numbers_are_told(id_):
    entry, found = result(id_)
    measured = entry.check(found)
    assert sum(bool(m.rule) for m in measured) >= 2
    assert len({m.name for m in measured}) == len(measured)
    assert entry.claim.endswith(".")
    assert entry.title[0].isupper()


@pytest.mark.parametrize("id_", IDS)
def test_a_picture_is_drawn_and_settings_stay_as_they_were(id_):
    entry, found = result(id_)
    before = mpl.rcParams.copy()
    drawn = entry.draw(found)
    assert isinstance(drawn, Figure)
    drawn.draw_without_rendering()
    assert any(ax.has_data() or ax.tables for ax in drawn.axes)
    assert dict(mpl.rcParams) == dict(before)


# ---- a check can fail: every figure with a result that contradicts it


def swapped(values, one, other):
    return values | {one: values[other], other: values[one]}


def shifted(found, field, by):
    return replace(found, **{field: getattr(found, field) + by})


BROKEN = {
    "E1": lambda r: replace(r, y=1 - r.y),
    "E2": lambda r: replace(r, fits=r.fits[::-1]),
    "E3": lambda r: replace(r, kept=swapped(r.kept, "RVM", "SVM")),
    "E4": lambda r: replace(r, kept=swapped(r.kept, "RVM", "SVM")),
    "E5": lambda r: replace(r, scores=r.scores[:, ::-1]),
    "E6": lambda r: replace(r, kernel=r.linear),
    "E7": lambda r: replace(r, linear=r.kernel, kernel=r.linear),
    "E8": lambda r: replace(r, losses={name: values + 1e-6 * r.z**2 for name, values in r.losses.items()}),
    "E9": lambda r: replace(r, losses=swapped(r.losses, "logistic, bits", "logistic, nats")),
    "E10": lambda r: replace(r, X=r.X + 0.01 * r.X[::-1]),
    "E11": lambda r: replace(r, regimes=np.roll(r.regimes, 1)),
    "E12": lambda r: replace(r, log_loss=swapped(r.log_loss, "RVM", "SVM + Platt")),
    "E13": lambda r: replace(r, best=r.best[:, ::-1]),
    "E14": lambda r: replace(r, margin=r.margin[::-1]),
    "E15": lambda r: replace(r, windows=swapped(r.windows, "tricube", "boxcar")),
    "E16": lambda r: replace(r, modes=r.modes[::-1]),
    "E18": lambda r: replace(r, conic=np.abs(r.conic)),
    "E19": lambda r: replace(r, linear=r.mapped),
    "E20": lambda r: replace(r, trace=r.trace[:0:-1]),
    "E21": lambda r: replace(r, epsilon=r.epsilon[::-1]),
    "E22": lambda r: replace(r, cells=r.cells | {"SVM": r.cells["GP"]}),
    "E23": lambda r: shifted(r, "held_out", 0.5),
    "E17": lambda r: replace(r, line_bias=r.mean_bias),
    "E24": lambda r: replace(r, length=r.length[::-1]),
    "E25": lambda r: replace(r, counts=r.weighted),
    "E26": lambda r: replace(r, primal=r.kernel, kernel=r.primal),
    "E27": lambda r: replace(r, gram=r.gram.T + 1.0),
}


@pytest.mark.parametrize("id_", IDS)
def test_a_result_that_contradicts_the_claim_is_refused_with_the_number_and_the_bound(id_):
    entry, found = result(id_)
    with pytest.raises(ClaimFails, match=r" is .*, which is not "):
        entry.check(BROKEN[id_](found))


@pytest.mark.parametrize(
    ("judge", "good", "bad"),
    [
        (lambda v: at_most("a", v, 1.0), 1.0, 1.1),
        (lambda v: at_least("a", v, 1.0), 1.0, 0.9),
        (lambda v: below("a", v, 1.0), 0.9, 1.0),
        (lambda v: near("a", v, 1.0, 0.5), 1.5, 1.6),
        (lambda v: equal("a", v, 1), 1, 2),
        (lambda v: ascending("a", b=0.0, c=v), 1.0, 0.0),
    ],
)
def test_rules_hold_up_to_their_bound_and_never_for_no_number(judge, good, bad):
    assert judge(good).name == "a"
    for wrong in (bad, np.nan):
        with pytest.raises(ClaimFails, match=r"^a is "):
            judge(wrong)


# ---- files and the page


def test_files_and_a_page_that_needs_nothing_else(tmp_path):
    told = []
    made = make(["e9", "E8"], tmp_path / "new", lambda *step: told.append(step))
    assert [one.id for one in made] == ["E9", "E8"]
    assert told == [(0, 2, "E9"), (1, 2, "E8"), (2, 2, "")]
    page = (tmp_path / "new" / "index.html").read_text(encoding="utf-8")
    assert "http" not in page
    assert "<script" not in page
    for one in made:
        assert one.png.read_bytes().startswith(b"\x89PNG")
        assert one.svg.read_text(encoding="utf-8").count("<svg") == 1
        assert f'id="{one.id}"' in page
        assert one.claim.replace("'", "&#39;") in page
        assert all(f"<b>{m.value}</b>" in page for m in one.measured)
    named = set(re.findall(r'(?:src|href)="([^"#]+)"', page))
    assert named == {one.svg.name for one in made}
    assert "2 of 2 claims hold" in page


def test_a_claim_that_fails_is_told_and_drawn_all_the_same(tmp_path, monkeypatch):
    def check(self, result):
        raise ClaimFails("it is <1>, which is not 2")

    monkeypatch.setattr(Entry, "check", check)
    (made,) = make(["E8"], tmp_path)
    assert not made.holds
    assert made.png.exists()
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "Not reproduced: it is &lt;1&gt;, which is not 2." in page
    assert "0 of 1 claims hold" in page


def test_the_same_figure_is_the_same_file(tmp_path):
    one, other = (make(["E8"], tmp_path / name)[0].svg.read_bytes() for name in "ab")
    assert one == other


def test_an_unknown_figure_is_named():
    with pytest.raises(ValueError, match=r"one of E1, .*; got 'E99'. Did you mean E9\?"):
        entries(["E99"])


def test_oil_flow_is_read_from_a_folder_of_data_and_then_must_have_the_errors_of_the_source_E7(tmp_path, monkeypatch):
    X, y, source = _flow.oil_flow(0)
    assert source == "simulated"
    assert X.shape == (100, 12)
    np.savez(tmp_path / "oil_flow_100.npz", X=X, y=y)
    monkeypatch.setenv("MERCER_DATA", str(tmp_path))
    (entry,) = entries(["E7"])
    found = entry.compute()
    assert found.source == "measured"
    with pytest.raises(ClaimFails, match=r"errors of PCA is .*, which is not = 20"):
        entry.check(found)


# ---- the command


def test_the_command_makes_and_tells(tmp_path, capsys):
    assert run(["figures", "E8", "--out", str(tmp_path), "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert told["id"] == "E8"
    assert told["holds"]
    assert (tmp_path / "index.html").exists()
    assert run(["figures", "E8", "--out", str(tmp_path)]) == 0
    assert "1 of 1 claims hold" in capsys.readouterr().out


def test_the_command_lists_and_refuses(tmp_path, capsys, monkeypatch):
    assert run(["figures", "--list", "--json"]) == 0
    assert [one["id"] for one in json.loads(capsys.readouterr().out)] == IDS
    assert run(["figures", "--list", "E1"]) == 0
    assert capsys.readouterr().out.startswith("E1   XOR by four prototypes\n")
    assert run(["figures", "E99", "--out", str(tmp_path)]) == 2
    assert "got 'E99'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())

    def check(self, result):
        raise ClaimFails("no")

    monkeypatch.setattr(Entry, "check", check)
    assert run(["figures", "E8", "--out", str(tmp_path)]) == 1
    assert "FAILS" in capsys.readouterr().out
