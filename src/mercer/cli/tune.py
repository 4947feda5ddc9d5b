"""mercer tune DATA: the hyper-parameters of one method, by cross-validation on shared Grams."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

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

BEST = 10  # settings that are listed


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
    json: Json = False,
) -> None:
    """Choose the hyper-parameters of one method by cross-validation.

    The grid "libsvm" is that of C and gamma in powers of 4 for a Gaussian kernel on numeric columns.  Ctrl-C takes the
    best so far, and the exit code is 130.
    """
    import mercer
    from mercer.cli.grid import LIBSVM, grid_of, require_settings, require_vectors, size_of
    from mercer.cli.output import require_place
    from mercer.cli.printing import result, say, table
    from mercer.cli.problem import described, problem_of, require_method, score_name, settings_of
    from mercer.cli.stopping import end, kept

    require_place(save, "--save", data)
    require_method(method)
    problem = problem_of(data, target, task, format, kind, drop, keep).sampled(rows, seed)
    problem.warn_of(method)
    libsvm = grid == [LIBSVM]
    if libsvm:
        require_vectors(problem, kernel)
    chosen = "rbf" if libsvm else problem.kernel(kernel, method)
    model = problem.pipeline(method, chosen, settings_of(settings, "--set"), seed)
    tried = grid_of(grid, problem, method, chosen)
    cv = _folds(problem.task, folds, seed)
    if grid or settings:
        require_settings(model, tried, problem, next(cv.split(problem.y, problem.y))[0])
    say(f"kernel: {chosen!r}; {size_of(tried)} settings on {folds} folds.")
    search = mercer.KernelSearchCV(
        model, tried, cv=cv, strategy=strategy, time_limit=time_limit,
        random_state=seed, verbose=1,
    )  # fmt: skip
    interrupt = kept(lambda: _run(search, problem))
    found = {
        "method": method,
        "best": _named(search.best_params_),
        f"{score_name(problem.task)} of {folds} folds": float(search.best_score_),
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
    table([*names, "score", "std"], [[*one["params"].values(), one["score"], one["std"]] for one in tests[:BEST]])
    result(found, False)
    end(interrupt)


def _folds(task: str, folds: int, seed: int) -> Any:
    from sklearn.model_selection import KFold, StratifiedKFold

    return (StratifiedKFold if task == "classification" else KFold)(folds, shuffle=True, random_state=seed)


def _run(search: Any, problem: Any) -> None:
    """Fit; on a terminal the latest sentence of the search is shown, and gone when it is done."""
    from contextlib import redirect_stdout

    from rich.console import Console

    with Console(stderr=True).status("searching") as status, redirect_stdout(_Latest(status.update)):
        search.fit(problem.table.items, problem.y)


class _Latest(io.TextIOBase):
    """A stream of which only the latest line is seen."""

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
