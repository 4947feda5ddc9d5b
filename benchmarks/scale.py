"""Suite "scale": every row of a large table.  Each part has its cases in a file scale_NAME.py."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from benchmarks.harness import Case


def cases() -> list[Case]:
    """The cases of all parts."""
    parts = sorted(path.stem for path in Path(__file__).parent.glob("scale_*.py"))
    return [case for part in parts for case in import_module(f"benchmarks.{part}").cases()]
