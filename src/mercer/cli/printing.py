"""How a verb prints: results to standard output, as lines or as JSON, and all else to standard error."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import typer


def say(sentence: str) -> None:
    """Print a sentence that is not a result."""
    typer.echo(sentence, err=True)


def result(found: Mapping[str, Any], as_json: bool) -> None:
    """The result of a verb: one line for every entry, or one JSON object."""
    if as_json:
        typer.echo(to_json(found))
        return
    width = max(map(len, found))
    for name, value in found.items():
        lines = _text(value).splitlines() or [""]
        typer.echo("\n".join(f"{'' if i else name:<{width}}  {line}" for i, line in enumerate(lines)))


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]], title: str | None = None) -> None:
    """Rows under a header, as wide as the terminal."""
    from rich.console import Console
    from rich.table import Table

    grid = Table(*columns, title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for row in rows:
        grid.add_row(*map(_text, row))
    Console(soft_wrap=False).print(grid)


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {_text(entry)}" for name, entry in value.items())
    if isinstance(value, (list, tuple)):
        return "\n".join(map(_text, value))
    return str(value)


def to_json(found: Any) -> str:
    """JSON; NaN and infinity become null, and objects their text."""
    return json.dumps(_plain(found), indent=2, allow_nan=False, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
