"""LabelledTable: a table with its targets, a kernel for it, and a machine in a pipeline; for all verbs that learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mercer.cli.options import settings_of
from mercer.cli.printing import say
from mercer.errors import bad

NOTES = 8  # on a table that are printed at most
TOO_MANY = 10  # warn at this many times the rows that a comparison gives a method


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """A table without the column to predict, the targets from that column if one is named, and the task."""

    table: Any
    target: str | None
    y: Any
    task: str

    def kernel(self, text: str | None, method: str = "svm") -> Any:
        """The kernel of an expression, or the default for the columns; that of a Gaussian process has a free factor."""
        from mercer import parse
        from mercer.comparison.methods import METRICS
        from mercer.kernels import Constant
        from mercer.tables import default_kernel

        if text is not None:
            if method in METRICS:
                raise bad("--kernel", "the kernel", f"left out for {method}, which learns its own", repr(text),
                          "Choose a family by --set distance_kernel=laplacian.")  # fmt: skip
            return parse(text)
        found = default_kernel(self.table)
        if method != "gp":
            return found
        return float(f"{self.y.var():.3g}") * found if self.task == "regression" else 1.0 * found + Constant(1.0)

    def pipeline(self, method: str, kernel: Any, settings: Mapping[str, Any], seed: int) -> Any:
        """The scaler of the table and the machine, not yet fitted."""
        from sklearn.pipeline import Pipeline

        from mercer.comparison.methods import Entrant

        machine = Entrant(method).build(self.task, kernel, seed)
        known = machine.get_params()
        unknown = [name for name in settings if name not in known and not name.startswith("kernel__")]
        if unknown:
            raise bad(method, "a setting", f"one of {', '.join(sorted(known))}", unknown[0], "Correct the name.")
        return Pipeline([("scale", self.scaler(kernel)), ("machine", machine.set_params(**settings))])

    def sampled(self, rows: int | None, seed: int) -> LabelledTable:
        """So many of the rows, drawn at random; all if `rows` is None."""
        import numpy as np

        if rows is None or rows >= len(self.table):
            return self
        some = np.sort(np.random.default_rng(seed).permutation(len(self.table))[:rows])
        say(f"{rows} of {len(self.table)} rows are drawn at random.")
        return replace(self, table=self.table.take(some), y=None if self.y is None else self.y[some])

    def warn_of(self, method: str) -> None:
        """Print a note if a method is slow on so many rows."""
        from mercer.comparison.tuning import plan_of

        most = plan_of(method, self.task).most
        if most is not None and len(self.table) > TOO_MANY * most:
            say(f"note: {method} suits about {most} rows, and this table has {len(self.table)}: the fit may take very "
                "long or need too much memory. Ctrl-C stops it; --rows N takes N of the rows.")  # fmt: skip

    def scaler(self, kernel: Any) -> Any:
        """The scaler whose output the kernel understands."""
        from mercer import TableScaler, items

        named = getattr(kernel, "items", None) is items.Table and self.table.vectors is None
        return TableScaler(self.table.kinds, output="table" if named else "auto", target=self.target)


def require_method(method: str) -> None:
    """Refuse the name of a method that does not exist or has no kernel, before the table is read."""
    from difflib import get_close_matches

    from mercer.comparison.methods import METHODS, METRICS, machines

    known = [*dict.fromkeys(name for task in METHODS for name in machines(task)), *sorted(METRICS)]
    if method not in known:
        near = get_close_matches(method.lower(), known, n=1)
        others = any(method in methods for methods in METHODS.values())
        cure = f"Did you mean {near[0]!r}?" if near else "Only mercer compare has methods without a kernel." * others
        raise bad("--method", "the method", f"one of {', '.join(known)}", repr(method), cure or "Choose one of these.")


def labelled_table(
    data: str, target: str | None, task: str | None, form: str | None, kinds: Sequence[str] | None,
    drop: Sequence[str] | None, keep: Sequence[str] | None,
) -> LabelledTable:  # fmt: skip
    """The table in a file, with its targets; prints what was found in it."""
    table = _read(data, form, kinds, drop, keep)
    name = table.target_name(target)
    features, y, found = table.split_target(name, task=task)
    say(f"{features.name}: {features.describe()}; {found} of {name!r}.")
    tell_notes(table, features, name)
    return LabelledTable(features, name, y, found)


def unlabelled_table(
    data: str, labels: str | None, form: str | None, kinds: Sequence[str] | None, drop: Sequence[str] | None,
    keep: Sequence[str] | None,
) -> LabelledTable:  # fmt: skip
    """The table in a file without a column to predict; a column of labels may be set aside."""
    table = _read(data, form, kinds, drop, keep)
    if labels is not None:
        features, y, task = table.split_target(labels)
    else:
        aside = [] if len(table.aside) == len(table.columns) else list(table.aside)
        notes = tuple(f"column {column!r} is left out: it {table.aside[column]}" for column in aside)
        features, y, task = replace(table.drop(aside), notes=notes + table.notes), None, ""
    say(f"{features.name}: {features.describe()}.")
    tell_notes(table, features, labels)
    return LabelledTable(features, labels, y, task)


def _read(
    data: str, form: str | None, kinds: Sequence[str] | None, drop: Sequence[str] | None, keep: Sequence[str] | None
) -> Any:
    from mercer.tables import read

    given = settings_of(kinds, "--kind")
    table = read(data, format=form, kinds=given, keep=keep or ())
    for name in given:
        table.require(name)
    return table.drop(drop) if drop else table


def tell_notes(table: Any, features: Any, target: str | None) -> None:
    """Say what there is to know of the columns."""
    for note in features.notes[:NOTES]:
        say(f"note: {note}.")
    if len(features.notes) > NOTES:
        say(f"note: and {len(features.notes) - NOTES} more such notes.")
    if set(table.aside) - {target, *features.columns}:
        say("note: --keep COLUMN keeps a column.")


def described(machine: Any) -> dict[str, Any]:
    """How many vectors a fitted machine kept, and its certificate."""
    found: dict[str, Any] = {}
    if hasattr(machine, "support_"):
        found["vectors kept"] = len(machine.support_)
    certificate = getattr(machine, "certificate_", None)
    if certificate is not None:
        found["certificate"] = str(certificate)
    return found
