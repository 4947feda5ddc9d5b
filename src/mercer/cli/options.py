"""Options that several verbs share, each with its one line of help; and how NAME=VALUE is read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from mercer.errors import bad

Data = Annotated[
    str,
    typer.Argument(help="CSV, TSV, Parquet, JSON or svmlight file, folder of Parquet files, or - for standard input."),
]
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", help="Column to predict [default: target, label, class or y, else the last]."),
]
Task = Annotated[str | None, typer.Option(help="classification or regression [default: by the target].")]
Format = Annotated[str | None, typer.Option(help="csv, tsv, parquet, json or svmlight [default: by name or content].")]
Kinds = Annotated[
    list[str] | None,
    typer.Option("--kind", help="COLUMN=numeric, categorical, text, sequence or graph: what it holds."),
]
Drop = Annotated[list[str] | None, typer.Option("--drop", help="Column to leave out.")]
Keep = Annotated[
    list[str] | None, typer.Option("--keep", help="Column to learn from although it looks like an identifier or date.")
]
KernelText = Annotated[
    str | None,
    typer.Option("--kernel", "-k", help='Kernel expression, e.g. "RBF(2.0) + Linear()" [default: by the columns].'),
]
Method = Annotated[str, typer.Option("--method", "-m", help="svm, ridge, gp, rvm, l1vm, l2vm, klr, klda or knn.")]
Settings = Annotated[list[str] | None, typer.Option("--set", help="NAME=VALUE, a parameter of the method, e.g. C=10.")]
Rows = Annotated[int | None, typer.Option(min=2, help="Rows to learn from, drawn at random [default: all].")]
Seed = Annotated[int, typer.Option(help="Seed of all random numbers.")]
Scheduler = Annotated[str | None, typer.Option(help="tcp://HOST:PORT of a Dask scheduler, whose workers do the work.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
ModelFile = Annotated[Path, typer.Argument(help="Model file, as written by fit or tune.")]


def settings_of(given: Sequence[str] | None, option: str) -> dict[str, Any]:
    """{NAME: VALUE} of options NAME=VALUE; values are numbers, true, false, null, lists, or text."""
    found = {}
    for one in given or ():
        name, equals, text = one.partition("=")
        if not name or not equals:
            raise bad(option, "value", "NAME=VALUE", repr(one), f"Write e.g. {option} C=10.")
        found[name.strip()] = value_of(text.strip())
    return found


def value_of(text: str) -> Any:
    """A number, true, false, null or a list in JSON, or else the text itself."""
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
