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
    "loess": ("Loess", {}),
    "nw": ("NadarayaWatson", {}),
}
PLACES = 200  # of a curve that is written or drawn


def smooth(
    data: Data,
    target: Target = None,
    by: Annotated[
        list[str] | None, typer.Option("--by", help="Column to smooth along; several are several --by [default: all].")
    ] = None,
    method: Annotated[str, typer.Option("--method", "-m", help="local (lines), nw (local means) or loess.")] = "local",
    settings: Settings = None,
    level: Annotated[float, typer.Option(help="Probability of the pointwise band.")] = 0.95,
    curve: Annotated[
        Path | None, typer.Option(help="CSV file to write places, values and band to; of several columns, the rows.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to save the model to.")] = None,
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

    The bandwidth has the least exact leave-one-out error, unless --set bandwidth=... says otherwise; loess sees the
    share --set span=0.75 of the rows.  Columns of categories weigh rows by whether they agree.  A model that is saved
    goes to `mercer predict`.
    """
    import mercer
    from mercer.cli.labelled_table import labelled_table
    from mercer.cli.output_path import require_place
    from mercer.cli.printing import result
    from mercer.cli.stopping import end, kept

    for place, option in ((curve, "--curve"), (output, "--output"), (report, "--report")):
        require_place(place, option, data)
    chosen = _settings(method, settings, level)
    problem = labelled_table(data, target, "regression", format, kind, drop, keep).sampled(rows, seed)
    columns = _columns(problem.table, by)
    problem, dropped = _whole(problem, columns)
    model = _pipeline(problem.table, problem.target, method, chosen)
    began = time.perf_counter()
    interrupt = kept(lambda: model.fit(problem.table.items, problem.y))
    X, machine, columns = _rows(problem.table), model[-1], list(problem.table.columns)
    found: dict[str, Any] = {"method": method, "rows": len(X)}
    if dropped:
        found["rows with gaps, left out"] = dropped
    found |= _described(machine, columns, problem.y) | {"seconds": round(time.perf_counter() - began, 3)}
    if interrupt:
        found["interrupted"] = interrupt
    if curve is not None:
        found["curve"] = _write_curve(curve, machine, X, columns, level)
    if report is not None:
        found["report"] = _write_report(report, problem, machine, X, columns, level, found)
    if output is not None:
        mercer.save(model, output)
        found["saved to"] = str(output)
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


def _pipeline(table: Any, target: str, method: str, settings: dict[str, Any]) -> Any:
    """The names and kinds of the columns, then the machine, not yet fitted."""
    from sklearn.pipeline import Pipeline

    from mercer import TableScaler

    categorical = [j for j, kind in enumerate(table.kinds.values()) if kind != "numeric"]
    names = TableScaler(table.kinds, target=target, scale=False)
    return Pipeline([("names", names), ("machine", _machine(method, settings, categorical))])


def _machine(method: str, settings: dict[str, Any], categorical: list[int]) -> Any:
    import mercer
    from mercer.errors import bad

    name, options = METHODS[method]
    machine = getattr(mercer, name)(**options)
    if categorical and "categorical" not in machine.get_params():
        raise bad("--by", "the columns", f"of numbers for {method}", f"{len(categorical)} of categories",
                  "Name columns of numbers, or take --method local.")  # fmt: skip
    return machine.set_params(**({"categorical": categorical} if categorical else {}), **settings)


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


def _whole(problem: Any, columns: list[str]) -> tuple[Any, int]:
    """The problem with these columns, and rows without gaps in them; and how many had one."""
    from dataclasses import replace

    import numpy as np

    from mercer.items.symbols import is_missing

    table = problem.table.drop([name for name in problem.table.columns if name not in columns])
    gap = np.array([any(is_missing(one) for one in row) for row in zip(*table.columns.values(), strict=True)])
    kept = np.flatnonzero(~gap)
    return replace(problem, table=table.take(kept), y=problem.y[kept]), int(gap.sum())


def _rows(table: Any) -> Any:
    """The rows as an array: of numbers if all columns are."""
    import numpy as np

    parts = [np.asarray(column) for column in table.columns.values()]
    if all(kind == "numeric" for kind in table.kinds.values()):
        return np.column_stack(parts).astype(float)
    X = np.empty((len(table), len(parts)), dtype=object)
    for j, part in enumerate(parts):
        X[:, j] = part
    return X


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
