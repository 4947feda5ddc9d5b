"""mercer smooth DATA --target y --by x: a smooth through the rows of a table, with its band."""

from __future__ import annotations

import csv
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from mercer.cli.options import Data, Drop, Format, Json, Keep, Kinds, Rows, Seed, Settings, Target

# {name: estimator, and its options by default}: a new method is one line.
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "local": ("LocalRegression", {}),
    "nw": ("NadarayaWatson", {}),
}
PLACES = 200  # of a curve that is written or drawn


def smooth(
    data: Data,
    target: Target = None,
    by: Annotated[
        list[str] | None, typer.Option("--by", help="Column to smooth along; several are several --by [default: all].")
    ] = None,
    method: Annotated[str, typer.Option("--method", "-m", help="local (lines) or nw (local means).")] = "local",
    settings: Settings = None,
    level: Annotated[float, typer.Option(help="Probability of the pointwise band.")] = 0.95,
    curve: Annotated[
        Path | None, typer.Option(help="CSV file to write places, values and band to; of several columns, the rows.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="HTML file to write a page with pictures to.")] = None,
    rows: Rows = None,
    kind: Kinds = None,
    drop: Drop = None,
    keep: Keep = None,
    format: Format = None,  # noqa: A002
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Smooth a column along others, with a band; writes a report.

    The bandwidth has the least exact leave-one-out error, unless --set bandwidth=... says otherwise.  Columns of
    categories weigh rows by whether they agree.
    """
    from mercer.cli.labelled_table import labelled_table
    from mercer.cli.output_path import require_place
    from mercer.cli.printing import result
    from mercer.cli.stopping import end, kept

    for place, option in ((curve, "--curve"), (report, "--report")):
        require_place(place, option, data)
    chosen = _settings(method, settings, level)
    problem = labelled_table(data, target, "regression", format, kind, drop, keep).sampled(rows, seed)
    columns = _columns(problem.table, by)
    X, categorical = _rows(problem.table, columns)
    machine = _machine(method, chosen, categorical)
    began = time.perf_counter()
    interrupt = kept(lambda: machine.fit(X, problem.y))
    found: dict[str, Any] = {"method": method, "rows": len(X)}
    found |= _described(machine, columns, problem.y) | {"seconds": round(time.perf_counter() - began, 3)}
    if interrupt:
        found["interrupted"] = interrupt
    if curve is not None:
        found["curve"] = _write_curve(curve, machine, X, columns, level)
    if report is not None:
        found["report"] = _write_report(report, problem, machine, X, columns, level, found)
    result(found, json)
    end(interrupt)


def _settings(method: str, given: Any, level: float) -> dict[str, Any]:
    """The settings of the method, checked before the table is read."""
    from mercer.cli.options import settings_of
    from mercer.errors import bad

    if method not in METHODS:
        raise bad("--method", "the method", f"one of {', '.join(METHODS)}", repr(method), "local fits lines.")
    if not 0.0 < level < 1.0:
        raise bad("--level", "the probability", "between 0 and 1", level, "0.95 is the default.")
    chosen = settings_of(given, "--set")
    known = _machine(method, {}, []).get_params()
    unknown = [name for name in chosen if name not in known]
    if unknown:
        raise bad(method, "a setting", f"one of {', '.join(sorted(known))}", unknown[0], "Correct the name.")
    return chosen


def _machine(method: str, settings: dict[str, Any], categorical: list[int]) -> Any:
    import mercer

    name, options = METHODS[method]
    machine = getattr(mercer, name)(**options)
    mixed = {"categorical": categorical} if categorical and "categorical" in machine.get_params() else {}
    return machine.set_params(**mixed, **settings)


def _columns(table: Any, by: list[str] | None) -> list[str]:
    """The columns to smooth along."""
    from mercer.errors import bad

    names = list(by) if by else [name for name in table.columns if table.kinds[name] != "text"]
    for name in names:
        table.require(name)
        if table.kinds[name] == "text":
            raise bad("--by", "a column", "of numbers or categories", f"{name!r}, a text", "Choose another column.")
    if not any(table.kinds[name] == "numeric" for name in names):
        raise bad("--by", "the columns", "with one of numbers among them", ", ".join(names) or "none", "E.g. --by x.")
    return names


def _rows(table: Any, columns: list[str]) -> tuple[Any, list[int]]:
    """Rows of the columns, and which of these hold categories."""
    import numpy as np

    categorical = [j for j, name in enumerate(columns) if table.kinds[name] != "numeric"]
    parts = [np.asarray(table.columns[name]) for name in columns]
    if not categorical:
        return np.column_stack(parts).astype(float), []
    X = np.empty((len(table), len(columns)), dtype=object)
    for j, part in enumerate(parts):
        X[:, j] = part
    return X, categorical


def _described(machine: Any, columns: list[str], y: Any) -> dict[str, Any]:
    """What is to be said of the smooth."""
    found: dict[str, Any] = {}
    if getattr(machine, "bandwidth_", None) is not None:
        found["bandwidth"] = {name: float(h) for name, h in zip(columns, machine.bandwidth_, strict=True)}
    if hasattr(machine, "search_"):
        found["chosen by"] = str(machine.search_)
    found["degrees of freedom"] = float(machine.df_)
    found["deviation of the noise"] = float(machine.sigma_)
    left = machine.leave_one_out() if hasattr(machine, "leave_one_out") else None
    if left is not None and y.var() > 0.0:
        found["leave-one-out R^2"] = float(1.0 - ((y - left) ** 2).mean() / y.var())
    found["certificate"] = str(machine.certificate_)
    return found


def _grid(X: Any) -> Any:
    """Even places along one column; the rows themselves in several."""
    import numpy as np

    if X.shape[1] > 1:
        return X
    column = np.asarray(X[:, 0], dtype=float)
    return np.linspace(column.min(), column.max(), PLACES)[:, None]


def _write_curve(path: Path, machine: Any, X: Any, columns: list[str], level: float) -> str:
    from mercer.plots.smooth import band

    Z = _grid(X)
    low, f, high, empty = band(machine, Z, level)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*columns, "smooth", *([] if low is None else ["low", "high"]), "gap"])
        for i, row in enumerate(Z.tolist()):
            bounds = [] if low is None else [low[i], high[i]]
            writer.writerow([*row, f[i], *bounds, int(empty[i])])
    return str(path)


def _write_report(
    path: Path, problem: Any, machine: Any, X: Any, columns: list[str], level: float, found: dict[str, Any]
) -> str:  # fmt: skip
    """The page: the smooth with its band along one column, and residuals."""
    from mercer import plots
    from mercer.report.page import page, write_page

    pictures = {}
    if len(columns) == 1:
        figure, ax = plots.figure(size=(7.0, 4.5))
        plots.smooth(machine, X, problem.y, level=level, ax=ax)
        ax.set(xlabel=columns[0], ylabel=problem.target)
        ax.legend()
        pictures[f"{problem.target} along {columns[0]}, with a pointwise band of {level:.0%}."] = figure
    figure, ax = plots.figure(size=(6.0, 3.6))
    plots.residuals(problem.y, machine.fitted_values_, std=machine.sigma_, ax=ax)
    pictures["What is left over the smooth: without a pattern, if the bandwidth is right."] = figure
    sentences = [f"{problem.target} of {problem.table.describe()}, smoothed along {', '.join(columns)}."]
    return write_page(path, page(problem.table.name, "smooth", [*sentences, found["certificate"]], found, pictures))
