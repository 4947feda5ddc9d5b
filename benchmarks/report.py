"""Results for people (a table, then one line per rival) and for programs (JSON)."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.harness import Row

_PACKAGES = ("mercer", "numpy", "scipy", "scikit-learn")
_HEAD = ("case", "rival", "ours s", "rival s", "later s", "ratio", "cpu", "x floor", "MB", "rival MB", "same", "detail")


def geometric_mean(ratios: Sequence[float]) -> float:
    """(r_1 r_2 ... r_n)^(1/n): twice as fast here and twice as slow there is 1."""
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))


def table(rows: Sequence[Row], *, head: bool = True) -> str:
    """The rows as aligned text."""
    lines = [_HEAD] * head + [_cells(row) for row in rows]
    widths = [max(len(line[k]) for line in lines) for k in range(len(_HEAD))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines)


def _cells(row: Row) -> tuple[str, ...]:
    verdict = {True: "yes", False: "NO", None: "-"}[row.same]
    theirs = [number(x, row.bound) for x in (row.rival_s, row.ratio, row.cpu_ratio)]
    theirs.insert(1, "-" if row.rival_s is None or row.bound else f"{row.ours_s - row.rival_s:+.2f}")
    rest = map(number, (row.times_floor, _mega(row.extra_bytes), _mega(row.rival_bytes)))
    return f"{row.suite} {row.case}", row.rival, number(row.ours_s), *theirs, *rest, verdict, row.detail


def number(x: float | None, bound: bool = False) -> str:
    """Three digits, with >= before a lower bound; a dash where there is nothing."""
    return "-" if x is None else f"{'>= ' * bound}{x:.3g}"


def _mega(size: int | None) -> float | None:
    return None if size is None else size / 1e6


def summary(rows: Sequence[Row]) -> str:
    """Per suite and rival: the geometric mean of the ratios, and the case where we do worst."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.ratio is not None:
            groups.setdefault((row.suite, row.rival), []).append(row)
    return "\n".join(f"{suite} against {rival}: {_sentence(group)}" for (suite, rival), group in groups.items())


def _sentence(group: Sequence[Row]) -> str:
    mean = geometric_mean([row.ratio for row in group if row.ratio])
    worst = min(group, key=lambda row: row.ratio or 0.0)
    return f"{mean:.2f} times faster (geometric mean of {len(group)}); worst {worst.ratio:.2f} at {worst.case}"


def surroundings() -> dict[str, Any]:
    """Versions, machine and threads, written beside every row."""
    from mercer.config import config

    return {"versions": _versions(), "machine": _machine(), "threads": config().threads}


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _machine() -> str:
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if "model name" in line]
        cpu = names[0] if names else cpu
    return f"{cpu}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def write_json(rows: Sequence[Row], file: Path) -> None:
    """The rows in a JSON list of objects; rows of other cases that are in the file already stay there."""
    new = [dataclasses.asdict(row) | surroundings() for row in rows]
    cases = {(row["suite"], row["case"]) for row in new}
    old = json.loads(file.read_text(encoding="utf8")) if file.exists() else []
    kept = [row for row in old if (row["suite"], row["case"]) not in cases]
    file.write_text(json.dumps(kept + new, indent=1) + "\n", encoding="utf8")
