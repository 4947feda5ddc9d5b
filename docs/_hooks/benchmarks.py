"""The tables of the benchmark page, from the results that were measured (benchmarks/results/*.json)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
MARK = "<!-- tables -->"


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Put the tables where the page wants them."""
    if MARK not in markdown:
        return markdown
    sys.path.insert(0, str(ROOT))
    from benchmarks.tables import all_tables

    return markdown.replace(MARK, all_tables(ROOT / "benchmarks" / "results"))
