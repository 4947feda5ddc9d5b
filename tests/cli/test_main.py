"""The command itself: help is cheap, faults are one sentence and exit code 2, Ctrl-C is 130."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from mercer.cli import main
from mercer.cli.main import VERBS, run

HEAVY = ("numpy", "sklearn", "scipy", "matplotlib", "pandas", "pyarrow", "rich", "jinja2")


def test_help_names_every_verb(capsys):
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {verb} " in shown for verb in VERBS)


@pytest.mark.parametrize("arguments", [[], ["--debug"]])
def test_without_a_verb_there_is_help_of_many_lines(capsys, arguments):
    assert run(["--help"]) == 0
    expected = capsys.readouterr().out
    assert run(arguments) == 0
    out, err = capsys.readouterr()
    assert (out, err) == (expected, "")
    assert len(out.splitlines()) > 20
    assert "  mercer compare data.csv " in out


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom mercer.cli.main import run\nassert run(['--help']) == 0\n"
        f"print('loaded', *(name for name in {HEAVY} if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().splitlines()[-1] == "loaded"


def test_help_is_fast():
    best = min(_seconds(["--help"]) for _ in range(3))
    assert best < 1.5  # 0.2 on a quiet machine; others may be busy


def _seconds(arguments) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "mercer.cli.main", *arguments], capture_output=True, check=True)
    return time.perf_counter() - began


@pytest.mark.parametrize(
    "verb", ["tune", "fit", "cluster", "embed", "predict", "certify", "test", "explain-kernel", "bench"]
)
def test_every_verb_has_help(verb, capsys):
    assert run([verb, "--help"]) == 0
    assert VERBS[verb][1] in capsys.readouterr().out


def test_the_version(capsys):
    import mercer

    assert run(["--version"]) == 0
    assert capsys.readouterr().out.strip() == f"mercer {mercer.__version__}"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["fitt"], "No such command 'fitt'"),
        (["fit"], "Missing argument"),
        (["fit", "x.csv", "--colour", "red"], "No such option"),
        (["fit", "nowhere.csv"], "nowhere.csv: No such file or directory."),
        (["tune", "x.csv", "--folds", "1"], "--folds"),
        (["explain-kernel", "RBF("], "parse: text must be a kernel expression"),
        (["explain-kernel", "__import__('os')"], "made of kernels"),
        (["predict", "nowhere.mercer", "x.csv"], "nowhere.mercer: No such file"),
    ],
)
def test_a_fault_is_one_sentence_and_exit_code_2(capsys, arguments, expected):
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    assert err.startswith("mercer: ")
    assert expected in err


def test_debug_shows_where_it_arose():
    with pytest.raises(FileNotFoundError):
        run(["fit", "nowhere.csv", "--debug"])
    with pytest.raises(FileNotFoundError):
        run(["--debug", "fit", "nowhere.csv"])


@pytest.mark.parametrize("slip", [lambda verb: 1 / 0, lambda verb: len(1), lambda verb: {}[verb]])
def test_a_fault_of_ours_is_not_hidden(monkeypatch, slip):
    monkeypatch.setattr(main, "loaded", slip)
    with pytest.raises((ZeroDivisionError, TypeError, KeyError)):
        run(["fit", "x.csv"])


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_ctrl_c_exits_130():
    code = (
        "import os, signal, mercer.cli.main as m\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "m.loaded = lambda verb: os.kill(os.getpid(), signal.SIGINT)\n"
        "import sys; sys.exit(m.run(['fit', 'x']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
