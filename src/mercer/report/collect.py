"""From a comparison to numbers and sentences; no HTML here, and no pictures."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer import __version__
from mercer.comparison import Comparison
from mercer.comparison.methods import CLASSIFICATION
from mercer.comparison.sample import Sample
from mercer.errors import bad
from mercer.items.column_kinds import CATEGORICAL, NUMERIC
from mercer.report.answer import answer
from mercer.report.approximations import approximations
from mercer.report.method_table import COLUMNS, Line, lines
from mercer.theory import certify
from mercer.typing import Array

PROVEN_ON = 500  # rows on which the kernel is certified
LISTED = 12  # vectors of a machine that are named
COLUMNS_SHOWN = 60


@dataclass(frozen=True)
class Proof:
    """A certificate in words."""

    name: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Vectors:
    """How many of its training rows a machine keeps, and the numbers of those with the largest coefficients."""

    name: str
    kept: int
    of: int
    rows: tuple[int, ...]


@dataclass(frozen=True)
class ColumnFacts:
    """A column of the data."""

    name: str
    kind: str
    missing: int
    facts: str


@dataclass(frozen=True)
class Report:
    """All that a page says."""

    title: str
    task: str
    answer: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    headings: tuple[tuple[str, str], ...]
    lines: tuple[Line, ...]
    vectors: tuple[Vectors, ...]
    proofs: tuple[Proof, ...]
    columns: tuple[ColumnFacts, ...]
    more_columns: int
    approximations: tuple[str, ...]
    notes: tuple[str, ...]
    commands: tuple[str, ...]
    version: str = __version__


def collect(found: Comparison, command: Sequence[str] = ()) -> Report:
    """The numbers and sentences of a tuned comparison; `command` is the one that repeats it, word by word."""
    s = sample_of(found)
    kinds = {} if s.table is None else s.table.kinds
    return Report(
        title="comparison" if s.table is None else s.table.name.rsplit("/", 1)[-1],
        task=s.task,
        answer=tuple(answer(found)),
        facts=_facts(found, s),
        headings=tuple((column.heading, column.meaning) for column in COLUMNS),
        lines=lines(found),
        vectors=tuple(_vectors(found, s)),
        proofs=tuple(_proofs(found, s)),
        columns=tuple(_columns(s)),
        more_columns=max(len(kinds) - COLUMNS_SHOWN, 0),
        approximations=tuple(approximations(found)),
        notes=s.notes,
        commands=tuple(_commands(command, s)),
    )


def sample_of(found: Comparison) -> Sample:
    """The sample of a comparison that a report can be made of."""
    if found.sample is None or found.best.name not in found.fitted:
        raise bad("report", "the comparison", "a tuned one", "one without fitted machines",
                  "Use mercer.compare(..., tune=True).")  # fmt: skip
    return found.sample


def _facts(found: Comparison, s: Sample) -> tuple[tuple[str, str], ...]:
    classes = "" if s.task != CLASSIFICATION else f", {len(np.unique(s.y))} classes"
    columns = ""
    if s.table is not None:
        columns = str(len(s.table.kinds)) if s.table.vectors is None else f"{s.table.vectors.shape[1]}, sparse"
    facts = {
        "task": f"{s.task} of {s.target}{classes}",
        "rows": f"{len(s.y)} of {s.total}: {len(s.train)} for training, {len(s.test)} held out",
        "columns": columns,
        "kernel": repr(s.kernel),
        "seed": str(s.random_state),
        "time": f"{found.seconds:.0f} s",
    }
    return tuple((name, text) for name, text in facts.items() if text)


# ---- vectors and proofs


def _vectors(found: Comparison, s: Sample) -> list[Vectors]:
    vectors = []
    for name, fitted in found.fitted.items():
        if fitted.kept is not None:
            heavy = fitted.kept[_by_weight(fitted.best)][:LISTED]
            numbers = tuple((s.rows[heavy] + 1).tolist())
            vectors.append(Vectors(name, len(fitted.kept), len(fitted.rows), numbers))
    return vectors


def _by_weight(machine: Any) -> Array:
    """The order of the vectors of a machine by the size of their coefficients, the largest first.

    An SVC has a column of coefficients for every vector, other machines have a row.
    """
    W = np.abs(np.asarray(machine.dual_coef_, dtype=float))
    by_column = W.ndim == 1 or W.shape[1] == len(machine.support_)
    size = np.atleast_2d(W).max(axis=0) if by_column else W.max(axis=1)
    return np.argsort(-size, kind="stable")


def _proofs(found: Comparison, s: Sample) -> list[Proof]:
    some = s.train[np.linspace(0, len(s.train) - 1, min(PROVEN_ON, len(s.train))).astype(int)]
    kernel = Proof("the kernel", (str(certify(s.kernel, s.items(some))),))
    return [kernel, *(Proof(row.name, tuple(row.certificate.splitlines())) for row in found if row.certificate)]


# ---- data and commands


def _columns(s: Sample) -> list[ColumnFacts]:
    table, found = s.table, []
    if table is None:
        return []
    for name, kind in list(table.kinds.items())[:COLUMNS_SHOWN]:
        column = table.columns[name]
        given = column[~np.isnan(column)] if kind == NUMERIC else np.array([v for v in column if v is not None], object)
        found.append(ColumnFacts(name, kind, len(column) - len(given), _column_facts(given, kind)))
    return found


def _column_facts(given: Array, kind: str) -> str:
    if not len(given):
        return "empty"
    if kind == NUMERIC:
        return f"{given.min():.4g} to {given.max():.4g}, mean {given.mean():.4g}"
    if kind == CATEGORICAL:
        levels, counts = np.unique(given.astype(str), return_counts=True)
        common = levels[np.argmax(counts)]
        return f"{len(levels)} levels, most often {_clipped(str(common))} ({counts.max() / len(given):.0%})"
    return f"{np.mean([len(str(text).split()) for text in given]):.1f} words on average"


def _clipped(text: str) -> str:
    return text if len(text) <= 30 else text[:29] + "…"


def _commands(words: Sequence[str], s: Sample) -> list[str]:
    """The command, and, if the kernel is the default one, the command with that kernel, to be edited."""
    if not words:
        return []
    return [shlex.join(words)] + ([shlex.join([*words, "--kernel", repr(s.kernel)])] if s.is_default else [])
