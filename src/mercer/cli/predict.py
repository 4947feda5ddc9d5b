"""mercer predict MODEL DATA: predictions of new rows by a saved model."""

from __future__ import annotations

import csv
import inspect
import sys
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from mercer.cli.options import Data, Format, Json, ModelFile, Scheduler


def predict(
    model: ModelFile,
    data: Data,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write to.")] = None,
    format: Format = None,  # noqa: A002
    scheduler: Scheduler = None,
    json: Json = False,
) -> None:
    """Predict the rows of a table with a saved model.

    Prints CSV with the prediction, and probabilities or a standard deviation if the model has them; the coordinates if
    the model is one of `mercer embed`, log densities if it is one of `mercer density`.  If the target is among the
    columns, the score is printed to standard error.

    A folder of Parquet files is read a part at a time.  With --scheduler each part is read and predicted by a worker of
    a Dask cluster, and the folder must be at the same place for all of them.
    """
    from mercer.cli.model_file import loaded
    from mercer.cli.output_path import require_place
    from mercer.cli.printing import say, to_json
    from mercer.cli.table_pieces import pieces_of
    from mercer.distributed.connection import connected

    require_place(output, "--output", model, data)
    machine = loaded(model)
    with connected(scheduler) as client:
        columns, target = _joined(pieces_of(data, format, machine, client).map(_answers, machine, client))
    if target is not None:
        _tell_score(machine, target, columns["prediction"])
    text = to_json([dict(zip(columns, row, strict=True)) for row in _rows(columns)]) if json else None
    if output is None:
        _write(sys.stdout, columns, text)
        return
    with open(output, "w", newline="", encoding="utf-8") as file:
        _write(file, columns, text)
    say(f"{len(next(iter(columns.values())))} predictions written to {output}.")


def _answers(machine: Any, table: Any) -> tuple[dict[str, Any], Any]:
    """The columns of the answer for some rows, and their targets if they are known."""
    columns, target = _columns(machine, table), machine[0].target
    return columns, table.columns[target] if "prediction" in columns and target in table.columns else None


def _joined(parts: Any) -> tuple[dict[str, Any], Any]:
    """The answers of all parts in their order."""
    import numpy as np

    found = list(parts)
    columns = {name: np.concatenate([one[name] for one, _ in found]) for name in found[0][0]}
    return columns, None if found[0][1] is None else np.concatenate([target for _, target in found])


def _columns(machine: Any, table: Any) -> dict[str, Any]:
    """Predictions with their probabilities or standard deviations; the coordinates of an embedding."""
    X = table.items
    if not hasattr(machine[-1], "predict") and hasattr(machine[-1], "score_samples"):
        return {"log density": _log_densities(machine, table)}
    if not hasattr(machine[-1], "predict"):
        return {f"axis{i + 1}": column for i, column in enumerate(machine.transform(X).T)}
    if hasattr(machine, "predict_proba"):
        P = machine.predict_proba(X)
        return {"prediction": machine.predict(X)} | {f"p({c})": P[:, j] for j, c in enumerate(machine.classes_)}
    options = inspect.signature(machine[-1].predict).parameters
    if "return_std" in options:
        mean, std = machine.predict(X, return_std=True, **({"of": "y"} if "of" in options else {}))
        return {"prediction": mean, "std": std}
    return {"prediction": machine.predict(X)}


def _log_densities(machine: Any, table: Any) -> Any:
    """log p of every row; NaN for a row with a gap."""
    import numpy as np

    gap = np.isnan(np.column_stack([table.columns[name] for name in machine[0].kinds_])).any(axis=1)
    return np.where(gap, np.nan, machine.score_samples(table.items))


def _tell_score(machine: Any, target: Any, predicted: Any) -> None:
    """Print the score on those rows whose target is known."""
    import numpy as np
    from sklearn.metrics import accuracy_score, r2_score

    from mercer.cli.model_file import task_of
    from mercer.cli.printing import say
    from mercer.comparison.methods import score_name
    from mercer.tables.target import targets

    name, task = machine[0].target, task_of(machine)
    rows = np.flatnonzero([value is not None and value == value for value in target])
    y, _ = targets(target[rows], f"column {name!r}", task)
    if len(y) > 1:
        score = (accuracy_score if task == "classification" else r2_score)(y, predicted[rows])
        say(f"{score_name(task)} {score:.6g} on {len(y)} rows with a known {name!r}.")


def _rows(columns: dict[str, Any]) -> Any:
    return zip(*(column.tolist() for column in columns.values()), strict=True)


def _write(file: TextIO, columns: dict[str, Any], text: str | None) -> None:
    if text is not None:
        file.write(f"{text}\n")
        return
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(_rows(columns))
