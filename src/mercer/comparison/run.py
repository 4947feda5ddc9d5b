"""compare(X, y, kernel, methods): every method is fitted to the same training items and judged on the same others.

    print(mercer.compare(X, y, RBF(0.3), ["svm", "l1vm", "rvm", ("big C", SVC(C=100, kernel=RBF(0.3))), "lda"]))
    print(mercer.compare(mercer.tables.read("spam.csv"), "type", tune=True))

sample.py has the items that take part, methods.py the methods, tuning.py how they are tuned, trial.py what happens to
each of them, row.py and result.py the table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from mercer.comparison.chosen_settings import settings_of, short
from mercer.comparison.methods import KERNEL, METHODS, NOTHING, Entrant, baselines, entrants, on_vectors, score_name
from mercer.comparison.result import Comparison, Fitted
from mercer.comparison.row import Row
from mercer.comparison.sample import Sample, sample_of_items
from mercer.comparison.table_sample import has_columns, kernel_of, sample_of_table
from mercer.comparison.trial import tried
from mercer.comparison.tuning import NAMED, PLANS, most_rows, tuned
from mercer.errors import bad
from mercer.items import Vectors
from mercer.solvers.limits import Limits
from mercer.tables import Table

Progress = Callable[[int, int, str], None]
ROWS = 3000  # of a table that take part, unless more are asked for: a minute or two on 2 cores
AMPLE_SECONDS = 60.0  # with less time, methods get fewer rows, as if their work grew with the cube of the rows


def compare(
    X: Any,
    y: Any = None,
    kernel: Any = None,
    methods: Iterable[Any] | str | None = None,
    *,
    tune: bool = False,
    cv: Any = None,
    test_size: float = 0.25,
    scoring: Any = None,
    task: str | None = None,
    max_rows: int = ROWS,
    random_state: int | None = 0,
    time_limit: float | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Fit and judge several methods on the same items with the same kernel.

    X, y           items of any kind and their targets; or a table of `mercer.tables.read` and the name of the column to
                   predict (None: target, label, class or y, else the last).  Columns of a table are scaled by what the
                   training rows show; items are used as they are
    kernel         of every method that is given by its name: a kernel object on any kind of item, a name as in SVC, or
                   "precomputed", and then X is the Gram matrix.  None: "rbf", or the default for the columns of a table
    methods        names (methods.py has the list), estimators, or pairs (name, estimator).  Estimators, pipelines and
                   searches among them, are cloned and used as they are, with their own kernel.  None: all machines
    tune           False: methods have their default parameters.  True: what the command `mercer compare` does.  The
                   parameters and lengthscales of each method are chosen on its training items; methods whose work grows
                   with the cube of the items get fewer, and their row says so; rows of numbers and data frames are
                   treated as tables; None for methods means machines and baselines; the result has the fitted machines
    cv, test_size  folds or a splitter, or else the share (or number) of items that are held out once; cv is for
                   tune=False and items that are no table
    scoring        a scorer of scikit-learn or its name; None is accuracy, or R^2
    task           "classification" or "regression"; None: what y looks like
    max_rows       of a table, drawn at random
    time_limit     seconds after which no further method begins; the rows of the others say so
    progress       called with (methods done, methods in all, name of the next one)

    All numbers but the seconds are the same again for the same random_state, unless time runs out.
    """
    limits = Limits(time_limit=time_limit)
    _check(max_rows, time_limit)
    sample = _sample(X, y, kernel, task, cv, test_size, max_rows, random_state, scoring, tune)
    field = entrants(_default_methods(sample) if tune and methods is None else methods, sample.task)
    rows: list[Row] = []
    fitted: dict[str, Fitted] = {}
    for one in field:
        if progress is not None:
            progress(len(rows), len(field), one.name)
        if limits.reached():
            rows.append(Row(one.name, error=f"no time was left of the {time_limit:g} s"))
            continue
        share = limits.share(len(field) - len(rows)).time_limit
        row, found = _tuned(one, sample, _thrift(time_limit), share) if tune else tried(one, sample)
        rows.append(row)
        if tune and found is not None:
            fitted[one.name] = found
    if progress is not None:
        progress(len(rows), len(field), "")
    score = score_name(sample.task) if scoring is None else _shown(scoring)
    seconds = time.perf_counter() - limits.started
    return Comparison(tuple(rows), sample.task, _shown(sample.kernel), score, _words(sample), sample, fitted, seconds)


def _check(max_rows: int, time_limit: float | None) -> None:
    if max_rows < 1:
        raise bad("compare", "max_rows", "a positive number", max_rows, f"{ROWS} is the default.")
    if time_limit is not None and not time_limit > 0.0:
        raise bad("compare", "time_limit", "a positive number of seconds", time_limit, "Leave it out for no limit.")


def _sample(
    X: Any, y: Any, kernel: Any, task: str | None, cv: Any, test_size: float, max_rows: int, random_state: int | None,
    scoring: Any, tune: bool,
) -> Sample:  # fmt: skip
    X = X.values if isinstance(X, Vectors) else X
    table = isinstance(X, Table) or isinstance(y, str) or (tune and has_columns(X, kernel))
    if cv is not None and (table or tune):
        raise bad(
            "compare", "cv", "None for a table and for tune=True", repr(cv), "test_size says how many are held out."
        )
    if table:
        return replace(sample_of_table(X, y, kernel, task, test_size, max_rows, random_state), scoring=scoring)
    kernel = kernel_of(kernel) if tune else "rbf" if kernel is None else kernel
    return sample_of_items(X, y, kernel, task, cv, test_size, random_state, scoring)


def _default_methods(sample: Sample) -> list[str]:
    """Machines, and baselines that understand the items."""
    numbers, methods = sample.vectors is not None or on_vectors(sample.kernel), METHODS[sample.task]
    plain = [name for name in baselines(sample.task) if numbers or methods[name].takes == NOTHING]
    return [*PLANS[sample.task], *plain]


def _thrift(time_limit: float | None) -> float:
    """The share of its usual training rows that a method gets when time is short."""
    return 1.0 if time_limit is None else min(1.0, (time_limit / AMPLE_SECONDS) ** (1.0 / 3.0))


def _tuned(one: Entrant, sample: Sample, thrift: float, seconds: float | None) -> tuple[Row, Fitted | None]:
    """The row and the fit of one method, with its parameters chosen on the training rows."""
    own = sample.drawn(max(round(thrift * most_rows(one.name, sample.y[sample.train], sample.task)), 1))
    method = METHODS[sample.task].get(one.name) if one.estimator is None else None
    by_search = method is not None and (method.takes == KERNEL or one.name in NAMED)
    if by_search:
        y = own.y[own.train]
        one = Entrant(one.name, tuned(one.name, own.task, own.kernel, y, own.random_state, seconds))
    row, found = tried(one, own)
    fewer = len(own.train) < len(sample.train)
    note = f"fitted to {len(own.train)} of {len(sample.train)} {sample.unit}" if fewer else None
    settings = settings_of(found.machine, own.kernel) if by_search and found is not None else None
    return replace(row, note=note, settings=settings), found


def _shown(given: Any) -> str:
    return given if isinstance(given, str) else getattr(given, "__name__", None) or short(given)


def _words(sample: Sample) -> str:
    train, test = sample.splits[0]
    counts = f"{len(train)} training and {len(test)} held-out {sample.unit}"
    return counts if len(sample.splits) == 1 else f"{len(sample.splits)} splits of about {counts}"
