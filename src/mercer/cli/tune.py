"""mercer tune DATA: the hyper-parameters of one method, by cross-validation on shared Grams."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from mercer.cli.options import Data, Drop, Format, Json, KernelText, Kinds, Method, Rows, Seed, Settings, Target, Task

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
    format: Format = None,  # noqa: A002
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Choose the hyper-parameters of one method by cross-validation.

    The grid "libsvm" is that of C and gamma in powers of 4 for a Gaussian kernel on numeric columns.  Ctrl-C takes the
    best so far, and the exit code is 130.
    """
    import mercer
    from mercer.cli.printing import result, say, table
    from mercer.cli.problem import described, problem_of, score_name, settings_of
    from mercer.cli.stopping import end, kept

    problem = problem_of(data, target, task, format, kind, drop).sampled(rows, seed)
    problem.warn_of(method)
    libsvm = grid == ["libsvm"]
    if libsvm:
        _require_vectors(problem, kernel)
    chosen = "rbf" if libsvm else problem.kernel(kernel, method)
    model = problem.pipeline(method, chosen, settings_of(settings, "--set"), seed)
    tried = "libsvm" if libsvm else _grid(problem, method, chosen, settings_of(grid, "--grid"))
    say(f"kernel: {chosen!r}; {_size(tried)} settings on {folds} folds.")
    search = mercer.KernelSearchCV(
        model, tried, cv=_folds(problem.task, folds, seed), strategy=strategy, time_limit=time_limit,
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


def _grid(problem: Any, method: str, kernel: Any, given: dict[str, Any]) -> dict[str, list[Any]]:
    """What is tried: as given, else the lengthscales around those of the kernel, times what the method has."""
    import numpy as np

    from mercer.study.scales import family
    from mercer.study.tuning import plan_of

    if given:
        lists = {name: value if isinstance(value, list) else [value] for name, value in given.items()}
        return {f"machine__{name}": _kernels(value) if name == "kernel" else value for name, value in lists.items()}
    plan = plan_of(method, problem.task)
    unit = float(np.std(problem.y)) if problem.task == "regression" else 1.0
    found: dict[str, list[Any]] = {"machine__kernel": list(family(kernel).values())}
    for name, values in plan.grid.items():
        found[f"machine__{name}"] = [unit * value if name in plan.units else value for value in values]
    return found


def _require_vectors(problem: Any, kernel: str | None) -> None:
    """The grid of libsvm is one of Gaussian kernels on numbers."""
    from mercer.errors import bad

    other = [name for name, kind in problem.table.kinds.items() if kind != "numeric"]
    if other or kernel is not None:
        raise bad("tune", "the grid libsvm", "for its own Gaussian kernel on numeric columns",
                  kernel if kernel is not None else f"the column {other[0]!r}", "Leave the grid out.")  # fmt: skip


def _kernels(texts: list[Any]) -> list[Any]:
    from mercer import parse

    return [parse(text) for text in texts]


def _size(tried: Any) -> int:
    from sklearn.model_selection import ParameterGrid

    from mercer.selection.grids import LIBSVM

    return len(ParameterGrid(LIBSVM if tried == "libsvm" else tried))


def _folds(task: str, folds: int, seed: int) -> Any:
    from sklearn.model_selection import KFold, StratifiedKFold

    return (StratifiedKFold if task == "classification" else KFold)(folds, shuffle=True, random_state=seed)


def _run(search: Any, problem: Any) -> None:
    """Fit, with the progress of the search on standard error."""
    import sys
    from contextlib import redirect_stdout

    with redirect_stdout(sys.stderr):
        search.fit(problem.table.items, problem.y)


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
