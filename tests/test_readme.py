"""Every example of the README runs as it is printed, and prints what is shown; so do the lines for a terminal."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from docs.examples import agree, blocks, played

from mercer.cli.main import run

README = Path(__file__).parents[1] / "README.md"
LINES = re.findall(r"^mercer (.*?)(?: +#.*)?$", README.read_text(encoding="utf8"), re.MULTILINE)


def test_the_examples_of_the_readme_run(tmp_path):
    assert len(blocks(README)) >= 3
    for block, printed in played(README, tmp_path):
        assert block.shown is None or agree(block.shown, printed), f"\n{block.code}\nprints\n{printed}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """data.csv and new.csv with the columns that the README's lines name."""
    place, rng = tmp_path_factory.mktemp("terminal"), np.random.default_rng(0)
    for name, n in (("data", 40), ("new", 5)):
        age, size = rng.integers(1, 90, n), rng.uniform(20.0, 200.0, n)
        price = 3.0 * size - age + rng.normal(size=n)
        rows = [f"{a},{s:.2f},{p:.2f}" for a, s, p in zip(age, size, price, strict=True)]
        (place / f"{name}.csv").write_text("\n".join(["age,size,price", *rows]) + "\n", encoding="utf8")
    return place


def test_the_lines_for_a_terminal_are_found():
    assert len(LINES) >= 5


@pytest.mark.parametrize("line", LINES)
def test_the_lines_for_a_terminal_run(line, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    if "model.mercer" in line and not (folder / "model.mercer").exists():
        run(["fit", "data.csv", "-o", "model.mercer"])
    assert run(shlex.split(line)) == 0, capsys.readouterr().err
