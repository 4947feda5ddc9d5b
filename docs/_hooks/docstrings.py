"""Docstrings of the code as Markdown for the reference pages.

They are plain text: formulas as they are typed, and lists of arguments in two columns,

    alpha           several numbers are candidates
    fit_intercept   adds b, which is not penalised

which become definition lists.  Everything else is kept, with what Markdown would take for markup protected.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_ROW = re.compile(r"(\S.*?\S|\S)\s{2,}(\S.*)")
_IDS = re.compile(r" \((?:[A-Z]\d+(?:, )?)+\)")
_SENTENCE = re.compile(r"(?<!\.\.)[.:;!?]$")  # two spaces follow the end of a sentence, too
_MARKUP = re.compile(r"[<*_\[\]]")
_WIDEST = 45  # of a name in the first column


class PlainText(griffe.Extension):
    """Turns every docstring into Markdown as it is read."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = markdown(obj.docstring.value)


def markdown(text: str) -> str:
    """A docstring as Markdown."""
    return "\n\n".join(map(_block, re.split(r"\n\s*\n", without_ids(text))))


def without_ids(text: str) -> str:
    """The text without references to the list of requirements, which readers do not have."""
    return _IDS.sub("", text).replace(" of M22", "")


def _block(block: str) -> str:
    lines = block.split("\n")
    if all(line.startswith("    ") for line in lines):
        return block
    rows = _rows(lines)
    if rows is None:
        return _protected(block)
    return "\n\n".join(f"`{name}`\n:   {_protected(what)}" for name, what in rows)


def _rows(lines: list[str]) -> list[tuple[str, str]] | None:
    """(name, description) of a list in two columns, or None for a paragraph."""
    rows: list[tuple[str, str]] = []
    for line in lines:
        found = _ROW.fullmatch(line)
        if line.startswith(" ") and rows:
            rows[-1] = rows[-1][0], f"{rows[-1][1]} {line.strip()}"
        elif found and len(found[1]) <= _WIDEST and not _SENTENCE.search(found[1]):
            rows.append((found[1], found[2]))
        else:
            return None
    return rows


def _protected(text: str) -> str:
    """Text in which < opens no tag and * and _ no emphasis, code in backquotes left alone."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if i % 2 else _MARKUP.sub(_escaped, part) for i, part in enumerate(parts))


def _escaped(found: re.Match[str]) -> str:
    return "&lt;" if found[0] == "<" else f"\\{found[0]}"
