"""Prints the requirements of pyproject.toml, one per line: of running mercer, of building it, of working on it.

python tools/requirements.py run build > requirements.txt
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path


def requirements(purpose: str) -> list[str]:
    """The requirements of one purpose: run, build or a group of optional dependencies."""
    table = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    if purpose == "run":
        return list(table["project"]["dependencies"])
    if purpose == "build":
        return [*table["build-system"]["requires"], "cmake>=3.26", "ninja"]
    return list(table["project"]["optional-dependencies"][purpose])


if __name__ == "__main__":
    print(*(line for purpose in sys.argv[1:] for line in requirements(purpose)), sep="\n")
