"""compare(X, y, kernel, methods): every method is fitted to the same training items and judged on the same others.

    print(mercer.compare(X, y, RBF(0.3), ["svm", "l1vm", "rvm", ("big C", SVC(C=100, kernel=RBF(0.3))), "lda"]))
    print(mercer.compare(mercer.tables.read("spam.csv"), "type", tune=True))

sample.py has the items that take part, methods.py the methods, tuning.py how they are tuned, trial.py what happens to
each of them, row.py and result.py the table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from mercer.comparison.chosen_settings import settings_of, short
from mercer.comparison.deadline import Deadline, deadline
from mercer.comparison.growth import Growing, chosen
from mercer.comparison.learned_kernel import with_learned_kernel
from mercer.comparison.methods import (
    KERNEL,
    METHODS,
    METRICS,
    NOTHING,
    Entrant,
    baselines,
    entrants,
    on_vectors,
    score_name,
)
from mercer.comparison.result import Comparison, Fitted
from mercer.comparison.row import Row
from mercer.comparison.sample import Sample, sample_of_items
from mercer.comparison.table_sample import has_columns, kernel_of, sample_of_table
from mercer.comparison.trial import enlarged, tried
from mercer.comparison.tuning import NAMED, PLANS, searched_rows, tuned
from mercer.comparison.two_stages import TwoStages
from mercer.errors import bad
from mercer.items import Vectors
from mercer.solvers.limits import Limits
from mercer.tables import Table

Progress = Callable[[int, int, str], None]
RowDone = Callable[[Row], None]
_Done = tuple[Row, Fitted | None]
ROWS = 3000  # of a table that take part without tuning, unless more are asked for
ALL_ROWS = 100_000  # the same with tuning
EXPENSIVE = ("svm", "svm + platt", "klr", "gp", "l2vm", "l1vm", "rvm", "rfm")  # of all methods, in this order
PATIENCE = 1.5  # times its share, after which a method is stopped
LEAST_SHARE = 0.2  # of the time left, before which no method is stopped
INTERRUPTED = "Ctrl-C ended the comparison before"
AMPLE_SECONDS = 60.0  # with less time, searches get fewer rows, as if their work grew with the cube of the rows


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
    max_rows: int | None = None,
    random_state: int | None = 0,
    time_limit: float | None = None,
    progress: Progress | None = None,
    row_done: RowDone | None = None,
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
                   parameters and lengthscales of each method are chosen on training items, of many on a sample; then
                   the method is fitted to all, exactly where that is quick, else on landmarks or the like, and `how` of
                   its row says which; rows of numbers and data frames are treated as tables; None for methods means
                   machines and baselines; the result has the fitted machines
    cv, test_size  folds or a splitter, or else the share (or number) of items that are held out once; cv is for
                   tune=False and items that are no table
    scoring        a scorer of scikit-learn or its name; None is accuracy, or R^2
    task           "classification" or "regression"; None: what y looks like
    max_rows       of a table, drawn at random; None: 100 000 with tune=True, else 3000
    time_limit     seconds for all of it: each method gets its share of what is left, and of many rows its first fit is
                   small; then the time that is left goes into larger ones.  A method without time for a fit to all
                   rows has only those it was tuned on, and its row says so; one without time for that is stopped
    progress       called with (methods done, methods in all, name of the next one)
    row_done       called with every row when it is done, again after a larger fit of the same method; if methods is
                   None, cheap methods come first

    Ctrl-C ends the comparison, with the rows that are done; those of other methods say so.  Before the first row is
    done it is raised.  All numbers but the seconds are the same again for the same random_state, unless time is short:
    how many landmarks there is time for depends on the machine.
    """
    limits = Limits(time_limit=time_limit)
    max_rows = (ALL_ROWS if tune else ROWS) if max_rows is None else max_rows
    _check(max_rows, time_limit)
    sample = _sample(X, y, kernel, task, cv, test_size, max_rows, random_state, scoring, tune)
    sample = with_learned_kernel(sample, time_limit) if tune else sample
    competing = entrants(_default_methods(sample) if tune and methods is None else methods, sample.task)
    order = _cheap_first(competing, sample.task) if methods is None else competing
    run = Run(sample, limits, tune, len(competing), progress, row_done)
    for one in order:
        if not run.has_ended:
            run.take(one)
    run.grow()
    run.finish(competing)
    score = score_name(sample.task) if scoring is None else _shown(scoring)
    seconds = time.perf_counter() - limits.started
    rows = tuple(run.rows[one.name] for one in competing)
    kept = {one.name: run.fitted[one.name] for one in competing if one.name in run.fitted}
    return Comparison(rows, sample.task, _shown(sample.kernel), score, _words(sample), sample, kept, seconds)


@dataclass(eq=False)
class Run:
    """The methods of a comparison, one after the other, and then larger fits of some; `has_ended` after Ctrl-C."""

    sample: Sample
    limits: Limits
    tune: bool
    count: int
    progress: Progress | None
    row_done: RowDone | None
    rows: dict[str, Row] = field(default_factory=dict)
    fitted: dict[str, Fitted] = field(default_factory=dict)
    growing: dict[str, Growing] = field(default_factory=dict)
    has_ended: bool = False

    def take(self, one: Entrant) -> None:
        """Fit and judge one method, within its share of the time that is left."""
        self._tell(one.name)
        limit = self.limits.time_limit
        if limit is not None and (self.limits.left or 0.0) <= 0.0:
            self._add(Row(one.name, error=f"no time was left of the {limit:g} s"))
            return
        share, left = self.limits.share(self.count - len(self.rows)).time_limit, self.limits.left
        at_most = None if share is None or left is None else min(left, max(PATIENCE * share, LEAST_SHARE * left))
        began = time.perf_counter()
        done = self._within(
            at_most, lambda: _tuned(one, self.sample, limit, share) if self.tune else tried(one, self.sample)
        )
        if self.has_ended:
            return
        if done is None:
            self._add(Row(one.name, error=f"stopped after {at_most:.3g} s, to keep the limit of {limit:g} s"))
            return
        row, found = done
        if self.tune and found is not None:
            self.fitted[one.name] = found
            self._watch(row, found, time.perf_counter() - began)
        self._add(row)

    def grow(self) -> None:
        """Fit larger sizes of the methods that have some, as long as there is time."""
        while not self.has_ended and (step := chosen(self.growing, self.limits.left)) is not None:
            one, size, at_most = step
            self._tell(one.name)
            began, before = time.perf_counter(), self.rows[one.name]
            done = self._within(at_most, lambda: _larger(before, one.stages, size, self.sample))  # noqa: B023
            del self.growing[one.name]
            row, found = done or (before, None)
            if found is None:
                continue  # the smaller fit stays
            self.fitted[one.name] = found
            self._watch(row, found, time.perf_counter() - began + (row.tune_seconds or 0.0))
            self._add(row)

    def _within(self, seconds: float | None, work: Callable[[], _Done]) -> _Done | None:
        """What `work` returns; None if it took too long, or if Ctrl-C ended it, which also sets `has_ended`."""
        watch = Deadline()
        try:
            with deadline(seconds) as watch:
                return work()
        except KeyboardInterrupt:
            if not watch.struck:
                self.has_ended = True
                if not any(row.score is not None for row in self.rows.values()):
                    raise
        return None

    def _watch(self, row: Row, found: Fitted, seconds: float) -> None:
        """Note that there are larger sizes of a method."""
        if found.stages is not None and found.stages.larger_ and self.limits.time_limit is not None:
            numbers = METHODS[self.sample.task][row.name].takes != KERNEL
            X = self.sample.items(self.sample.train, numbers=numbers)
            self.growing[row.name] = Growing(row.name, found.stages, X, seconds - (row.tune_seconds or 0.0))

    def finish(self, competing: list[Entrant]) -> None:
        """Rows for methods that Ctrl-C left without one."""
        for one in competing:
            self.rows.setdefault(one.name, Row(one.name, error=INTERRUPTED))
        self._tell("")

    def _add(self, row: Row) -> None:
        self.rows[row.name] = row
        if self.row_done is not None:
            self.row_done(row)

    def _tell(self, name: str) -> None:
        if self.progress is not None:
            self.progress(len(self.rows), self.count, name)


def _cheap_first(competing: list[Entrant], task: str) -> list[Entrant]:
    """Baselines first, so that the time they leave is shared by the others; the most expensive methods last."""
    plain = set(baselines(task))
    last = {name: place for place, name in enumerate(EXPENSIVE, 1)}
    return sorted(competing, key=lambda one: -1 if one.name in plain else last.get(one.name, 0))


def _check(max_rows: int, time_limit: float | None) -> None:
    if max_rows < 1:
        raise bad("compare", "max_rows", "a positive number", max_rows, f"{ALL_ROWS} is the default.")
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
    return [*(name for name in PLANS[sample.task] if numbers or methods[name].takes == KERNEL), *plain]


def _thrift(time_limit: float | None) -> float:
    """The share of its usual rows that a search gets when time is short."""
    return 1.0 if time_limit is None else min(1.0, (time_limit / AMPLE_SECONDS) ** (1.0 / 3.0))


def _tuned(one: Entrant, sample: Sample, limit: float | None, seconds: float | None) -> _Done:
    """The row and the fit of one method, with its parameters chosen on training rows."""
    method = METHODS[sample.task].get(one.name) if one.estimator is None else None
    by_kernel = method is not None and (method.takes == KERNEL or one.name in NAMED)
    if method is None or not (by_kernel or one.name in METRICS):
        return tried(one, sample)
    y, numbers = sample.y[sample.train], method.takes != KERNEL
    rows = max(round(_thrift(limit) * searched_rows(one.name, y, sample.task)), 1)
    kernel = None if numbers and sample.vectors is not None else sample.kernel
    machine = tuned(one.name, sample.task, kernel, y, sample.random_state, rows=rows, seconds=seconds)
    return _with_settings(sample, *tried(Entrant(one.name, machine, numbers), sample))


def _larger(before: Row, stages: TwoStages, size: int, sample: Sample) -> _Done:
    return _with_settings(sample, *enlarged(before, stages, size, sample))


def _with_settings(sample: Sample, row: Row, found: Fitted | None) -> _Done:
    """What was chosen, in words; a method that learns its metric has no settings."""
    if found is None or row.name in METRICS:
        return row, found
    return replace(row, settings=settings_of(found.machine, sample.kernel)), found


def _shown(given: Any) -> str:
    return given if isinstance(given, str) else getattr(given, "__name__", None) or short(given)


def _words(sample: Sample) -> str:
    train, test = sample.splits[0]
    counts = f"{len(train)} training and {len(test)} held-out {sample.unit}"
    return counts if len(sample.splits) == 1 else f"{len(sample.splits)} splits of about {counts}"
