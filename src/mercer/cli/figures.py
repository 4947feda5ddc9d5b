"""mercer figures: the figures of textbooks, computed, checked and drawn."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mercer.cli.options import Json
from mercer.cli.printing import to_json

if TYPE_CHECKING:
    from mercer.figures import Made


def figures(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="e.g. E1 E14 [default: all].")] = None,
    out: Annotated[Path, typer.Option(help="Folder of the pictures and of index.html.")] = Path("figures"),
    data: Annotated[Path | None, typer.Option(help="Folder of data of the sources [default: $MERCER_DATA].")] = None,
    list_: Annotated[bool, typer.Option("--list", help="Only list the figures.")] = False,
    json: Json = False,
) -> None:
    """Draw figures of textbooks, each with its claim checked.

    Each computes its numbers first.  The exit code is 1 if a claim does not hold.
    """
    from mercer.figures import entries
    from mercer.figures._flow import VARIABLE

    if list_:
        told = [{"id": one.id, "title": one.title, "claim": one.claim} for one in entries(ids or None)]
        typer.echo(to_json(told) if json else _listed(told))
        return
    if data is not None:
        os.environ[VARIABLE] = str(data)
    made = _made(ids or None, out, quiet=json)
    typer.echo(to_json([one.to_dict() for one in made]) if json else _summary(made, out))
    if not all(one.holds for one in made):
        raise typer.Exit(1)


def _made(ids: list[str] | None, out: Path, quiet: bool) -> list[Made]:
    """The figures, with a bar on the terminal while they are made."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from mercer.figures import make

    console = Console(stderr=True, quiet=quiet)
    columns = TextColumn("{task.description:<4}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("")
        return make(
            ids, out, lambda done, total, next_: bar.update(task, completed=done, total=total, description=next_)
        )


def _listed(told: list[dict[str, str]]) -> str:
    return "\n".join(f"{one['id']:<4} {one['title']}\n     {one['claim']}" for one in told)


def _summary(made: list[Made], out: Path) -> str:
    """A line per claim with what was measured, and where to look."""
    lines = []
    for one in made:
        lines.append(f"{one.id:<4} {'holds' if one.holds else 'FAILS'}  {one.seconds:5.1f} s  {one.title}")
        lines += [f"       {m}" for m in one.measured] if one.holds else [f"       {one.failure}"]
    held, seconds = sum(one.holds for one in made), sum(one.seconds for one in made)
    lines.append(f"\n{held} of {len(made)} claims hold; {seconds:.0f} s.  Look at {out / 'index.html'}")
    return "\n".join(lines)
