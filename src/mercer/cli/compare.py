"""mercer compare [DATA]: all methods tuned and judged on one table, and a page that explains the result."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from mercer.cli.options import Drop, Format, Json, Keep, KernelText, Kinds, Scheduler, Seed, Target, Task, settings_of

PAGE = Path("mercer-report.html")
ROWS, TEST_SIZE = 3000, 0.25
DEFAULTS = {"rows": ROWS, "test-size": TEST_SIZE, "seed": 0}


def compare(
    data: Annotated[
        str | None,
        typer.Argument(help="CSV, TSV, Parquet, JSON or svmlight file, or - [default: a built-in table]."),
    ] = None,
    target: Target = None,
    kernel: KernelText = None,
    methods: Annotated[
        str | None,
        typer.Option("--methods", "-m", help="Names between commas, e.g. svm,rvm,gp [default: all]."),
    ] = None,
    rows: Annotated[int, typer.Option(min=1, help="Rows of the table that take part at most, drawn at random.")] = ROWS,
    test_size: Annotated[float, typer.Option(help="Share of the rows that is held out.")] = TEST_SIZE,
    report: Annotated[Path, typer.Option("--report", "-o", help="File to write the page to.")] = PAGE,
    time_limit: Annotated[float | None, typer.Option(help="Seconds after which no further method begins.")] = None,
    task: Task = None,
    kind: Kinds = None,
    drop: Drop = None,
    keep: Keep = None,
    format: Format = None,  # noqa: A002
    seed: Seed = 0,
    scheduler: Scheduler = None,
    json: Json = False,
) -> None:
    """Tune and compare all methods on a table; writes a report.

    Rows are split into training and held-out ones, and columns scaled by what the training rows show.  Every method is
    tuned on the training rows, with the same kernel.  Without DATA the table is a built-in one.
    """
    import mercer
    from mercer import report as page
    from mercer.cli.output_path import require_place
    from mercer.cli.printing import say, to_json
    from mercer.distributed.connection import connected

    require_place(report, "--report", data)
    options = {"kernel": kernel, "methods": methods, "rows": rows, "test-size": test_size, "time-limit": time_limit,
               "task": task, "kind": kind, "drop": drop, "keep": keep, "format": format, "seed": seed}  # fmt: skip
    table = _table(data, kind, drop, keep, format)
    say(f"{table.name}: {table.describe()}.")
    with connected(scheduler), _progress() as progress:
        found = mercer.compare(
            table, target, kernel, methods and [name.strip() for name in methods.split(",")], tune=True, task=task,
            test_size=test_size, max_rows=rows, random_state=seed, time_limit=time_limit, progress=progress,
        )  # fmt: skip
        progress(1, 1, "writing the report")
        path = page.write(found, report, _command(data, found.sample, options))
    if json:
        typer.echo(to_json(found.to_dict() | {"report": path}))
        return
    _print(found)
    typer.echo(f"report: {path}")


def _table(
    data: str | None, kind: list[str] | None, drop: list[str] | None, keep: list[str] | None, form: str | None
) -> Any:
    from mercer.cli.builtin_table import mixture
    from mercer.tables import read

    if data is None:
        return mixture()
    table = read(data, format=form, kinds=settings_of(kind, "--kind"), keep=keep or ())
    return table.drop(drop) if drop else table


def _command(data: str | None, sample: Any, options: dict[str, Any]) -> list[str]:
    """The words of the command that repeats a comparison, without options that have their default value."""
    words = ["mercer", "compare", *([] if data is None else [data, "--target", sample.target])]
    for name, value in options.items():
        if value is not None and value != DEFAULTS.get(name):
            for one in value if isinstance(value, list) else [value]:
                words += [f"--{name}", str(one)]
    return words


@contextmanager
def _progress() -> Iterator[Any]:
    """A bar on standard error, until all is done."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        one = bar.add_task("reading", total=None)
        yield lambda done, total, name: bar.update(one, completed=done, total=total, description=name or "done")


def _print(found: Any) -> None:
    """The table with baselines dim, the notes, and the answer."""
    from rich.console import Console
    from rich.text import Text

    from mercer.comparison.methods import baselines
    from mercer.comparison.row import TERMINAL
    from mercer.report.answer import answer

    def line(text: str, style: str = "") -> None:
        console.print(Text(text, style=style), soft_wrap=True)

    console, dim = Console(), {False: "", True: "dim"}
    line(f"{found.task} of {found.sample.target}, score is {found.scoring}, {found.splits}")
    line(f"kernel {found.sample.kernel!r}")
    heading, *rows = found.table(TERMINAL).splitlines()
    line(heading, "bold")
    for row, text in zip(found, rows, strict=True):
        line(text, dim[row.name in baselines(found.task)])
    for note in [*found.sample.notes, *found.notes()]:
        line(note, "dim")
    for sentence in answer(found):
        line(sentence)
