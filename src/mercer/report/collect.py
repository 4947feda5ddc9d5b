"""From a study to numbers and sentences; no HTML here, and no pictures."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer import __version__
from mercer.comparison.methods import CLASSIFICATION
from mercer.comparison.trial import innermost
from mercer.items.kinds import CATEGORICAL, NUMERIC
from mercer.report.answer import answer
from mercer.report.lines import COLUMNS, Line, lines
from mercer.report.predictions import Predictions, predictions
from mercer.study import Study, builtin
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
    """The rows that a machine keeps: how many of how many, and the numbers of those with the largest coefficients."""

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


@dataclass(frozen=True, eq=False)
class Report:
    """All that a page says; `predicted` are the predictions by method, for the pictures."""

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
    notes: tuple[str, ...]
    commands: tuple[str, ...]
    predicted: dict[str, Predictions]
    version: str = __version__


def collect(study: Study) -> Report:
    """The numbers and sentences of a study."""
    s = study.sample
    predicted = {name: predictions(study, name) for name in study.fitted}
    return Report(
        title=s.table.name.rsplit("/", 1)[-1],
        task=s.task,
        answer=tuple(answer(study, predicted)),
        facts=_facts(study),
        headings=tuple((heading, meaning) for heading, meaning, *_ in COLUMNS),
        lines=lines(study.comparison),
        vectors=tuple(_vectors(study)),
        proofs=tuple(_proofs(study)),
        columns=tuple(_columns(study)),
        more_columns=max(len(s.table.kinds) - COLUMNS_SHOWN, 0),
        notes=s.notes,
        commands=tuple(_commands(study)),
        predicted=predicted,
    )


def _facts(study: Study) -> tuple[tuple[str, str], ...]:
    s = study.sample
    classes = "" if s.task != CLASSIFICATION else f", {len(np.unique(s.y))} classes"
    return (
        ("task", f"{s.task} of {s.target}{classes}"),
        ("rows", f"{len(s.y)} of {s.total}: {len(s.train)} to learn from, {len(s.test)} held out"),
        ("columns", f"{len(s.table.kinds)}" if s.table.vectors is None else f"{s.table.vectors.shape[1]}, sparse"),
        ("kernel", repr(s.kernel)),
        ("seed", str(study.random_state)),
        ("time", f"{study.seconds:.0f} s"),
    )


# ---- vectors and proofs


def _vectors(study: Study) -> list[Vectors]:
    found = []
    for row in study.comparison:
        kept = study.kept(row.name) if row.name in study.fitted else None
        if kept is not None and row.n_train:
            heavy = kept[_by_weight(study.fitted[row.name])][:LISTED]
            found.append(Vectors(row.name, len(kept), int(row.n_train), tuple((study.sample.rows[heavy] + 1).tolist())))
    return found


def _by_weight(machine: Any) -> Array:
    """The vectors of a machine by the size of their coefficients, the largest first."""
    best = innermost(machine)
    W = np.abs(np.asarray(best.dual_coef_, dtype=float)).reshape(-1, len(best.support_)) if _flat(best) else None
    size = np.abs(np.asarray(best.dual_coef_, dtype=float)).max(axis=1) if W is None else W.max(axis=0)
    return np.argsort(-size, kind="stable")


def _flat(machine: Any) -> bool:
    """Whether coefficients come in rows of one per vector, as in SVC, and not in columns."""
    shape = np.shape(machine.dual_coef_)
    return len(shape) == 1 or shape[1] == len(machine.support_)


def _proofs(study: Study) -> list[Proof]:
    s = study.sample
    some = s.train[np.linspace(0, len(s.train) - 1, min(PROVEN_ON, len(s.train))).astype(int)]
    found = [Proof("the kernel", (str(certify(s.kernel, s.items(some))),))]
    return found + [Proof(row.name, tuple(row.certificate.splitlines())) for row in study.comparison if row.certificate]


# ---- data and commands


def _columns(study: Study) -> list[ColumnFacts]:
    table, found = study.sample.table, []
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


def _commands(study: Study) -> list[str]:
    """The same again, and, where the kernel was not given, the same with the kernel spelt out, to be changed."""
    s = study.sample
    data = "-" if s.table.name == "standard input" else s.table.name
    words = ["mercer", "compare"] + ([] if s.table.name == builtin.NAME else [data, "--target", s.target])
    words += [text for name, value in study.asked for text in (f"--{name}", value)]
    return [shlex.join(words)] + ([shlex.join([*words, "--kernel", repr(s.kernel)])] if s.default else [])
