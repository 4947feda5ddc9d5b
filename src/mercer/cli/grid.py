"""What `mercer tune` tries: settings by name, each of which the method takes, as is found out before the folds."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from mercer.cli.problem import Problem, settings_of
from mercer.errors import bad

LIBSVM = "libsvm"
STEP = "machine__"  # before the names of parameters: the machine is the last step of a pipeline
FEW = 40  # rows of the fits that show whether a value makes sense, shared by the classes


def grid_of(given: list[str] | None, problem: Problem, method: str, kernel: Any) -> Any:
    """The grid as given, else lengthscales around those of the kernel, times what the method has."""
    if given == [LIBSVM]:
        return LIBSVM
    lists = {name: _listed(name, value) for name, value in settings_of(given, "--grid").items()}
    if lists:
        return {f"{STEP}{name}": _kernels(values) if name == "kernel" else values for name, values in lists.items()}
    return _default_grid(problem, method, kernel)


def _listed(name: str, value: Any) -> list[Any]:
    """The values of a name: a list, or one alone."""
    if value == [] or (isinstance(value, str) and value.startswith("[")):
        example = '["RBF(1.0)","RBF(3.0)"]' if name == "kernel" else "[1,10]"
        raise bad(
            "--grid", name, "a value or a list of them as in JSON", value, f"Write e.g. --grid '{name}={example}'."
        )
    return value if isinstance(value, list) else [value]


def _default_grid(problem: Problem, method: str, kernel: Any) -> dict[str, list[Any]]:
    import numpy as np

    from mercer.study.scales import family
    from mercer.study.tuning import plan_of

    plan = plan_of(method, problem.task)
    unit = float(np.std(problem.y)) if problem.task == "regression" else 1.0
    found: dict[str, list[Any]] = {f"{STEP}kernel": list(family(kernel).values())}
    for name, values in plan.grid.items():
        found[f"{STEP}{name}"] = [unit * value if name in plan.units else value for value in values]
    return found


def _kernels(texts: list[Any]) -> list[Any]:
    from mercer import parse

    return [parse(text) for text in texts]


def size_of(grid: Any) -> int:
    """How many settings there are."""
    from sklearn.model_selection import ParameterGrid

    from mercer.selection.grids import LIBSVM as POINTS

    return len(ParameterGrid(POINTS if grid == LIBSVM else grid))


def require_vectors(problem: Problem, kernel: str | None) -> None:
    """The grid of libsvm is one of Gaussian kernels on numbers."""
    other = [name for name, kind in problem.table.kinds.items() if kind != "numeric"]
    if other or kernel is not None:
        raise bad("tune", "the grid libsvm", "for its own Gaussian kernel on numeric columns",
                  kernel if kernel is not None else f"the column {other[0]!r}", "Leave the grid out.")  # fmt: skip


# ---- faults before the folds


def require_settings(model: Any, grid: Any, problem: Problem, train: Any) -> None:
    """Refuse names that the machine does not have, and values with which it cannot be fitted to the rows `train`.

    Each value is tried once, on few rows; a fault there counts if it is one on all of `train`, too.
    """
    if grid == LIBSVM:
        return
    known = model[-1].get_params()
    for name in grid:
        own = name.removeprefix(STEP)
        if own not in known and not own.startswith("kernel__"):
            raise bad("--grid", "a name", f"one of {', '.join(sorted(known))}", repr(own), _nearest(own, known))
    few = _few(problem)
    for name, value in _each(grid):
        if _failure(model, name, value, problem, few) and (fault := _failure(model, name, value, problem, train)):
            raise _told(name.removeprefix(STEP), value, fault)


def _told(name: str, value: Any, fault: Exception) -> Exception:
    """The fault of a value; one of the settings that are fixed speaks for itself."""
    return bad("--grid", name, "a value that the method takes", repr(value), str(fault)) if name else fault


def _nearest(name: str, known: dict[str, Any]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return f"Did you mean {near[0]!r}?" if near else "Correct the name."


def _each(grid: dict[str, list[Any]]) -> Iterator[tuple[str, Any]]:
    """Every value of every name once, after the settings as they are."""
    yield "", None
    for name, values in grid.items():
        for value in values:
            yield name, value


def _few(problem: Problem) -> Any:
    """A few rows, of every class."""
    import numpy as np

    if problem.task == "regression":
        return np.arange(min(FEW, len(problem.y)))
    labels = np.unique(problem.y)
    each = max(3, FEW // len(labels))
    return np.sort(np.concatenate([np.flatnonzero(problem.y == c)[:each] for c in labels]))


def _failure(model: Any, name: str, value: Any, problem: Problem, rows: Any) -> Exception | None:
    """What is wrong with a value, by a fit to some rows."""
    from sklearn.base import clone

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there is to warn of will be said in the search
        try:
            machine = clone(model).set_params(**({name: value} if name else {}))
            machine.fit(problem.table.take(rows).items, problem.y[rows])
        except (ValueError, TypeError, ArithmeticError) as error:
            return error
    return None
