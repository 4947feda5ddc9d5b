"""mercer certify DATA: whether a kernel is positive semi-definite on data, or whether a saved model is still proved."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mercer.cli.options import Data, Drop, Format, Json, Keep, KernelText, Kinds, Seed, Target

ROWS = 2000


def certify(
    data: Data,
    kernel: KernelText = None,
    model: Annotated[
        Path | None, typer.Option("--model", help="Prove this model again; DATA is its training data.")
    ] = None,
    target: Target = None,
    rows: Annotated[int, typer.Option(min=1, help="Rows to test a kernel on, drawn at random.")] = ROWS,
    kind: Kinds = None,
    drop: Drop = None,
    keep: Keep = None,
    format: Format = None,  # noqa: A002
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Test a kernel on data, or prove a saved model again.

    A kernel is tested on the scaled columns without the target.  The exit code is 1 if the test or the proof fails.
    """
    from mercer.cli.printing import result

    if model is None:
        found, holds = _kernel(data, kernel, target, rows, kind, drop, keep, format, seed)
    else:
        found, holds = _model(data, model, format)
    result(found, json)
    if not holds:
        raise typer.Exit(1)


def _kernel(
    data: str,
    text: str | None,
    target: str | None,
    rows: int,
    kind: Any,
    drop: Any,
    keep: Any,
    form: str | None,
    seed: int,
) -> tuple[dict[str, Any], bool]:
    import numpy as np

    import mercer
    from mercer.cli.labelled_table import labelled_table

    given = labelled_table(data, target, None, form, kind, drop, keep)
    kernel = given.kernel(text)
    n = len(given.table)
    some = np.sort(np.random.default_rng(seed).permutation(n)[:rows])
    table = given.table.take(some)
    found = mercer.certify(kernel, given.scaler(kernel).fit_transform(table.items))
    return {
        "kernel": repr(kernel),
        "positive semi-definite": found.psd,
        "proof": found.proof,
        "rows": f"{found.n} of {n}",
        "smallest eigenvalue": found.smallest,
        "largest eigenvalue": found.largest,
        "certificate": str(found),
    }, found.psd


def _model(data: str, path: Path, form: str | None) -> tuple[dict[str, Any], bool]:
    import mercer
    from mercer.cli.model_file import kinds_of, loaded, task_of
    from mercer.tables import read

    machine = loaded(path)
    table = read(data, format=form, kinds=kinds_of(machine))
    if machine[0].target is None:  # clusters, which have none
        found: Any = mercer.verify(machine, table.items)
        bounds = {"loss": found.loss}
    else:
        features, y, _ = table.split_target(machine[0].target, task=task_of(machine))
        found = mercer.verify(machine[-1], machine[:-1].transform(features.items), y)
        bounds = {"objective": found.primal, "lower bound": found.dual, "relative gap": found.relative_gap}
    proved = bool(found.converged)
    return {"model": str(path), "proved": proved, **bounds, "certificate": str(found)}, proved
