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
    Seed,
    Settings,
    Target,
    Task,
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
    json: Json = False,
) -> None:
    """Fit one method to a table, show its certificate, save it.

    Columns are scaled and gaps filled as TableScaler does; the model file remembers how.  Ctrl-C ends a fit early: what
    was found by then is shown and saved, and the exit code is 130.
    """
    import mercer
    from mercer.cli.output import require_place
    from mercer.cli.printing import result
    from mercer.cli.problem import described, problem_of, require_method, score_name, settings_of
    from mercer.cli.stopping import end, kept

    require_place(output, "--output", data)
    require_method(method)
    problem = problem_of(data, target, task, format, kind, drop, keep).sampled(rows, seed)
    problem.warn_of(method)
    chosen = problem.kernel(kernel, method)
    model = problem.pipeline(method, chosen, settings_of(settings, "--set"), seed)
    began = time.perf_counter()
    interrupt = kept(lambda: model.fit(problem.table.items, problem.y))
    seconds = time.perf_counter() - began
    found = {
        "method": method,
        "kernel": repr(getattr(model[-1], "kernel_", chosen)),
        f"{score_name(problem.task)} on training rows": float(model.score(problem.table.items, problem.y)),
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
