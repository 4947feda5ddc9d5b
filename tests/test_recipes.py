"""Every skeleton in CONTRIBUTING.md runs as it is printed, and prints what is shown."""

from pathlib import Path

from docs.examples import agree, blocks, played

from mercer.cli import main

CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"


def test_the_recipes_run(tmp_path, monkeypatch):
    monkeypatch.setattr(main, "VERBS", dict(main.VERBS))  # a recipe adds a verb
    assert len(blocks(CONTRIBUTING)) >= 12
    for block, printed in played(CONTRIBUTING, tmp_path):
        assert block.shown is None or agree(block.shown, printed), f"\n{block.code}\nprints\n{printed}"


def test_no_python_is_left_out_of_the_script():
    """A fence that is indented, or has other words after `python`, would not be run."""
    run = sum(block.language == "python" for block in blocks(CONTRIBUTING))
    assert CONTRIBUTING.read_text(encoding="utf8").count("```python") == run
