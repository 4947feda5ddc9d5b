"""The grid of `mercer tune`: settings by name, each tried once on few rows before the search begins."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from mercer.cli.labelled_table import LabelledTable
from mercer.cli.options import settings_of
from mercer.errors import bad

LIBSVM = "libsvm"
STEP = "machine__"  # before the names of parameters: the machine is the last step of a pipeline
TRIAL_ROWS = 40  # rows, shared by the classes, of the fits that show whether a value is accepted


def grid_of(given: list[str] | None, table: LabelledTable, method: str, kernel: Any) -> Any:
    """The grid as given, else the one that a tuned comparison tries: lengthscales times the strengths of the method."""
    from mercer.comparison import tuning

    if given == [LIBSVM]:
        return LIBSVM
    lists = {name: _listed(name, value) for name, value in settings_of(given, "--grid").items()}
    if lists:
        return {f"{STEP}{name}": _kernels(values) if name == "kernel" else values for name, values in lists.items()}
    return {f"{STEP}{name}": values for name, values in tuning.grid_of(method, table.task, kernel, table.y).items()}


def _listed(name: str, value: Any) -> list[Any]:
    """The values of a name: a list, or one alone."""
    if value == [] or (isinstance(value, str) and value.startswith("[")):
        example = '["RBF(1.0)","RBF(3.0)"]' if name == "kernel" else "[1,10]"
        raise bad(
            "--grid", name, "a value or a list of them as in JSON", value, f"Write e.g. --grid '{name}={example}'."
        )
    return value if isinstance(value, list) else [value]


def _kernels(texts: list[Any]) -> list[Any]:
    from mercer import parse

    return [parse(text) for text in texts]


def size_of(grid: Any) -> int:
    """How many settings there are."""
    from sklearn.model_selection import ParameterGrid

    from mercer.selection.grids import LIBSVM as POINTS

    return len(ParameterGrid(POINTS if grid == LIBSVM else grid))


def require_vectors(table: LabelledTable, kernel: str | None) -> None:
    """Refuse the grid of libsvm, which has Gaussian kernels on numbers, for other kernels and columns."""
    other = [name for name, kind in table.table.kinds.items() if kind != "numeric"]
    if other or kernel is not None:
        raise bad("tune", "the grid libsvm", "for its own Gaussian kernel on numeric columns",
                  kernel if kernel is not None else f"the column {other[0]!r}", "Leave the grid out.")  # fmt: skip


# ---- faults, found before the search


def require_settings(model: Any, grid: Any, table: LabelledTable, train: Any) -> None:
    """Refuse names that the machine does not have, and values with which it cannot be fitted to the rows `train`.

    Each value is tried once, on few rows; if that fails, it is tried on all of `train`.
    """
    import numpy as np

    from mercer.comparison.sample import some_of_each

    if grid == LIBSVM:
        return
    known = model[-1].get_params()
    for name in grid:
        own = name.removeprefix(STEP)
        if own not in known and not own.startswith("kernel__"):
            raise bad("--grid", "a name", f"one of {', '.join(sorted(known))}", repr(own), _nearest(own, known))
    few = some_of_each(table.y, np.arange(len(table.y)), table.task, TRIAL_ROWS)
    for name, value in _each(grid):
        if _failure(model, name, value, table, few) and (fault := _failure(model, name, value, table, train)):
            raise _told(name.removeprefix(STEP), value, fault)


def _told(name: str, value: Any, fault: Exception) -> Exception:
    """The fault of a value of the grid; a fault of a fixed setting is told as it is."""
    return bad("--grid", name, "a value that the method takes", repr(value), str(fault)) if name else fault


def _nearest(name: str, known: dict[str, Any]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return f"Did you mean {near[0]!r}?" if near else "Correct the name."


def _each(grid: dict[str, list[Any]]) -> Iterator[tuple[str, Any]]:
    """Every value of every name once; before them no change, to try the fixed settings."""
    yield "", None
    for name, values in grid.items():
        for value in values:
            yield name, value


def _failure(model: Any, name: str, value: Any, table: LabelledTable, rows: Any) -> Exception | None:
    """What is wrong with a value, by a fit to some rows."""
    from sklearn.base import clone

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the search will give the same warnings
        try:
            machine = clone(model).set_params(**({name: value} if name else {}))
            machine.fit(table.table.take(rows).items, table.y[rows])
        except (ValueError, TypeError, ArithmeticError) as error:
            return error
    return None
