"""mercer tune DATA: the hyper-parameters of one method, by cross-validation on shared Grams."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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

if TYPE_CHECKING:
    from mercer.cli.labelled_table import LabelledTable

LISTED = 10  # settings that are printed, the best first


def tune(
    data: Data,
    target: Target = None,
    method: Method = "svm",
    kernel: KernelText = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(help='NAME=[VALUES], e.g. "C=[1,10]", or libsvm [default: by the method, and lengthscales].'),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds of cross-validation.")] = 5,
    strategy: Annotated[str, typer.Option(help="grid, random or halving.")] = "grid",
    time_limit: Annotated[float | None, typer.Option(help="Seconds after which no new fit begins.")] = None,
    settings: Settings = None,
    save: Annotated[Path | None, typer.Option("--save", "-o", help="File to save the best model to.")] = None,
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
    """Choose the hyper-parameters of one method by cross-validation.

    The grid "libsvm" has C and gamma in powers of 4 for a Gaussian kernel on numeric columns.  Ctrl-C ends the search:
    the best so far is fitted, and the exit code is 130.
    """
    import mercer
    from mercer.cli.labelled_table import described, labelled_table, require_method
    from mercer.cli.output_path import require_place
    from mercer.cli.printing import result, say, table
    from mercer.cli.stopping import end, kept
    from mercer.cli.tune_grid import LIBSVM, grid_of, require_settings, require_vectors, size_of
    from mercer.comparison.methods import score_name
    from mercer.comparison.sample import folds_of
    from mercer.distributed.connection import connected

    require_place(save, "--save", data)
    require_method(method)
    given = labelled_table(data, target, task, format, kind, drop, keep).sampled(rows, seed)
    given.warn_of(method)
    libsvm = grid == [LIBSVM]
    if libsvm:
        require_vectors(given, kernel)
    chosen = "rbf" if libsvm else given.kernel(kernel, method)
    model = given.pipeline(method, chosen, settings_of(settings, "--set"), seed)
    tried = grid_of(grid, given, method, chosen)
    cv = folds_of(given.task, folds, seed)
    if grid or settings:
        require_settings(model, tried, given, next(cv.split(given.y, given.y))[0])
    say(f"kernel: {chosen!r}; {size_of(tried)} settings on {folds} folds.")
    search = mercer.KernelSearchCV(
        model, tried, cv=cv, strategy=strategy, time_limit=time_limit,
        random_state=seed, verbose=1,
    )  # fmt: skip
    with connected(scheduler):
        interrupt = kept(lambda: _run(search, given))
    found = {
        "method": method,
        "best": _named(search.best_params_),
        f"{score_name(given.task)} of {folds} folds": float(search.best_score_),
        "kernel evaluations": int(search.kernel_evaluations_),
        **described(search.best_estimator_[-1]),
    }
    if interrupt:
        found["interrupted"] = interrupt
    if save is not None:
        mercer.save(search.best_estimator_, save)
        found["saved to"] = str(save)
    if json:
        result(found | {"settings": _settings(search.cv_results_)}, True)
        end(interrupt)
        return
    tests = _settings(search.cv_results_)
    names = list(tests[0]["params"])
    table([*names, "score", "std"], [[*one["params"].values(), one["score"], one["std"]] for one in tests[:LISTED]])
    result(found, False)
    end(interrupt)


def _run(search: Any, given: LabelledTable) -> None:
    """Fit; on a terminal the latest line of the search is shown until it is done."""
    from contextlib import redirect_stdout

    from rich.console import Console

    with Console(stderr=True).status("searching") as status, redirect_stdout(_Latest(status.update)):
        search.fit(given.table.items, given.y)


class _Latest(io.TextIOBase):
    """A stream that shows only its latest line."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self.show = show

    def write(self, text: str) -> int:
        if text.strip():
            self.show(text.strip())
        return len(text)


def _settings(results: Any) -> list[dict[str, Any]]:
    """All settings, the best first."""
    import numpy as np

    order = np.argsort(results["rank_test_score"], kind="stable")
    return [
        {
            "params": _named(results["params"][i]),
            "score": float(results["mean_test_score"][i]),
            "std": float(results["std_test_score"][i]),
        }
        for i in order
    ]


def _named(params: dict[str, Any]) -> dict[str, Any]:
    return {name.removeprefix("machine__"): value for name, value in params.items()}
