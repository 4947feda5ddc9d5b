"""Ctrl-C from the command line: what was found is shown and saved, and the exit code is 130."""

import json

import numpy as np
import pytest

import mercer
from mercer.cli.main import run
from mercer.solvers.dual.decomposition import Decomposition

rng = np.random.default_rng(0)


@pytest.fixture
def table(tmp_path):
    X = rng.normal(size=(80, 2))
    path = tmp_path / "table.csv"
    rows = [f"{a},{b},{'yes' if a * b > 0 else 'no'}" for a, b in X]
    path.write_text("\n".join(["a,b,label", *rows]))
    return path


@pytest.fixture
def interrupts(monkeypatch):
    """Ctrl-C in the proof of the given solution of a dual problem."""

    def plan(at):
        proofs, prove = [], Decomposition.prove

        def counted(self):
            proofs.append(self)
            if len(proofs) == at:
                raise KeyboardInterrupt
            return prove(self)

        monkeypatch.setattr(Decomposition, "prove", counted)

    return plan


@pytest.mark.parametrize("told", [[], ["--json"]])
def test_a_fit_that_is_interrupted_saves_what_it_has(table, interrupts, capsys, told):
    interrupts(1)
    model = table.with_name("kept.mercer")
    assert run(["fit", str(table), "--set", "max_iter=1000000", "-o", str(model), *told]) == 130
    shown = capsys.readouterr().out
    assert "SVC was interrupted and keeps what it had found: an objective within" in shown
    if told:
        assert json.loads(shown)["saved to"] == str(model)
    assert set(mercer.load(model).predict(mercer.tables.read(table).drop(["label"]).items)) <= {"yes", "no"}


def test_a_search_that_is_interrupted_saves_its_best_so_far(table, interrupts, capsys):
    interrupts(8)
    model = table.with_name("best.mercer")
    options = ["--set", "max_iter=1000000", "--grid", "C=[1,10,100]", "--folds", "3", "-o", str(model)]
    with mercer.configure(threads=1):
        assert run(["tune", str(table), *options]) == 130
    assert "interrupted and keeps what it had found: the best of" in capsys.readouterr().out
    assert model.exists()


def test_a_fit_that_is_interrupted_before_it_has_anything_says_so(table, monkeypatch, capsys):
    monkeypatch.setattr("mercer.estimators.svm.svc.training_gram", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    model = table.with_name("none.mercer")
    assert run(["fit", str(table), "-o", str(model)]) == 130
    assert "stopped by Ctrl-C before there was a result" in capsys.readouterr().err
    assert not model.exists()
