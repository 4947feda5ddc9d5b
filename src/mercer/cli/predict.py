"""mercer predict MODEL DATA: what a saved model says of new rows."""

from __future__ import annotations

import csv
import inspect
import sys
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from mercer.cli.options import Data, Format, Json, ModelFile


def predict(
    model: ModelFile,
    data: Data,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="CSV file to write to.")] = None,
    format: Format = None,  # noqa: A002
    json: Json = False,
) -> None:
    """Predict the rows of a table with a saved model.

    Prints CSV with the prediction, and probabilities or a standard deviation where the model has them.  Where the
    target is among the columns, its score is told on standard error.
    """
    from mercer.cli.printing import say, to_json
    from mercer.tables import read

    machine = _loaded(model)
    scaler = machine[0]
    table = read(data, format=format, kinds=scaler.kinds_ | _target_kind(machine))
    _require_columns(scaler, table)
    columns = _columns(machine, table)
    if (score := _score(machine, table)) is not None:
        say(score)
    text = to_json([dict(zip(columns, row, strict=True)) for row in _rows(columns)]) if json else None
    if output is None:
        _write(sys.stdout, columns, text)
        return
    with open(output, "w", newline="", encoding="utf-8") as file:
        _write(file, columns, text)
    say(f"{len(table)} predictions written to {output}.")


def _loaded(path: Path) -> Any:
    """The pipeline of a file."""
    import mercer
    from mercer import TableScaler
    from mercer.errors import bad

    machine = mercer.load(path)
    if not hasattr(machine, "steps") or not isinstance(machine[0], TableScaler):
        raise bad("predict", "the model", "a pipeline with a TableScaler, as fit and tune save it",
                  type(machine).__name__, "Fit it by mercer fit.")  # fmt: skip
    return machine


def _target_kind(machine: Any) -> dict[str, str]:
    """The labels of a column are strings if those of the model are."""
    classes = getattr(machine[-1], "classes_", None)
    strings = classes is not None and classes.dtype.kind == "U"
    return {machine[0].target: "categorical"} if strings and machine[0].target else {}


def _require_columns(scaler: Any, table: Any) -> None:
    from mercer.errors import TableError
    from mercer.tables.table import listed

    lost = [name for name in scaler.kinds_ if name not in table.columns]
    if lost:
        raise TableError(f"{table.name}: expected the columns of training, got a table without "
                         f"{listed(lost)}. It has the columns {listed(table.columns)}.")  # fmt: skip


def _columns(machine: Any, table: Any) -> dict[str, Any]:
    """Predictions, and how sure they are."""
    X = table.items
    if hasattr(machine, "predict_proba"):
        P = machine.predict_proba(X)
        return {"prediction": machine.predict(X)} | {f"p({c})": P[:, j] for j, c in enumerate(machine.classes_)}
    options = inspect.signature(machine[-1].predict).parameters
    if "return_std" in options:
        mean, std = machine.predict(X, return_std=True, **({"of": "y"} if "of" in options else {}))
        return {"prediction": mean, "std": std}
    return {"prediction": machine.predict(X)}


def _score(machine: Any, table: Any) -> str | None:
    """How well the targets are predicted that the table holds."""
    from sklearn.base import is_classifier

    from mercer.cli.problem import score_name

    name, task = machine[0].target, "classification" if is_classifier(machine[-1]) else "regression"
    if name not in table.columns:
        return None
    y, rows, _ = table.known_targets(name, task)
    if not len(rows):
        return None
    score = machine.score(table.take(rows).items, y)
    return f"{score_name(task)} {score:.6g} on {len(y)} rows with a known {name!r}."


def _rows(columns: dict[str, Any]) -> Any:
    return zip(*(column.tolist() for column in columns.values()), strict=True)


def _write(file: TextIO, columns: dict[str, Any], text: str | None) -> None:
    if text is not None:
        file.write(f"{text}\n")
        return
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(_rows(columns))
