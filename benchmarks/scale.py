"""Suite "scale": every row of a large table.  Each part has its cases in a file scale_NAME.py, and is a suite as well.

python -m benchmarks scale_low_rank --json benchmarks/results/scale_low_rank.json
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

from benchmarks.harness import Case


def parts() -> dict[str, Callable[[], list[Case]]]:
    """{name of a part: its cases}; a part is imported when they are asked for."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("scale_*.py"))
    return {name: partial(_cases, name) for name in names}


def _cases(name: str) -> list[Case]:
    found: list[Case] = import_module(f"benchmarks.{name}").cases()
    return found


def cases() -> list[Case]:
    """The cases of all parts."""
    return [case for part in parts().values() for case in part()]
