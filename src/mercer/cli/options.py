"""Options that several verbs share, each with its one line of help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[str, typer.Argument(help="CSV, TSV, Parquet, JSON or svmlight file, or - for standard input.")]
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", help="Column to predict [default: target, label, class or y, else the last]."),
]
Task = Annotated[str | None, typer.Option(help="classification or regression [default: by the target].")]
Format = Annotated[str | None, typer.Option(help="csv, tsv, parquet, json or svmlight [default: by name or content].")]
Kinds = Annotated[
    list[str] | None, typer.Option("--kind", help="COLUMN=numeric, categorical or text, where it is to be that.")
]
Drop = Annotated[list[str] | None, typer.Option("--drop", help="Column to leave out.")]
Keep = Annotated[
    list[str] | None, typer.Option("--keep", help="Column to learn from although it looks like an identifier or date.")
]
KernelText = Annotated[
    str | None,
    typer.Option("--kernel", "-k", help='Kernel expression, e.g. "RBF(2.0) + Linear()" [default: by the columns].'),
]
Method = Annotated[str, typer.Option("--method", "-m", help="svm, ridge, gp, rvm, l1vm, l2vm, klr or klda.")]
Settings = Annotated[list[str] | None, typer.Option("--set", help="NAME=VALUE, a parameter of the method, e.g. C=10.")]
Rows = Annotated[int | None, typer.Option(min=2, help="Rows to learn from, drawn at random [default: all].")]
Seed = Annotated[int, typer.Option(help="Seed of everything that is drawn.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
ModelFile = Annotated[Path, typer.Argument(help="Model file, as written by fit or tune.")]
