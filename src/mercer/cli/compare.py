"""mercer compare [DATA]: all methods tuned and judged on one table, and a page that explains the result."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from mercer.cli.options import Drop, Format, Json, Keep, KernelText, Kinds, Scheduler, Seed, Target, Task, settings_of

PAGE = Path("mercer-report.html")
ROWS, TEST_SIZE, SECONDS = 100_000, 0.25, 300.0
DEFAULTS = {"rows": ROWS, "test-size": TEST_SIZE, "time-limit": SECONDS, "seed": 0}
PAGE_SHARE = 0.05  # of the time, that is kept for the report


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
    time_limit: Annotated[float, typer.Option(help="Seconds for all methods together.")] = SECONDS,
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

    All rows are used: exactly where that is quick, else through landmarks, cells, prototypes or neighbours; the column
    "how" says which.  Rows of the result appear when they are done, and again after larger fits, for which the time
    that is left is used.  Ctrl-C ends the comparison and keeps them.
    """
    began = time.perf_counter()
    import mercer
    from mercer import report as page
    from mercer.cli.output_path import require_place
    from mercer.cli.printing import say, to_json
    from mercer.distributed.connection import connected

    require_place(report, "--report", data)
    options = {"kernel": kernel, "methods": methods, "rows": rows, "test-size": test_size, "time-limit": time_limit,
               "task": task, "kind": kind, "drop": drop, "keep": keep, "format": format, "seed": seed}  # fmt: skip
    _require_time(time_limit)
    table = _table(data, kind, drop, keep, format)
    say(f"{table.name}: {table.describe()}.")
    with connected(scheduler), _live() as (progress, row_done):
        left = max((1.0 - PAGE_SHARE) * time_limit - (time.perf_counter() - began), 0.001)
        found = mercer.compare(
            table, target, kernel, methods and [name.strip() for name in methods.split(",")], tune=True, task=task,
            test_size=test_size, max_rows=rows, random_state=seed, time_limit=left, progress=progress,
            row_done=row_done,
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


def _require_time(seconds: float) -> None:
    from mercer.errors import bad

    if not seconds > 0.0:
        raise bad("mercer compare", "--time-limit", "a positive number of seconds", seconds, "300 is the default.")


@contextmanager
def _live() -> Iterator[tuple[Any, Any]]:
    """A bar on standard error, until all is done, and above it a line for every method that is."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.text import Text

    from mercer.comparison.row import LIVE, line_of

    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        one = bar.add_task("reading", total=None)

        def progress(done: int, total: int, name: str) -> None:
            bar.update(one, completed=done, total=total, description=name or "done")

        def row_done(row: Any) -> None:
            bar.console.print(Text(line_of(row, LIVE), style="dim"), soft_wrap=True)

        yield progress, row_done


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
