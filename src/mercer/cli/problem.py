"""What verbs that learn have in common: a table with its target, a kernel for it, and the machine in a pipeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mercer.cli.printing import say
from mercer.errors import bad

NOTES = 8  # that are said of a table
MANY = 10  # times the rows that a method is made for


@dataclass(frozen=True, eq=False)
class Problem:
    """A table without its target, the targets, and what is to be done with them; None where there is no target."""

    table: Any
    target: str | None
    y: Any
    task: str

    def kernel(self, text: str | None, method: str = "svm") -> Any:
        """The kernel of an expression, or the one for the columns, which for a Gaussian process has a free level."""
        from mercer import parse
        from mercer.kernels import Constant
        from mercer.tables import default_kernel

        if text is not None:
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

    def sampled(self, rows: int | None, seed: int) -> Problem:
        """The problem on so many of its rows."""
        import numpy as np

        if rows is None or rows >= len(self.table):
            return self
        some = np.sort(np.random.default_rng(seed).permutation(len(self.table))[:rows])
        say(f"{rows} of {len(self.table)} rows are drawn at random.")
        return replace(self, table=self.table.take(some), y=None if self.y is None else self.y[some])

    def warn_of(self, method: str) -> None:
        """Say so where a method is not made for so many rows."""
        from mercer.study.tuning import plan_of

        most = plan_of(method, self.task).most
        if most is not None and len(self.table) > MANY * most:
            say(f"note: {method} is at its best with some {most} rows, and here are {len(self.table)}: this may take "
                "long or too much memory. Ctrl-C stops it; --rows draws fewer.")  # fmt: skip

    def scaler(self, kernel: Any) -> Any:
        """The scaler whose output the kernel understands."""
        from mercer import TableScaler, items

        named = getattr(kernel, "items", None) is items.Table and self.table.vectors is None
        return TableScaler(self.table.kinds, output="table" if named else "auto", target=self.target)


def require_method(method: str) -> None:
    """Refuse the name of a method that does not exist or has no kernel, before anything is read."""
    from difflib import get_close_matches

    from mercer.comparison.methods import METHODS, machines

    known = list(dict.fromkeys(name for task in METHODS for name in machines(task)))
    if method not in known:
        near = get_close_matches(method.lower(), known, n=1)
        others = any(method in methods for methods in METHODS.values())
        cure = f"Did you mean {near[0]!r}?" if near else "Methods without a kernel are for mercer compare." * others
        raise bad("--method", "the method", f"one of {', '.join(known)}", repr(method), cure or "Choose one of these.")


def problem_of(
    data: str, target: str | None, task: str | None, form: str | None, kinds: Sequence[str] | None,
    drop: Sequence[str] | None, keep: Sequence[str] | None,
) -> Problem:  # fmt: skip
    """The problem in a file; what there is to know of the table is said."""
    table = _read(data, form, kinds, drop, keep)
    name = table.target_name(target)
    features, y, found = table.split_target(name, task=task)
    say(f"{features.name}: {features.describe()}; {found} of {name!r}.")
    _tell_notes(table, features, name)
    return Problem(features, name, y, found)


def features_of(
    data: str, labels: str | None, form: str | None, kinds: Sequence[str] | None, drop: Sequence[str] | None,
    keep: Sequence[str] | None,
) -> Problem:  # fmt: skip
    """The rows of a file without a target to learn; a column of labels may be set aside."""
    table = _read(data, form, kinds, drop, keep)
    if labels is not None:
        features, y, task = table.split_target(labels)
    else:
        aside = [] if len(table.aside) == len(table.columns) else list(table.aside)
        notes = tuple(f"column {column!r} is left out: it {table.aside[column]}" for column in aside)
        features, y, task = replace(table.drop(aside), notes=notes + table.notes), None, ""
    say(f"{features.name}: {features.describe()}.")
    _tell_notes(table, features, labels)
    return Problem(features, labels, y, task)


def _read(
    data: str, form: str | None, kinds: Sequence[str] | None, drop: Sequence[str] | None, keep: Sequence[str] | None
) -> Any:
    from mercer.tables import read

    given = settings_of(kinds, "--kind")
    table = read(data, format=form, kinds=given, keep=keep or ())
    for name in given:
        table.require(name)
    return table.drop(drop) if drop else table


def _tell_notes(table: Any, features: Any, target: str | None) -> None:
    """Say what there is to know of the columns."""
    for note in features.notes[:NOTES]:
        say(f"note: {note}.")
    if len(features.notes) > NOTES:
        say(f"note: the like of {len(features.notes) - NOTES} more columns.")
    if set(table.aside) - {target, *features.columns}:
        say("note: --keep COLUMN keeps a column.")


def settings_of(given: Sequence[str] | None, option: str) -> dict[str, Any]:
    """{NAME: VALUE} of options NAME=VALUE; values are numbers, true, false, null, lists, or text."""
    found = {}
    for one in given or ():
        name, equals, text = one.partition("=")
        if not name or not equals:
            raise bad(option, "value", "NAME=VALUE", repr(one), f"Write e.g. {option} C=10.")
        found[name.strip()] = value_of(text.strip())
    return found


def value_of(text: str) -> Any:
    """A number, true, false, null or a list as JSON has them, else the text itself."""
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def described(machine: Any) -> dict[str, Any]:
    """What a fitted machine kept, and its proof."""
    found: dict[str, Any] = {}
    if hasattr(machine, "support_"):
        found["vectors kept"] = len(machine.support_)
    certificate = getattr(machine, "certificate_", None)
    if certificate is not None:
        found["certificate"] = str(certificate)
    return found


def score_name(task: str) -> str:
    """What `score` of a machine is called."""
    return "accuracy" if task == "classification" else "R^2"
