"""mercer cluster DATA -k 5: the rows of a table in clusters, each around one of them."""

from __future__ import annotations

import csv
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from mercer.cli.options import Data, Drop, Format, Json, Keep, Kinds, Rows, Seed

JUDGED = 5000  # rows whose silhouettes are drawn and averaged


def cluster(
    data: Data,
    clusters: Annotated[str, typer.Option("--clusters", "-k", help="Number of clusters, or auto.")] = "auto",
    most: Annotated[int, typer.Option(min=2, help="Clusters that auto tries at most.")] = 10,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="Column that is not clustered; the clusters are compared with it."),
    ] = None,
    kernel: Annotated[
        str | None, typer.Option("--kernel", help='Kernel expression, e.g. "RBF(2.0)" [default: by the columns].')
    ] = None,
    method: Annotated[
        str, typer.Option("--method", "-m", help="fasterpam, pam, alternate, clara, sampled or auto (by memory).")
    ] = "auto",
    distance: Annotated[str, typer.Option(help="squared or plain distances of the kernel.")] = "squared",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to save the model to.")] = None,
    labels: Annotated[Path | None, typer.Option(help="CSV file to write the cluster of every row to.")] = None,
    report: Annotated[Path | None, typer.Option(help="HTML file to write a page with pictures to.")] = None,
    rows: Rows = None,
    kind: Kinds = None,
    drop: Drop = None,
    keep: Keep = None,
    format: Format = None,  # noqa: A002
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Part the rows of a table into clusters; writes pictures.

    Clusters lie around medoids, which are rows themselves.  With -k auto the number of clusters has the largest mean
    medoid silhouette.  Columns are scaled and gaps filled as TableScaler does.  The saved model has the cluster of new
    rows: mercer predict MODEL DATA.
    """
    from dataclasses import replace

    import mercer
    from mercer.cli.labelled_table import unlabelled_table
    from mercer.cli.output_path import require_place
    from mercer.cli.printing import result
    from mercer.cli.stopping import end, kept

    for place, option in ((output, "--output"), (labels, "--labels"), (report, "--report")):
        require_place(place, option, data)
    k = _number(clusters)
    problem = unlabelled_table(data, target, format, kind, drop, keep).sampled(rows, seed)
    found_kernel = problem.kernel(kernel)
    model = _pipeline(replace(problem, target=None), found_kernel, k, method, distance, seed)
    began = time.perf_counter()
    choice = _chosen(model, problem.table, most) if k is None else None
    interrupt = kept(lambda: model.fit(problem.table.items))
    machine = model[-1]
    found = {"clusters": len(machine.medoid_indices_), "kernel": repr(found_kernel), "method": machine.method_}
    if choice is not None:
        found["silhouettes"] = {str(tried): float(s) for tried, s in zip(choice.ks, choice.silhouettes, strict=True)}
    found |= _judged(model, problem) | {"seconds": round(time.perf_counter() - began, 3)}
    found["certificate"] = str(machine.certificate_)
    if interrupt:
        found["interrupted"] = interrupt
    if labels is not None:
        _write_labels(labels, machine.labels_)
        found["labels"] = str(labels)
    if report is not None:
        found["report"] = _write_report(report, problem, model, choice, found)
    if output is not None:
        mercer.save(model, output)
        found["saved to"] = str(output)
    result(found, json)
    end(interrupt)


def _number(text: str) -> int | None:
    """The number of clusters; None for auto."""
    from mercer.errors import bad

    if text == "auto":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise bad("--clusters", "the number", "a whole number of at least 1, or auto", repr(text), "E.g. -k 5.")
    return int(text)


def _pipeline(problem: Any, kernel: Any, k: int | None, method: str, distance: str, seed: int) -> Any:
    from sklearn.pipeline import Pipeline

    import mercer

    machine = mercer.KMedoids(k or 1, kernel=kernel, method=method, distance=distance, random_state=seed)
    return Pipeline([("scale", problem.scaler(kernel)), ("machine", machine)])


def _chosen(model: Any, table: Any, most: int) -> Any:
    """Choose the number of clusters on the scaled rows, and set it."""
    from mercer.errors import TableError

    n = len(table)
    if n < 3:
        raise TableError(
            f"{table.name}: expected three rows or more to choose a number of clusters, got {n}. Use -k 1."
        )
    scaled = model[:-1].fit_transform(table.items)
    choice = model[-1].choose_k(scaled, range(2, min(most, n - 1) + 1))
    model.set_params(machine__n_clusters=choice.k)
    return choice


def _judged(model: Any, problem: Any) -> dict[str, Any]:
    """What is to be said of the clusters."""
    import numpy as np

    from mercer import medoid_silhouette

    machine = model[-1]
    sizes = np.bincount(machine.labels_)
    found: dict[str, Any] = {"loss": machine.inertia_, "rows in each": sizes, "medoids (rows from 1)":
                             machine.medoid_indices_ + 1}  # fmt: skip
    if len(sizes) > 1:
        table, how = model[:-1].transform(problem.table.items), {"kernel": machine.kernel, "distance": machine.distance}
        found["mean medoid silhouette"] = float(medoid_silhouette(table, machine.medoid_indices_, **how).mean())
    if problem.y is not None:
        from sklearn.metrics import adjusted_rand_score

        found[f"agreement with {problem.target} (adjusted Rand index)"] = float(
            adjusted_rand_score(problem.y, machine.labels_)
        )
    return found


def _write_labels(path: Path, labels: Any) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["cluster"])
        writer.writerows([label] for label in labels.tolist())


def _write_report(path: Path, problem: Any, model: Any, choice: Any, found: dict[str, Any]) -> str:
    """The page: rows on two axes with their medoids, silhouettes, and the choice of the number."""
    import numpy as np

    from mercer import plots, silhouette
    from mercer.report.page import page, write_page
    from mercer.report.projection import axes_of, spread

    machine = model[-1]
    kernel, labels, medoids = machine.kernel, machine.labels_, machine.medoid_indices_
    table = model[:-1].transform(problem.table.items)
    items = kernel.fit(table).check(table)
    shown = np.union1d(spread(len(labels)), medoids)
    pictures = {}
    figure, ax = plots.figure(size=(7.0, 5.0))
    Z = axes_of(np.asarray(kernel(items[shown]), dtype=float))
    plots.medoids(Z, labels[shown], np.searchsorted(shown, medoids), ax=ax)
    ax.set(xlabel="first axis", ylabel="second axis")
    pictures[f"{len(shown)} rows on two principal axes of the kernel; rings mark the medoids."] = figure
    judged = np.union1d(spread(len(labels), JUDGED), medoids)
    if len(medoids) > 1:
        figure, ax = plots.figure(size=(6.0, 4.5))
        s = silhouette(items[judged], labels[judged], kernel=kernel, distance=machine.distance)
        plots.silhouettes(s, labels[judged], ax=ax)
        ax.legend()
        pictures["Silhouettes: how much nearer a row is to its own cluster than to the next, from -1 to 1."] = figure
    if choice is not None:
        figure, ax = plots.figure(size=(5.0, 3.2))
        plots.silhouette_curve(choice, ax=ax)
        ax.legend()
        pictures["The mean medoid silhouette over the number of clusters."] = figure
    how = "chosen by the medoid silhouette" if choice is not None else "as asked"
    sentences = [f"{problem.table.describe()} in {len(medoids)} clusters, {how}.", found["certificate"]]
    return write_page(path, page(problem.table.name, "cluster", sentences, found, pictures))
