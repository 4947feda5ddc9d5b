"""mercer fit DATA: one method on one table, with its certificate."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from mercer.cli.options import (
    Data,
    Drop,
    Format,
    Json,
    Keep,
    KernelText,
    Kinds,
    Method,
    Rows,
    Scheduler,
    Seed,
    Settings,
    Target,
    Task,
    settings_of,
)


def fit(
    data: Data,
    target: Target = None,
    method: Method = "svm",
    kernel: KernelText = None,
    settings: Settings = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to save the model to.")] = None,
    rows: Rows = None,
    task: Task = None,
    kind: Kinds = None,
    drop: Drop = None,
    keep: Keep = None,
    format: Format = None,  # noqa: A002
    seed: Seed = 0,
    scheduler: Scheduler = None,
    json: Json = False,
) -> None:
    """Fit one method to a table, show its certificate, save it.

    Columns are scaled and gaps are filled; the model file has what is needed to do the same to new rows.  Ctrl-C ends a
    fit early: the result so far is printed and saved, and the exit code is 130.

    With --scheduler the rows are read and worked on by the workers of a Dask cluster, on landmarks; a folder of Parquet
    files must be at the same place for all of them.  With --set method=nystrom a folder is read a part at a time.
    """
    import mercer
    from mercer.cli.by_blocks import in_pieces, naming_columns, on_landmarks, way_of
    from mercer.cli.labelled_parts import labelled_parts
    from mercer.cli.labelled_table import described, labelled_table, require_method
    from mercer.cli.output_path import require_place
    from mercer.cli.printing import result
    from mercer.cli.stopping import end, kept
    from mercer.comparison.methods import score_name
    from mercer.distributed.connection import connected

    require_place(output, "--output", data)
    require_method(method)
    options = settings_of(settings, "--set")
    pieces = in_pieces(data, rows, scheduler, options)
    with connected(scheduler) as client:
        given = (labelled_parts if pieces else labelled_table)(data, target, task, format, kind, drop, keep)
        given = given if pieces else given.sampled(rows, seed)
        chosen = given.kernel(kernel, method)
        if pieces or client is not None:
            chosen = naming_columns(chosen, given.table.kinds)
        model = given.pipeline(method, chosen, options, seed)
        if pieces or client is not None:
            on_landmarks(method, model, options)
        else:
            given.warn_of(method)
        work = way_of(given, model, client)
        began = time.perf_counter()
        interrupt = kept(work.fit)
        seconds = time.perf_counter() - began
        found = {
            "method": method,
            "kernel": repr(getattr(model[-1], "kernel_", chosen)),
            f"{score_name(given.task)} on training rows": work.score(),
            "seconds": round(seconds, 3),
            **described(model[-1]),
        }
    if interrupt:
        found["interrupted"] = interrupt
    if output is not None:
        mercer.save(model, output)
        found["saved to"] = str(output)
    result(found, json)
    end(interrupt)
