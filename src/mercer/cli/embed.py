"""mercer embed DATA: the rows of a table as points on few axes."""

from __future__ import annotations

import csv
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from mercer.cli.options import Data, Drop, Format, Json, Keep, KernelText, Kinds, Rows, Seed, Settings, settings_of

METHODS = ("pca", "mds")


def embed(
    data: Data,
    target: Annotated[
        str | None, typer.Option("--target", "-t", help="Column that colours the picture and is not embedded.")
    ] = None,
    components: Annotated[int, typer.Option("--components", "-n", min=1, help="Axes.")] = 2,
    method: Annotated[
        str, typer.Option("--method", "-m", help="pca (kernel PCA) or mds (scaling of distances).")
    ] = "pca",
    kernel: KernelText = None,
    settings: Settings = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to save the model to.")] = None,
    scores: Annotated[Path | None, typer.Option(help="CSV file to write the coordinates of the rows to.")] = None,
    report: Annotated[Path | None, typer.Option(help="HTML file to write a page with the picture to.")] = None,
    rows: Rows = None,
    kind: Kinds = None,
    drop: Drop = None,
    keep: Keep = None,
    format: Format = None,  # noqa: A002
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Place the rows of a table on few axes, by kernel PCA or scaling.

    The saved model places new rows: mercer predict MODEL DATA prints their coordinates.
    """
    import mercer
    from mercer.cli.labelled_table import unlabelled_table
    from mercer.cli.output_path import require_place
    from mercer.cli.printing import result
    from mercer.cli.stopping import end, kept
    from mercer.errors import bad

    for place, option in ((output, "--output"), (scores, "--scores"), (report, "--report")):
        require_place(place, option, data)
    if method not in METHODS:
        raise bad("--method", "the method", f"one of {', '.join(METHODS)}", repr(method), "pca is the default.")
    problem = unlabelled_table(data, target, format, kind, drop, keep).sampled(rows, seed)
    model = _pipeline(problem, method, problem.kernel(kernel), components, settings_of(settings, "--set"), seed)
    began = time.perf_counter()
    interrupt = kept(lambda: model.fit(problem.table.items))
    Y = model.transform(problem.table.items)
    found = _found(model[-1], method, time.perf_counter() - began)
    if interrupt:
        found["interrupted"] = interrupt
    if scores is not None:
        _write_scores(scores, Y)
        found["coordinates"] = str(scores)
    if report is not None:
        _write_report(report, problem, model[-1], Y, found)
        found["report"] = str(report)
    if output is not None:
        mercer.save(model, output)
        found["saved to"] = str(output)
    result(found, json)
    end(interrupt)


def _pipeline(problem: Any, method: str, kernel: Any, components: int, settings: dict[str, Any], seed: int) -> Any:
    from sklearn.pipeline import Pipeline

    import mercer
    from mercer.errors import bad

    made = mercer.KernelPCA if method == "pca" else mercer.ClassicalMDS
    machine = made(components, kernel=kernel, random_state=seed)
    unknown = [name for name in settings if name not in machine.get_params()]
    if unknown:
        raise bad(method, "a setting", f"one of {', '.join(sorted(machine.get_params()))}", unknown[0], "Correct it.")
    return Pipeline([("scale", problem.scaler(kernel)), ("machine", machine.set_params(**settings))])


def _found(machine: Any, method: str, seconds: float) -> dict[str, Any]:
    total = machine.certificate_.total
    shares = [float(value / total) if total > 0.0 else 0.0 for value in machine.eigenvalues_]
    return {
        "method": method,
        "kernel": repr(machine.kernel),
        "shares of the variance": [round(share, 6) for share in shares],
        "solver": machine.solver_,
        "seconds": round(seconds, 3),
        "certificate": str(machine.certificate_),
    }


def _write_scores(path: Path, Y: Any) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([f"axis{i + 1}" for i in range(Y.shape[1])])
        writer.writerows(Y.tolist())


def _write_report(path: Path, problem: Any, machine: Any, Y: Any, found: dict[str, Any]) -> None:
    from mercer import plots
    from mercer.report.page import page, write_page

    figure, ax = plots.figure(size=(7.0, 5.0))
    plots.embedding(Y, problem.y, ratio=found["shares of the variance"], ax=ax)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(title=problem.target)
    spectrum, other = plots.figure(size=(5.0, 3.0))
    plots.spectrum(machine.eigenvalues_[machine.eigenvalues_ > 0.0], ax=other)
    shares = found["shares of the variance"]
    sentences = [
        f"{problem.table.describe()} on {len(shares)} axes, which hold {sum(shares):.1%} of the variance.",
        found["certificate"],
    ]
    pictures = {"The rows on the first two axes.": figure, "Eigenvalues of the axes.": spectrum}
    write_page(path, page(problem.table.name, "embed", sentences, found, pictures))
