"""The tables of the documentation, from results that were measured: `--json` files in benchmarks/results.

    python -m benchmarks svm --json benchmarks/results/svm.json

A file is what benchmarks/report.py writes: a list of rows, each with versions, machine and threads.  The commit and
the day of a result are those of the last commit of its file.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.report import geometric_mean, number

_HEAD = ("case", "rival", "ours s", "rival s", "times faster", "x floor", "MB", "rival MB", "same")
_VERDICT = {True: "yes", False: "**no**", None: "-"}


def all_tables(folder: Path) -> str:
    """The Markdown of all result files in a folder; a sentence where there are none."""
    files = sorted(folder.glob("*.json"))
    return "\n".join(map(page_part, files)) if files else "*No results are stored yet.*\n"


def page_part(file: Path) -> str:
    """One result file: where it was measured, the means, and the table."""
    rows = json.loads(file.read_text(encoding="utf8"))
    if not rows:
        return f"## {file.stem}\n\n*No results.*\n"
    return "\n".join([f"## {file.stem}", "", _where(rows[0], file), "", *_means(rows), "", table(rows), ""])


def _where(row: dict[str, Any], file: Path) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in row["versions"].items())
    return f"Measured on {row['machine']}, {row['threads']} threads; {versions}. {_commit(file)}"


def _commit(file: Path) -> str:
    """The last commit of a file and its day, where there is a history."""
    command = ["git", "log", "-1", "--format=Commit %h of %cs.", "--", file.name]
    try:
        done = subprocess.run(command, cwd=file.parent, capture_output=True, text=True, check=False)
    except OSError:  # no git here
        return ""
    return done.stdout.strip() or "Not committed yet."


def _means(rows: Sequence[dict[str, Any]]) -> list[str]:
    """A line for every rival: the geometric mean of the ratios, and the worst."""
    lines = []
    for suite, rival in dict.fromkeys((row["suite"], row["rival"]) for row in rows):
        ratios = [row["ratio"] for row in rows if (row["suite"], row["rival"]) == (suite, rival) and row["ratio"]]
        if ratios:
            mean, worst = geometric_mean(ratios), min(ratios)
            count = f"{len(ratios)} cases" if len(ratios) > 1 else "1 case"
            lines.append(f"- {suite} against {rival}: **{mean:.1f} times faster** ({count}; worst {worst:.2g})")
    return lines


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as a Markdown table, without the columns in which nothing was measured."""
    cells = [_cells(row) for row in rows]
    shown = [k for k in range(len(_HEAD)) if any(line[k] != "-" for line in cells)]
    lines = [[_HEAD[k] for k in shown], ["---" if k < 2 else "---:" for k in shown]]
    lines += [[line[k] for k in shown] for line in cells]
    body = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return f'<div class="numbers" markdown>\n\n{body}\n\n</div>'


def _cells(row: dict[str, Any]) -> list[str]:
    mega = [None if row[name] is None else row[name] / 1e6 for name in ("extra_bytes", "rival_bytes")]
    theirs = [number(row[name], row.get("bound", False)) for name in ("rival_s", "ratio")]
    shown = [number(row["ours_s"]), *theirs, *map(number, (row["times_floor"], *mega))]
    return [f"{row['suite']} {row['case']}".replace("|", "&#124;"), row["rival"], *shown, _VERDICT[row["same"]]]
