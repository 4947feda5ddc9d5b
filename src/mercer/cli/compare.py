"""mercer compare [DATA]: all methods on one table, tuned, judged and explained on one page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from mercer.cli.options import Drop, Format, Json, Keep, KernelText, Kinds, Seed, Target, Task

PAGE = Path("mercer-report.html")


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
    rows: Annotated[int, typer.Option(min=1, help="Rows that take part at most, drawn at random.")] = 3000,
    test_size: Annotated[float, typer.Option(help="Share of the rows that is held out.")] = 0.25,
    report: Annotated[Path, typer.Option("--report", "-o", help="File to write the page to.")] = PAGE,
    time_limit: Annotated[float | None, typer.Option(help="Seconds after which no further method begins.")] = None,
    task: Task = None,
    kind: Kinds = None,
    drop: Drop = None,
    keep: Keep = None,
    format: Format = None,  # noqa: A002
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Tune and compare all methods on a table; writes a report.

    The rows are split, scaled by what the training rows show, and every method is tuned on them with the same kernel.
    Without DATA a built-in table is studied.
    """
    import mercer.report
    import mercer.study
    from mercer.cli.output import require_place
    from mercer.cli.printing import say, to_json

    require_place(report, "--report", data)
    table = _table(data, kind, drop, keep, format)
    say(f"{table.name}: {table.describe()}.")
    with _progress() as progress:
        study = mercer.study.run(
            table, target, kernel=kernel, methods=methods and methods.split(","), task=task, test_size=test_size,
            max_rows=rows, random_state=seed, time_limit=time_limit, progress=progress,
        )  # fmt: skip
        progress(1, 1, "writing the report")
        study = _with_reading(study, {"kind": kind, "drop": drop, "keep": keep}, format)
        page = mercer.report.write(study, report)
    if json:
        typer.echo(to_json(study.to_dict() | {"report": page}))
        return
    _print(study)
    typer.echo(f"report: {page}")


def _table(
    data: str | None, kind: list[str] | None, drop: list[str] | None, keep: list[str] | None, form: str | None
) -> Any:
    from mercer.cli.problem import settings_of
    from mercer.study.builtin import mixture
    from mercer.tables import read

    if data is None:
        return mixture()
    kinds = settings_of(kind, "--kind")
    table = read(data, format=form, kinds=kinds, keep=keep or ())
    return table.drop(drop) if drop else table


def _with_reading(study: Any, given: dict[str, list[str] | None], form: str | None) -> Any:
    """The study, which now knows how its table was read."""
    from dataclasses import replace

    more = [(name, one) for name, values in given.items() for one in values or ()]
    return replace(study, asked=(*study.asked, *more, *([("format", form)] if form else ())))


@contextmanager
def _progress() -> Iterator[Any]:
    """A bar on standard error, which is gone when all is done."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        one = bar.add_task("reading", total=None)
        yield lambda done, total, name: bar.update(one, completed=done, total=total, description=name or "done")


# heading, field and format of what a terminal has room for
_SHOWN = (
    ("score", "score", ".4f"), ("log loss", "log_loss", ".4f"), ("calib.", "calibration_error", ".3f"),
    ("kept", "n_kept", ".0f"), ("fit s", "fit_seconds", ".2f"), ("pred s", "predict_seconds", ".3f"),
)  # fmt: skip


def _print(study: Any) -> None:
    """The table, what is to be said of single methods, and the answer."""
    from rich.console import Console
    from rich.text import Text

    from mercer.report.answer import answer
    from mercer.report.predictions import predictions

    found, console = study.comparison, Console()
    console.print(Text(f"{found.task} of {study.sample.target}, score is {found.scoring}, {found.splits}"))
    console.print(Text(f"kernel {study.sample.kernel!r}"), soft_wrap=True)
    console.print(_grid(study))
    for note in [*study.sample.notes, *found.notes()]:
        console.print(Text(note, style="dim"), soft_wrap=True)
    for sentence in answer(study, {found.best.name: predictions(study, found.best.name)}):
        console.print(Text(sentence), soft_wrap=True)


def _grid(study: Any) -> Any:
    """A line for every method, baselines dim."""
    from rich.table import Table
    from rich.text import Text

    from mercer.comparison.methods import baselines

    grid = Table(box=None, pad_edge=False, header_style="bold")
    grid.add_column("method", no_wrap=True)
    for heading, _, _ in _SHOWN:
        grid.add_column(heading, justify="right", no_wrap=True)
    grid.add_column("proof", no_wrap=True)
    for row in study.comparison:
        values = [(getattr(row, name), form) for _, name, form in _SHOWN]
        cells = ["–" if value is None else format(value, form) for value, form in values]
        proof = "failed" if row.error else study.proof(row.name)
        grid.add_row(row.name, *cells, Text(proof), style="dim" if row.name in baselines(study.sample.task) else "")
    return grid
