"""make(): compute, check, draw and write figures, and a page that shows them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mercer.figures.claim import ClaimFails, Measured
from mercer.figures.registry import Entry, entries

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Made:
    """One figure as it was made: what it claims, what was measured, and where the picture is."""

    id: str
    title: str
    claim: str
    measured: tuple[Measured, ...]
    failure: str | None
    seconds: float
    svg: Path
    png: Path
    size: tuple[float, float]  # in inches

    @property
    def holds(self) -> bool:
        """Whether the claim was reproduced."""
        return self.failure is None

    def to_dict(self) -> dict[str, Any]:
        """All of it in strings and numbers."""
        measured = [{"name": m.name, "value": m.value, "rule": m.rule} for m in self.measured]
        files = {"svg": str(self.svg), "png": str(self.png)}
        return {"id": self.id, "title": self.title, "claim": self.claim, "holds": self.holds,
                "failure": self.failure, "measured": measured, "seconds": round(self.seconds, 3), **files}  # fmt: skip


def make(
    ids: Iterable[str] | None = None, folder: str | Path = "figures", progress: Progress | None = None
) -> list[Made]:
    """Make figures (None: all) in a folder, with index.html to look at them.

    A claim that is not reproduced is reported in the result and on the page; its picture is drawn too.
    `progress` is called with (figures done, figures in all, id of the next one).
    """
    from mercer.figures.gallery import page

    wanted, into = entries(ids), Path(folder)
    into.mkdir(parents=True, exist_ok=True)
    made: list[Made] = []
    for entry in wanted:
        if progress is not None:
            progress(len(made), len(wanted), entry.id)
        made.append(_made(entry, into))
    if progress is not None:
        progress(len(made), len(wanted), "")
    (into / "index.html").write_text(page(made), encoding="utf-8")
    return made


def _made(entry: Entry, folder: Path) -> Made:
    began = time.perf_counter()
    result = entry.compute()
    measured, failure = _judged(entry, result)
    svg, png = (folder / f"{entry.module}.{kind}" for kind in ("svg", "png"))
    size = _write(entry, result, svg, png)
    seconds = time.perf_counter() - began
    return Made(entry.id, entry.title, entry.claim, measured, failure, seconds, svg, png, size)


def _judged(entry: Entry, result: Any) -> tuple[tuple[Measured, ...], str | None]:
    try:
        return tuple(entry.check(result)), None
    except ClaimFails as fault:
        return (), str(fault)


def _write(entry: Entry, result: Any, svg: Path, png: Path) -> tuple[float, float]:
    """Write both files; returns the size of the figure in inches."""
    from mercer.plots import style

    figure = entry.draw(result)
    with style():
        figure.savefig(svg, metadata={"Date": None})
        figure.savefig(png)
    width, height = figure.get_size_inches()
    return float(width), float(height)
