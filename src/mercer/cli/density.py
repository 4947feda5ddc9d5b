"""mercer density DATA: the density of one or two columns of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mercer.cli.options import Data, Format, Json, Rows, Scheduler, Seed

BLOCK = 5_000  # rows of a block on workers


def density(
    data: Data,
    columns: Annotated[
        list[str] | None, typer.Option("--column", "-c", help="Column, one or two [default: the first with numbers].")
    ] = None,
    bandwidth: Annotated[
        str, typer.Option("--bandwidth", "-b", help="A number, or scott, silverman, normal, isj, sj, lscv, lcv.")
    ] = "silverman",
    window: Annotated[
        str, typer.Option("--window", "-w", help="gaussian, epanechnikov, tricube, tophat, ...")
    ] = "gaussian",
    low: Annotated[float | None, typer.Option(help="Lower bound of the values.")] = None,
    high: Annotated[float | None, typer.Option(help="Upper bound of the values.")] = None,
    adaptive: Annotated[bool, typer.Option("--adaptive", help="Wider windows where values are rare.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to save the model to.")] = None,
    report: Annotated[Path | None, typer.Option(help="HTML file to write a page with the picture to.")] = None,
    rows: Rows = None,
    format: Format = None,  # noqa: A002
    seed: Seed = 0,
    scheduler: Scheduler = None,
    json: Json = False,
) -> None:
    """Estimate the density of one or two columns; draws it.

    Prints the bandwidth, the modes and the interval that holds 95 % of the values.  Rows with gaps are left out.  With
    --scheduler sums over all pairs of rows are made by the workers of a Dask cluster.
    """
    import mercer
    from mercer.cli.output_path import require_place
    from mercer.cli.printing import result
    from mercer.distributed.connection import connected

    for place, option in ((output, "--output"), (report, "--report")):
        require_place(place, option, data)
    names, X, dropped = _values(data, columns, format, rows, seed)
    support = None if low is None and high is None else (low, high)
    model = mercer.KernelDensity(bandwidth=_number(bandwidth), kernel=window, support=support, adaptive=adaptive)
    with connected(scheduler) as client:
        where, held = (X, None) if client is None else _on_workers(X)
        found = _found(model.fit(where), names, X, dropped)
        if report is not None:
            found["report"] = _write_report(report, names, model, X, found)
        if output is not None:
            mercer.save(_named(model, names, X), output)
            found["saved to"] = str(output)
        del held  # the blocks on workers, which the model has asked for until now
    result(found, json)


def _number(text: str) -> Any:
    """A bandwidth that is a number, or the name of a rule."""
    try:
        return float(text)
    except ValueError:
        return text


def _on_workers(X: Any) -> tuple[Any, Any]:
    """The rows as a Dask array, and what keeps its blocks on the workers."""
    from mercer.distributed.made import spread_out

    return spread_out(X, [min(BLOCK, len(X) - i) for i in range(0, len(X), BLOCK)])


def _values(data: str, columns: list[str] | None, format: Any, rows: int | None, seed: int) -> Any:  # noqa: A002
    """Names of the columns, their values, and how many rows have gaps."""
    import numpy as np

    from mercer.errors import bad

    table = _read(data, columns, format)
    numeric = [name for name, values in table.columns.items() if np.asarray(values).dtype.kind in "fiu"]
    names = columns or numeric[:1]
    for name in names:
        table.require(name)
    if not 1 <= len(names) <= 2 or any(name not in numeric for name in names):
        raise bad("mercer density", "--column", "one or two columns of numbers", ", ".join(names) or "none",
                  f"Columns of numbers here: {', '.join(numeric) or 'none'}.")  # fmt: skip
    X = np.column_stack([np.asarray(table.columns[name], dtype=float) for name in names])
    whole = np.isfinite(X).all(axis=1)
    dropped, X = int((~whole).sum()), X[whole]
    if rows is not None and rows < len(X):
        X = X[np.sort(np.random.default_rng(seed).permutation(len(X))[:rows])]
    return names, X, dropped


def _read(data: str, columns: list[str] | None, format: Any) -> Any:  # noqa: A002
    """The table; of a folder only the columns that are asked for, if any are."""
    from mercer.tables import read
    from mercer.tables.part_files import PartFiles, is_folder
    from mercer.tables.table import Table

    if columns is None or not is_folder(data):
        return read(data, format=format)
    parts = PartFiles.of(data)
    known = [name for name in columns if name in parts.names] or parts.names
    found = {name: parts.column(name) for name in known}
    return Table(parts.folder, {name: one.values for name, one in found.items()},
                 {name: one.kind for name, one in found.items()})  # fmt: skip


def _named(model: Any, names: list[str], X: Any) -> Any:
    """The fitted density after the names of its columns, as `mercer predict` reads it."""
    from sklearn.pipeline import Pipeline

    from mercer import TableScaler

    scaler = TableScaler(dict.fromkeys(names, "numeric"), scale=False)
    return Pipeline([("names", scaler.fit({name: X[:, j] for j, name in enumerate(names)})), ("machine", model)])


def _found(model: Any, names: list[str], X: Any, dropped: int) -> dict[str, Any]:
    import numpy as np

    found: dict[str, Any] = {"columns": names, "rows": len(X), "window": model.kernel}
    if dropped:
        found["rows with gaps, left out"] = dropped
    found["bandwidth"] = np.round(model.bandwidth_, 6).tolist()
    if len(names) == 1:
        digits = 3 - int(np.floor(np.log10(model.bandwidth_)))
        found["modes"] = [round(float(m), digits) + 0.0 for m in model.modes()[:5, 0]]  # + 0.0: not -0.0
        found["95 % of the values"] = [float(f"{end:.6g}") for end in model.interval(0.95)]
        found["median"] = float(f"{float(model.ppf(0.5)):.6g}")
    left_out = model.leave_one_out()
    found["mean log density, each row left out"] = float(f"{float(np.mean(left_out)):.6g}")
    found["method"] = model.method_
    return found


def _write_report(path: Path, names: list[str], model: Any, X: Any, found: dict[str, Any]) -> str:
    from mercer import plots
    from mercer.report.page import page, write_page

    figure, ax = plots.figure(size=(7.0, 4.5))
    plots.density(model, X, ax=ax)
    ax.set_xlabel(names[0])
    if len(names) == 2:
        ax.set_ylabel(names[1])
    caption = "The density with its pointwise 95 % band." if len(names) == 1 else "Contours hold shares of the rows."
    sentences = [f"The density of {' and '.join(names)} from {len(X)} rows."]
    return write_page(path, page(", ".join(names), "density", sentences, found, {caption: figure}))
