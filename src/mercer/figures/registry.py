"""The figures, found by their file names: e01_xor.py is E1.

A figure is a module with

    CLAIM              one sentence, the caption
    compute(seed=0)    all numbers, in a small frozen result
    check(result)      compares them with the claim (claim.py): returns what was measured, or raises ClaimFails
    draw(result)       the picture
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mercer.errors import bad
from mercer.figures.claim import Measured

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Entry:
    """One figure by its id; its module is loaded at the first use."""

    id: str
    module: str

    @property
    def number(self) -> int:
        """What figures are ordered by."""
        return int(self.id[1:])

    @property
    def title(self) -> str:
        """The first line of the module, without the id."""
        line = str(self._loaded().__doc__).splitlines()[0].partition(": ")[2].rstrip(".")
        return line[:1].upper() + line[1:]

    @property
    def claim(self) -> str:
        """The caption."""
        return str(self._loaded().CLAIM)

    def compute(self, seed: int = 0) -> Any:
        """All numbers of the figure."""
        return self._loaded().compute(seed)

    def check(self, result: Any) -> list[Measured]:
        """What was measured, or ClaimFails."""
        return list(self._loaded().check(result))

    def draw(self, result: Any) -> Figure:
        """The picture, in the style of mercer."""
        from mercer.plots import style

        with style():
            drawn: Figure = self._loaded().draw(result)
        return drawn

    def _loaded(self) -> Any:
        return import_module(f"mercer.figures.{self.module}")


def entries(ids: Iterable[str] | None = None) -> list[Entry]:
    """All figures in order, or those with these ids."""
    names = [module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])]
    found = [Entry(f"E{int(name[1:3])}", name) for name in names if re.fullmatch(r"e\d\d_\w+", name)]
    known = {entry.id: entry for entry in sorted(found, key=lambda entry: entry.number)}
    if ids is None:
        return list(known.values())
    return [_known(known, given) for given in ids]


def _known(known: dict[str, Entry], given: str) -> Entry:
    name = given.strip().upper()
    if name not in known:
        near = get_close_matches(name, known, 1) or ["E1"]
        raise bad("figures", "id", f"one of {', '.join(known)}", repr(given), f"Did you mean {near[0]}?")
    return known[name]
