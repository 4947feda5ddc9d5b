"""run(table, target): draw rows, split and scale them, then tune, fit and judge one method after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from mercer.comparison import Comparison, Row
from mercer.comparison.methods import CLASSIFICATION, KERNEL, METHODS, REGRESSION, Entrant, baselines, entrants
from mercer.comparison.trial import Problem, tried
from mercer.errors import bad
from mercer.study.result import Study, settings_of, short
from mercer.study.sample import Sample, drawn, sample_of
from mercer.study.tuning import rows_of, tuned
from mercer.tables import Table
from mercer.typing import Array

Progress = Callable[[int, int, str], None]
ROWS = 3000  # of a table that take part unless more are asked for: a minute or two on 2 cores
USUAL = 60.0  # seconds; with less time every method gets fewer rows, as if its work grew with their cube
MACHINES = {
    CLASSIFICATION: ("l2vm", "l1vm", "rvm", "svm", "svm + platt", "gp", "klr"),
    REGRESSION: ("l2vm", "l1vm", "rvm", "svm", "gp", "ridge"),
}


@dataclass(frozen=True)
class Clock:
    """When a study began and how long it may take."""

    began: float
    limit: float | None

    @property
    def left(self) -> float:
        return np.inf if self.limit is None else self.began + self.limit - time.perf_counter()

    @property
    def over(self) -> bool:
        return self.left <= 0.0

    @property
    def thrift(self) -> float:
        """The share of its rows that a method gets."""
        return 1.0 if self.limit is None else min(1.0, (self.limit / USUAL) ** (1.0 / 3.0))

    def share(self, methods: int) -> float | None:
        """Seconds for each of the methods that are left."""
        return None if self.limit is None else self.left / methods


def run(
    table: Table,
    target: str | None = None,
    *,
    kernel: Any = None,
    methods: Iterable[str] | None = None,
    task: str | None = None,
    test_size: float = 0.25,
    max_rows: int = ROWS,
    random_state: int = 0,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Study:
    """Tune, fit and judge methods on a table: the rows of Table 14.1, ridge or klr, and the baselines.

    target, task   the column to predict and whether it holds labels or numbers; None: as the table has it
    kernel         an expression or a kernel on the scaled columns; None: the default for their kinds
    methods        names of mercer.comparison.methods; None: all of the above
    max_rows       rows that take part; methods whose work grows with their cube take fewer, and their row says so
    time_limit     seconds for all; no method begins after them, and a row that had no time says so
    progress       called with (methods done, methods in all, name of the next one)

    All numbers but the seconds are the same again for the same random_state, unless time ran out.
    """
    began = time.perf_counter()
    _check(test_size, max_rows, time_limit)
    given = None if methods is None else [name.strip() for name in methods]
    asked = _asked(kernel=kernel, methods=given and ",".join(given), rows=max_rows, seed=random_state,
                   **{"time-limit": time_limit, "test-size": test_size, "task": task})  # fmt: skip
    sample = sample_of(table, target, kernel, task, test_size, max_rows, random_state)
    field = _entrants(given, sample.task)
    clock = Clock(began, time_limit)
    rows: list[Row] = []
    fitted: dict[str, Any] = {}
    fitted_to: dict[str, Array] = {}
    for one in field:
        if progress is not None:
            progress(len(rows), len(field), one.name)
        if clock.over:
            rows.append(Row(one.name, error=f"no time was left of the {time_limit:g} s"))
            continue
        train = _training_rows(one.name, sample, clock.thrift, random_state)
        row, machine = _judged(one, sample, train, random_state, clock.share(len(field) - len(rows)))
        rows.append(row)
        if machine is not None:
            fitted[one.name], fitted_to[one.name] = machine, train
    if progress is not None:
        progress(len(rows), len(field), "")
    _require_result(rows)
    words = f"{len(sample.train)} rows fitted and {len(sample.test)} held out"
    score = "accuracy" if sample.task == CLASSIFICATION else "R^2"
    found = Comparison(tuple(rows), sample.task, short(sample.kernel), score, words)
    return Study(found, sample, fitted, fitted_to, time.perf_counter() - began, random_state, asked)


def _check(test_size: float, max_rows: int, time_limit: float | None) -> None:
    if not 0.0 < test_size < 1.0:
        raise bad("compare", "test_size", "a share between 0 and 1", test_size, "0.25 is usual.")
    if max_rows < 1:
        raise bad("compare", "rows", "a positive number", max_rows, f"{ROWS} is the default.")
    if time_limit is not None and not time_limit > 0.0:
        raise bad("compare", "time_limit", "a positive number of seconds", time_limit, "Leave it out for no limit.")


def _asked(**options: Any) -> tuple[tuple[str, str], ...]:
    """Options that differ from what they are by default."""
    usual = {"rows": ROWS, "seed": 0, "test-size": 0.25}
    return tuple((name, str(v)) for name, v in options.items() if v is not None and v != usual.get(name))


def _entrants(methods: Iterable[str] | None, task: str) -> list[Entrant]:
    names = [*MACHINES[task], *baselines(task)] if methods is None else methods
    field = entrants(names, task)
    for one in field:
        if one.name not in METHODS[task]:
            raise bad("compare", "methods", f"for {task} of {', '.join(METHODS[task])}", one.name, "Leave it out.")
    return field


def _training_rows(name: str, sample: Sample, thrift: float, random_state: int) -> Array:
    """The training rows of a method: all, or as many as its work allows."""
    classes = len(np.unique(sample.y)) if sample.task == CLASSIFICATION else 2
    most = rows_of(name, sample.task, classes)
    most = len(sample.train) if most is None else min(most, len(sample.train))
    rng = np.random.default_rng(random_state)
    return sample.train[drawn(sample.y[sample.train], max(round(thrift * most), 1), sample.task, rng)]


def _judged(one: Entrant, sample: Sample, train: Array, random_state: int, limit: float | None) -> tuple[Row, Any]:
    """The row and the machine of one method."""
    problem = Problem(sample.X, sample.y, sample.task, sample.kernel, None, [(train, sample.test)], random_state,
                      sample.vectors)  # fmt: skip
    entrant = one
    if METHODS[sample.task][one.name].takes == KERNEL:
        make = partial(tuned, one.name, sample.task, sample.kernel, sample.y[train], random_state, limit)
        entrant = Entrant(one.name, make())
    row, machine = tried(entrant, problem)
    note = f"fitted to {len(train)} of {len(sample.train)} rows" if len(train) < len(sample.train) else None
    settings = None if machine is None else settings_of(machine, sample.kernel)
    return replace(row, note=note, settings=settings), machine


def _require_result(rows: list[Row]) -> None:
    """Refuse to report on nothing: if no method has a result, the first error is the reason."""
    if all(row.error for row in rows):
        raise ValueError(f"compare: no method has a result. {rows[0].name}: {rows[0].error}")
