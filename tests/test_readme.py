"""Every example of the README runs as it is printed, and prints what is shown."""

from pathlib import Path

from docs.examples import agree, blocks, played

README = Path(__file__).parents[1] / "README.md"


def test_the_examples_of_the_readme_run(tmp_path):
    assert len(blocks(README)) >= 3
    for block, printed in played(README, tmp_path):
        assert block.shown is None or agree(block.shown, printed), f"\n{block.code}\nprints\n{printed}"
